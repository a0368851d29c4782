"""Thinking that is part of a text which comes in pieces: it is told apart as soon as what follows can't change it.

Where a reply begins with a mark, its thinking is given as it comes, and so is the answer. Where a tag may be a part of
code, of an object or of what the answer is about, the text is held back until that is clear, at the latest to its
end. One thing can't be known in time: a closing tag alone, which makes thinking of an answer that was given already.
"""

from __future__ import annotations

from .think_marks import (
    CHANNELS,
    certain_end,
    kind_of,
    may_begin_a_tag,
    opening_at,
    opening_at_the_start,
    tags,
    tags_of,
)
from .think_tags import ASSISTANT, THINKING, split

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    import re

    from .think_tags import Pieces

_LEAST_GROWTH = 200
_GROWTH = 8


class TagParser:
    """Tells thinking in a text that comes in pieces from the answer."""

    def __init__(self) -> None:
        self._chunks: list[str] = []
        self._length = 0
        self._waiting = ""  # what has come and isn't given yet, unless it is held back
        self._given = 0  # how many characters of thinking and answer
        self._mark = ""  # of the thinking that this is in
        self._has_begun = False  # whether anything but blanks has come
        self._has_thought = False
        self._drops_line_breaks = False
        self._holds_back = False
        self._next_look = 0

    def feed(self, text: str) -> Pieces:
        """Take more of the text; returns the pieces that are certain by now."""
        self._chunks.append(text)
        self._length += len(text)
        if self._holds_back:
            return self._look_again() if self._length >= self._next_look else []
        self._waiting += text
        return self._go_on()

    def end(self) -> Pieces:
        """Take the end of the text; returns the last pieces."""
        if self._holds_back:
            return self._rest(split("".join(self._chunks)).pieces)
        pieces = self._give(len(self._waiting))
        self._waiting = ""
        return pieces

    def _go_on(self) -> Pieces:
        pieces: Pieces = []
        if not self._has_begun:
            start = len(self._waiting) - len(self._waiting.lstrip())
            opening = opening_at(self._waiting, start)
            is_early = opening is None and may_begin_a_tag(self._waiting[start:], at_the_start=True)
            if start == len(self._waiting) or is_early:
                return []
            pieces = self._begin(opening)
        if self._mark:
            pieces += self._in_thinking()
        if not self._mark and not self._holds_back:
            pieces += self._in_answer()
        return pieces

    def _begin(self, opening: re.Match[str] | None) -> Pieces:
        """Look at the first thing in the text, which may be a tag that opens thinking."""
        self._has_begun = True
        pieces: Pieces = []
        if opening:
            pieces = self._give(opening.start())
            self._mark = kind_of(opening[0])[0]
            self._waiting = self._waiting[len(opening[0]) :]
        elif opening_at_the_start(self._waiting) or CHANNELS.match(self._waiting):
            self._hold_back()
        return pieces

    def _in_thinking(self) -> Pieces:
        tag = tags_of(self._mark).search(self._waiting)
        if tag is None:
            return self._give(certain_end(self._waiting))
        end = self._length - len(self._waiting) + tag.end()
        pieces = self._give(tag.start())
        found = split("".join(self._chunks)[:end], is_whole=False) if kind_of(tag[0])[1] else None
        if found is not None and found.is_settled:
            self._waiting = self._waiting[tag.end() - tag.start() :]
            self._mark, self._has_thought, self._drops_line_breaks = "", True, found.is_line_break_dropped
        else:
            self._hold_back()
        return pieces

    def _in_answer(self) -> Pieces:
        for tag in tags().finditer(self._waiting):
            if not kind_of(tag[0])[1]:
                pieces = self._give(tag.start())
                self._hold_back()
                return pieces
        return self._give(certain_end(self._waiting))

    def _give(self, end: int) -> Pieces:
        """Return the beginning of what waits as a piece."""
        text, self._waiting = self._waiting[:end], self._waiting[end:]
        if not self._mark and self._drops_line_breaks:
            text = text.lstrip("\r\n")
            self._drops_line_breaks = not text
        self._given += len(text)
        return [(THINKING if self._mark else ASSISTANT, text)] if text else []

    def _hold_back(self) -> None:
        self._holds_back = True
        self._waiting = ""
        self._wait()

    def _wait(self) -> None:
        """Put off the next look, so that all the looks together cost little more than one."""
        self._next_look = self._length + max(_LEAST_GROWTH, self._length // _GROWTH)

    def _look_again(self) -> Pieces:
        """Give what is held back, as far as it has become certain."""
        self._wait()
        text = "".join(self._chunks)
        if CHANNELS.match(text):
            return self._rest(split(text[: certain_end(text)]).pieces)
        end = max(text.rfind("\n\n"), text.rfind("\n\r\n"))
        if end < 0:
            return []
        end = text.index("\n", end + 1) + 1  # behind the blank line, which ends what is in backticks
        found = split(text[:end], is_whole=False)
        if not found.is_settled or sum(len(said) for _, said in found.pieces) < self._given:
            return []
        pieces = self._rest(found.pieces)
        self._holds_back = False
        self._mark, self._has_thought = "", bool(found.mark)
        self._drops_line_breaks = found.is_line_break_dropped
        self._waiting = text[end:]
        return pieces + self._go_on()

    def _rest(self, pieces: Pieces) -> Pieces:
        """Return the pieces without what was given already."""
        rest: Pieces = []
        place = 0
        for layer, text in pieces:
            new = text[max(0, self._given - place) :]
            place += len(text)
            if new:
                rest.append((layer, new))
        self._given = max(self._given, place)
        return rest

"""Thinking that is part of a whole text: between tags, or in a channel of its own.

A tag in a code fence, in backticks or in a JSON object is only text. A closing tag alone ends thinking that began with
the answer, because some servers put the opening tag into the prompt. `think_marks` has the tags, and `think_stream`
reads a text that comes in pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from ..fields import AXES
from .block import WRAPPER
from .lenient_json import CLOSED, CUT, Scanner
from .think_marks import CHANNELS, MARKS_AT_THE_START, kind_of, opening_at_the_start, tags, tokens, unknown_mark

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    Pieces = list[tuple[str, str]]
    """Texts in their order, each with "thinking" or "assistant"."""

THINKING, ASSISTANT = "thinking", "assistant"

_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_CHANNEL = re.compile(r"<\|channel\|>([a-z]*)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_SHORTEST_FENCE = 3
_DEEPEST_FENCE = 3
_LONGEST_MARK_TOLD = 60


class Split:
    """A text with its thinking taken out.

    Attributes
    ----------
    pieces : list of (str, str)
        What is said, in its order, each with "thinking" or "assistant".
    mark : str
        The tag that marked the thinking, as the text has it.
    is_unclosed : bool
        Whether the last stretch of thinking never closes.
    is_settled : bool
        Whether no text that follows can change this.
    is_line_break_dropped : bool
        Whether line breaks that follow only part the thinking from the answer, and are left out.
    note : str
        What was left in the answer and looks like a mark of thinking; empty if there is none.
    """

    def __init__(self, pieces: Pieces, mark: str = "", *, is_unclosed: bool = False) -> None:
        self.pieces = pieces
        self.mark = mark if len(mark) <= _LONGEST_MARK_TOLD else mark[:_LONGEST_MARK_TOLD] + "\u2026"
        self.is_unclosed = is_unclosed
        self.is_settled = False
        self.is_line_break_dropped = False
        self.note = ""

    @property
    def thoughts(self) -> list[str]:
        """The thinking, a text for each stretch of it."""
        return [said.strip() for layer, said in self.pieces if layer == THINKING]

    @property
    def answer(self) -> str:
        """The rest."""
        return "".join(said for layer, said in self.pieces if layer == ASSISTANT)


def split(text: str, *, is_whole: bool = True) -> Split:
    """Take the thinking out of a text.

    Parameters
    ----------
    text : str
        What a model said.
    is_whole : bool, optional
        Whether nothing follows; else `Split.is_settled` says whether what follows can change the result.
    """
    if CHANNELS.match(text):
        return _split_channels(text)
    at_the_start = opening_at_the_start(text)
    if at_the_start and MARKS_AT_THE_START[at_the_start] in text.lower():
        found = _TagReader(text, at_the_start, is_whole=is_whole).run()
        if found.mark:
            return found
    if is_whole and tags().search(text) is None:
        found = Split([(ASSISTANT, text)] if text else [])
    else:
        found = _TagReader(text, "", is_whole=is_whole).run()
    found.is_settled = found.is_settled and not at_the_start
    if is_whole and not found.mark:
        found.note = _note(text, at_the_start)
    return found


def _note(text: str, at_the_start: str) -> str:
    if at_the_start:
        is_word = at_the_start.isalpha()
        return "" if is_word else f"the reply begins with {at_the_start}, which never closes: it stays in the answer"
    mark = unknown_mark(text)
    return f"the reply begins with {mark}, which isn't a known mark of thinking: it stays in the answer" if mark else ""


def _split_channels(text: str) -> Split:
    pieces: Pieces = []
    place = 0
    is_unclosed = False
    while (channel := _CHANNEL.search(text, place)) is not None:
        end = _CHANNEL_END.search(text, channel.end())
        place = end.start() if end else len(text)
        said = text[channel.end() : place]
        if channel[1] == "final":
            pieces.append((ASSISTANT, said))
        elif channel[1] == "analysis":
            pieces.append((THINKING, said))
            is_unclosed = end is None
        # The third channel, commentary, is calls of tools and their preambles.
    return Split(pieces, "<|channel|>analysis", is_unclosed=is_unclosed)


class _TagReader:
    """Goes over the tags of a text once, and over the backticks and fences between them."""

    def __init__(self, text: str, at_the_start: str, *, is_whole: bool) -> None:
        self._text = text
        self._at_the_start = at_the_start
        self._surroundings = _Surroundings(text)
        self._tokens = self._find_tokens(is_whole=is_whole)
        self._is_whole = is_whole
        self._last_closing = {
            kind_of(token[0])[0]: index
            for index, token in enumerate(self._tokens)
            if not _is_run(token) and kind_of(token[0])[1]
        }
        self._pieces: Pieces = []
        self._place = 0  # what comes before is in the pieces
        self._mark = ""
        self._has_thought = False
        self._answer_is_blank = True
        self._answer_end = ""
        self._drops_line_breaks = False
        self._is_doubtful = False  # whether the thinking that this is in may be an answer that names a tag
        # Each of these is given up once it leads to no end: the text is read again from where it misled.
        self._trusts_code = self._trusts_nesting = self._trusts_the_middle = True
        self._is_certain = True  # whether no tag was read as it was only because of what doesn't follow
        self._begin_answer()

    def _find_tokens(self, *, is_whole: bool) -> list[re.Match[str]]:
        end = len(self._text)
        if is_whole:  # backticks that follow the last tag's paragraph hide no tag
            ends = [tag.end() for tag in tags(self._at_the_start).finditer(self._text)]
            following = _BLANK_LINE.search(self._text, ends[-1]) if ends else None
            end = following.start() if following else end
        found = list(tokens(self._at_the_start).finditer(self._text, 0, end))
        self._surroundings.find_code(found)
        return found

    def _begin_answer(self) -> None:
        self._opened = -1  # the index of the token that opened the thinking that this is in
        self._depth = 0
        self._hidden_close = -1  # the first token that would close it, if it weren't in code
        self._inner_close = -1  # the first that closes thinking within it
        self._fence = ""
        self._code_end = 0

    def run(self) -> Split:
        """Return the text split; without a mark if there is no thinking in it."""
        index = 0
        while index < len(self._tokens):
            index = self._take(index) + 1
            if index == len(self._tokens) and self._opened >= 0:
                index = self._step_back(index)
        is_unclosed = self._opened >= 0
        if is_unclosed and self._at_the_start and not self._has_thought:
            return Split([])
        if is_unclosed:
            self._mark = self._mark or self._tokens[self._opened][0]
        self._say(len(self._text))
        found = Split(self._pieces, self._mark, is_unclosed=is_unclosed)
        found.is_line_break_dropped = self._drops_line_breaks
        if not self._is_whole:
            found.is_settled = self._is_certain and not (is_unclosed or self._fence or self._surroundings.are_open())
        return found

    def _step_back(self, index: int) -> int:
        """Return the token to go on with where the tags end in thinking that isn't closed."""
        if self._inner_close >= 0:
            self._trusts_nesting = self._is_certain = False
            return self._close(self._inner_close) + 1
        if self._is_doubtful:
            # In the middle of an answer a tag that never closes is only text.
            self._trusts_the_middle = self._is_certain = False
            index = self._opened + 1
            self._place = self._tokens[self._opened].start()
            self._begin_answer()
        elif self._hidden_close >= 0 and not self._at_the_start:
            self._trusts_code = self._is_certain = False  # a fence that never closes, most likely
            return self._close(self._hidden_close) + 1
        return index

    def _take(self, index: int) -> int:
        """Take a token; returns the index of the one to go on after."""
        token = self._tokens[index]
        if _is_run(token):
            self._enter_or_leave_code(token)
            return index
        mark, closes = kind_of(token[0])
        if self._opened >= 0:
            return self._in_thinking(index, mark, closes=closes)
        if not self._is_hidden(token.start()):
            self._in_answer(index, mark, closes=closes)
        return index

    def _in_answer(self, index: int, mark: str, *, closes: bool) -> None:
        token = self._tokens[index]
        self._say(token.start())
        is_start = self._answer_is_blank and not self._has_thought
        if mark == self._at_the_start and (closes or not is_start):
            return
        if not closes:
            self._is_doubtful = not self._has_thought and not self._answer_is_blank
            if self._is_doubtful and not (self._trusts_the_middle and self._last_closing.get(mark, -1) > index):
                self._is_certain = False
                return
            self._opened, self._place, self._depth = index, token.end(), 1
        elif not self._has_thought:
            self._pieces = [(THINKING, "".join(said for _, said in self._pieces))]
            self._answer_end, self._answer_is_blank = "", True
            self._end_thinking(token)

    def _in_thinking(self, index: int, mark: str, *, closes: bool) -> int:
        if mark != kind_of(self._tokens[self._opened][0])[0]:
            return index
        is_hidden = self._is_hidden(self._tokens[index].start())
        if closes and is_hidden:
            self._hidden_close = index if self._hidden_close < 0 else self._hidden_close
        elif closes:
            self._depth -= 1
            if not self._depth or not self._trusts_nesting:
                return self._close(index)
            self._inner_close = index if self._inner_close < 0 else self._inner_close
        elif not is_hidden and self._hidden_close >= 0:
            # Where the next thinking begins, this one has ended, though it seemed not to.
            return self._close(self._hidden_close)
        elif not is_hidden:
            self._depth += 1
        return index

    def _close(self, index: int) -> int:
        """End the thinking with a token; returns which."""
        self._say(self._tokens[index].start())
        self._end_thinking(self._tokens[index])
        return index

    def _end_thinking(self, closing: re.Match[str]) -> None:
        self._mark = self._mark or (self._tokens[self._opened] if self._opened >= 0 else closing)[0]
        self._begin_answer()
        self._place = closing.end()
        self._has_thought = True
        self._drops_line_breaks = self._answer_end in ("", "\n")

    def _say(self, end: int) -> None:
        """Add the text up to a place as a piece of what this is in."""
        text = self._text[self._place : end]
        self._place = end
        if self._opened >= 0:
            self._pieces.append((THINKING, text))
            return
        if self._drops_line_breaks:
            text = text.lstrip("\r\n")
            self._drops_line_breaks = not text
        if text:
            self._pieces.append((ASSISTANT, text))
            self._answer_end = text[-1]
            self._answer_is_blank = self._answer_is_blank and not text.strip()

    def _enter_or_leave_code(self, token: re.Match[str]) -> None:
        if not self._fence and self._is_hidden(token.start()):
            return
        label = _fence_label(self._text, token)
        if label is None:
            if not self._fence:
                self._code_end = self._surroundings.code_ends.get(token.start(), 0)
        elif not self._fence:
            self._fence = token[0]
        elif token[0].startswith(self._fence) and not label.strip():
            self._fence = ""

    def _is_hidden(self, place: int) -> bool:
        """Whether a place is in code or in an object."""
        is_code = self._trusts_code and (bool(self._fence) or place < self._code_end)
        return is_code or self._surroundings.is_in_object(place)


def _is_run(token: re.Match[str]) -> bool:
    return token[0][0] in "`~"


def _fence_label(text: str, run: re.Match[str]) -> str | None:
    """Return what follows a run of backticks or tildes that opens or closes a code fence; None if it doesn't."""
    start, end = run.span()
    if end - start < _SHORTEST_FENCE:
        return None
    before = text[max(0, start - _DEEPEST_FENCE - 1) : start]
    _, line_break, indent = before.rpartition("\n")
    if indent.strip(" \t") or not (line_break or len(before) == start) or len(indent) > _DEEPEST_FENCE:
        return None
    line_end = text.find("\n", end)
    label = text[end:] if line_end < 0 else text[end:line_end]
    return None if "`" in label else label


class _Surroundings:
    """Where a text holds JSON objects, and code in backticks.

    Attributes
    ----------
    code_ends : dict of int to int
        Where the stretches in backticks end, by their starts: at the next run as long, in the same paragraph.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._scanned = Scanner(text, AXES, (WRAPPER,)).objects()
        self._scanned_to = -1
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._has_open_object = False
        self.code_ends: dict[int, int] = {}
        self._paragraphs: list[int] = []
        self._ticks: list[re.Match[str]] = []

    def find_code(self, runs: list[re.Match[str]]) -> None:
        """Find the stretches in backticks."""
        self._ticks = [run for run in runs if run[0][0] == "`" and _fence_label(self._text, run) is None]
        if not self._ticks:
            return
        last = self._ticks[-1].end()
        self._paragraphs = [match.start() for match in _BLANK_LINE.finditer(self._text, 0, last)]
        following: dict[int, re.Match[str]] = {}
        for run in reversed(self._ticks):
            closing = following.get(len(run[0]))
            following[len(run[0])] = run
            if closing is not None:
                index = bisect_left(self._paragraphs, run.end())
                if index == len(self._paragraphs) or self._paragraphs[index] > closing.start():
                    self.code_ends[run.start()] = closing.end()

    def is_in_object(self, place: int) -> bool:
        """Whether a place is within a JSON object."""
        self._scan(place)
        index = bisect_right(self._starts, place) - 1
        return index >= 0 and place < self._ends[index]

    def _scan(self, place: int) -> None:
        """Look for the objects that begin before a place."""
        while self._scanned_to <= place:
            found = next(self._scanned, None)
            if found is None:
                self._scanned_to = len(self._text) + 1
                return
            self._scanned_to = found.start
            self._has_open_object = self._has_open_object or found.state == CUT
            if found.state == CLOSED or (found.state == CUT and found.keys):
                self._starts.append(found.start)
                self._ends.append(found.end)

    def are_open(self) -> bool:
        """Whether an object, or a stretch in backticks, may go on after the text."""
        self._scan(len(self._text))
        if self._has_open_object:
            return True
        # A blank line ends what is in backticks.
        begin = self._paragraphs[-1] if self._paragraphs else 0
        end = 0
        for run in self._ticks:
            if run.start() >= max(begin, end):
                end = self.code_ends.get(run.start(), 0)
                if not end:
                    return _BLANK_LINE.search(self._text, run.end()) is None
        return False

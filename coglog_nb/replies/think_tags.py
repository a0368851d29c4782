"""Thinking that is part of the text itself, in tags or in a channel of its own.

One parser reads a text that is whole and a text that comes in pieces. It knows more of a whole one: a tag in a code
fence, in backticks or in a JSON object is only text, and a closing tag alone ends thinking that began with
the answer (some servers put the opening tag into the prompt). While a text comes, what follows isn't known: then a tag
counts at the start of a line outside a code fence. What a stream shows is for looking at; the turn is taken from the
whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from .block import objects_in

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    Pieces = list[tuple[str, str]]
    """Texts in their order, each with "thinking" or "assistant"."""

THINKING, ASSISTANT = "thinking", "assistant"

# The tags, and what closes them. Those in angle brackets are read in any case.
MARKS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",
}
_OPENED_BY = {closing: opening for opening, closing in MARKS.items()}
_TAGS = (*MARKS, *_OPENED_BY)
_LONGEST_TAG = max(map(len, _TAGS))


def _normal(tag: str) -> str:
    return tag.lower() if tag.startswith("<") else tag


_TAG = "|".join(f"(?i:{re.escape(tag)})" if tag.startswith("<") else re.escape(tag) for tag in _TAGS)
_TOKEN = re.compile(
    rf"(?P<fence>^[ \t]{{0,3}}(?:`{{3,}}|~{{3,}}))(?=(?P<label>[^`\n]*)$)|(?P<ticks>`+)|(?P<tag>{_TAG})", re.MULTILINE
)
# The last line of a text, if it may become a fence.
_UNFINISHED_FENCE = re.compile(r"^[ \t]{0,3}(?:[`~]{0,2}|(?:`{3,}|~{3,})[^`\n]{0,40})\Z", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_CHANNELS = re.compile(r"\s*(?:<\|start\|>assistant)?<\|channel\|>")
_CHANNEL = re.compile(r"<\|channel\|>([a-z]*)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")


class Split:
    """A text with its thinking taken out.

    Attributes
    ----------
    thoughts : list of str
        The thinking, a text for each stretch of it.
    answer : str
        The rest.
    mark : str
        What marked the thinking.
    cut : bool
        Whether the last stretch never closes.
    """

    def __init__(self, thoughts: list[str], answer: str, mark: str, *, cut: bool) -> None:
        self.thoughts = thoughts
        self.answer = answer
        self.mark = mark
        self.cut = cut


def split(text: str) -> Split:
    """Take the thinking out of a text.

    Parameters
    ----------
    text : str
        What a model said, whole.
    """
    if _CHANNELS.match(text):
        return _split_channels(text)
    if re.search(_TAG, text) is None:
        return Split([], text, "", cut=False)
    parser = TagParser(Surroundings(text))
    pieces = parser.feed(text) + parser.end()
    thoughts = [said.strip() for layer, said in pieces if layer == THINKING]
    answer = "".join(said for layer, said in pieces if layer == ASSISTANT)
    return Split(thoughts, answer, parser.mark, cut=parser.is_cut)


def _split_channels(text: str) -> Split:
    thoughts, answers = [], []
    place = 0
    cut = False
    while (channel := _CHANNEL.search(text, place)) is not None:
        end = _CHANNEL_END.search(text, channel.end())
        place = end.start() if end else len(text)
        said = text[channel.end() : place]
        if channel[1] == "final":
            answers.append(said)
        elif channel[1] == "analysis":
            thoughts.append(said)
            cut = end is None
        # The third channel, commentary, is calls of tools and their preambles.
    return Split(thoughts, "".join(answers), "<|channel|>analysis", cut=cut)


class TagParser:
    """Tells thinking in tags from the answer.

    Parameters
    ----------
    surroundings : Surroundings, optional
        What is known of the text, if it is whole: then feed it all at once.

    Attributes
    ----------
    mark : str
        The first tag that marked thinking.
    is_cut : bool
        After the end: whether the last stretch of thinking never closes.
    """

    def __init__(self, surroundings: Surroundings | None = None) -> None:
        self._known = surroundings
        self._pieces: Pieces = []
        self._text = ""
        self._place = 0  # what comes before is in the pieces
        self._line_is_blank = True  # the part of this line before that place
        self._opened = ""  # the tag of the thinking that this is in
        self._has_thought = False
        self._answer_is_blank = True
        self._answer_end = ""
        self._drops_line_breaks = False  # those after thinking only part it from the answer
        self._hidden_close: int | None = None  # the first token that would close it, if it weren't in code
        self._trusts_code = True
        self._leave_code()
        self.mark = ""
        self.is_cut = False

    def _leave_code(self) -> None:
        self._fence = ""
        self._code_end = 0

    def feed(self, text: str) -> Pieces:
        """Take more of the text; returns the pieces that are certain by now."""
        # One character of what came before shows whether the rest begins a line.
        self._text = self._text[max(0, self._place - 1) :] + text
        self._place = min(self._place, 1)
        if self._known is None:
            certain = _certain_end(self._text, self._place)
            self._read(certain)
            self._say(certain)
        return self._taken()

    def end(self) -> Pieces:
        """Take the end of the text; returns the last pieces."""
        self._read(len(self._text))
        if self._known and self._opened and not self._has_thought and not self._answer_is_blank:
            # In the middle of an answer a tag that never closes is only text.
            self._place -= len(self._opened)
            self._opened = ""
        self.is_cut = bool(self._opened)
        self.mark = self.mark or self._opened
        self._say(len(self._text))
        return self._taken()

    def _taken(self) -> Pieces:
        pieces, self._pieces = self._pieces, []
        return pieces

    def _read(self, end: int) -> None:
        tokens = list(_TOKEN.finditer(self._text, self._place, end))
        index = 0
        while index < len(tokens):
            index = self._take(tokens, index) + 1
            if index == len(tokens) and self._hidden_close is not None:
                self._trusts_code = False  # a fence that never closes, most likely
                index = self._close(tokens, self._hidden_close) + 1

    def _take(self, tokens: list[re.Match[str]], index: int) -> int:
        """Take a token; returns the index of the one to go on after."""
        token = tokens[index]
        if token["tag"] is None:
            self._enter_or_leave_code(token)
        elif self._opened:
            index = self._in_thinking(tokens, index)
        else:
            self._in_answer(token)
        if self._known is None:
            self._say(token.end())
        return index

    def _in_answer(self, token: re.Match[str]) -> None:
        if self._is_hidden(token.start()):
            return
        if _normal(token["tag"]) in MARKS:
            self._say(token.start())
            self._opened, self._place = token["tag"], token.end()
        elif self._known and not self._has_thought:
            self._say(token.start())
            self._pieces = [(THINKING, "".join(said for _, said in self._pieces))]
            self._answer_end, self._answer_is_blank = "", True
            self._end_thinking(token)

    def _in_thinking(self, tokens: list[re.Match[str]], index: int) -> int:
        token, tag, opening = tokens[index], _normal(tokens[index]["tag"]), _normal(self._opened)
        if tag == MARKS[opening]:
            if self._known is None or not self._is_hidden(token.start()):
                return self._close(tokens, index)
            if self._hidden_close is None:
                self._hidden_close = index
        elif tag == opening and self._hidden_close is not None and not self._is_hidden(token.start()):
            # Where the next thinking begins, this one has ended, though it seemed not to.
            return self._close(tokens, self._hidden_close)
        return index

    def _close(self, tokens: list[re.Match[str]], index: int) -> int:
        """End the thinking with a token; returns which."""
        self._say(tokens[index].start())
        self._end_thinking(tokens[index])
        return index

    def _end_thinking(self, closing: re.Match[str]) -> None:
        self.mark = self.mark or self._opened or closing["tag"]
        self._opened, self._hidden_close, self._place = "", None, closing.end()
        self._has_thought = self._line_is_blank = True
        self._drops_line_breaks = self._answer_end in ("", "\n")
        self._leave_code()

    def _say(self, end: int) -> None:
        """Give the text up to a place as a piece of what this is in."""
        if end < self._place:
            return
        text = self._text[self._place : end]
        self._place = end
        if self._opened:
            self._pieces.append((THINKING, text))
            return
        if self._drops_line_breaks:
            text = text.lstrip("\r\n")
            self._drops_line_breaks = not text
        if text:
            self._pieces.append((ASSISTANT, text))
            self._answer_end = text[-1]
            is_blank = not text.strip()
            self._answer_is_blank = self._answer_is_blank and is_blank
            _, line_break, line = text.rpartition("\n")
            self._line_is_blank = not line.strip() and (bool(line_break) or self._line_is_blank)

    def _enter_or_leave_code(self, token: re.Match[str]) -> None:
        if not self._fence and self._is_hidden(token.start()):
            return
        if token["ticks"]:
            if self._known and not self._fence:
                self._code_end = self._known.code_ends.get(token.start(), 0)
            return
        fence = token["fence"].strip()
        if not self._fence:
            self._fence = fence
        elif fence.startswith(self._fence) and not token["label"].strip():
            self._fence = ""

    def _is_hidden(self, place: int) -> bool:
        """Whether a place is, or may be, in code or in an object."""
        if self._known is None:
            _, line_break, line = self._text[self._place : place].rpartition("\n")
            is_first = not line.strip() and (bool(line_break) or self._line_is_blank)
            return bool(self._fence) or not is_first
        is_code = self._trusts_code and (bool(self._fence) or place < self._code_end)
        return is_code or self._known.is_in_object(place)


def _certain_end(text: str, start: int) -> int:
    """Return where the end of a text begins that may be the beginning of a tag or of a fence."""
    unfinished = _UNFINISHED_FENCE.search(text, start)
    if unfinished:
        return unfinished.start()
    for end in range(max(start, len(text) - _LONGEST_TAG + 1), len(text)):
        if any(tag.startswith(_normal(text[end:])) for tag in _TAGS):
            return end
    return len(text)


class Surroundings:
    """Where a whole text holds JSON objects, and code in backticks.

    Attributes
    ----------
    code_ends : dict of int to int
        Where the stretches in backticks end, by their starts: at the next run as long, in the same paragraph.
    """

    def __init__(self, text: str) -> None:
        self._objects = objects_in(text)
        self._length = len(text)
        self.code_ends: dict[int, int] = {}
        blank_lines = [match.start() for match in _BLANK_LINE.finditer(text)]
        following: dict[int, re.Match[str]] = {}
        for token in reversed([token for token in _TOKEN.finditer(text) if token["ticks"]]):
            closing = following.get(len(token[0]))
            following[len(token[0])] = token
            if closing is not None:
                index = bisect_right(blank_lines, token.end())
                if index == len(blank_lines) or blank_lines[index] > closing.start():
                    self.code_ends[token.start()] = closing.end()

    def is_in_object(self, place: int) -> bool:
        """Whether a place is within a JSON object."""
        index = bisect_right(self._objects, (place, self._length)) - 1
        return index >= 0 and place < self._objects[index][1]

"""Thinking that stands in the text itself: in tags, or in a channel of its own.

A tag in a code fence, in backticks or in a JSON object is what the text is about. A closing tag alone ends thinking
that began with the answer: some servers put the opening tag into the prompt.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from .block import objects_in

_NAMES = "think|thinking|thought"
_ANY = re.compile(rf"</?(?:{_NAMES})>|\[/?THINK\]|<\|channel\|>", re.IGNORECASE)
_TOKEN = re.compile(
    rf"(?P<fence>^[ \t]{{0,3}}(?:`{{3,}}|~{{3,}})[^`\n]*$)|(?P<ticks>`+)"
    rf"|<(?P<close>/?)(?P<name>{_NAMES})>|\[(?P<slash>/?)(?P<upper>THINK)\]",
    re.IGNORECASE | re.MULTILINE,
)
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
        What a model said.
    """
    if _ANY.search(text) is None:
        return Split([], text, "", cut=False)
    if _CHANNELS.match(text):
        return _split_channels(text)
    return _split_tags(text)


def _split_channels(text: str) -> Split:
    thoughts, answers = [], []
    place = 0
    cut = False
    while True:
        channel = _CHANNEL.search(text, place)
        if channel is None:
            break
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


def _split_tags(text: str) -> Split:
    return _Splitter(text).run()


class _Splitter:
    """Goes over the tags of a text once. A tag is hidden where it is a part of code or of an object."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_TOKEN.finditer(text))
        self.objects = objects_in(text)
        self.code_ends = _code_spans(text, self.tokens)
        self.trusts_code = True
        self._leave_code()
        self.thoughts: list[str] = []
        self.answers: list[str] = []
        self.mark = ""

    def _leave_code(self) -> None:
        self.fence = ""
        self.code_end = 0

    def run(self) -> Split:
        """Split the text."""
        text = self.text
        opened: re.Match[str] | None = None  # the tag of the thinking that this is in
        hidden_close = None  # the first tag that would close it, were it not in what looks like code
        place = index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            name, closes = _name(token), bool(token["close"] or token["slash"])
            if not name:
                if token["fence"] or token["ticks"]:
                    self._enter(token)
            elif self._is_hidden(token.start()):
                if opened is not None and closes and name == _name(opened) and hidden_close is None:
                    hidden_close = index
            elif opened is not None:
                if closes and name == _name(opened):
                    place = self._end(opened, place, token)
                    opened, hidden_close = None, None
                elif not closes and name == _name(opened) and hidden_close is not None:
                    index = hidden_close  # the next thinking begins: this one ended where it seemed not to
                    place = self._end(opened, place, self.tokens[index])
                    opened, hidden_close = None, None
            elif not closes:
                self._answer(text[place : token.start()])
                opened, place = token, token.end()
            elif not self.thoughts:
                self._answer(text[place : token.start()])
                whole, self.answers = "".join(self.answers), []
                self.thoughts.append(whole)
                self.mark = token[0]
                place = token.end()
            index += 1
            if index == len(self.tokens) and opened is not None and hidden_close is not None:
                index = hidden_close
                place = self._end(opened, place, self.tokens[index])
                opened, hidden_close = None, None
                self.trusts_code = False  # a fence that never closes, most likely
                index += 1
        cut = opened is not None
        if opened is not None:
            self._think(opened, text[place:])
        else:
            self._answer(text[place:])
        return Split([thought.strip() for thought in self.thoughts], "".join(self.answers), self.mark, cut=cut)

    def _end(self, opened: re.Match[str], place: int, closing: re.Match[str]) -> int:
        """Put a stretch of thinking down; returns where the text goes on."""
        self._think(opened, self.text[place : closing.start()])
        self._leave_code()
        return closing.end()

    def _think(self, opened: re.Match[str], thought: str) -> None:
        self.thoughts.append(thought)
        self.mark = self.mark or opened[0]

    def _answer(self, text: str) -> None:
        """Put a stretch of the answer down, without the line breaks that parted it from the thinking before it."""
        if self.thoughts and (not any(self.answers) or self.answers[-1].endswith("\n")):
            text = text.lstrip("\r\n")
        if text:
            self.answers.append(text)

    def _enter(self, token: re.Match[str]) -> None:
        """Go into code or out of it."""
        if self._is_hidden(token.start()) and not self.fence:
            return
        if token["ticks"]:
            if not self.fence:
                self.code_end = self.code_ends.get(token.start(), 0)
            return
        line = token["fence"].strip()
        run = line[: len(line) - len(line.lstrip(line[0]))]
        if not self.fence:
            self.fence = run
        elif run == line and run.startswith(self.fence):
            self.fence = ""

    def _is_hidden(self, place: int) -> bool:
        index = bisect_right(self.objects, (place, len(self.text))) - 1
        if index >= 0 and place < self.objects[index][1]:
            return True
        return self.trusts_code and (bool(self.fence) or place < self.code_end)


def _name(token: re.Match[str]) -> str:
    if token["upper"]:
        return "[THINK]" if token["upper"] == "THINK" else ""  # this one is written in one way
    return (token["name"] or "").lower()


def _code_spans(text: str, tokens: list[re.Match[str]]) -> dict[int, int]:
    """Return, by their starts, where the stretches in backticks end: at the next run as long, in the same paragraph."""
    blank_lines = [match.start() for match in _BLANK_LINE.finditer(text)]
    ends = {}
    following: dict[int, re.Match[str]] = {}
    for token in reversed(tokens):
        if not token["ticks"]:
            continue
        length = token.end() - token.start()
        closing = following.get(length)
        following[length] = token
        if closing is not None:
            index = bisect_right(blank_lines, token.end())
            if index == len(blank_lines) or blank_lines[index] > closing.start():
                ends[token.start()] = closing.end()
    return ends

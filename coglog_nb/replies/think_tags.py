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
        self.place = 0  # what comes before is put down
        self.opened: re.Match[str] | None = None  # the tag of the thinking that this is in
        self.hidden_close: int | None = None  # the first that would close it, were it not in what looks like code

    def _leave_code(self) -> None:
        self.fence = ""
        self.code_end = 0

    def run(self) -> Split:
        """Split the text."""
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            if not _name(token):
                self._enter(token)
            elif self.opened is None:
                self._in_answer(token)
            else:
                index = self._in_thinking(self.opened, token, index)
            index += 1
            if index == len(self.tokens) and self.opened is not None and self.hidden_close is not None:
                self.trusts_code = False  # a fence that never closes, most likely
                index = self._close(self.opened, self.hidden_close) + 1
        rest = self.text[self.place :]
        # In the middle of an answer a tag that never closes is what the answer is about.
        is_text = self.opened is not None and not self.thoughts and bool("".join(self.answers).strip())
        cut = self.opened is not None and not is_text
        if self.opened is None:
            self._answer(rest)
        elif is_text:
            self._answer(self.opened[0] + rest)
        else:
            self._think(self.opened, rest)
        return Split([thought.strip() for thought in self.thoughts], "".join(self.answers), self.mark, cut=cut)

    def _in_answer(self, token: re.Match[str]) -> None:
        if self._is_hidden(token.start()):
            return
        if not _closes(token):
            self._answer(self.text[self.place : token.start()])
            self.opened, self.place = token, token.end()
        elif not self.thoughts:
            self._answer(self.text[self.place : token.start()])
            self.thoughts.append("".join(self.answers))
            self.answers = []
            self.mark, self.place = token[0], token.end()

    def _in_thinking(self, opened: re.Match[str], token: re.Match[str], index: int) -> int:
        """Look at a tag in thinking; returns the token to go on behind."""
        if _name(token) != _name(opened):
            return index
        if self._is_hidden(token.start()):
            if _closes(token) and self.hidden_close is None:
                self.hidden_close = index
            return index
        if _closes(token):
            return self._close(opened, index)
        # Where the next thinking begins, this one has ended, though it seemed not to.
        return index if self.hidden_close is None else self._close(opened, self.hidden_close)

    def _close(self, opened: re.Match[str], index: int) -> int:
        """End the thinking with a token; returns which."""
        closing = self.tokens[index]
        self._think(opened, self.text[self.place : closing.start()])
        self._leave_code()
        self.opened, self.hidden_close, self.place = None, None, closing.end()
        return index

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
        if not token["fence"] and not token["ticks"]:
            return
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


def _closes(token: re.Match[str]) -> bool:
    return bool(token["close"] or token["slash"])


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

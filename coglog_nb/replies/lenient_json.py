"""JSON objects in running text, found in one pass: those that close, those that never close, and almost-JSON.

Models write almost-JSON: a comma too many, a comment, a real newline or tab in a string, a backslash that JSON would
want twice, a no-break space. These are read and noted. Anything else is an error, with its place.

The pass is linear. A scan that fails has looked into every object that was open when it failed, and each of them would
fail in the same place, so none is scanned again. Only text inside a string is looked at once more, because it may not
have been a string.
"""

from __future__ import annotations

import re

from .block_escapes import read_string

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any

CLOSED, CUT, BROKEN = "closed", "cut", "broken"
COMMA, COMMENT, NEWLINE = "a trailing comma", "a comment", "a real newline in a string"
TAB, SPACE = "a real tab in a string", "a space that isn't JSON's"
WIDE = "a full-width colon or comma"

_START = re.compile(r'\{(?=[\s>\u200b\ufeff]*(?:"|//|/\*|\}))')
_SPACE = re.compile(r"[ \t\r\n]*")
_WIDE_SPACE = re.compile(r"[ \t\r\n\u00a0\u2000-\u200b\u202f\u3000\ufeff]*")
# In a Markdown quotation every line begins with its mark.
_QUOTE_MARK = re.compile(r"^[ \t]*(?:>[ \t]*)+\Z", re.MULTILINE)
_QUOTED_SPACE = re.compile(r"(?:[ \t\r]|\n[ \t]*(?:>[ \t]?)*)*")
_QUOTED_NEWLINE = re.compile(r"\n[ \t]*>[ \t]?")
_LONGEST_MARK = 40
_LITERAL = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_REPAIRED = {"\r": NEWLINE, "\n": NEWLINE, "\t": TAB}
_WORK = 12
"""The limit of the work, in lengths of the text: comments can make two readings of one text overlap."""


class NotString:
    """A value that isn't a string, with the name of its JSON type."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Found:
    """An object found in a text, or the beginning of one.

    Attributes
    ----------
    start, end : int
        Where it is. One that never closes ends with the text, a broken one where it breaks.
    state : str
        "closed", "cut" or "broken".
    items : dict
        The values of the keys that were asked for: text, an inner `dict` of the same kind, or a `NotString`.
    keys : list of str
        The keys that were asked for, including one that has no value yet.
    others : list of str
        Its other keys.
    repeated : list of str
        The keys that were asked for and are given more than once.
    repaired : list of str
        What had to be read leniently, in its order in the text.
    renamed : list of str
        The keys that are another spelling of one that was asked for, as they are in the text.
    kept_escapes, doubtful_escapes : list of str
        As `block_escapes.read_string` returns them, of all strings.
    quoted : bool
        Whether it is in a Markdown quotation.
    problem : str
        What was expected at the place where it is broken.
    partial_key : str or None
        The beginning of a key, if it is cut inside one.
    """

    __slots__ = (
        "doubtful_escapes",
        "end",
        "items",
        "kept_escapes",
        "keys",
        "others",
        "partial_key",
        "problem",
        "quoted",
        "renamed",
        "repaired",
        "repeated",
        "start",
        "state",
    )

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.state = CUT
        self.items: dict[str, Any] = {}
        self.keys: list[str] = []
        self.others: list[str] = []
        self.repeated: list[str] = []
        self.repaired: list[str] = []
        self.renamed: list[str] = []
        self.kept_escapes: list[str] = []
        self.doubtful_escapes: list[str] = []
        self.quoted = False
        self.problem = ""
        self.partial_key: str | None = None

    def repair(self, what: str) -> None:
        """Note what was read leniently."""
        if what not in self.repaired:
            self.repaired.append(what)


class _Frame:
    """An object or array that is open."""

    __slots__ = ("is_object", "items", "key")

    def __init__(self, items: dict[str, Any] | None, *, is_object: bool) -> None:
        self.is_object = is_object
        self.items = items
        self.key = ""


class _StopError(Exception):
    """A scan can't go on. The problem says what was expected at the place; it is empty if the text ends there."""

    def __init__(self, place: int, problem: str = "") -> None:
        self.place = place
        self.problem = problem
        super().__init__(problem)


class Scanner:
    """Finds the objects of a text.

    Parameters
    ----------
    text : str
        The text.
    wanted : collection of str
        The keys whose values are kept, of an object and of those directly under `wrapper`.
    wrappers : collection of str, optional
        The keys of an inner object that is read in the same way. If it is a string, the string is kept.
    name_of : callable, optional
        Returns the wanted key that a key is another spelling of, or the key itself.

    Attributes
    ----------
    work : int
        How many characters and tokens were looked at.
    """

    def __init__(
        self,
        text: str,
        wanted: Collection[str],
        wrappers: Collection[str] = (),
        name_of: Callable[[str], str] = str,
    ) -> None:
        self.text = text
        self.wanted = wanted
        self.wrappers = wrappers
        self.name_of = name_of
        self.work = 0
        self._seen = bytearray(len(text))
        # Looked for once: after the last end of a comment, no comment closes.
        self._last_comment_end = text.rfind("*/")

    def objects(self) -> Iterator[Found]:
        """Yield the objects that aren't within another one, in their order."""
        limit = _WORK * len(self.text) + 1_000
        place = 0
        while self.work <= limit:
            start = _START.search(self.text, place)
            if start is None:
                return
            place = start.end()
            if self._seen[start.start()]:
                continue
            found = self._scan(start.start())
            if found.state == CLOSED:
                place = found.end
            yield found

    def _scan(self, start: int) -> Found:
        found = Found(start)
        found.quoted = _QUOTE_MARK.search(self.text, max(0, start - _LONGEST_MARK), start) is not None
        try:
            found.end = self._object(found)
            found.state = CLOSED
        except _StopError as stop:
            found.end = stop.place
            found.problem = stop.problem
            found.state = BROKEN if stop.problem else CUT
        self.work += found.end - start + 1
        return found

    def _skip(self, found: Found, place: int) -> int:
        """Skip space and comments; the text may not end there, because an object is open."""
        text = self.text
        space = _QUOTED_SPACE if found.quoted else _SPACE
        while True:
            match = space.match(text, place)
            assert match is not None  # noqa: S101 - the pattern also matches an empty text
            place = match.end()
            wide = _WIDE_SPACE.match(text, place)
            if wide is not None and wide.end() > place:
                found.repair(SPACE)
                place = wide.end()
                continue
            if text.startswith("//", place):
                end = text.find("\n", place)
                place = len(text) if end < 0 else end
            elif text.startswith("/*", place) and place + 2 <= self._last_comment_end:
                place = text.index("*/", place + 2) + 2
            else:
                break
            found.repair(COMMENT)
        if place >= len(text):
            raise _StopError(len(text))
        return place

    def _string(self, found: Found, place: int) -> tuple[str, int]:
        match = _STRING.match(self.text, place)
        if match is None:
            raise _StopError(len(self.text))
        end = match.end()
        control = _CONTROL.search(self.text, place, end)
        while control is not None:
            if control[0] not in _REPAIRED:
                raise _StopError(control.start(), f"U+{ord(control[0]):04X} in a string has to be escaped")
            found.repair(_REPAIRED[control[0]])
            control = _CONTROL.search(self.text, control.end(), end)
        try:
            value, kept, doubtful = read_string(match[0])
        except ValueError:
            raise _StopError(place, "this string can't be read") from None
        found.kept_escapes += kept
        found.doubtful_escapes += doubtful
        return _QUOTED_NEWLINE.sub("\n", value) if found.quoted else value, end

    def _object(self, found: Found) -> int:  # noqa: C901, PLR0912, PLR0915 - one loop over the grammar's states reads best whole
        text = self.text
        self._seen[found.start] = 1
        frames = [_Frame(found.items, is_object=True)]
        place = found.start + 1
        # What may come: "first" and "next" before and after a comma (a key or a value), "value" after a colon, "end".
        expect = "first"
        while True:
            place = self._skip(found, place)
            frame = frames[-1]
            character = text[place]
            if expect == "end":
                if character in ",\uff0c\u3001":
                    if character != ",":
                        found.repair(WIDE)
                    expect, place = "next", place + 1
                    continue
                if character != ("}" if frame.is_object else "]"):
                    raise _StopError(*self._unexpected(place, f"a comma or {'}' if frame.is_object else ']'}"))
            if expect != "value" and character == ("}" if frame.is_object else "]"):
                if expect == "next":
                    found.repair(COMMA)
                frames.pop()
                place += 1
                if not frames:
                    return place
                expect = "end"
            elif frame.is_object and expect != "value":
                if character != '"':
                    raise _StopError(*self._unexpected(place, "a key in double quotes"))
                try:
                    frame.key, place = self._string(found, place)
                except _StopError as stop:
                    if not stop.problem and len(frames) == 1:
                        found.partial_key = text[place + 1 :][:40]
                    raise
                if frame.items is not None:
                    name = self.name_of(frame.key)
                    if name != frame.key and (name in self.wanted or name in self.wrappers):
                        found.renamed.append(frame.key)
                        frame.key = name
                    self._note_key(found, frame)
                place = self._skip(found, place)
                if text[place] == "\uff1a":
                    found.repair(WIDE)
                elif text[place] != ":":
                    raise _StopError(*self._unexpected(place, "a colon after the key"))
                expect, place = "value", place + 1
            else:
                value: object
                expect = "end"
                if character == '"':
                    value, place = self._string(found, place)
                elif character in "{[":
                    value, place = NotString("an object" if character == "{" else "an array"), place + 1
                else:
                    literal = _LITERAL.match(text, place)
                    if literal is None:
                        raise _StopError(*self._unexpected(place, "a value"))
                    place = literal.end()
                    word = literal[0]
                    value = NotString(
                        "null" if word == "null" else "a boolean" if word in ("true", "false") else "a number"
                    )
                inner = self._keep(frame, value, is_root=len(frames) == 1, opens=character == "{")
                if character in "{[":
                    if character == "{":
                        self._seen[place - 1] = 1
                    frames.append(_Frame(inner, is_object=character == "{"))
                    expect = "first"

    def _keep(self, frame: _Frame, value: object, *, is_root: bool, opens: bool) -> dict[str, Any] | None:
        """Keep a value if its key was asked for; returns where an object that opens here keeps its own."""
        if frame.items is None or not frame.is_object:
            return None
        if is_root and opens and frame.key in self.wrappers:
            inner: dict[str, Any] = {}
            frame.items[frame.key] = inner
            return inner
        if frame.key in self.wanted or (is_root and frame.key in self.wrappers):
            frame.items[frame.key] = value
        return None

    def _note_key(self, found: Found, frame: _Frame) -> None:
        if frame.key not in self.wanted and (frame.key not in self.wrappers or frame.items is not found.items):
            found.others.append(frame.key)
            return
        if frame.items is not None and frame.key in frame.items:
            found.repeated.append(frame.key)
        found.keys.append(frame.key)

    def _unexpected(self, place: int, wanted: str) -> tuple[int, str]:
        """Say what was expected. The end of the fence around an object cuts the object."""
        if self.text.startswith(("```", "~~~"), place):
            return place, ""
        return place, f"expected {wanted}, not {self.text[place]!r}"

r"""Strings of a coglog block whose backslashes weren't escaped: TeX (`\frac`) and paths (`C:\new`).

JSON reads `\f` as a form feed and `\n` as a line break. In a block, a model often means the characters themselves. Here
each escape is read as one or the other:

- One that JSON doesn't know, and `\f` and `\b` before a letter, are text.
- `\n`, `\t` and `\r` are text only in mathematics (`$...$`, `$$...$$`, `\(...\)`, `\[...\]`) and in a path.
- Everything else is what JSON says. Where its letters also spell a TeX command, that is a doubt to report.

A path or a formula with doubled backslashes was escaped, so what JSON says is right for it.
"""

from __future__ import annotations

import json
import re

from .tex_commands import COMMANDS

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_MEANING = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SPACES = ("\\n", "\\r", "\\t")
_LETTERS = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[A-Za-z0-9]")

# What may begin or end mathematics, and what else has to be stepped over: escapes, and the end of a paragraph.
_MARK = re.compile(
    r"(?P<paragraph>(?:(?:\\r)?\\n|\r?\n)[ \t]*(?:(?:\\r)?\\n|\r?\n))"
    r"|(?P<skip>\\\\\\\\|\\\\\$)|(?P<bracket>\\\\?[()\[\]])|(?P<dollar>\$\$?)|\\\\|\\.",
    re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]"}

_DRIVE = re.compile(r"(?:\A|[^A-Za-z0-9])[A-Za-z]:\Z")
_COMPONENT = re.compile(
    r"(?:[^\s<>:\"|?*,;\u3001\u3002]|(?<=rogram) (?=Files)|(?<=rogram Files) (?=\(x86\))|(?<=ocuments) (?=and )"
    r"|(?<=ocuments and) (?=Settings))*"
)
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]+|[?.]")

INLINE, LOOSE, DISPLAY = "inline", "loose", "display"


class Reading:
    r"""A string, as it was read.

    Attributes
    ----------
    value : str
        The text.
    as_text : list of str
        The escapes whose backslash was taken as text, each with the letters after it: `\frac`.
    doubts : list of str
        The escapes that were read as JSON says, though their letters may be meant: `\ne`.
    """

    __slots__ = ("as_text", "doubts", "value")

    def __init__(self, value: str) -> None:
        self.value = value
        self.as_text: list[str] = []
        self.doubts: list[str] = []


def read_string(source: str) -> tuple[str, list[str], list[str]]:
    r"""Read a JSON string of a block.

    Parameters
    ----------
    source : str
        The string with its quotes, as it is in the reply. It doesn't end within an escape.

    Returns
    -------
    tuple of (str, list of str, list of str)
        The text; the words whose backslash was kept as text (``\frac``); the words that were read as JSON has it, but
        may be meant (``\tan``).
    """
    reading = _read(source[1:-1])
    return reading.value, reading.as_text, reading.doubts


def _read(body: str) -> Reading:
    """Read what is between the quotes of a string."""
    escapes = list(_ESCAPE.finditer(body))
    if not escapes:
        return Reading(body)
    formulas = _formulas(body)
    in_path = _in_path(body, escapes, formulas)
    reading = Reading("")
    parts = []
    place = index = 0
    for number, escape in enumerate(escapes):
        parts.append(body[place : escape.start()])
        place = escape.end()
        while index < len(formulas) and formulas[index].end <= escape.start():
            index += 1
        formula = formulas[index] if index < len(formulas) and formulas[index].start <= escape.start() else None
        is_text = in_path[number] or _is_text(body, escape, formula)
        parts.append(escape[0] if is_text else _json_value(escape[0]))
        if is_text:
            _add(reading.as_text, _word(body, escape))
        elif escape[0] in _SPACES and (in_path[number] is None or _word(body, escape)[1:] in COMMANDS):
            _add(reading.doubts, _word(body, escape))
    parts.append(body[place:])
    # Two escapes can be the halves of one character.
    reading.value = _join_surrogates("".join(parts))
    return reading


def _json_value(escape: str) -> str:
    meaning: str = _MEANING[escape[1]] if escape[1] != "u" else json.loads(f'"{escape}"')
    return meaning


def _join_surrogates(text: str) -> str:
    return _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _add(words: list[str], word: str) -> None:
    if word not in words:
        words.append(word)


def _word(body: str, escape: re.Match[str]) -> str:
    """Return an escape with the letters that follow its backslash."""
    letters = _LETTERS.match(body, escape.start() + 1)
    return "\\" + letters[0][:40] if letters else escape[0]


def _is_text(body: str, escape: re.Match[str], formula: _Formula | None) -> bool:
    """Whether an escape that isn't in a path is text."""
    letter = escape[0][1]
    if letter == "u":
        return escape[0] == "\\u"
    if letter not in _MEANING:
        return True
    following = body[escape.end() : escape.end() + 1]
    if not (following.isascii() and following.isalpha()):
        return False
    return letter in "bf" or (letter in "nrt" and formula is not None and _is_command(body, escape, formula))


def _is_command(body: str, escape: re.Match[str], formula: _Formula) -> bool:
    """Whether an escape before a letter, in a formula, begins a command."""
    if formula.kind == INLINE and not formula.is_escaped:
        return True
    letters = _LETTERS.match(body, escape.start() + 1)
    assert letters is not None  # noqa: S101 - the escape's own letter
    is_command = letters[0] in COMMANDS or (formula.kind == DISPLAY and body.startswith("{", letters.end()))
    if escape[0] == "\\n" and formula.kind == DISPLAY:
        is_layout = escape.start() == formula.start and body.endswith("\\n", 0, formula.end)
        return is_command and not formula.is_escaped and not is_layout
    return is_command


class _Formula:
    """Mathematics in a string: where it is, and how sure that is."""

    __slots__ = ("end", "has_doubled", "has_single", "is_doubled", "kind", "mark", "start")

    def __init__(self, start: int, kind: str, mark: str, *, is_doubled: bool = False) -> None:
        self.start = start
        self.end = start
        self.kind = kind
        self.mark = mark
        self.is_doubled = is_doubled
        self.has_doubled = self.has_single = False

    @property
    def is_escaped(self) -> bool:
        """Whether its backslashes are doubled, as JSON asks for."""
        return self.is_doubled or (self.has_doubled and not self.has_single)


def _formulas(body: str) -> list[_Formula]:
    """Return the mathematics in a string. A dollar sign pairs only with the next one, in one paragraph."""
    if "$" not in body and "\\(" not in body and "\\[" not in body:
        return []
    found: list[_Formula] = []
    opened: _Formula | None = None
    previous = None
    for mark in _MARK.finditer(body):
        before, previous = previous, mark
        if mark["paragraph"]:
            opened = None
        elif mark["bracket"] and (opened is None or opened.mark == "$"):
            if mark[0][-1] in _CLOSING:
                kind = INLINE if mark[0][-1] == "(" else DISPLAY
                is_doubled = mark[0].startswith("\\\\")
                opened = _Formula(mark.end(), kind, _CLOSING[mark[0][-1]], is_doubled=is_doubled)
        elif mark["bracket"] and opened and mark[0][-1] == opened.mark:
            opened.end = mark.start()
            found.append(opened)
            opened = None
        elif mark["dollar"] and (opened is None or opened.mark in "$$"):
            closes = opened is not None and opened.mark == mark[0]
            if opened and closes and _closes(body, opened, mark, before):
                opened.end = mark.start()
                found.append(opened)
                opened = None
            else:
                opened = _opened(body, mark, before)
        elif opened and not mark["dollar"]:
            follows = body[mark.end() : mark.end() + 1]
            opened.has_doubled |= mark[0] == "\\\\" and follows.isalpha()
            opened.has_single |= len(mark[0]) == 2 and mark[0][1] not in '"\\/bfnrtu'  # noqa: PLR2004 - an escape
    return found


def _opened(body: str, mark: re.Match[str], before: re.Match[str] | None) -> _Formula | None:
    """Return the formula that a dollar sign begins, if it can begin one. After a letter or a digit it is a price."""
    start, end = mark.span()
    if mark[0] == "$$":
        return _Formula(end, DISPLAY, "$$")
    follows_escape = before is not None and before.end() == start
    if start and not follows_escape and _WORD.match(body, start - 1):
        return None
    after = body[end : end + 1]
    is_escape = body.startswith(_SPACES, end) and not _LETTERS.match(body, end + 2)
    is_loose = not after or after.isspace() or after.isdigit() or is_escape
    return _Formula(end, LOOSE if is_loose else INLINE, "$")


def _closes(body: str, opened: _Formula, mark: re.Match[str], before: re.Match[str] | None) -> bool:
    start, end = mark.span()
    if opened.mark == "$$":
        return True
    if _WORD.match(body, end) or start == opened.start:
        return False
    has_escape = before is not None and before.end() == start and before[0] in _SPACES
    ends_blank = has_escape or body[start - 1].isspace()
    first = body[opened.start]
    begins_blank = opened.kind == LOOSE and not first.isdigit()
    return ends_blank == begins_blank


def _in_path(body: str, escapes: list[re.Match[str]], formulas: list[_Formula]) -> list[bool | None]:
    """Say of each escape whether it is a separator in a path; None is one that only may be."""
    if ":\\" not in body and "\\\\" not in body:
        return [False] * len(escapes)
    result: list[bool | None] = [False] * len(escapes)
    inside = False
    starts = iter(formulas)
    formula = next(starts, None)
    for number, escape in enumerate(escapes):
        while formula is not None and formula.end <= escape.start():
            formula = next(starts, None)
        if formula is not None and formula.start <= escape.start():
            inside = False
            continue
        begin = escapes[number - 1].end() if number else 0
        component = _COMPONENT.match(body, begin, escape.start())
        inside = inside and component is not None and component.end() == escape.start()
        leader = _leader(body, escapes, number)
        after_drive = _DRIVE.search(body[max(begin, escape.start() - 3) : escape.start()]) is not None
        if not inside and not after_drive and not leader:
            continue
        if leader == 1 and result[number - 1] is False and not _is_path_word(body, escape, known=False):
            continue
        result[number] = _is_path_word(body, escape, known=inside)
        inside = bool(result[number])
        if inside and leader == 1:
            result[number - 1] = True
    return result


def _leader(body: str, escapes: list[re.Match[str]], number: int) -> int:
    r"""Return whether the text before an escape is the host of a path: 1 after `\\`, 2 after `\\\\`, else 0."""
    if not number or escapes[number - 1][0] != "\\\\":
        return 0
    leader = escapes[number - 1]
    host = _HOST.fullmatch(body, leader.end(), escapes[number].start())
    if host is None or host[0] in COMMANDS:
        return 0
    before = escapes[number - 2] if number > 1 else None
    place, size = leader.start(), 1
    if before is not None and before[0] == "\\\\" and before.end() == place:
        place, size = before.start(), 2
        before = escapes[number - 3] if number > 2 else None  # noqa: PLR2004 - the one before these
    is_after_escape = before is not None and before.end() == place
    if is_after_escape:
        return size if before is not None and before[0] in (*_SPACES, '\\"') else 0
    return size if not place or not (body[place - 1].isalnum() or body[place - 1] in "})]:\\") else 0


def _is_path_word(body: str, escape: re.Match[str], *, known: bool) -> bool | None:
    """Whether an escape where a path may go on separates its parts; None if that isn't sure."""
    letter = escape[0][1]
    if letter not in "bfnrt":
        return letter not in _MEANING and escape[0] in ("\\u", f"\\{letter}") and not letter.isspace()
    following = body[escape.end() : escape.end() + 1]
    if (
        following
        and following.isascii()
        and (following.islower() or following == "_" or (known and following.isdigit()))
    ):
        return True
    return None if following.isalpha() else False

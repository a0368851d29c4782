r"""The body of `%%coglog write`: a JSON object, or labelled sections.

A section is opened by a field's name and a colon at the start of a line, in lower case::

    user: What is a fixed point?
    thinking:
    They met recursion last time.

    Start from an example.
    assistant: A value that a function maps to itself.

One space after the colon is dropped, and so are blank lines at the start and end of a section. All other text is kept
as it is. ``\user:`` at the start of a line is the text ``user:``. A full-width colon works like the other one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError
from ..fields import NAMES
from ..jsontext import dump, load_object
from ..labels import WORDS
from ..suggestions import closest_field

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_NAME = f"(?:{'|'.join(NAMES)})"
_LABEL = re.compile(rf"({_NAME})[:\uff1a](?: (.*)|(.*))", re.DOTALL)
_ESCAPED = re.compile(rf"\\+{_NAME}[:\uff1a]")
_LABELLED = re.compile(rf"\\*{_NAME}[:\uff1a]")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
# A line that may be meant as a label: a few words with a colon, or alone in a line, in marks of Markdown or JSON.
_LOOKS_LIKE_LABEL = re.compile(
    r"""(?P<typed>[\s>#*_"'`-]{0,20}(?P<words>\w[\w -]{1,40}?)[\s*_"'`]{0,9}(?:(?P<colon>[:\uff1a])[*_]{0,3}|\Z))"""
)
_TRANSLATED = {words[f"{name}.label"]: name for words in WORDS.values() for name in NAMES}
_STARTS_JSON = re.compile(r"\s*\{\s*(\".*)?")
_BEFORE_JSON = "\ufeff \t\r\n"
_ADVICE = (
    "write the body as JSON, give that text with --assistant NAME (or its field's option), or put a \\ before the label"
)


def fields_of_body(body: str) -> dict[str, object]:
    """Read the fields from a cell's body.

    Parameters
    ----------
    body : str
        The cell's text below the `%%coglog write` line.

    Returns
    -------
    dict
        The fields that were given; JSON may also hold a whole entry.

    Raises
    ------
    InputError
        If the JSON is invalid, a label is repeated, or there is text before the first label. The error names the
        lines, counted from the top of the cell.
    """
    if body.lstrip(_BEFORE_JSON).startswith("{"):
        # The line break replaces the %% line, so that errors count lines from the top of the cell.
        return load_object("\n" + body.lstrip("\ufeff"), strict=False)
    return dict(parse_sections(body))


def parse_sections(body: str) -> dict[str, str]:
    """Read labelled sections; the module's docstring describes them."""
    lines: dict[str, list[str]] = {}
    opened: dict[str, int] = {}
    current: list[str] | None = None
    # Only \n ends a line: the other line breaks of Unicode (U+2028, form feed) are text.
    for number, line in enumerate(body.split("\n"), start=2):  # the %% line is the cell's first
        label = _LABEL.fullmatch(line)
        if label:
            name = label[1]
            if name in opened:
                raise InputError(
                    f"the label {name}: is repeated, in lines {opened[name]} and {number} of the cell; if one is text,"
                    f" {_ADVICE}"
                )
            opened[name] = number
            current = lines[name] = [label[2] if label[2] is not None else label[3]]
        elif current is None:
            if line.strip():
                raise InputError(_about_first_text(body, line, number))
        else:
            current.append(line[1:] if _ESCAPED.match(line) else line)
    return {name: _without_blank_ends(section) for name, section in lines.items()}


def _about_first_text(body: str, line: str, number: int) -> str:
    """Say what is wrong with a body whose first line of text is no label, and the one thing to do."""
    lines = body.split("\n")
    fence = _FENCE.match(line)
    if fence:
        last = max(place for place, other in enumerate(lines, start=2) if other.strip() == fence[1] or place == number)
        fences = f"lines {number} and {last}" if last > number else "that line"
        return f"line {number} of the cell opens a code block ({line.strip()[:40]!r}); remove {fences}"
    label = _meant_label(line, NAMES)
    if label:
        return f"line {number} of the cell {label.what}"
    text = f"({line.strip()[:40]!r})"
    if not any(map(_LABEL.fullmatch, lines)):
        for place, other in enumerate(lines, start=2):
            if _STARTS_JSON.fullmatch(other):
                return (
                    f"line {number} of the cell is text before the JSON object in line {place} {text}; remove what"
                    " stands before and after the object"
                )
    return (
        f"line {number} of the cell is text before the first label {text}; a label is a field's name in lower case at"
        f" the start of a line, such as user:, or {_ADVICE}"
    )


class _MeantLabel(NamedTuple):
    """A line that is meant to open a section: the field, what is wrong, and whether it is only written differently."""

    name: str
    what: str
    certain: bool


def _meant_label(line: str, names: Collection[str]) -> _MeantLabel | None:
    found = _LOOKS_LIKE_LABEL.match(line)
    if found is None:
        return None
    typed, words = found["typed"].strip("\r"), found["words"]
    name = _TRANSLATED.get(words) or closest_field(words, names)
    if name is None or name not in names:
        return None
    certain = words in _TRANSLATED or re.sub(r"[\W_]+", "_", words).lower() == name
    if not found["colon"] and not certain:
        return None  # a word of the text
    how = ""
    if typed.strip().rstrip(":\uff1a") == name and found["colon"]:
        how = ", at the start of the line"
    elif words.lower() == name != words:
        how = ", in lower case"
    return _MeantLabel(name, f"begins with `{typed.rstrip()}`; did you mean `{name}:`{how}?", certain)


def causes_of_missing(body: str, missing: Collection[str]) -> dict[str, str]:
    """Find why fields weren't found in a body of sections: a label that is misspelt, capitalised or indented.

    Parameters
    ----------
    body : str
        The cell's text below the `%%coglog write` line.
    missing : collection of str
        The names of the fields that weren't found. Nothing else is looked for: the rest of the body is text.

    Returns
    -------
    dict of str to str
        The cause by field's name, with its line in the cell. A field that nothing looks like isn't in it.
    """
    if body.lstrip(_BEFORE_JSON).startswith("{"):
        return {}
    found = [
        (not label.certain, number, label)
        for number, line in enumerate(body.split("\n"), start=2)
        if not _LABELLED.match(line) and (label := _meant_label(line, missing))
    ]
    causes: dict[str, str] = {}
    for _, number, label in sorted(found):
        causes.setdefault(label.name, f"line {number} of the cell {label.what}")
    return causes


def cell_of(values: Mapping[str, str]) -> str:
    """Write a cell that stores a turn: as sections, or as JSON if sections can't hold a text unchanged.

    Parameters
    ----------
    values : mapping of str to str
        The seven texts by field name.

    Returns
    -------
    str
        The `%%coglog write` cell.
    """
    parts = []
    for name in NAMES:
        text = values.get(name, "")
        # A line that looks like a label, escaped or not, gets one more backslash.
        lines = [f"\\{line}" if _LABELLED.match(line) else line for line in text.split("\n")]
        parts.append(f"{name}: {lines[0]}".rstrip(" ") if len(lines) == 1 else "\n".join([f"{name}:", *lines]))
    body = "\n".join(parts)
    if parse_sections(body) != {name: values.get(name, "") for name in NAMES}:
        body = dump({name: values.get(name, "") for name in NAMES})
    return f"%%coglog write\n{body}"


def _without_blank_ends(lines: list[str]) -> str:
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[start:end])

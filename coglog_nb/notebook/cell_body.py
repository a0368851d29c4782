r"""The body of `%%coglog write`: a JSON object, or labelled sections.

A section is opened by a field's name and a colon at the start of a line, in lower case::

    user: What is a fixed point?
    thinking:
    They met recursion last time.

    Start from an example.
    assistant: A value that a function maps to itself.

One space after the colon is dropped, and so are blank lines at the start and end of a section. All other text is kept
as it is. ``\user:`` at the start of a line is the text ``user:``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import InputError
from ..fields import NAMES
from ..jsontext import dump, load_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_LABEL = re.compile(rf"({'|'.join(NAMES)}):(?: (.*)|(.*))", re.DOTALL)
_ESCAPED = re.compile(rf"\\+(?:{'|'.join(NAMES)}):")
_LABELLED = re.compile(rf"\\*(?:{'|'.join(NAMES)}):")
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
    if body.lstrip("\ufeff \t\r\n").startswith("{"):
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
                raise InputError(
                    f"line {number} of the cell is text before the first label ({line.strip()[:40]!r}); a label is a"
                    f" field's name in lower case at the start of a line, such as user:, or {_ADVICE}"
                )
        else:
            current.append(line[1:] if _ESCAPED.match(line) else line)
    return {name: _without_blank_ends(section) for name, section in lines.items()}


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

"""A turn as text: plain text for a terminal, Markdown for pasting, and what changed since the last turn."""

from __future__ import annotations

import re

from .fields import FIELDS
from .labels import WORDS
from .limits import cut_line, cut_with_note

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from .fields import Field
    from .view import View

# A terminal acts on control characters. All but line breaks and tabs are shown as their pictures instead.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_PICTURES |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # printing a surrogate hangs a kernel


def printable(text: str) -> str:
    """Replace what a terminal would act on: control characters other than line breaks and tabs become pictures."""
    return text.translate(_PICTURES)


def plain_text(view: View) -> str:
    """Return a turn as text that reads well alone: in a terminal, in a diff, read aloud.

    Parameters
    ----------
    view : View
        The turn. Not more than 20 KB of a field are in the text, which then says how much is left out.
    """
    words = WORDS[view.lang]
    values = view.values
    head = [f"CogLog {cut_line(view.version)}"]
    if view.session:
        head.append(f"{words['card.session']} {view.session}")
    head += [cut_line(view.name), cut_line(view.data["timestamp"])]
    lines = [" \u00b7 ".join(head)]
    layer = ""
    for field in FIELDS:
        if field.layer != layer:
            layer = field.layer
            lines += ["", words[f"card.{layer}"]]
        lines.append(f"  {_heading(field, words)}")
        state = view.state(field.name)
        text = cut_with_note(values[field.name]) if state == "text" else words[f"card.{state}"]
        lines += [f"    {line}".rstrip(" ") for line in text.split("\n")]
        if view.before is not None and field.name in view.before:
            lines += _labelled(words["card.before"], _brief(view.before[field.name], words), "    ")
    return printable("\n".join(lines))


def difference_text(view: View) -> str:
    """Return as text what changed since the turn that an entry was compared with (`Entry.before`)."""
    words = WORDS[view.lang]
    values = view.values
    lines = []
    for field in FIELDS:
        if view.before is not None and field.name in view.before:
            lines.append(f"{_heading(field, words)} {words['card.changed']}")
            lines += _labelled(words["card.before"], _brief(view.before[field.name], words), "  ")
            lines += _labelled(words["card.now"], _brief(values[field.name], words), "  ")
    return printable("\n".join(lines))


def _heading(field: Field, words: dict[str, str]) -> str:
    return f"{field.name} ({words[f'direction.{field.direction}']})" if field.direction else field.name


def _brief(text: str, words: dict[str, str]) -> str:
    return cut_with_note(text) or words["card.empty"]


def _labelled(label: str, text: str, indent: str) -> list[str]:
    """Put a text behind its label, or below it if it has several lines."""
    if "\n" not in text:
        return [f"{indent}{label}: {text}"]
    return [f"{indent}{label}:", *(f"{indent}  {line}".rstrip(" ") for line in text.split("\n"))]


def markdown(view: View) -> str:
    """Return a turn as Markdown for pasting, with all of its text."""
    words = WORDS[view.lang]
    values = view.values
    head = [f"# CogLog \u00b7 {in_line(view.title) if view.title else view.name}", in_line(view.data["timestamp"])]
    if view.session:
        head.append(f"{words['card.session']} {in_line(view.session)}")
    blocks = [" \u00b7 ".join(head)]
    layer = ""
    for field in FIELDS:
        if field.layer != layer:
            layer = field.layer
            blocks.append(f"## {words[f'card.{layer}']}")
        blocks.append(f"### {_heading(field, words)}")
        state = view.state(field.name)
        blocks.append(fenced(values[field.name]) if state == "text" else words[f"card.{state}"])
    return "\n\n".join(blocks) + "\n"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def fenced(text: str, language: str = "text") -> str:
    """Write a text as a Markdown code block that nothing in the text can end."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def in_line(text: str) -> str:
    """Write a text into a line of Markdown: unchanged if Markdown can't read anything into it, else as code."""
    if re.fullmatch(r"[0-9A-Z:+. -]+", text):
        return text
    line = printable(re.sub(r"\s", " ", text))
    ticks = "`" * (_longest_run(line) + 1)
    return f"{ticks} {line} {ticks}" if line[:1] == "`" or line[-1:] == "`" else f"{ticks}{line}{ticks}"

"""The problems and notes of a captured reply, as HTML and as text, to show beside its card."""

from __future__ import annotations

from ..fields import NAMES
from ..html_form import inline

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

    Rows = Iterable[tuple[str, tuple[str, ...]]]

# No colour of its own: it lies on the notebook's page, whatever that looks like, and reads well without any style.
# Its spacing is its own: a widget's page gives each line the height of a control.
_WRAP = "margin:4px 0;line-height:1.45;word-break:normal;overflow-wrap:anywhere"
_HEADING = "margin:6px 0 2px"
_LIST = "margin:0 0 6px;padding-left:22px"


def status_markup(rows: Rows) -> str:
    """Return the lists as HTML; a screen reader announces it."""
    parts = []
    for heading, sentences in rows:
        entries = "".join(f"<li>{_sentence(sentence)}</li>" for sentence in sentences)
        parts.append(f'<p style="{_HEADING}"><strong>{inline(heading)}</strong></p><ul style="{_LIST}">{entries}</ul>')
    return f'<div class="coglog-status" role="status" style="{_WRAP}">{"".join(parts)}</div>' if parts else ""


def _sentence(sentence: str) -> str:
    """Mark the fields that a sentence names."""
    names, colon, rest = sentence.partition(": ")
    fields = names.split(", ")
    if not colon or not set(fields) <= set(NAMES):
        return inline(sentence)
    marked = ", ".join(f"<code>{field}</code>" for field in fields)
    return f"{marked}: {inline(rest)}"


def status_text(rows: Rows) -> str:
    """Return the lists as text."""
    lines = []
    for heading, sentences in rows:
        lines.append(heading)
        lines += [f"  - {sentence}" for sentence in sentences]
    return "\n".join(lines)

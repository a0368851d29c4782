"""A turn as HTML: the static card, which needs no script, and the exported page with the interactive card.

Both are made from `js/src/CogLogViewer.jsx`: the build renders it into the fragments of `card.json`, which this module
fills in, and packs it into `export-page.html`.
"""

from __future__ import annotations

import html
import json
import re

from .built_files import static_text
from .fields import AXES
from .labels import WORDS
from .limits import cut, cut_line, cut_with_note
from .validation import checked_theme

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .view import View

_BLANK_LINE = re.compile(r"^([ \t]*)\n", re.MULTILINE)

# What could end a script element or begin a comment in it, and the two line ends of JavaScript before ES2019.
_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

_fragments: dict[str, Any] = {}


# A notebook page typesets `$...$`, `\(...\)` and `\begin{...}` wherever they are, except inside `pre` and `code`.
_TEX = re.compile(r"[$\\]")
_PLAIN = "font:inherit;color:inherit;background:none;border:0;padding:0;white-space:inherit"


def inline(text: str) -> str:
    """Escape a text for the inside of any other element, so that no page reads mathematics or Markdown in it."""
    # A blank line would end HTML inside Markdown.
    escaped = _BLANK_LINE.sub(r"\1&#10;", html.escape(text, quote=False).replace("\0", "\u2400"))
    return f'<code style="{_PLAIN}">{escaped}</code>' if _TEX.search(text) else escaped


def preformatted(text: str) -> str:
    """Escape a text for the inside of a ``<pre>``."""
    # The parser drops one newline at the start, makes a newline of a bare \r, and drops NUL.
    escaped = html.escape(text, quote=False).replace("\r", "&#13;").replace("\0", "\u2400")
    whole = "\n" + escaped if escaped.startswith("\n") else escaped
    # In HTML inside Markdown (a converted notebook), a blank line would end the card, and what comes after
    # would be read as Markdown.
    return _BLANK_LINE.sub(r"\1&#10;", whole)


def _fill(template: str, holes: Mapping[str, str]) -> str:
    """Fill the holes of a fragment in one pass, so that what goes in is never searched for holes."""
    pieces = re.split(r"%\{([a-z_:]+)\}", template)
    pieces[1::2] = [holes[name] for name in pieces[1::2]]
    return "".join(pieces)


def _card_fragments() -> dict[str, Any]:
    if not _fragments:
        _fragments.update(json.loads(static_text("card.json")))
    return _fragments


def static_card(view: View) -> str:
    """Return a turn as HTML that needs no script: what a notebook shows where no widget runs.

    Parameters
    ----------
    view : View
        The turn. Not more than 20 KB of a field are in the card, which then says how much is left out.
    """
    card = _card_fragments()
    holes = {
        "version": inline(cut_line(view.version)),
        "title": inline(cut_line(view.name)),
        "timestamp": inline(cut_line(view.data["timestamp"])),
        "session": _fill(card["session"], {"session": html.escape(view.session)}) if view.session else "",
        "schema": preformatted(cut_with_note(json.dumps(view.data["_schema"], ensure_ascii=False, indent=2))),
    }
    before = view.before or {}
    for name, text in view.values.items():
        inner = {"before": _static_before(card, before[name]) if name in before else ""}
        state = view.state(name)
        if state == "empty" and name not in AXES:
            state = "text"  # only an axis may be left empty, so only an axis has a fragment for it
        if state == "text":
            inner["text"], inner["cut"] = _static_text(card, text)
        holes[f"part:{name}"] = _fill(card["parts"][name][state], inner)
    return _fill(card["shell"], holes)


def _static_text(card: dict[str, Any], text: str) -> tuple[str, str]:
    """Return a text for a ``<pre>``, and the notice to follow it if it is cut."""
    kept, left_out = cut(text)
    notice = _fill(card["cut"], {"left_out": f"{left_out:,}", "total": f"{len(text):,}"}) if left_out else ""
    return preformatted(kept), notice


def _static_before(card: dict[str, Any], text: str) -> str:
    inner, notice = _static_text(card, text or WORDS["en"]["card.empty"])
    return _fill(card["before"], {"text": inner}) + notice


def page_source(view: View, *, theme: str = "system") -> str:
    """Return a turn as one self-contained HTML file with the interactive card.

    Parameters
    ----------
    view : View
        The turn; all of it is in the page.
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark".
    """
    data = {"turn": view.for_viewer(), "session": view.session, "theme": checked_theme(theme)}
    title = f"CogLog \u00b7 {view.name}" + (f" \u00b7 session {view.session}" if view.session else "")
    holes = {
        "title": html.escape(title),
        "data": json.dumps(data, ensure_ascii=False).translate(_IN_SCRIPT),
        "static": static_card(view),
    }
    # Only these three: the page holds the viewer's code, in which anything may look like a hole.
    pieces = re.split(r"%\{(title|data|static)\}", static_text("export-page.html"))
    assert sorted(pieces[1::2]) == sorted(holes), "a placeholder is missing from the page"  # noqa: S101 - a mistake in the build
    pieces[1::2] = [holes[name] for name in pieces[1::2]]
    return "".join(pieces)

"""The live card: an anywidget around `js/src/CogLogViewer.jsx`.

A widget's code is part of its state, and anywidget sends it once for each widget. So one widget without a view, the
library, carries the viewer's code for a whole kernel, and each card has a module of a few lines that gets it from there.
marimo's run mode has many sessions in one process, where one library can't serve all; there a card carries its code.
"""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from ..entry import checked_theme
from ..fields import schema
from ..viewer import as_entry, field_table, shown, static_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..entry import Entry


def _code(name: str) -> str:
    # anywidget takes a single line of text for the path of a file to read.
    return static_text(name) + "\n"


def _shared() -> dict[str, Any]:
    return {"fields": field_table(), "schema": schema()}


class CardLibrary(anywidget.AnyWidget):
    """Carries the viewer's code, and what all cards have in common, once a kernel. It has no view."""

    _esm = _code("card.js")
    _view_name = traitlets.Unicode(None, allow_none=True).tag(sync=True)  # type: ignore[assignment]  # no view: as ipywidgets has it
    shared = traitlets.Dict().tag(sync=True)


class _Card(anywidget.AnyWidget):
    turn = traitlets.Dict(help="The turn as the viewer takes it.").tag(sync=True)
    session = traitlets.Unicode(help="The session's name; empty for the default window.").tag(sync=True)
    theme = traitlets.Unicode("system", help="The theme that the card starts with.").tag(sync=True)

    def set_entry(self, entry: Entry, *, changed: Iterable[str] = ()) -> None:
        """Show another entry, or this one as it is now, with a mark on the axes that changed."""
        data, hidden = shown(entry)
        if data["_schema"] == schema():
            del data["_schema"]  # the library has it: a third of what a short card would weigh
        turn = {"entry": data, "missing": list(entry.missing), "hidden": hidden}
        # What most cards lack, they don't carry either.
        rare = {"before": entry.before, "changed": list(changed), "title": entry.title}
        turn.update({name: value for name, value in rare.items() if value})
        with self.hold_sync():
            self.turn = turn
            self.session = entry.session or ""


class CogLogCard(_Card):
    """The card of one entry, live in a notebook."""

    _esm = _code("card-loader.js")
    library = anywidget.WidgetTrait().tag(sync=True)


class StandaloneCard(_Card):
    """The card of one entry, with all its code."""

    _esm = _code("card.js")
    shared = traitlets.Dict().tag(sync=True)


_libraries: list[CardLibrary] = []
_cards: dict[int, tuple[weakref.ref[Entry], _Card]] = {}


def _is_open(widget: anywidget.AnyWidget) -> bool:
    return widget.comm is not None


def _library() -> CardLibrary:
    """Return the kernel's library; `Widget.close_all()` may have closed the one there was."""
    if not _libraries or not _is_open(_libraries[0]):
        _libraries[:] = [CardLibrary(shared=_shared())]
    return _libraries[0]


def _in_marimo() -> bool:
    marimo = sys.modules.get("marimo")  # not imported for the question's sake: whoever runs in it has it
    return marimo is not None and bool(marimo.running_in_notebook())


def new_card() -> _Card:
    """Make a card that shows nothing yet."""
    if _in_marimo():
        return StandaloneCard(shared=_shared())
    library = _library()
    # One layout for all cards: each would bring a model of its own, larger than the card's.
    return CogLogCard(library=library, layout=library.layout)


def show(entry: Mapping[str, Any], *, theme: str | None = None) -> _Card:
    """Return the live card of an entry, for hosts without magics (marimo) and for layouts of widgets.

    Parameters
    ----------
    entry : Entry or mapping
        The turn, as `CogLog.read` and `CogLog.write` return it.
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark"; by default the one that the entry was read with.

    Returns
    -------
    anywidget.AnyWidget
        The card; the same one as long as the entry lives, however often it is shown.

    Raises
    ------
    ValidationError
        If it is no entry, or the theme is none.
    """
    entry = as_entry(entry)
    theme = checked_theme(entry.theme if theme is None else theme)
    known = _cards.get(id(entry))
    card = known[1] if known is not None and known[0]() is entry else None
    if card is None or not _is_open(card):
        card = new_card()
        key = id(entry)
        _cards[key] = (weakref.ref(entry, lambda _: _cards.pop(key, None)), card)
    card.theme = theme
    card.set_entry(entry)
    return card

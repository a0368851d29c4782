"""The live card: an anywidget around `js/src/CogLogViewer.jsx`.

A widget's code is part of its state, and anywidget sends it once for each widget. So a single widget without a view,
the library, carries the viewer's code for the whole kernel, and each card has only a few lines that load it from there.
In marimo's run mode, many sessions share one process and one library can't serve them all, so each card carries the
code itself.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

import anywidget
import traitlets

from ..built_files import static_text
from ..entry import Entry, as_entry
from ..fields import schema
from ..labels import field_table
from ..validation import checked_theme


def _code(name: str) -> str:
    # anywidget takes text without a line break for the path of a file.
    return static_text(name) + "\n"


def _shared() -> dict[str, Any]:
    return {"fields": field_table(), "schema": schema()}


class CardLibrary(anywidget.AnyWidget):
    """Carries the viewer's code and the data that all cards share, once for each kernel. It has no view."""

    _esm = _code("card.js")
    _view_name = traitlets.Unicode(None, allow_none=True).tag(sync=True)  # type: ignore[assignment]  # how ipywidgets says that there is no view
    shared = traitlets.Dict().tag(sync=True)


class _Card(anywidget.AnyWidget):
    turn = traitlets.Dict(help="The turn as the viewer takes it.").tag(sync=True)
    session = traitlets.Unicode(help="The session's name; empty for the default window.").tag(sync=True)
    theme = traitlets.Unicode("system", help="The theme that the card starts with.").tag(sync=True)

    def set_entry(self, entry: Entry, *, changed: Iterable[str] = ()) -> None:
        """Show an entry, or show the same one again after a change; mark the axes that changed."""
        view = entry.view()
        data = view.data
        if data["_schema"] == schema():
            del data["_schema"]  # the library has it; it is a third of a short card
        turn = {"entry": data, "missing": view.missing, "hidden": view.hidden}
        # Most cards have none of these, so an empty one isn't sent.
        rare = {"before": view.before, "changed": list(changed), "title": view.title}
        turn.update({name: value for name, value in rare.items() if value})
        with self.hold_sync():
            self.turn = turn
            self.session = view.session or ""


class CogLogCard(_Card):
    """The live card of one entry, which loads its code from the library."""

    _esm = _code("card-loader.js")
    library = anywidget.WidgetTrait().tag(sync=True)


class StandaloneCard(_Card):
    """The live card of one entry, which carries its code itself."""

    _esm = _code("card.js")
    shared = traitlets.Dict().tag(sync=True)


_libraries: list[CardLibrary] = []
_cards: dict[int, tuple[weakref.ref[Entry], _Card]] = {}


def _is_open(widget: anywidget.AnyWidget) -> bool:
    return widget.comm is not None


def _library() -> CardLibrary:
    """Return the kernel's library; make a new one if `Widget.close_all()` has closed it."""
    if not _libraries or not _is_open(_libraries[0]):
        _libraries[:] = [CardLibrary(shared=_shared())]
    return _libraries[0]


def _in_marimo() -> bool:
    marimo = sys.modules.get("marimo")  # in a marimo notebook it is already imported
    return marimo is not None and bool(marimo.running_in_notebook())


def new_card() -> _Card:
    """Make an empty card."""
    if _in_marimo():
        return StandaloneCard(shared=_shared())
    library = _library()
    # All cards share one layout: a layout of its own would be a larger model than the card's.
    return CogLogCard(library=library, layout=library.layout)


def show(entry: Mapping[str, Any], *, theme: str | None = None) -> _Card:
    """Return the live card of an entry, for hosts without magics (marimo) and for layouts of widgets.

    Parameters
    ----------
    entry : Entry or mapping
        The turn, as `CogLog.read` and `CogLog.write` return it.
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark"; by default the entry's own.

    Returns
    -------
    anywidget.AnyWidget
        The card; the same one every time, as long as the entry object exists.

    Raises
    ------
    ValidationError
        If `entry` is invalid or `theme` is unknown.
    """
    return live_card(as_entry(entry), theme=theme)


def live_card(entry: Entry, *, theme: str | None = None) -> _Card:
    """Return the live card of an entry that was checked; see `show`."""
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

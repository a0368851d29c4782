"""How an entry shows itself once the extension is loaded: as a static card and a live card, of which one is visible.

By default a saved notebook keeps a widget's id but not its state. When it is opened again, the widget says "model not
found", and JupyterLab ignores any other format in the same output. So there are two outputs: the first holds the static
card, the second holds the widget alone. Two CSS rules in the first hide the first while the second holds a live card,
and hide the second while it holds none.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import ipywidgets
from IPython.core.getipython import get_ipython
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from ..entry import Entry
from ..html_form import static_card
from ..text_form import plain_text
from .card import live_card

if TYPE_CHECKING:  # loading the extension must not import the code that reads replies
    from ..replies.captured import Captured

WIDGET_MIME = "application/vnd.jupyter.widget-view+json"

# In JupyterLab and Notebook 7 each output is a row, with no mark of what it holds. While a widget loads, or if its
# model isn't found, the row holds only text; without anywidget it holds an error of ipywidgets. A card that failed
# holds its message, and stays visible beside the static card. Each selector matches only the row of the card itself,
# not a row around it: an Output widget may hold cards, and the rows after it aren't ours. Saved notebooks hold the
# class names, so they must not change.
_FALLBACK_ROW = ".jp-OutputArea-child:has(>.jp-OutputArea-output>.coglog-twin)"
_STYLE = (
    "<style>"
    f"{_FALLBACK_ROW}:has(+.jp-OutputArea-child>.jp-OutputArea-output LIVE),"
    f"{_FALLBACK_ROW}+.jp-OutputArea-child:not(:has(>.jp-OutputArea-output *)),"
    f"{_FALLBACK_ROW}+.jp-OutputArea-child:has(.jupyter-widgets-error-widget)"
    "{display:none}</style>"
)


def show_live_card(entry: Entry) -> None:
    """Show an entry as two outputs, where the shell can show a widget. This is a formatter for IPython.

    Raises
    ------
    NotImplementedError
        In a terminal, and if the entry was changed into something else. IPython then shows the entry's text.
    """
    shell = get_ipython()
    if entry.silenced_in_cell == shell.execution_count:
        return
    if "text/html" not in shell.display_formatter.active_types or entry.problem() is not None:
        raise NotImplementedError
    view = entry.view()
    display(static_fallback(static_card(view), plain_text(view)), raw=True)
    display_widget(live_card(entry))


def static_fallback(markup: str, text: str, *, live: str = ".coglog-live") -> dict[str, str]:
    """Return the first of the two outputs, which is visible while the second holds nothing that `live` matches."""
    return {"text/html": f'<div class="coglog-twin">{_STYLE.replace("LIVE", live)}{markup}</div>', "text/plain": text}


def display_widget(widget: Any) -> None:
    """Show the second of the two outputs: the widget."""
    # Only the view from its bundle: its text would be a second card where no widget runs.
    bundle = widget._repr_mimebundle_()
    assert bundle is not None  # noqa: S101 - only a widget without a view has none
    # anywidget returns the data and its metadata, ipywidgets only the data.
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    display({WIDGET_MIME: data[WIDGET_MIME]}, metadata=metadata, raw=True)


def show_live_capture(captured: Captured) -> None:
    """Show a captured reply: its card, and above it what is missing. This is a formatter for IPython.

    Raises
    ------
    NotImplementedError
        In a terminal. IPython then shows the reply's text.
    """
    from ..replies.status_html import status_markup, status_text

    shell = get_ipython()
    if captured.silenced_in_cell == shell.execution_count:
        return
    if "text/html" not in shell.display_formatter.active_types:
        raise NotImplementedError
    entry, status = captured.card(), captured.status()
    markup, text = status_markup(status), status_text(status)
    view = entry.view()
    card = live_card(entry)
    display(static_fallback(markup + static_card(view), "\n\n".join(filter(None, (text, plain_text(view))))), raw=True)
    if not status:
        display_widget(card)
        return
    known = _boxes.get(captured)
    if known is None or known.comm is None or card not in known.children:
        message = ipywidgets.HTML(markup, layout=card.layout)
        known = _boxes[captured] = ipywidgets.VBox([message, card], layout=card.layout)
    display_widget(known)


# One box for each captured reply, however often it is shown.
_boxes: weakref.WeakKeyDictionary[Captured, Any] = weakref.WeakKeyDictionary()

# By name, so that loading the extension doesn't import the code that reads replies.
_CAPTURED = ("coglog_nb.replies.captured", "Captured")


def register_live_card(ip: InteractiveShell) -> None:
    """Make this shell show entries and captured replies as live cards."""
    formatter = ip.display_formatter.ipython_display_formatter
    formatter.for_type(Entry, show_live_card)
    formatter.for_type_by_name(*_CAPTURED, show_live_capture)


def unregister_live_card(ip: InteractiveShell) -> None:
    """Make this shell show them as it does without the extension."""
    formatter = ip.display_formatter.ipython_display_formatter
    formatter.pop(Entry, None)
    formatter.pop(".".join(_CAPTURED), None)

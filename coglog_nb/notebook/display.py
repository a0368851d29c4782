"""How an entry shows itself once the extension is loaded: the static card and the live one, of which one is ever seen.

A saved notebook keeps a widget's name but not, by default, its state: reopened, it would say "model not found", and a
rich output beside the widget in one bundle would not be looked at. So there are two outputs. The first holds the static
card; the second holds the widget alone. Two rules in the first hide the first while the second holds a live card, and
the second as long as it holds none.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import ipywidgets
from IPython.core.getipython import get_ipython
from IPython.display import display

from ..entry import Entry
from ..html_form import static_card
from ..text_form import plain_text
from .card import live_card

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from ..replies.captured import Captured

WIDGET_MIME = "application/vnd.jupyter.widget-view+json"

# In JupyterLab and Notebook 7 an output is a row, which says nothing of what is in it. A row that is loading, or that
# found no model, holds text alone, and one without anywidget an error of ipywidgets' own. A card that failed holds its
# message, and stays in sight beside the static card. Each selector takes the row that the card stands in itself, and
# not one around it: an Output widget may hold cards, and what comes after it is none of our business.
_TWIN = ".jp-OutputArea-child:has(>.jp-OutputArea-output>.coglog-twin)"
_STYLE = (
    "<style>"
    f"{_TWIN}:has(+.jp-OutputArea-child>.jp-OutputArea-output LIVE),"
    f"{_TWIN}+.jp-OutputArea-child:not(:has(>.jp-OutputArea-output *)),"
    f"{_TWIN}+.jp-OutputArea-child:has(.jupyter-widgets-error-widget)"
    "{display:none}</style>"
)


def show_live_card(entry: Entry) -> None:
    """Show an entry as two outputs, where the shell can show a widget; a formatter of IPython's.

    Raises
    ------
    NotImplementedError
        In a terminal, and for an entry that was changed into something else: by this IPython's formatters know to go
        on with the entry's own text.
    """
    shell = get_ipython()
    if entry.silenced_in_cell == shell.execution_count:
        return
    if "text/html" not in shell.display_formatter.active_types or entry.problem() is not None:
        raise NotImplementedError
    view = entry.view()
    display(twin(static_card(view), plain_text(view)), raw=True)
    display_widget(live_card(entry))


def twin(markup: str, text: str, *, live: str = ".coglog-live") -> dict[str, str]:
    """Return the first of the two outputs: what is seen as long as the second, the widget, holds nothing live."""
    return {"text/html": f'<div class="coglog-twin">{_STYLE.replace("LIVE", live)}{markup}</div>', "text/plain": text}


def display_widget(widget: Any) -> None:
    """Show the second of the two outputs: the widget."""
    # Of its own bundle, the view alone: a text beside it would be a second card where no widget runs.
    bundle = widget._repr_mimebundle_()
    assert bundle is not None  # noqa: S101 - None is what a widget without a view has
    # anywidget gives the data and its metadata, ipywidgets the data alone.
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    display({WIDGET_MIME: data[WIDGET_MIME]}, metadata=metadata, raw=True)


def show_live_capture(captured: Captured) -> None:
    """Show a captured reply: its card, and above it what is missing; a formatter of IPython's.

    Raises
    ------
    NotImplementedError
        In a terminal: by this IPython's formatters know to go on with its text.
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
    display(twin(markup + static_card(view), "\n\n".join(filter(None, (text, plain_text(view))))), raw=True)
    if not status:
        display_widget(card)
        return
    known = _boxes.get(captured)
    if known is None or known.comm is None or card not in known.children:
        said = ipywidgets.HTML(markup, layout=card.layout)
        known = _boxes[captured] = ipywidgets.VBox([said, card], layout=card.layout)
    display_widget(known)


# One box a captured reply, however often it is shown.
_boxes: weakref.WeakKeyDictionary[Captured, Any] = weakref.WeakKeyDictionary()

# By name: what the extension costs when it is loaded doesn't include what reads replies.
_CAPTURED = ("coglog_nb.replies.captured", "Captured")


def register_live_card(ip: InteractiveShell) -> None:
    """Let entries and captured replies show themselves live in this shell."""
    formatter = ip.display_formatter.ipython_display_formatter
    formatter.for_type(Entry, show_live_card)
    formatter.for_type_by_name(*_CAPTURED, show_live_capture)


def unregister_live_card(ip: InteractiveShell) -> None:
    """Let them show themselves as they do without the extension."""
    formatter = ip.display_formatter.ipython_display_formatter
    formatter.pop(Entry, None)
    formatter.pop(".".join(_CAPTURED), None)

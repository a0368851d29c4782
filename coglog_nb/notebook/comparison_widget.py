"""A comparison in a notebook: the candidates as numbered cards side by side, each with its status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets
from IPython.core.getipython import get_ipython
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from .card import show
from .display import display_widget, static_fallback

if TYPE_CHECKING:  # loading the extension must not import what calls models
    from ..steps.comparison import Candidate, Comparison


def show_comparison(comparison: Comparison) -> None:
    """Show the candidates as two outputs, a static one and a live one, if the shell can show a widget.

    Raises
    ------
    NotImplementedError
        In a terminal: it tells IPython's formatter to use the text instead.
    """
    if "text/html" not in get_ipython().display_formatter.active_types:
        raise NotImplementedError
    live = ".coglog-candidates :is(.coglog-live,.coglog-status)"
    display(static_fallback(comparison.markup(), comparison.text(), live=live), raw=True)
    display_widget(_grid(comparison))


def _grid(comparison: Comparison) -> ipywidgets.GridBox:
    grid = ipywidgets.GridBox(
        [_cell(comparison, candidate) for candidate in comparison],
        # As many in a row as fit, all equally wide.
        layout=ipywidgets.Layout(
            grid_template_columns="repeat(auto-fill,minmax(min(100%,340px),1fr))",
            grid_gap="12px",
            align_items="flex-start",
        ),
    )
    grid.add_class("coglog-candidates")
    return grid


def _cell(comparison: Comparison, candidate: Candidate) -> ipywidgets.VBox:
    children = []
    draft = comparison.draft(candidate)
    if draft is not None:
        children.append(show(draft))
    status = comparison.status_markup(candidate)
    if status:  # below the card, so that the cards of a row begin at the same height
        children.append(ipywidgets.HTML(status))
    return ipywidgets.VBox(children, layout=ipywidgets.Layout(min_width="0"))


# By name, so that loading the extension doesn't import what calls models.
_TYPE = ("coglog_nb.steps.comparison", "Comparison")


def register_comparison(ip: InteractiveShell) -> None:
    """Make comparisons show live cards in this shell."""
    ip.display_formatter.ipython_display_formatter.for_type_by_name(*_TYPE, show_comparison)


def unregister_comparison(ip: InteractiveShell) -> None:
    """Take back what `register_comparison` did."""
    ip.display_formatter.ipython_display_formatter.pop(".".join(_TYPE), None)

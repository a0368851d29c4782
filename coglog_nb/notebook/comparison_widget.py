"""Candidates side by side: numbered cards, with what each took and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets
from IPython.core.getipython import get_ipython
from IPython.display import display

from .card import show
from .display import display_widget, twin

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from ..steps.comparison import Candidate, Candidates


def show_candidates(found: Candidates) -> None:
    """Show candidates as two outputs, a static one and a live one, where the shell can show a widget.

    Raises
    ------
    NotImplementedError
        In a terminal: by this IPython's formatters know to go on with their text.
    """
    if "text/html" not in get_ipython().display_formatter.active_types:
        raise NotImplementedError
    live = ".coglog-candidates :is(.coglog-live,.coglog-status)"
    display(twin(found.markup(), found.text(), live=live), raw=True)
    display_widget(_grid(found))


def _grid(found: Candidates) -> ipywidgets.GridBox:
    grid = ipywidgets.GridBox(
        [_cell(found, candidate) for candidate in found],
        # As many in a row as there is room for, all of one width.
        layout=ipywidgets.Layout(
            grid_template_columns="repeat(auto-fill,minmax(min(100%,340px),1fr))",
            grid_gap="12px",
            align_items="flex-start",
        ),
    )
    grid.add_class("coglog-candidates")
    return grid


def _cell(found: Candidates, candidate: Candidate) -> ipywidgets.VBox:
    children = []
    draft = found.draft(candidate)
    if draft is not None:
        children.append(show(draft))
    said = found.status_markup(candidate)
    if said:  # under the card: those of a row begin at one height
        children.append(ipywidgets.HTML(said))
    return ipywidgets.VBox(children, layout=ipywidgets.Layout(min_width="0"))


# By name: whoever loads the extension need not load what calls models.
_TYPE = ("coglog_nb.steps.comparison", "Candidates")


def register_candidates(ip: InteractiveShell) -> None:
    """Let candidates show themselves live in this shell."""
    ip.display_formatter.ipython_display_formatter.for_type_by_name(*_TYPE, show_candidates)


def unregister_candidates(ip: InteractiveShell) -> None:
    """Let them show themselves as they do without the extension."""
    ip.display_formatter.ipython_display_formatter.pop(".".join(_TYPE), None)

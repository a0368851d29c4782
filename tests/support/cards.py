"""The cards that a person sees in a notebook: live or static, and what JupyterLab shows when it can show neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jlab import TURN, notebook_of, stays, until
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Notebook, Open

# What JupyterLab shows instead of a widget that it can't show.
COMPLAINTS = """() => [...document.querySelectorAll('.jp-OutputArea-child')]
    .filter(row => row.getBoundingClientRect().height > 0)
    .map(row => row.textContent)
    .filter(text => /model not found|Loading widget|Error (displaying|creating)|javascript error/.test(text))"""
# For each card cell: how many live and how many static cards are seen.
LIVE = [(1, 0)]
STATIC = [(0, 1)]


def kinds(notebook: Notebook) -> list[tuple[int, int]]:
    return [(sum(row["live"] for row in outputs), sum(row["fixed"] for row in outputs)) for outputs in notebook.seen()]


def assert_shows(notebook: Notebook, expected: list[tuple[int, int]]) -> None:
    """See one card in each cell and nothing beside it, from the first moment until every widget had its time."""

    def as_expected() -> bool:
        assert notebook.page.evaluate(COMPLAINTS) == []
        return kinds(notebook) == expected

    until(as_expected, f"cards like {expected}")
    notebook.wait_for_kernel()
    stays(notebook.page, as_expected, f"cards like {expected}")
    for outputs in notebook.seen():
        for row in outputs:
            assert row["live"] or row["fixed"] or row["height"] == 0


def run_and_save(open_notebook: Open, name: str, *, app: str = "lab") -> Notebook:
    """Run a notebook of two turns and of one of them shown again."""
    cells = (TURN, "%coglog write turn", "prev = %coglog write turn\nprev", "prev")
    notebook = open_notebook(name, notebook_of(*cells), app=app)
    notebook.run_all()
    expect(notebook.live).to_have_count(3)
    notebook.save()
    return notebook

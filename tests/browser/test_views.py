"""What people do to an open notebook: views, copies, cleared outputs, closed widgets. One card is seen each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cards import COMPLAINTS, LIVE, STATIC, assert_shows, kinds, run_and_save
from jlab import TURN, notebook_of, until
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Open, Server

pytestmark = pytest.mark.browser

# For each row of outputs under an element: whether it holds a live card that is seen, and a static one.
ROWS = """area => [...area.querySelectorAll('.jp-OutputArea-child')].map(row =>
    ['.coglog-live', '.coglog-static'].map(selector => [...row.querySelectorAll(selector)].some(card => {
        const {width, height} = card.getBoundingClientRect();
        return width > 1 && height > 1 && card.checkVisibility();
    })))"""


def test_close_all_leaves_one_card_and_running_again_makes_them_live(open_notebook: Open) -> None:
    cells = (TURN, "prev = %coglog write turn\nprev", "from ipywidgets import Widget", "Widget.close_all()", "prev")
    notebook = open_notebook("closed.ipynb", notebook_of(*cells))
    notebook.run_all()
    expect(notebook.page.locator(".coglog-live").last).to_be_visible()
    until(lambda: [live + fixed for live, fixed in kinds(notebook)] == [1, 1], "one card in each of the two cells")
    assert kinds(notebook)[1] == (1, 0), "what was shown after it is live"
    assert notebook.page.evaluate(COMPLAINTS) == []
    notebook.picture("after-close-all")


def test_cleared_outputs_leave_nothing_and_come_back_live(open_notebook: Open, server: Server) -> None:
    notebook = run_and_save(open_notebook, "cleared.ipynb")
    notebook.menu("Edit", "Clear Outputs of All Cells")
    expect(notebook.page.locator(".coglog-live, .coglog-static")).to_have_count(0)
    notebook.save()
    assert "coglog-" not in str([cell.get("outputs") for cell in server.saved("cleared.ipynb")["cells"]])
    notebook.run_all()
    assert_shows(notebook, LIVE * 3)


def test_a_copied_notebook(open_notebook: Open, server: Server) -> None:
    notebook = run_and_save(open_notebook, "original.ipynb")
    # While the first one's kernel lives: the copy has another one, which knows none of its cards.
    copy = open_notebook("copy.ipynb", server.saved("original.ipynb"))
    assert_shows(copy, STATIC * 3)
    assert_shows(notebook, LIVE * 3)
    copy.run_all()
    assert_shows(copy, LIVE * 3)


def test_a_second_view_of_an_output(open_notebook: Open) -> None:
    notebook = open_notebook("view.ipynb", notebook_of(TURN, "%coglog write turn"))
    notebook.run_all()
    notebook.show(notebook.live).click(button="right")
    notebook.page.locator(".lm-Menu-item").filter(has_text="Create New View for Cell Output").click()
    view = notebook.page.locator(".jp-LinkedOutputView")
    expect(view.locator(".coglog-live")).to_be_visible()
    assert view.evaluate(ROWS) == [[False, False], [True, False]]
    # Each has a theme of its own.
    view.get_by_role("button", name="dark", exact=True).click()
    expect(view.locator(".coglog-live")).to_have_attribute("data-theme", "dark")
    expect(notebook.page.locator(".jp-Notebook .coglog-live")).to_have_attribute("data-theme", "light")
    notebook.picture("two-views")
    view_tab = notebook.page.locator(".lm-TabBar-tab").filter(has_text="Output View")
    view_tab.locator(".lm-TabBar-tabCloseIcon").click()
    expect(notebook.live).to_have_count(1)
    assert kinds(notebook) == LIVE


def test_a_second_view_of_the_notebook(open_notebook: Open) -> None:
    notebook = open_notebook("views.ipynb", notebook_of(TURN, "%coglog write turn"))
    notebook.run_all()
    notebook.menu("File", "New View for Notebook")
    areas = notebook.page.locator(".jp-NotebookPanel:visible .jp-Cell .jp-OutputArea:has(.coglog-twin)")
    until(lambda: areas.count() == 2, "the second view")
    until(
        lambda: [area.evaluate(ROWS) for area in areas.all()] == [[[False, False], [True, False]]] * 2,
        "a live card in each",
    )

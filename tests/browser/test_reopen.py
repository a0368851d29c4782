"""A saved notebook opened again: one card is seen for each that was shown, and never an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cards import COMPLAINTS, LIVE, STATIC, assert_shows, kinds, run_and_save
from jlab import QUICKSTART, TURN, WIDGETS_PLUGIN, notebook_of, read, stays
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Open, Server
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser


def assert_words_stay_whole(card: Locator) -> None:
    """JupyterLab's own style breaks the lines of every `<pre>` anywhere."""
    for text in card.locator("pre").all()[1:]:
        expect(text).to_have_css("word-break", "normal")


def test_untrusted(open_notebook: Open, server: Server) -> None:
    notebook = open_notebook("untrusted.ipynb", read(QUICKSTART))
    assert not server.is_trusted("untrusted.ipynb")
    assert_shows(notebook, STATIC * 3)
    card = notebook.page.locator(".coglog-static").first
    assert_words_stay_whole(card)
    for theme in ("Dark", "Light"):  # the last one stays, for all pages to come
        notebook.menu("Settings", "Theme", f"JupyterLab {theme}")
        expect(notebook.page.locator("body")).to_have_attribute("data-jp-theme-light", str(theme == "Light").lower())
        notebook.show(card)
        notebook.picture(f"reopened-untrusted-page-{theme.lower()}")
        notebook.picture(f"reopened-untrusted-card-{theme.lower()}", card)


def test_trusted_with_a_fresh_kernel(open_notebook: Open, server: Server) -> None:
    notebook = run_and_save(open_notebook, "trusted.ipynb")
    notebook.page.close()
    server.delete_kernels()
    assert server.is_trusted("trusted.ipynb")
    assert "widgets" not in server.saved("trusted.ipynb")["metadata"]

    again = open_notebook("trusted.ipynb")
    assert_shows(again, STATIC * 3)
    card = again.show(again.page.locator(".coglog-static").first)
    assert_words_stay_whole(card)
    again.picture("reopened-trusted-page")
    again.picture("reopened-trusted-card", card)
    # Run again, they are live again.
    again.run_all()
    assert_shows(again, LIVE * 3)


def test_with_the_kernel_still_there(open_notebook: Open) -> None:
    notebook = run_and_save(open_notebook, "alive.ipynb")
    notebook.page.close()
    again = open_notebook("alive.ipynb")
    assert_shows(again, LIVE * 3)
    button = again.show(again.live.first).get_by_role("button", name="dark", exact=True)
    button.click()
    expect(again.live.first).to_have_attribute("data-theme", "dark")


def test_with_widget_state(open_notebook: Open, server: Server) -> None:
    server.set(WIDGETS_PLUGIN, {"saveState": True})
    try:
        notebook = run_and_save(open_notebook, "state.ipynb")
    finally:
        server.set(WIDGETS_PLUGIN, None)
    notebook.page.close()
    server.delete_kernels()
    assert server.saved("state.ipynb")["metadata"]["widgets"]
    again = open_notebook("state.ipynb")
    assert_shows(again, LIVE * 3)


def test_after_a_restart(open_notebook: Open) -> None:
    notebook = run_and_save(open_notebook, "restarted.ipynb")
    notebook.menu("Kernel", "Restart Kernel…")
    notebook.page.locator(".jp-Dialog").get_by_text("Restart", exact=True).click()
    notebook.wait_for_kernel()
    one_each = [1, 1, 1]
    stays(notebook.page, lambda: [live + fixed for live, fixed in kinds(notebook)] == one_each, "one card in each cell")
    notebook.picture("after-a-restart")
    notebook.run_all()
    assert_shows(notebook, LIVE * 3)


def test_notebook_7(open_notebook: Open, server: Server) -> None:
    notebook = run_and_save(open_notebook, "seven.ipynb", app="notebook")
    assert_shows(notebook, LIVE * 3)
    notebook.show(notebook.live.first)
    notebook.picture("notebook-7-live")
    notebook.page.close()
    server.delete_kernels()
    assert server.is_trusted("seven.ipynb")
    again = open_notebook("seven.ipynb", app="notebook")
    assert_shows(again, STATIC * 3)
    again.show(again.page.locator(".coglog-static").first)
    again.picture("notebook-7-reopened")


def test_where_anywidget_is_not_installed(open_notebook: Open) -> None:
    """A kernel on another machine than the server, say: the card can't live, and the static one stays."""
    content = notebook_of(TURN, "%coglog write turn", "import ipywidgets\nipywidgets.IntSlider()")
    notebook = open_notebook("lacking.ipynb", content, without="**/extensions/anywidget/**")
    notebook.run_all()
    assert_shows(notebook, STATIC)
    expect(notebook.page.locator(".widget-slider")).to_be_visible()


def test_what_is_beside_a_card_is_left_alone(open_notebook: Open) -> None:
    """The rules that hide one of a card's two outputs hide no other."""
    start = "import ipywidgets\nfrom IPython.display import display\nfrom coglog_nb import show"
    around = "print('before')\ndisplay(prev)\nprint('after')\ndisplay(ipywidgets.IntSlider())"
    inside = "out = ipywidgets.Output()\nwith out:\n    display(prev)\ndisplay(out)"
    slider_next = f"{inside}\ndisplay(ipywidgets.IntSlider())"
    card_next = f"{inside}\ndisplay(show(prev))"
    content = notebook_of(TURN, "prev = %coglog write turn", start, around, slider_next, card_next)
    notebook = open_notebook("beside.ipynb", content)
    notebook.run_all()
    expect(notebook.live).to_have_count(4)
    first, second, third = notebook.seen()
    assert [(row["live"], row["fixed"], row["height"] > 0) for row in first] == [
        (0, 0, True),  # before
        (0, 0, False),  # the static twin
        (1, 0, True),  # the card
        (0, 0, True),  # after
        (0, 0, True),  # the slider
    ]
    # The output widget is a row around the two of the card.
    in_output_widget = [(1, 0, True), (0, 0, False), (1, 0, True)]
    assert [(row["live"], row["fixed"], row["height"] > 0) for row in second] == [*in_output_widget, (0, 0, True)]
    assert [(row["live"], row["fixed"], row["height"] > 0) for row in third] == [*in_output_widget, (1, 0, True)]
    assert notebook.page.evaluate(COMPLAINTS) == []

"""What goes wrong in a notebook, as a person sees it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from jlab import notebook_of, until
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Open

pytestmark = pytest.mark.browser


def test_a_magics_error_is_short_and_stops_run_all(open_notebook: Open) -> None:
    notebook = open_notebook("error.ipynb", notebook_of("%coglog wrte", "print('after')"))
    notebook.run_all(ends=False)
    cell = notebook.show(notebook.cells.nth(1))
    output = cell.locator(".jp-OutputArea-output")
    expect(output).to_have_count(1)
    text = (output.text_content() or "").strip()
    assert "wrte" in text
    assert "write" in text
    assert len(text.splitlines()) <= 3
    for frame in ("Traceback", "----", "File ", ".py", "line 1"):
        assert frame not in text
    prompts = notebook.page.locator(".jp-InputPrompt").all_text_contents()
    assert [re.sub(r"\s", "", prompt) for prompt in prompts] == ["[1]:", "[2]:", "[]:"]
    expect(notebook.cells.nth(2).locator(".jp-OutputArea-output")).to_have_count(0)
    notebook.picture("error-of-a-magic")


def test_a_card_that_fails_says_so_beside_the_static_one(open_notebook: Open) -> None:
    turn = {name: f"the {name}" for name in ("user", "thinking", "assistant")} | dict.fromkeys(
        ("current_focus", "theory_of_mind", "self_narrative", "annotation"), ""
    )
    break_it = "from coglog_nb import show\nshow(prev).turn = {'entry': None}"
    notebook = open_notebook(
        "broken.ipynb", notebook_of(f"turn = {turn!r}", "prev = %coglog write turn", "prev", break_it)
    )
    notebook.run_all()
    message = notebook.page.get_by_text("CogLog can't show this turn")
    until(lambda: message.count() == 1, "the message")
    expect(notebook.show(message)).to_be_visible()
    [[static, failed]] = notebook.seen()
    assert (static["live"], static["fixed"]) == (0, 1)
    assert failed["height"] > 0
    notebook.picture("card-that-failed")

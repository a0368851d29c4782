"""Prototyping in a real page: the answer as it arrives, an interrupt, candidates side by side, and reopening them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from jlab import NARROW, ROOT, THEMES_PLUGIN, notebook_of, until, without_outputs
from plain import complaints
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Open, Server

pytestmark = pytest.mark.browser

MODELS = '''
import json, pathlib, time

AXES = dict(current_focus="fixed points", theory_of_mind="", self_narrative="a tutor", annotation="ask for one")

def slow(messages):
    yield "<think>They quote the definition.\\n"
    steps.wait_for(1)
    yield "Start from an example.</think>"
    steps.wait_for(2)
    yield "Press cos again "
    steps.wait_for(3)
    yield "and again." + json.dumps(AXES)

class Steps:
    """Counts the files named step-N beside the notebook, so that each part of the answer can be looked at."""
    def wait_for(self, count):
        while True:
            time.sleep(0.2)  # the stream is drawn ten times a second: each part must come later than that
            if len(list(pathlib.Path().glob("step-*"))) >= count:
                return

def endless(messages):
    yield "<think>It goes on"
    while True:
        time.sleep(0.05)
        yield " and on"

def long(messages):
    return f"<think>{'They know it. ' * 60}</think>{'A value that a function maps to itself. ' * 30}{json.dumps(AXES)}"

def short(messages):
    return "<think>t</think>A value." + json.dumps(AXES)

def lacking(messages):
    return "A value, without thinking and without a block."

def broken(messages):
    raise TimeoutError("no answer within 60 s, " + "and_so_on_" * 30)
'''


def test_the_answer_is_seen_as_it_comes_and_then_the_card(open_notebook: Open, server: Server) -> None:
    notebook = open_notebook(
        "stream.ipynb", notebook_of(MODELS, "steps = Steps()", "%%coglog turn -m slow\nWhat is a fixed point?")
    )
    notebook.wait_for_kernel()
    notebook.menu("Run", "Run All Cells")
    stream = notebook.page.locator(".coglog-stream[role=log]")
    expect(stream).to_contain_text("They quote the definition.")
    expect(stream.locator("details")).to_have_attribute("open", "")
    for step in ("step-1", "step-2"):
        (server.root / step).touch()
    expect(stream).to_contain_text("Press cos again")
    expect(stream.locator("details")).not_to_have_attribute("open", "")
    notebook.picture("stream", notebook.cells.last)
    (server.root / "step-3").touch()
    expect(notebook.live).to_be_visible()
    expect(stream).to_have_count(0)
    expect(notebook.live.locator("[data-part=assistant] pre")).to_have_text("Press cos again and again.")
    # The stream leaves no visible gap.
    row = notebook.page.locator(".jp-OutputArea-child").filter(has=notebook.page.locator(".coglog-stream"))
    box = row.bounding_box()
    assert box is None or box["height"] <= 20


def test_interrupting_the_cell_ends_the_call_and_keeps_what_came_in_sight(open_notebook: Open) -> None:
    notebook = open_notebook("endless.ipynb", notebook_of(MODELS, "%%coglog turn -m endless\nWhat is a fixed point?"))
    notebook.wait_for_kernel()
    notebook.menu("Run", "Run All Cells")
    stream = notebook.page.locator(".coglog-stream[role=log]")
    expect(stream).to_contain_text("and on and on")
    notebook.menu("Kernel", "Interrupt Kernel")
    error = notebook.page.locator('[data-mime-type$="stderr"]')
    expect(error).to_contain_text("KeyboardInterrupt")
    expect(stream).to_contain_text("It goes on and on")
    notebook.wait_for_kernel()
    notebook.picture("interrupted", notebook.cells.last)


def test_candidates_are_side_by_side_live_and_static(open_notebook: Open, server: Server) -> None:
    prompts = "plain = 'You are a tutor.'\nasking = 'Ask; never tell.'"
    cells = (
        MODELS,
        prompts,
        "%%coglog try -m long -m lacking -m broken -m short --system plain\nWhat is it?",
        "%coglog keep 4",
    )
    notebook = open_notebook("try.ipynb", notebook_of(*cells))
    notebook.run_all()
    cell = notebook.cells.nth(3)
    expect(cell.locator(".coglog-live")).to_have_count(3)
    names = [f"{number} \u00b7 {model} \u00b7 plain" for number, model in ((1, "long"), (2, "lacking"), (4, "short"))]
    assert [text.strip() for text in cell.locator(".coglog-live .coglog-turn").all_text_contents()] == names
    assert cell.locator(".coglog-static:visible").count() == 0
    failed = cell.locator(".coglog-candidates .coglog-status").filter(has_text="no answer within 60 s")
    expect(failed).to_have_count(1)
    boxes = [card.bounding_box() for card in cell.locator(".coglog-live").all()]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] == pytest.approx(boxes[1]["y"], abs=120)
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1
    notebook.picture("candidates", cell)
    expect(notebook.cells.nth(4).locator(".coglog-live")).to_contain_text("Turn 1")
    assert complaints(notebook.page, ".coglog-candidates") == []
    notebook.save()
    notebook.page.close()
    server.delete_kernels()

    again = open_notebook("try.ipynb")
    again.wait_for_kernel()
    static = again.show(again.cells.nth(3)).locator(".coglog-static:visible")
    expect(static).to_have_count(3)
    expect(again.cells.nth(3)).to_contain_text("no answer within 60 s")
    again.picture("candidates-static", again.cells.nth(3))


def test_candidates_fit_a_narrow_page(open_notebook: Open) -> None:
    cells = (MODELS, "%%coglog try -m short -m broken -m lacking\nWhat is it?")
    notebook = open_notebook("try-narrow.ipynb", notebook_of(*cells), size=NARROW)
    notebook.run_all()
    cell = notebook.cells.last
    page_width = notebook.page.evaluate("document.documentElement.clientWidth")
    for card in cell.locator(".coglog-live, .coglog-candidates .coglog-status").all():
        box = card.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= page_width
    notebook.picture("candidates-narrow", cell)


def test_candidates_in_the_dark(open_notebook: Open, server: Server) -> None:
    server.set(THEMES_PLUGIN, {"theme": "JupyterLab Dark"})
    try:
        cells = (MODELS, "%%coglog try -m short -m broken -m lacking\nWhat is it?")
        notebook = open_notebook("try-dark.ipynb", notebook_of(*cells))
        notebook.run_all()
        expect(notebook.live.first).to_have_attribute("data-theme", "dark")
        assert complaints(notebook.page, ".coglog-candidates") == []
        notebook.picture("candidates-dark", notebook.cells.last)
    finally:
        server.set(THEMES_PLUGIN, {"theme": "JupyterLab Light"})


def test_the_prototype_notebook_runs_in_lab(open_notebook: Open) -> None:
    path = ROOT / "notebooks" / "02_prototype_prompts.ipynb"
    content = without_outputs(path)
    notebook = open_notebook("prototype.ipynb", content)
    notebook.wait_for_kernel()
    notebook.menu("Run", "Run All Cells")
    # One cell fails on purpose, and is tagged so: what comes after it runs all the same.
    prompts = notebook.page.locator(".jp-CodeCell .jp-InputPrompt")
    done = re.compile(r"\[\d+\]:")
    until(lambda: all(done.search(text) for text in prompts.all_text_contents()), "the last cell")
    notebook.wait_for_kernel()
    assert "Traceback" not in (notebook.page.locator(".jp-Notebook").text_content() or "")
    candidates = notebook.page.locator(".coglog-candidates")
    notebook.show(candidates)
    expect(candidates.locator(".coglog-live")).to_have_count(2)
    notebook.picture("prototype-try", candidates)

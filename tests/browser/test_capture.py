"""A captured reply, as a person sees it: its card, and above it in words what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from jlab import NARROW, THEMES_PLUGIN, notebook_of, until
from plain import complaints
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Open, Server

pytestmark = pytest.mark.browser

SETUP = """\
%load_ext coglog_nb
import json
axes = {"current_focus": "fixed points", "theory_of_mind": "", "self_narrative": "a tutor", "annotation": "the graph"}
text = "It settles at 0.739085.\\n\\n" + json.dumps(axes)
whole = {"message": {"role": "assistant", "content": text, "thinking": "Start from an example."}, "done": True}
withheld = {
    "object": "response",
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": [], "encrypted_content": "opaque"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text[:-30]}]},
        {"type": "function_call", "name": "cos", "arguments": "{}"},
    ],
}
question = "What is a fixed point?"
long = {"choices": [{"message": {"role": "assistant", "content": "word " * 3000, "refusal": "w" * 400}}]}"""
CELLS = (
    SETUP,
    "%coglog capture withheld",
    "%coglog capture whole --user question",
    "%coglog capture long --no-thinking",
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_problems_are_above_the_card(open_notebook: Open, server: Server, theme: str) -> None:
    server.set(THEMES_PLUGIN, {"theme": f"JupyterLab {theme.title()}"})
    try:
        notebook = open_notebook(f"capture-{theme}.ipynb", notebook_of(*CELLS))
        notebook.run_all()
        expect(notebook.live).to_have_count(3)
        page = notebook.page
        status = page.locator(".coglog-status:visible")
        first = notebook.show(notebook.live.first)
        expect(first.get_by_text("Not stored", exact=True)).to_be_visible()
        expect(first.locator('[data-part="annotation"]')).to_contain_text("missing")
        said = status.first
        expect(said).to_have_role("status")
        expect(said.get_by_role("listitem")).to_have_count(4)
        expect(said).to_contain_text("thinking: withheld by OpenAI Responses (encrypted_content); ask for a summary")
        expect(said).to_contain_text("never closes")
        expect(said).to_contain_text("1 part of type function_call left out")
        # One card is seen for each, and the words once.
        assert [sum(row["live"] + row["fixed"] for row in outputs) for outputs in notebook.seen()] == [1, 1, 1]
        for cell in notebook.card_cells():
            notebook.show(cell)
        expect(status).to_have_count(2)
        cells = notebook.card_cells()
        for name, cell in zip(("incomplete", "complete", "long"), cells, strict=True):
            notebook.picture(f"capture-{name}-{theme}", cell)
        notebook.show(said)
        assert complaints(page, ".widget-vbox:has(.coglog-status)") == []
        page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
        notebook.picture(f"capture-narrow-{theme}", cells[0])
        wide = said.evaluate("element => element.scrollWidth - element.clientWidth")
        assert wide <= 0, "its words are not cut off"
    finally:
        server.set(THEMES_PLUGIN, None)


def test_reopened_it_is_static_with_its_problems(open_notebook: Open, server: Server) -> None:
    notebook = open_notebook("capture-again.ipynb", notebook_of(*CELLS))
    notebook.run_all()
    expect(notebook.live).to_have_count(3)
    notebook.save()
    notebook.page.close()
    server.delete_kernels()
    again = open_notebook("capture-again.ipynb")
    again.wait_for_kernel()
    until(lambda: [sum(row["fixed"] for row in outputs) for outputs in again.seen()] == [1, 1, 1], "static cards")
    said = again.show(again.page.locator(".coglog-status").first)
    expect(said).to_contain_text("withheld by OpenAI Responses")
    again.picture("capture-static", again.card_cells()[0])

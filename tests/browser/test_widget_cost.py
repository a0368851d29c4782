"""What the cards of a notebook cost: models in the kernel, bytes in the saved file."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from jlab import TURN, WIDGETS_PLUGIN, notebook_of
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Open, Server

pytestmark = pytest.mark.browser

COUNT = """\
import json
import sys
from ipywidgets.widgets.widget import _instances
print("models", json.dumps(sorted(type(widget).__name__ for widget in _instances.values())))"""


def printed(cell: Any, start: str) -> Any:
    """Return the JSON that a cell printed after a word."""
    text = "".join("".join(output.get("text", "")) for output in cell["outputs"])
    return json.loads(text.split(start, 1)[1])


def test_one_entry_is_one_model_however_often_it_is_shown(open_notebook: Open, server: Server) -> None:
    looks = ["prev", "prev\n", "from IPython.display import display\ndisplay(prev)\ndisplay(prev)"]
    notebook = open_notebook("models.ipynb", notebook_of(TURN, "prev = %coglog write turn", *looks, COUNT))
    notebook.run_all()
    expect(notebook.live).to_have_count(4)
    assert [[(row["live"], row["fixed"]) for row in outputs] for outputs in notebook.seen()] == [
        [(0, 0), (1, 0)],
        [(0, 0), (1, 0)],
        [(0, 0), (1, 0), (0, 0), (1, 0)],
    ]
    notebook.save()
    models = printed(server.saved("models.ipynb")["cells"][-1], "models")
    assert models == ["CardLibrary", "CogLogCard", "Layout"]

    # Each view has a theme of its own.
    first, second = notebook.live.nth(0), notebook.live.nth(1)
    notebook.show(first).get_by_role("button", name="dark", exact=True).click()
    expect(first).to_have_attribute("data-theme", "dark")
    expect(second).to_have_attribute("data-theme", "light")


def test_the_viewer_travels_once_a_kernel(
    open_notebook: Open, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server.set(WIDGETS_PLUGIN, {"saveState": True})
    try:
        notebook = open_notebook("size.ipynb", notebook_of(TURN, *["%coglog write turn"] * 4, COUNT))
        notebook.run_all()
        expect(notebook.live).to_have_count(4)
        notebook.save()
    finally:
        server.set(WIDGETS_PLUGIN, None)
    saved = server.saved("size.ipynb")
    states = saved["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    whole = [state for state in states.values() if len(state["state"].get("_esm", "")) > 10_000]
    assert len(whole) == 1
    assert (server.root / "size.ipynb").read_text(encoding="utf-8").count("coglog-live") >= 4

    def size(value: Any) -> int:
        return len(json.dumps(value, ensure_ascii=False, indent=1).encode())

    cards = [size({name: state}) for name, state in states.items() if "turn" in state["state"]]
    assert len(cards) == 4
    state = max(cards)
    output = max(size(cell["outputs"]) for cell in saved["cells"][2:6])
    with capsys.disabled():
        sys.stdout.write(
            f"\na further card: {state:,} B of widget state (goal 3,500),"
            f" {state + output:,} B in all (goal 8,000); the viewer, once: {size(whole[0]):,} B\n"
        )


def test_a_card_as_a_widget(open_notebook: Open) -> None:
    notebook = open_notebook(
        "shown.ipynb",
        notebook_of(
            TURN,
            "from coglog_nb import show\nfrom ipywidgets import HBox\nprev = %coglog write turn",
            "card = show(prev)\nHBox([card])",
            "card.theme = 'dark'",
        ),
    )
    notebook.run_all()
    expect(notebook.live).to_have_count(1)
    expect(notebook.live).to_have_attribute("data-theme", "dark")
    notebook.picture("card-in-a-layout", notebook.show(notebook.live))

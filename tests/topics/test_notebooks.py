"""What nbval doesn't check in the example notebooks: every cell was run, and every card is a card."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from coglog_nb.teaching.exercises.catalog import find

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00|\d+\.\d s (?=.{0,3}sent )")


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def twins(cell: Any, mark: str = "coglog-twin") -> list[tuple[Any, Any]]:
    """Return what a cell shows in a static and a live form: the bundle of the one, and the bundle that follows it."""
    bundles = [output.get("data", {}) for output in cell.outputs]
    return [
        (bundle, following) for bundle, following in pairwise([*bundles, {}]) if mark in bundle.get("text/html", "")
    ]


def cards(cell: Any) -> list[tuple[Any, Any]]:
    """Return a cell's cards."""
    return twins(cell, "coglog-static")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.name)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_there_are_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS] == [
        "01_quickstart.ipynb",
        "02_prototype_prompts.ipynb",
        "03_capture_replies.ipynb",
        "04_four_axes.ipynb",
        "05_use_cases.ipynb",
        "06_workshop.ipynb",
    ]


def test_committed_as_run_from_top_to_bottom(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.execution_count for cell in code_cells(notebook)] == list(range(1, len(code_cells(notebook)) + 1))
    assert "widgets" not in notebook.metadata
    assert not re.search(r"/(home|root|tmp|Users|work)/", path.read_text(encoding="utf-8"))


def test_every_card_form_and_exercise_is_a_static_and_a_live_one(path: Path) -> None:
    shown = [pair for cell in code_cells(nbformat.read(path, as_version=4)) for pair in twins(cell)]
    assert shown
    for static, live in shown:
        assert set(static) == {"text/html", "text/plain"}
        assert set(live) == {WIDGET}


def test_cells_that_write_or_capture_show_a_card(path: Path) -> None:
    for cell in code_cells(nbformat.read(path, as_version=4)):
        if re.search(r"^%%?coglog (turn|try)", cell.source, re.MULTILINE):
            continue  # these show their result: a card, or why there is none
        shows = re.search(r"^%%?coglog (write(?!.*--check)|capture|keep)", cell.source, re.MULTILINE)
        assert bool(cards(cell)) == bool(shows), cell.source


def test_exercises_are_there_to_read(path: Path) -> None:
    for cell in code_cells(nbformat.read(path, as_version=4)):
        opens = re.search(r"^%coglog exercise ([a-z]\S*)", cell.source, re.MULTILINE)
        shown = twins(cell, "coglog-exercise-static")
        assert bool(shown) == bool(opens), cell.source
        if opens:
            assert find(opens[1]).title in shown[0][0]["text/html"]


def test_it_runs_in_its_own_folder_and_gives_the_committed_outputs(path: Path, home: Path) -> None:
    committed = nbformat.read(path, as_version=4)
    fresh = nbformat.reads(nbformat.writes(committed), as_version=4)
    NotebookClient(
        fresh,
        timeout=120,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    for before, after in zip(code_cells(committed), code_cells(fresh), strict=True):
        assert comparable(before) == comparable(after), before.source
    assert not (home / ".coglog").exists(), "the examples keep out of the reader's own log"


def comparable(cell: Any) -> list[Any]:
    outputs: list[Any] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            outputs.append(TIME.sub("TIME", output.text))
        elif output.output_type == "error":
            outputs.append((output.ename, output.evalue))
        else:
            data = {kind: "view" if kind == WIDGET else TIME.sub("TIME", text) for kind, text in output.data.items()}
            outputs.append(data)
    return outputs

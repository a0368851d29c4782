"""A notebook with cards, converted: once the card, and text that stays text."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mistune
import nbformat
import pytest
from ipykernel.ipkernel import IPythonKernel
from nbconvert import HTMLExporter, MarkdownExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

from coglog_nb.fields import NAMES
from coglog_nb.html_form import static_card
from coglog_nb.notebook.display import WIDGET_MIME, static_fallback
from coglog_nb.teaching.exercises.catalog import BUILT_IN, find
from coglog_nb.teaching.exercises.text_form import static_html
from coglog_nb.text_form import plain_text

if TYPE_CHECKING:
    from coglog_nb import CogLog, Entry

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

# The widget's output says nothing where its state isn't saved, which is as it should be.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Your element with mimetype:UserWarning")]

BLANK_LINES = "first\n\n# not a heading\n   \n\t\n\n- no list\n\n<b>&amp;</b>\n\n    no code\n\n"


def notebook_of(entry: Entry) -> Any:
    """Make the notebook that a cell showing the entry leaves, without widget state."""
    outputs = [
        new_output("display_data", static_fallback(static_card(entry.view()), plain_text(entry.view()))),
        new_output("display_data", {WIDGET_MIME: {"version_major": 2, "version_minor": 1, "model_id": "f" * 32}}),
    ]
    return new_notebook(cells=[new_code_cell("entry", outputs=outputs, execution_count=1)])


@pytest.fixture
def entry(store: CogLog) -> Entry:
    return store.write(**dict.fromkeys(NAMES, BLANK_LINES))  # type: ignore[arg-type]


def test_html_holds_one_card(entry: Entry) -> None:
    source, _ = HTMLExporter().from_notebook_node(notebook_of(entry))
    assert source.count('class="coglog-static"') == 1
    assert "f" * 32 not in source
    assert "Loading widget" not in source


def test_markdown_holds_the_card_as_one_block(entry: Entry) -> None:
    source, _ = MarkdownExporter().from_notebook_node(notebook_of(entry))
    parsed: Any = mistune.create_markdown(renderer=None)(source)
    tokens = [token for token in parsed if token["type"] != "blank_line"]
    assert [token["type"] for token in tokens] == ["block_code", "block_html"]
    card = tokens[1]["raw"]
    assert card.count("<pre") == card.count("</pre>") == len(NAMES) + 1
    for word in ("Fact layer", "Interpretation layer", *NAMES):
        assert f">{word}<" in card
    texts = re.findall(r"<pre[^>]*>([^<]*)</pre>", card)[1:]
    assert [text.replace("&#10;", "\n") for text in texts] == [
        BLANK_LINES.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    ] * len(NAMES)


def test_the_saved_notebook_is_valid(entry: Entry) -> None:
    nbformat.validate(notebook_of(entry))


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_exercise_is_one_block_and_its_answers_are_folded(name: str) -> None:
    exercise = find(name)
    static = static_fallback(static_html(exercise, "en"), "the text", live=".coglog-practice")
    outputs = [new_output("display_data", static)]
    notebook = new_notebook(cells=[new_code_cell("", outputs=outputs, execution_count=1)])
    source, _ = MarkdownExporter().from_notebook_node(notebook)
    parsed: Any = mistune.create_markdown(renderer=None)(source)
    kinds = [token["type"] for token in parsed if token["type"] != "blank_line"]
    assert kinds == ["block_code", "block_html"]
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert page.count('class="coglog-exercise-static"') == 1
    assert page.count("<details>") == page.count("</details>") == 1


def test_the_example_notebooks_become_scripts_that_python_reads(tmp_path: Path) -> None:
    folder = tmp_path / "scripts"
    command = [sys.executable, "-m", "nbconvert", "--to", "script", "--output-dir", str(folder), *map(str, NOTEBOOKS)]
    subprocess.run(command, check=True, capture_output=True)
    assert sorted(path.name for path in folder.iterdir()) == [f"{path.stem}.py" for path in NOTEBOOKS]
    for path in folder.iterdir():
        compile(path.read_text(encoding="utf-8"), path.name, "exec")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_an_example_notebook_says_all_about_its_language_but_no_version(path: Path) -> None:
    told = dict(IPythonKernel.language_info)  # what a kernel says about itself
    del told["version"]
    assert nbformat.read(path, as_version=4).metadata.language_info == told

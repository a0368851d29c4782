"""The workshop page, docs/workshop.md: its settings work as printed, and the commands that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from coglog_nb import CogLog
from coglog_nb.commands.registry import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "workshop.md").read_text(encoding="utf-8")
SETTINGS = re.findall(r"c\.(?:MagicsManager|CogLogMagics)\.\w+ = [^`\n]+", PAGE)


def outputs_of(home: Path, *sources: str) -> list[str]:
    """Run cells in a kernel with the page's settings; returns what each cell shows, as text."""
    profile = home / ".ipython" / "profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_config.py").write_text("\n".join(SETTINGS) + "\n", encoding="utf-8")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=False).execute()
    return [
        "\n".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        for cell in notebook.cells
    ]


def test_the_settings_are_found() -> None:
    assert [setting.split(" = ")[0] for setting in SETTINGS] == [
        "c.MagicsManager.lazy_magics",
        "c.CogLogMagics.lang",
        "c.CogLogMagics.show_thinking",
    ]


@pytest.mark.parametrize("first", ["%coglog where", "%%coglog write\nuser: u\nthinking: secret\nassistant: a\n"])
def test_the_magic_works_without_being_loaded_and_has_the_settings(home: Path, first: str) -> None:
    axes = "current_focus:\ntheory_of_mind:\nself_narrative:\nannotation:"
    first = first + axes if first.startswith("%%") else first
    shown, guide, card = outputs_of(
        home,
        first,
        "%coglog guide annotation",
        f"%%coglog write\nuser: u\nthinking: secret\nassistant: a\n{axes}",
    )
    assert str(home / ".coglog") in shown or "Turn 1" in shown
    assert "次のターン" in guide
    assert "(not shown)" in card
    assert "secret" not in shown + card
    entry = CogLog(home / ".coglog").read()
    assert entry is not None
    assert entry["layers"]["thinking"] == "secret"


def test_every_command_that_it_names_exists() -> None:
    named = set(re.findall(r"coglog (?!not found)([a-z]+)", PAGE))
    assert {"edit", "guide", "where", "clear"} <= named
    assert named <= set(COMMANDS)

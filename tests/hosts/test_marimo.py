"""marimo without a browser; tests/browser/test_hosts.py looks at the card itself."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


APP = """\
import marimo

app = marimo.App()


@app.cell
def _():
    from coglog_nb import CogLog, show

    names = ("user", "thinking", "assistant", "current_focus", "theory_of_mind", "self_narrative", "annotation")
    entry = CogLog("log").write(**{name: f"the {name}" for name in names})
    card = show(entry)
    assert show(entry) is card
    print("made", type(card).__name__)
    card
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    file = tmp_path / "app.py"
    file.write_text(APP, encoding="utf-8")
    return file


def run(app: Path, *argv: str) -> str:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(app.parent / "config")}
    done = subprocess.run(
        [sys.executable, *argv],
        cwd=app.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_as_a_script(app: Path) -> None:
    assert run(app, str(app)).startswith("made ")


def test_a_card_brings_its_code_and_its_turn(app: Path) -> None:
    target = app.parent / "app.html"
    run(app, "-m", "marimo", "export", "html", str(app), "-o", str(target), "--no-include-code")
    source = target.read_text(encoding="utf-8")
    assert "marimo-anywidget" in source
    assert "the theory_of_mind" in source
    assert "StandaloneCard" in source

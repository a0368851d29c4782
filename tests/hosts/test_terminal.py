"""Plain IPython in a terminal: text, and nothing that a terminal can't show."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pexpect = pytest.importorskip("pexpect", reason="IPython brings it on every system that has pseudo-terminals")

pytestmark = pytest.mark.slow

TURN = (
    "turn = dict(user='What is it?', thinking='a\\x1b[31mred', assistant='A point.', current_focus='points',"
    " theory_of_mind='', self_narrative='', annotation='next')"
)


class Terminal:
    """IPython at the other end of a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "HOME": str(folder), "IPYTHONDIR": str(folder / "ipython"), "TERM": "dumb"}
        environment["COGLOG_DIR"] = str(folder / "log")
        command = ["-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor", "--no-confirm-exit"]
        self.child = pexpect.spawn(
            sys.executable, command, env=environment, encoding="utf-8", timeout=60, dimensions=(50, 200), echo=False
        )
        self.child.expect_exact("In [1]: ")
        self.count = 1

    def run(self, cell: str) -> str:
        """Type a line; returns what came until the next prompt."""
        self.child.sendline(cell)
        self.count += 1
        self.child.expect_exact(f"In [{self.count}]: ")
        return str(self.child.before).replace("\r\n", "\n")


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    terminal = Terminal(home)
    yield terminal
    terminal.child.sendline("exit")
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()


def test_an_entry_is_text(terminal: Terminal) -> None:
    assert terminal.run("%load_ext coglog_nb").strip() == ""
    terminal.run(TURN)
    text = terminal.run("%coglog write turn")
    assert re.search(r"Out\[3\]: ?\n", text), text
    assert "CogLog 0.9.1 · Turn 1 · " in text
    assert "Fact layer\n  user\n    What is it?\n" in text
    assert "  theory_of_mind (other)\n    (empty)\n" in text
    assert "\x1b" not in text
    assert "␛[31mred" in text
    for word in ("<div", "Widget", "Card(", "application/", "model_id", " at 0x"):
        assert word not in text
    text = terminal.run("%coglog write turn --diff --annotation 'later'")
    assert "    later\n    a turn ago: next\n" in text
    assert "Turn 2" in terminal.run("entry = %coglog read") + terminal.run("entry")
    assert "watch needs a notebook" in terminal.run("%coglog watch")
    assert "nothing is watched" in terminal.run("%coglog watch --stop")
    assert "no coglog found" in terminal.run("%coglog read --session other")


def test_an_exercise_is_text_and_comes_once(terminal: Terminal) -> None:
    terminal.run("%load_ext coglog_nb")
    seen = terminal.run("%coglog exercise coding")
    assert seen.count("CogLog exercise \u00b7 coding") == 1
    assert "1. A date that is a day late" in seen
    assert "%coglog exercise coding --answers shows the answers" in seen
    assert "ExerciseWidget" not in seen
    assert "<" not in seen
    assert "current_focus (best fit): " in terminal.run("%coglog exercise coding --answers")
    assert "(no exercise answered yet)" in terminal.run("%coglog exercise --summary")


def test_a_form_gets_a_cell_to_use_instead_and_a_guide_is_text(terminal: Terminal) -> None:
    terminal.run("%load_ext coglog_nb")
    terminal.run("said = 'What is it?'")
    text = terminal.run("%coglog edit --user said")
    assert "Where no form can open, write the turn in a cell:" in text
    assert "%%coglog write\nuser: What is it?\nthinking:\n" in text
    guide = terminal.run("%coglog guide annotation")
    assert guide.count("future: what should I do next?") == 1
    for word in ("<div", "Widget", "CogLogEditor", "Error"):
        assert word not in text + guide

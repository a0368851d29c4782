"""`coglog clear`: it forgets the turn, and with `--outputs` its artifacts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from command_line import Run


def test_clear(run: Run, turn: dict[str, Any], home: Path) -> None:
    assert run("clear").out == "coglog: no existing coglog\n"
    run("write", stdin=turn)
    assert run("clear").out == "coglog: cleared\n"
    run("write", stdin=turn)
    (home / ".coglog" / "current.json").write_text("{")
    result = run("clear")
    assert result.code == 0
    kept = re.fullmatch(r"coglog: cleared \(damaged file kept as (.*)\)\n", result.out)
    assert kept is not None
    assert Path(kept[1]).read_text() == "{"


def test_clear_outputs(run: Run, turn: dict[str, Any], home: Path) -> None:
    outputs = home / ".coglog" / "outputs"
    run("write", stdin=turn, program="coglog-viz")
    run("write", "--session", "npc", stdin=turn, program="coglog-viz")
    run("clear")
    assert len(list(outputs.iterdir())) == 2, "plain clear keeps them"
    assert run("clear", "--outputs").out == "coglog: no existing coglog\ncoglog: 1 viewer artifact removed\n"
    assert [path.name for path in outputs.iterdir()] == ["coglog-npc-turn-1.jsx"]

"""`coglog-viz render`, and the artifact that `coglog-viz write` leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run


def test_viz_write_and_render(run: Run, turn: dict[str, Any], home: Path) -> None:
    card = home / ".coglog" / "outputs" / "coglog-turn-1.jsx"
    result = run("write", stdin=turn, program="coglog-viz")
    assert result.out == f"coglog: turn 1 written\ncoglog: viewer → {card}\n"
    card.unlink()
    assert run("render", program="coglog-viz").out == f"coglog: viewer → {card}\n"
    assert card.exists()
    assert run("read", program="coglog-viz").out == run("read").out


def test_render_is_the_viz_programs(run: Run) -> None:
    result = run("render")
    assert (result.code, result.out) == (2, "")
    assert "coglog-viz render" in result.err
    result = run("render", program="coglog-viz")
    assert result.code == 1
    assert result.err.startswith("coglog error: no coglog found")

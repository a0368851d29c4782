"""`coglog sessions`, and names that are none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run


def test_sessions(run: Run, turn: dict[str, Any], home: Path) -> None:
    assert run("sessions").out == "(no sessions)\n"
    run("write", "--session", "npc-1", stdin=turn)
    run("write", "--session", "npc-1", stdin=turn)
    run("write", "--session", "b", stdin=turn)
    run("write", "--session", "c", stdin=turn)
    run("clear", "--session", "c")
    (home / ".coglog" / "sessions" / "b" / "current.json").write_text("{}")
    lines = run("sessions").out.splitlines()
    assert [line.split()[0] for line in lines] == ["b", "c", "npc-1"]
    assert "damaged" in lines[0]
    assert "(no coglog found)" in lines[1]
    assert re.search(r"turn 2  \d{4}-", lines[2])


@pytest.mark.parametrize("name", ["../x", "a/b", ""])
def test_an_invalid_session_name_is_an_error(run: Run, name: str) -> None:
    result = run("read", f"--session={name}")
    assert result.code == 1
    assert "not a session name" in result.err

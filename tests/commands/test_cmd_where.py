"""`coglog where`: each line says where something is, and why there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from coglog_nb import CogLog, Entry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from command_line import Run


def test_where(run: Run, turn: dict[str, Any], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("where").out
    assert str(home / ".coglog") in out
    assert "default" in out
    assert "(no coglog found)" in out
    run("write", stdin=turn)
    out = run("where").out
    entry = CogLog().read() or Entry()
    size = (home / ".coglog" / "current.json").stat().st_size
    for words in (
        f"{home}/.coglog/current.json",
        entry["timestamp"],
        f"{size:,} bytes",
        f"{home}/.coglog/outputs",
    ):
        assert words in out
    assert re.search(r"^turn +1$", out, re.MULTILINE)
    assert "--coglog-dir" in run("where", "--coglog-dir", "x").out
    monkeypatch.setenv("COGLOG_DIR", str(tmp_path / "e"))
    assert "from COGLOG_DIR" in run("where").out
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "current.json").write_text("[]")
    result = run("where", "--session", "default-is-damaged")
    assert result.code == 0
    result = run("where")
    assert result.code == 0
    assert "damaged" in result.out

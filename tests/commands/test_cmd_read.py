"""`coglog read`: the stored turn as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run


def test_read_with_nothing_stored(run: Run, home: Path) -> None:
    result = run("read")
    assert (result.code, result.out, result.err) == (0, "(no coglog found)\n", "")
    assert not (home / ".coglog").exists()

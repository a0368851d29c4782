"""`coglog skill`, and `%coglog skill` with it: what it prints, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_it_prints_a_line_for_each(run: Callable[..., Any], home: Path) -> None:
    done = run("skill", "~/skills")
    assert (done.code, done.out, done.err) == (0, f"coglog: skill → {home / 'skills' / 'coglog'}\n", "")
    done = run("skill", "--viz", "--zip", str(home / "skills"))
    names = ("coglog", "coglog.zip", "coglog-viz", "coglog-viz.zip")
    assert (done.code, done.err) == (0, "")
    assert done.out == "".join(f"coglog: skill → {home / 'skills' / name}\n" for name in names)


def test_a_foreign_folder_is_one_line_and_exit_1(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "coglog").mkdir()
    done = run("skill", str(tmp_path))
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        f"coglog error: {tmp_path / 'coglog'} exists and was not written by `coglog skill`:"
        " give another DIR or move it away\n"
    )


def test_without_a_directory_it_is_misuse(run: Callable[..., Any]) -> None:
    done = run("skill")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("usage: coglog skill DIR [options]\n")
    assert "DIR" in done.err.splitlines()[1]


def test_it_touches_no_log(run: Callable[..., Any], tmp_path: Path, turn: dict[str, Any]) -> None:
    run("write", stdin=json.dumps(turn))
    before = run("read").out
    run("skill", str(tmp_path / "skills"))
    assert run("read").out == before

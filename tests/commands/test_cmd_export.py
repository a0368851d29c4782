"""A turn travels: `export` here, `import` there."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog

if TYPE_CHECKING:
    from command_line import Run


def test_an_existing_file_needs_force(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    run("write", stdin=turn)
    file = tmp_path / "turn.json"
    file.write_text("precious")
    result = run("export", str(file))
    assert (result.code, result.out) == (1, "")
    assert result.err == f"coglog error: {file} already exists; --force overwrites it\n"
    assert file.read_text() == "precious"
    assert run("export", str(file), "--force").code == 0
    assert json.loads(file.read_text())["turn_id"] == 1


def test_no_turn_is_an_error(run: Run, tmp_path: Path) -> None:
    result = run("export", str(tmp_path / "turn.json"))
    assert result.code == 1
    assert result.err == "coglog error: no coglog found: there is no turn to export\n"
    assert not (tmp_path / "turn.json").exists()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("export", "turn.jsn"), "did you mean .json?"),
        (("export", "turn"), "unknown file ending (none)"),
        (("import", "turn.jsx"), "unknown file ending .jsx"),
        (("export",), "PATH"),
    ],
)
def test_an_unknown_ending_is_misuse(run: Run, argv: tuple[str, ...], words: str, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    result = run(*argv)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert result.err.startswith("usage: ")


def test_the_artifact_is_exported_too(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    run("write", stdin=turn)
    assert run("export", str(tmp_path / "card.jsx"), "--theme", "dark", "--no-thinking").code == 0
    source = (tmp_path / "card.jsx").read_text()
    assert "export default function" in source
    assert "dark" in source
    assert turn["thinking"] not in source


def test_export_without_thinking(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    run("write", stdin=turn)
    run("export", str(tmp_path / "t.json"), "--no-thinking")
    assert json.loads((tmp_path / "t.json").read_text())["layers"]["thinking"] == "(not shown)"


@pytest.mark.parametrize("session", ["", "npc"])
def test_the_store_is_not_exported_over(session: str, run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    """It would go past the lock, and without the thinking it would lose it."""
    options = [f"--session={session}"] if session else []
    run("write", *options, stdin=turn)
    file = CogLog(session=session or None).current_file
    (tmp_path / "link.json").symlink_to(file)
    before = file.read_bytes()
    for path in (file, tmp_path / "link.json"):
        result = run("export", str(path), "--force", "--no-thinking", *options)
        assert result.code == 1
        assert "is kept" in result.err
        assert file.read_bytes() == before
    run("write", "--session", "other", stdin=turn)
    assert run("export", str(file), "--force", "--session", "other").code == 1, "nor one window over another"


def test_an_export_through_a_link_keeps_the_link(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    run("write", stdin=turn)
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    refused = run("export", str(tmp_path / "link.json"))
    assert refused.code == 1
    assert f"is a link to {tmp_path / 'real.json'}; --force overwrites that file" in refused.err
    assert run("export", str(tmp_path / "link.json"), "--force").code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["turn_id"] == 1
    (tmp_path / "nowhere.json").symlink_to("gone.json")
    assert run("export", str(tmp_path / "nowhere.json")).code == 1, "a link is there, wherever it leads"


def test_only_a_regular_file_is_overwritten_or_imported(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    os.mkfifo("pipe.json")
    Path("folder.json").mkdir()
    for name in ("pipe.json", "folder.json"):
        result = run("export", name, "--force")
        assert result.code == 1
        assert "not a regular file" in result.err
        assert run("import", name, "--replace").code == 1
    assert stat.S_ISFIFO(Path("pipe.json").stat().st_mode)


def test_the_permissions_of_an_export_are_the_usual_ones(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    run("write", stdin=turn)
    old = os.umask(0o022)
    try:
        run("export", str(tmp_path / "t.json"))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "t.json").stat().st_mode) == 0o644


def test_a_directory_that_is_not_there_is_named(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    result = run("export", "nowhere/turn.json")
    assert result.code == 1
    assert "nowhere/turn.json: No such file or directory" in result.err

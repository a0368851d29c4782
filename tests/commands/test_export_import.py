"""A turn travels: `export` here, `import` there."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry, StoreError, ValidationError
from coglog_nb.fields import schema
from coglog_nb.jsontext import dump

if TYPE_CHECKING:
    from command_line import Run


def test_a_turn_travels_whole(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    here, there = f"--coglog-dir={tmp_path}/here", f"--coglog-dir={tmp_path}/there"
    for _ in range(3):
        run("write", here, stdin={**turn, "user": "日本語 🙂\n\0"})
    file = tmp_path / "turn.json"
    result = run("export", str(file), here)
    assert (result.code, result.out) == (0, f"coglog: exported → {file}\n")
    result = run("import", str(file), there)
    assert (result.code, result.out) == (0, "coglog: imported turn 3\n")
    assert run("read", there).out == run("read", here).out == file.read_text(encoding="utf-8")
    assert run("write", there, stdin=turn).out == "coglog: turn 4 written\n"


def test_from_one_session_to_another(run: Run, turn: dict[str, Any]) -> None:
    run("write", "--session", "a", stdin=turn)
    run("export", "turn.json", "--session", "a")
    assert run("import", "turn.json", "--session", "b").code == 0
    assert CogLog(session="b").read() == CogLog(session="a").read()


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


def test_import_over_a_stored_turn_needs_replace(run: Run, turn: dict[str, Any]) -> None:
    run("write", "--session", "a", stdin=turn)
    run("export", "a.json", "--session", "a")
    run("write", stdin={**turn, "user": "mine"})
    run("write", stdin={**turn, "user": "mine"})
    result = run("import", "a.json")
    assert result.code == 1
    assert "holds turn 2" in result.err
    assert "--replace" in result.err
    assert (CogLog().read() or Entry())["layers"]["user"] == "mine"
    assert run("import", "a.json", "--replace").out == "coglog: imported turn 1\n"
    assert (CogLog().read() or Entry())["layers"]["user"] == turn["user"]


def exported(run: Run, turn: dict[str, Any]) -> dict[str, Any]:
    run("write", "--session", "source", stdin=turn)
    run("export", "source.json", "--session", "source", "--force")
    return dict(CogLog(session="source").read() or Entry())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"turn_id": 0}, "turn_id"),
        ({"turn_id": "5"}, "turn_id"),
        ({"timestamp": None}, "timestamp"),
        ({"layers": {}}, "missing required field: user"),
        ({"layers": {"user": "", "thinking": "t", "assistant": "a"}}, "missing required field: user"),
        ({"annotation": None}, "missing required field: annotation (empty string is acceptable)"),
        ({"annotation": "\ud83d"}, "U+D83D"),
        ({"timestamp": "\ud83d"}, "U+D83D"),
    ],
)
def test_what_comes_in_is_validated(
    changes: dict[str, Any], words: str, run: Run, turn: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "bad.json").write_text(json.dumps({**exported(run, turn), **changes}))
    result = run("import", str(tmp_path / "bad.json"))
    assert (result.code, result.out) == (1, "")
    assert words in result.err
    assert CogLog().read() is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff\xfe{\0}\0", b"[" * 100_000])
def test_a_file_that_is_no_turn_is_named(data: bytes, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(data)
    result = run("import", str(file))
    assert result.code == 1
    assert result.err.startswith(f"coglog error: {file}: ")
    assert result.err.count("\n") == 1


def test_an_older_entry_travels_without_the_axis_it_lacks(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    old = exported(run, turn)
    del old["current_focus"], old["_schema"]
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert run("import", str(tmp_path / "old.json")).out == "coglog: imported turn 1\n"
    entry = CogLog().read()
    assert entry is not None
    assert entry.missing == ("current_focus",)


def test_what_was_put_out_without_its_thinking_is_not_taken_back(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    run("export", "quiet.json", "--no-thinking")
    for result in (run("import", "quiet.json", "--replace"), run("write", stdin=run("read", "--no-thinking").out)):
        assert result.code == 1
        assert "--no-thinking" in result.err
    assert (CogLog().read() or Entry())["layers"]["thinking"] == turn["thinking"]


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
    assert run("export", str(tmp_path / "link.json")).code == 1
    assert run("export", str(tmp_path / "link.json"), "--force").code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["turn_id"] == 1
    (tmp_path / "nowhere.json").symlink_to("gone.json")
    assert run("export", str(tmp_path / "nowhere.json")).code == 1, "a link is there, wherever it leads"


def test_what_is_no_regular_file_is_neither_exported_over_nor_imported(run: Run, turn: dict[str, Any]) -> None:
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


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    result = run("import", "nowhere.json")
    assert result.code == 1
    assert "nowhere.json: No such file or directory" in result.err


def test_a_directory_that_is_not_there_is_named(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    result = run("export", "nowhere/turn.json")
    assert result.code == 1
    assert "nowhere/turn.json: No such file or directory" in result.err


def test_damage_is_never_imported_over(run: Run, turn: dict[str, Any], home: Path) -> None:
    exported(run, turn)
    (home / ".coglog" / "current.json").write_text("precious damage")
    result = run("import", "source.json", "--replace")
    assert result.code == 1
    assert "damaged" in result.err
    assert (home / ".coglog" / "current.json").read_text() == "precious damage"


def test_in_python(store: CogLog, turn: dict[str, Any], tmp_path: Path) -> None:
    entry = store.write(**turn)
    entry["_schema"]["version"] = "9.9"
    entry["mood"] = "fine"
    other = CogLog(tmp_path / "other")
    assert other.import_entry(entry) == entry, "whole"
    assert other.read() == entry
    assert (tmp_path / "other" / "current.json").read_text(encoding="utf-8") == dump(entry)
    assert other.write(**turn)["_schema"] == schema(), "made by the tool on every write"
    other.import_entry(entry, replace=True)
    with pytest.raises(StoreError, match="replace"):
        other.import_entry(entry)
    assert other.import_entry(entry, replace=True) == other.read()
    nothings: tuple[Any, ...] = ({}, [], MappingProxyType({}))
    for nothing in nothings:
        with pytest.raises(ValidationError):
            other.import_entry(nothing, replace=True)
    assert other.import_entry(MappingProxyType(entry), replace=True) == entry

"""`coglog import`: the turn of an exported file, stored whole."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry, StoreError, ValidationError
from coglog_nb.fields import schema
from coglog_nb.jsontext import dump

if TYPE_CHECKING:
    from pathlib import Path

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
        ({"layers": {}}, "missing required field: user (not given)"),
        ({"layers": {"user": "", "thinking": "t", "assistant": "a"}}, "missing required field: user (it is empty; "),
        ({"layers": {"usr": "u", "thinking": "t", "assistant": "a"}}, "unknown key 'usr'; did you mean user?"),
        ({"annotation": None}, "annotation (empty string is acceptable) (it is null, not text)"),
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
def test_a_file_without_a_turn_is_named(data: bytes, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(data)
    result = run("import", str(file))
    assert result.code == 1
    assert result.err.startswith(f"coglog error: {file}: ")
    assert result.err.count("\n") == 1


def test_an_older_entry_travels_without_its_missing_axis(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    old = exported(run, turn)
    del old["current_focus"], old["_schema"]
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert run("import", str(tmp_path / "old.json")).out == "coglog: imported turn 1\n"
    entry = CogLog().read()
    assert entry is not None
    assert entry.missing == ("current_focus",)


def test_what_was_exported_without_its_thinking_is_not_taken_back(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    run("export", "quiet.json", "--no-thinking")
    for result in (run("import", "quiet.json", "--replace"), run("write", stdin=run("read", "--no-thinking").out)):
        assert result.code == 1
        assert "--no-thinking" in result.err
    assert (CogLog().read() or Entry())["layers"]["thinking"] == turn["thinking"]


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    result = run("import", "nowhere.json")
    assert result.code == 1
    assert "nowhere.json: No such file or directory" in result.err


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

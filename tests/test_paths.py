from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from coglog_nb import CogLog, StoreError, ValidationError, paths


def test_an_explicit_directory_wins_over_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGLOG_DIR", str(tmp_path / "environment"))
    assert CogLog(tmp_path / "explicit").data_dir == tmp_path / "explicit"
    assert CogLog().data_dir == tmp_path / "environment"


def test_the_environment_is_read_when_a_store_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    assert CogLog().data_dir == home / ".coglog"
    monkeypatch.setenv("COGLOG_DIR", str(tmp_path / "late"))
    assert CogLog().data_dir == tmp_path / "late"
    monkeypatch.setenv("COGLOG_DIR", "")
    assert CogLog().data_dir == home / ".coglog"


def test_a_tilde_is_expanded_in_both(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    assert CogLog("~/logs").data_dir == home / "logs"
    assert CogLog("~").data_dir == home
    monkeypatch.setenv("COGLOG_DIR", "~/logs")
    assert CogLog().data_dir == home / "logs"


def test_a_tilde_with_an_unknown_user_is_an_error() -> None:
    with pytest.raises(StoreError, match="no such user"):
        CogLog("~nobody-of-this-name/logs")


@pytest.mark.parametrize("given", ["logs", "./logs", "../here/logs"])
def test_a_relative_path_is_resolved_when_the_store_is_made(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: dict[str, Any]
) -> None:
    store = CogLog(given)
    monkeypatch.setenv("COGLOG_DIR", given)
    from_environment = CogLog()
    monkeypatch.chdir(tmp_path)
    store.write(**turn)
    assert (tmp_path / "here" / "logs" / "current.json").exists()
    assert from_environment.read() == store.read()


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.skipif(os.name != "posix", reason="only POSIX finds the home directory by HOME and the user database")
def test_without_home_the_user_database_is_asked_then_the_working_directory(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pwd

    if value is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", value)
    assert CogLog().data_dir == Path(pwd.getpwuid(os.getuid()).pw_dir) / ".coglog"

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert CogLog().data_dir == Path.cwd() / ".coglog"
    with pytest.raises(StoreError, match="no home directory"):
        CogLog("~/logs")


@pytest.mark.parametrize("given", ["", "a\0b"])
def test_an_invalid_path_is_refused(given: str) -> None:
    with pytest.raises(StoreError, match="data directory"):
        CogLog(given)


def test_bytes_are_refused_as_a_path() -> None:
    with pytest.raises(StoreError, match="bytes"):
        CogLog(b"logs")  # type: ignore[arg-type]


def test_the_working_directory_may_be_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(StoreError, match="working directory no longer exists"):
        CogLog("logs")


@pytest.mark.parametrize("name", ["a", "npc-1", "A.b_c-9", "0", "x" * 64])
def test_session_names(name: str, tmp_path: Path) -> None:
    assert CogLog(tmp_path, session=name).current_file == tmp_path / "sessions" / name / "current.json"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "/a", "a\0", "a\n", "a b", "-a", "_a", ".a", "x" * 65, "é", "a\\b", "\u0661"],
)
def test_an_invalid_session_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="not a session name"):
        CogLog(tmp_path, session=name)


ODD = ["CON", "con", "Prn", "AUX", "nul", "COM1", "com9", "LPT1", "lpt5", "con.txt", "NUL.tar.gz", "a.", "a..", "CON."]


@pytest.mark.parametrize("name", ODD)
def test_a_new_session_has_a_name_for_every_system(
    name: str, tmp_path: Path, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValidationError, match=rf"^not a session name: '{re.escape(name)}' \(.*Windows"):
        CogLog(tmp_path, session=name)
    monkeypatch.setenv("COGLOG_SESSION", name)
    with pytest.raises(ValidationError, match="Windows"):
        CogLog(tmp_path)
    assert CogLog.of_default_window(tmp_path).write(**turn)["turn_id"] == 1
    assert not (tmp_path / "sessions").exists()


@pytest.mark.parametrize("name", [*ODD, "NPC"])
def test_a_session_that_is_there_goes_on_working_whatever_its_name(
    name: str, tmp_path: Path, turn: dict[str, Any]
) -> None:
    """They may be from an earlier version, or from another program."""
    CogLog(tmp_path, session="npc").write(**turn)
    (tmp_path / "sessions" / name).mkdir()
    store = CogLog(tmp_path, session=name)
    assert store.read() is None
    assert store.write(**turn)["turn_id"] == 1
    assert CogLog(tmp_path, session=name).write(**turn)["turn_id"] == 2
    assert CogLog(tmp_path, session=name).clear() == {"cleared": True}
    assert name in paths.session_names(str(tmp_path))
    assert CogLog(tmp_path, session=name).write(**turn)["turn_id"] == 1
    assert CogLog(tmp_path, session="npc").write(**turn)["turn_id"] == 2


@pytest.mark.parametrize(
    "name", ["console", "con-1", "CON1", "a.con", "com", "COM0", "COM10", "lpt", "a.b", "auxiliary", "x.NUL", "0"]
)
def test_a_name_that_only_resembles_a_device_is_fine(name: str, tmp_path: Path, turn: dict[str, Any]) -> None:
    assert CogLog(tmp_path, session=name).write(**turn)["turn_id"] == 1


def test_a_new_session_is_not_anothers_in_other_case(tmp_path: Path, turn: dict[str, Any]) -> None:
    early = CogLog(tmp_path, session="NPC-1")
    CogLog(tmp_path, session="Npc-1").write(**turn)
    for name in ("npc-1", "NPC-1", "nPC-1"):
        with pytest.raises(ValidationError, match=rf"^not a session name: '{name}' \(the session 'Npc-1' differs only"):
            CogLog(tmp_path, session=name)
    with pytest.raises(ValidationError, match="'Npc-1' differs only in case"):
        early.write(**turn)
    assert paths.session_names(str(tmp_path)) == ["Npc-1"]
    CogLog(tmp_path, session="Default").write(**turn)
    assert CogLog.of_default_window(tmp_path).write(**turn)["turn_id"] == 1


def test_the_session_comes_from_the_environment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGLOG_SESSION", "npc-1")
    assert CogLog(tmp_path).session == "npc-1"
    assert CogLog(tmp_path, session="npc-2").session == "npc-2"
    monkeypatch.setenv("COGLOG_SESSION", "")
    assert CogLog(tmp_path).session is None
    monkeypatch.setenv("COGLOG_SESSION", "../x")
    with pytest.raises(ValidationError):
        CogLog(tmp_path)


def test_a_link_cannot_lead_a_session_out_of_the_directory(tmp_path: Path, turn: dict[str, Any]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    sessions = tmp_path / "log" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "npc").symlink_to(outside)
    store = CogLog(tmp_path / "log", session="npc")
    for call in (store.read, store.clear, lambda: store.write(**turn)):
        with pytest.raises(StoreError, match="npc"):
            call()
    assert not list(outside.iterdir())


def test_the_data_directory_itself_may_be_a_link(tmp_path: Path, turn: dict[str, Any]) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "log").symlink_to(tmp_path / "real")
    CogLog(tmp_path / "log", session="npc").write(**turn)
    assert (tmp_path / "real" / "sessions" / "npc" / "current.json").exists()


def test_session_names_are_listed_sorted(tmp_path: Path, turn: dict[str, Any]) -> None:
    assert paths.session_names(str(tmp_path)) == []
    for name in ("b", "a"):
        CogLog(tmp_path, session=name).write(**turn)
    (tmp_path / "sessions" / ".hidden").mkdir()
    assert paths.session_names(str(tmp_path)) == ["a", "b"]


def test_where_artifacts_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = str(tmp_path / "log")
    monkeypatch.setattr(paths, "SANDBOX_OUTPUTS", str(tmp_path / "sandbox"))
    assert paths.viewer_directory(None, log)[0] == str(tmp_path / "log" / "outputs")
    (tmp_path / "sandbox").mkdir()
    assert paths.viewer_directory(None, log)[0] == str(tmp_path / "sandbox")
    monkeypatch.setenv("COGLOG_VIEWER_DIR", "~/cards")
    assert paths.viewer_directory(None, log)[0] == str(Path.home() / "cards")
    assert paths.viewer_directory(tmp_path / "given", log)[0] == str(tmp_path / "given")

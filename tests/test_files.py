"""How a file is replaced: its mode and owner stay, and what fails leaves the old file and nothing else."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, StoreError

if TYPE_CHECKING:
    from pathlib import Path


def current(store: CogLog) -> Path:
    return store.current_file


def test_a_new_directory_is_0700_and_a_new_file_0600(tmp_path: Path, turn: dict[str, Any]) -> None:
    old = os.umask(0)
    try:
        store = CogLog(tmp_path / "a" / "b", session="npc")
        store.write(**turn)
    finally:
        os.umask(old)
    for directory in ("a", "a/b", "a/b/sessions", "a/b/sessions/npc"):
        assert stat.S_IMODE((tmp_path / directory).stat().st_mode) == 0o700, directory
    for file in store.current_file.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_an_existing_file_keeps_its_mode(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).chmod(0o640)
    store.write(**turn)
    assert stat.S_IMODE(current(store).stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_an_existing_file_keeps_its_owner(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    os.chown(current(store), 12345, 12346)
    store.write(**turn)
    status = current(store).stat()
    assert (status.st_uid, status.st_gid) == (12345, 12346)


@pytest.mark.parametrize("name", ["open", "fsync", "replace"])
def test_a_failing_system_call_leaves_the_old_turn_and_no_stray_file(
    name: str, store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    store.write(**turn)
    before = current(store).read_bytes()
    real = getattr(os, name)

    def fail(*args: Any, **kwargs: Any) -> Any:
        if name == "open" and not str(args[0]).endswith(".tmp"):
            return real(*args, **kwargs)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(StoreError, match=r"cannot write .*current\.json: No space left on device"):
        store.write(**turn)
    monkeypatch.undo()
    assert current(store).read_bytes() == before
    assert sorted(path.name for path in store.data_dir.iterdir()) == ["current.json", "current.json.lock"]


def test_what_a_killed_writer_left_is_gone_after_the_next_write(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    stray = store.data_dir / ".current.json.4711-0123abcd.tmp"
    stray.write_text("half a tur")
    store.write(**turn)
    assert not stray.exists()
    stray.write_text("half a tur")
    store.clear()
    assert not stray.exists(), "it is the turn's text as well"


def test_an_interrupt_leaves_no_stray_file(
    store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.write(**turn)
    assert not list(store.data_dir.glob("*.tmp"))
    assert not list(store.data_dir.glob(".*.tmp"))


def test_a_group_that_cannot_be_kept_loses_its_permissions(
    store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only root may give a file away; who could not read the old one must not read the new one."""
    store.write(**turn)
    current(store).chmod(0o660)
    real = os.stat

    def foreign(path: Any, *args: Any, **kwargs: Any) -> Any:
        status = real(path, *args, **kwargs)
        if str(path).endswith("current.json"):
            values = list(status)
            values[4:6] = [54321, 54321]
            return os.stat_result(values)
        return status

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "stat", foreign)
    monkeypatch.setattr(os, "fchown", refuse)
    store.write(**turn)
    monkeypatch.undo()
    assert stat.S_IMODE(current(store).stat().st_mode) == 0o600

"""How a file is replaced: its mode and owner stay, and what fails leaves the old file and nothing else."""

from __future__ import annotations

import gc
import os
import stat
import time
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, StoreError, files

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
    real = os.lstat

    def foreign(path: Any, *args: Any, **kwargs: Any) -> Any:
        status = real(path, *args, **kwargs)
        if str(path).endswith("current.json"):
            values = list(status)
            values[4:6] = [54321, 54321]
            return os.stat_result(values)
        return status

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "lstat", foreign)
    monkeypatch.setattr(os, "fchown", refuse)
    store.write(**turn)
    monkeypatch.undo()
    assert stat.S_IMODE(current(store).stat().st_mode) == 0o600


def refused_for_a_moment(patch: pytest.MonkeyPatch, call: str, times: int, code: int) -> list[tuple[str, ...]]:
    """Let Windows refuse a call so many times, as it does while another process has the file open."""
    import errno

    real, calls = getattr(os, call), []

    def refuse(*arguments: Any) -> Any:
        calls.append(tuple(map(str, arguments)))
        if len(calls) <= times:
            error = PermissionError(errno.EACCES, "Access is denied")
            error.winerror = code  # type: ignore[attr-defined,unused-ignore]
            raise error
        return real(*arguments)

    patch.setattr(os, call, refuse)
    return calls


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between two tries, which no test waits for."""
    found: list[float] = []
    monkeypatch.setattr(time, "sleep", found.append)
    return found


@pytest.mark.parametrize("code", [5, 32])
@pytest.mark.parametrize("times", [1, 5])
def test_a_file_that_is_open_elsewhere_on_windows_is_replaced_a_moment_later(
    code: int, times: int, store: CogLog, turn: dict[str, Any], pauses: list[float]
) -> None:
    store.write(**turn)
    with pytest.MonkeyPatch.context() as patch:
        calls = refused_for_a_moment(patch, "replace", times, code)
        assert store.write(**turn)["turn_id"] == 2
    assert len(calls) == times + 1
    assert pauses == sorted(set(pauses)), "each pause is longer than the one before"
    assert len(pauses) == times
    assert sorted(path.name for path in store.data_dir.iterdir()) == ["current.json", "current.json.lock"]


def test_a_file_that_stays_open_elsewhere_is_an_error(store: CogLog, turn: dict[str, Any], pauses: list[float]) -> None:
    before = store.write(**turn)
    with pytest.MonkeyPatch.context() as patch:
        calls = refused_for_a_moment(patch, "replace", 1000, 32)
        with pytest.raises(StoreError, match=r"cannot write .*current\.json: Access is denied"):
            store.write(**turn)
    assert len(calls) < 50
    assert sum(pauses) < 2
    assert store.read() == before
    assert sorted(path.name for path in store.data_dir.iterdir()) == ["current.json", "current.json.lock"]


@pytest.mark.parametrize("damaged", [False, True])
def test_clear_too_waits_for_a_file_that_is_open_elsewhere(
    damaged: bool, store: CogLog, turn: dict[str, Any], pauses: list[float]
) -> None:
    store.write(**turn)
    if damaged:
        current(store).write_text("[]")
    with pytest.MonkeyPatch.context() as patch:
        refused_for_a_moment(patch, "rename" if damaged else "unlink", 3, 5)
        assert store.clear()["cleared"]
    assert not current(store).exists()
    assert len(pauses) == 3


def test_what_a_killed_writer_left_is_removed_a_moment_later(
    store: CogLog, turn: dict[str, Any], pauses: list[float]
) -> None:
    store.write(**turn)
    names = [f".current.json.4711-0123abc{digit}.tmp" for digit in range(2)]
    for name in names:
        (store.data_dir / name).write_text("half a tur")
    with pytest.MonkeyPatch.context() as patch:
        refused_for_a_moment(patch, "unlink", 3, 32)
        store.write(**turn)
    assert not any((store.data_dir / name).exists() for name in names)
    assert len(pauses) == 3


def test_a_read_waits_while_the_file_is_replaced(store: CogLog, turn: dict[str, Any], pauses: list[float]) -> None:
    entry = store.write(**turn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "name", "nt")
        refused_for_a_moment(patch, "open", 2, 32)
        assert store.read() == entry
    assert len(pauses) == 2


@pytest.mark.parametrize("most", [None, 1000])
def test_every_piece_is_written_however_much_the_system_takes_at_once(
    most: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:most]))
    sizes = [0, 1, 10, 65_535, 65_536, 65_537, 3, 200_000, 0, 7, 65_530, 65_530]
    pieces = [bytes([index]) * size for index, size in enumerate(sizes)]
    for given in (pieces, [], [b""], pieces[3:4]):
        files.replace_file(str(tmp_path / "file"), given)
        assert (tmp_path / "file").read_bytes() == b"".join(given)


def test_an_interrupted_write_writes_nothing_later(
    store: CogLog, turn: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the interrupted call had in a buffer must not go to the file that has its descriptor's number now."""
    store.write(**turn)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files, "copy_owner_and_mode", interrupt)
        with pytest.raises(KeyboardInterrupt) as caught:
            store.write(**turn)
    with (tmp_path / "other").open("wb"), (tmp_path / "another").open("wb"):
        caught = None  # type: ignore[assignment]  # the traceback is freed
        gc.collect()
    assert (tmp_path / "other").read_bytes() == (tmp_path / "another").read_bytes() == b""
    assert caught is None

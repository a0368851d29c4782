"""The lock on a window: it keeps processes and threads apart, and it is free when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, LockError, StoreError, locks

if TYPE_CHECKING:
    from pathlib import Path


def current(store: CogLog) -> Path:
    return store.current_file


def hold_lock_in_a_process(path: Path) -> subprocess.Popen[str]:
    """Hold the lock as another writer would, until its stdin closes."""
    code = (
        "import sys\nfrom coglog_nb.locks import hold\n"
        f"with hold({str(path)!r}, 5):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/"
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_that_times_out_names_the_process_that_has_it(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path, lock_timeout=0.05)
    store.write(**turn)
    with hold_lock_in_a_process(tmp_path / "current.json.lock") as holder:
        with pytest.raises(LockError, match=f"process {holder.pid}"):
            store.write(**turn)
        with pytest.raises(LockError):
            store.clear()
        assert store.read() is not None, "reading waits for nobody"
        holder.kill()
    assert store.write(**turn)["turn_id"] == 2, "the lock of a dead process is free"


def test_a_lock_keeps_threads_apart(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path, lock_timeout=0.05)
    held = locks.hold(str(tmp_path / "current.json.lock"), 1)
    with held, pytest.raises(LockError, match="another thread of this process"):
        store.write(**turn)


def test_a_waiting_writer_gets_the_lock(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path, lock_timeout=30)
    done = threading.Event()

    def write() -> None:
        store.write(**turn)
        done.set()

    with locks.hold(str(tmp_path / "current.json.lock"), 1):
        thread = threading.Thread(target=write)
        thread.start()
        assert not done.wait(0.1)
    thread.join(30)
    assert done.is_set()


def test_without_locks_it_warns_once_and_goes_on(
    tmp_path: Path, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(locks, "_warned", set())
    store = CogLog(tmp_path)
    with pytest.warns(RuntimeWarning, match="no locks"):
        store.write(**turn)
    assert store.write(**turn)["turn_id"] == 2
    assert sorted(path.name for path in tmp_path.glob("*json*")) == ["current.json", "current.json.lock"]


def test_a_system_without_flock_has_no_lock_and_needs_none(
    tmp_path: Path, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pyodide's `fcntl` imports and is empty."""
    monkeypatch.delattr(fcntl, "flock")
    store = CogLog(tmp_path)
    store.write(**turn)
    assert store.write(**turn)["turn_id"] == 2
    assert not (tmp_path / "current.json.lock").exists()


def test_a_removed_lock_file_lets_nobody_in_beside_the_holder_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that holds a lock on a removed file creates the new one and locks that."""
    path = tmp_path / "current.json.lock"
    take = fcntl.flock
    first = [True]

    def removed_meanwhile(descriptor: int, how: int) -> None:
        take(descriptor, how)
        if first:
            first.clear()
            path.unlink()

    monkeypatch.setattr(fcntl, "flock", removed_meanwhile)
    with locks.hold(str(path), 1) as held:
        assert held
        assert path.exists()
        with pytest.raises(LockError), locks.hold(str(path), 0):
            pass


def test_two_writers_that_both_believe_they_hold_the_lock_tear_nothing(
    store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock that is local to each host of a network: the other writes before this one has put its file in place."""
    replace = os.replace
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)

    def interleaved(source: str, target: str) -> None:
        monkeypatch.setattr(os, "replace", replace)
        store.write(**{**turn, "user": "the other"})
        replace(source, target)

    store.write(**turn)
    monkeypatch.setattr(os, "replace", interleaved)
    # The other one swept this one's file away, or it did not: in either case what is stored is whole.
    with contextlib.suppress(StoreError):
        store.write(**turn)
    assert store.read() is not None


def test_a_child_of_a_fork_neither_keeps_nor_frees_its_parents_lock(tmp_path: Path) -> None:
    path = str(tmp_path / "current.json.lock")
    code = (
        "import os, sys, time\n"
        "from coglog_nb.locks import hold\n"
        "with hold(sys.argv[1], 1):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        raise SystemExit\n"  # it unwinds through the same `with`
        "    os.waitpid(child, 0)\n"
        "    sleeper = os.fork()\n"
        "    if sleeper == 0:\n"
        "        time.sleep(30)\n"
        "        os._exit(0)\n"
        "    print(sleeper, flush=True)\n"
        "    time.sleep(30)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, path], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        sleeper = int(parent.stdout.readline())
        try:
            with pytest.raises(LockError, match=f"process {parent.pid}"), locks.hold(path, 0):
                pass
            parent.kill()
            parent.wait(10)
            with locks.hold(path, 5) as held:
                assert held, "the dead parent's child holds nothing"
        finally:
            os.kill(sleeper, 9)


@pytest.mark.parametrize("name", ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "EINVAL"])
def test_every_way_of_having_no_locks_is_known(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    def refuse(*_: object) -> None:
        raise OSError(getattr(errno, name), name)

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(locks, "_warned", set())
    with pytest.warns(RuntimeWarning, match="no locks"), locks.hold(str(tmp_path / "lock"), 0) as held:
        assert not held


def test_any_other_refusal_of_a_lock_is_reported_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(StoreError, match="Input/output error"), locks.hold(str(tmp_path / "lock"), 60):
        pass


def test_a_linked_lock_file_is_not_followed(store: CogLog, turn: dict[str, Any], tmp_path: Path) -> None:
    store.write(**turn)
    lock = store.data_dir / "current.json.lock"
    lock.unlink()
    lock.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="lock"):
        store.write(**turn)
    assert not (tmp_path / "elsewhere").exists()


def test_a_linked_lock_file_is_named_as_what_it_is(store: CogLog, turn: dict[str, Any], tmp_path: Path) -> None:
    store.write(**turn)
    lock = store.data_dir / "current.json.lock"
    for target in (tmp_path / "elsewhere", tmp_path / "here"):
        lock.unlink()
        lock.symlink_to(target)
        for call in (store.clear, lambda: store.write(**turn)):
            with pytest.raises(StoreError, match=r"cannot lock .*current\.json\.lock: it is a link.*remove the link"):
                call()


def test_a_lock_file_that_is_no_file_is_named_as_what_it_is(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    lock = store.data_dir / "current.json.lock"
    lock.unlink()
    lock.mkdir()
    with pytest.raises(StoreError, match=r"current\.json\.lock: it is not a regular file"):
        store.write(**turn)


def test_a_lock_file_that_was_removed_while_somebody_waited_is_named(tmp_path: Path) -> None:
    path = tmp_path / "current.json.lock"
    take, tries = fcntl.flock, [0]

    def removed_meanwhile(descriptor: int, how: int) -> None:
        tries[0] += 1
        if tries[0] == 2:
            path.unlink()
        take(descriptor, how)

    with locks.hold(str(path), 1), pytest.MonkeyPatch.context() as patch:
        patch.setattr(fcntl, "flock", removed_meanwhile)
        with pytest.raises(LockError, match="the lock file was removed"), locks.hold(str(path), 0.05):
            pass


def test_a_lock_file_that_is_removed_again_and_again_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "current.json.lock"
    monkeypatch.setattr(fcntl, "flock", lambda *_: path.unlink(missing_ok=True))
    with pytest.raises(LockError, match="removed again and again"), locks.hold(str(path), 10):
        pass


def test_a_directory_that_was_removed_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match=r"a\.lock: its directory was removed"),
        locks.hold(str(tmp_path / "gone" / "a.lock"), 0),
    ):
        pass


# ---- the queue


def hold_queue(store: CogLog) -> int:
    """Hold the queue as a writer does that waits for the lock."""
    descriptor = os.open(store.data_dir / "current.json.queue.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def test_a_writer_that_is_alone_makes_no_queue(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    store.write(**turn)
    assert sorted(path.name for path in store.data_dir.iterdir()) == ["current.json", "current.json.lock"]


def test_the_file_of_the_queue_has_the_permissions_of_what_it_guards(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).chmod(0o664)
    hasty = CogLog(store.data_dir, lock_timeout=0)
    with locks.hold(str(store.data_dir / "current.json.lock"), 1), pytest.raises(LockError):
        hasty.write(**turn)
    queue = store.data_dir / "current.json.queue.lock"
    assert stat.S_IMODE(queue.stat().st_mode) == 0o664
    queue.unlink()
    queue.symlink_to(current(store))
    with pytest.raises(StoreError, match=r"current\.json\.queue\.lock: it is a link"):
        store.write(**turn)


def test_a_writer_goes_behind_those_who_wait(store: CogLog, turn: dict[str, Any]) -> None:
    """The lock itself is free, and yet it isn't taken at once."""
    store.write(**turn)
    waiting = hold_queue(store)
    written = threading.Event()

    def write() -> None:
        store.write(**turn)
        written.set()

    thread = threading.Thread(target=write)
    thread.start()
    assert not written.wait(0.1)
    os.close(waiting)
    thread.join(30)
    assert written.is_set()


def test_one_who_waits_and_never_goes_on_keeps_nobody_out(store: CogLog, turn: dict[str, Any]) -> None:
    """A process that was stopped, say."""
    store.write(**turn)
    waiting = hold_queue(store)
    try:
        assert CogLog(store.data_dir, lock_timeout=0.1).write(**turn)["turn_id"] == 2
        assert CogLog(store.data_dir, lock_timeout=0).clear() == {"cleared": True}
    finally:
        os.close(waiting)


def test_a_program_that_knows_the_lock_alone_is_kept_out_and_keeps_out(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    hasty = CogLog(store.data_dir, lock_timeout=0.05)
    other = os.open(store.data_dir / "current.json.lock", os.O_RDWR)
    try:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(LockError, match=r"cannot lock .*current\.json\.lock within 0\.05 s"):
            hasty.write(**turn)
        fcntl.flock(other, fcntl.LOCK_UN)
        with locks.hold_window(str(current(store)), 1), pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(other)


def test_a_lock_file_has_the_permissions_of_what_it_guards(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).chmod(0o664)
    (store.data_dir / "current.json.lock").unlink()
    store.write(**turn)
    assert stat.S_IMODE((store.data_dir / "current.json.lock").stat().st_mode) == 0o664

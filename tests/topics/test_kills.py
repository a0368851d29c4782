"""A writer that is killed, a disk that is full: the stored turn is the whole old one or the whole new one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

SIZE = 20_000_000
KILLS = 200

WRITER = """
import sys
from coglog_nb import CogLog
store = CogLog(sys.argv[1])
text = "x" * int(sys.argv[2])
while True:
    print("begin", flush=True)
    entry = store.write(user="u", thinking=text, assistant="a", current_focus="", theory_of_mind="", self_narrative="",
                        annotation="")
    print("end", flush=True)
"""


def small(turn: dict[str, Any], store: CogLog) -> Entry:
    return store.write(**{**turn, "thinking": "small"})


@pytest.fixture
def quick_store(tmp_path: Path) -> Iterator[CogLog]:
    """A store in memory where there is such a place: a kill loses nothing that was written, flushed or not."""
    memory = Path("/dev/shm")  # noqa: S108 - a memory file system; what lies in it is ours and temporary
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as directory:
        yield CogLog(Path(directory) / "log")


def test_a_writer_killed_at_any_moment_leaves_a_whole_turn(quick_store: CogLog, turn: dict[str, Any]) -> None:
    """A fresh writer each time, killed at a random moment, from before its first byte to after its last."""
    store = quick_store
    small(turn, store)
    # What one write takes here, so that the moments cover all of it on a fast machine and on a slow one.
    start = time.monotonic()
    store.write(**{**turn, "thinking": "x" * SIZE})
    span = 1.3 * (time.monotonic() - start)
    moments = random.Random(20260226)  # noqa: S311 - the same moments at every run
    last, outcomes = 2, set()
    # One process for many kills would be killed once: the interpreter's start is not what is tested, so four run at a
    # time, each in a window of its own.
    for round_ in range(KILLS // 4):
        windows = [CogLog(store.data_dir, session=f"w{index}") for index in range(4)]
        before = [(window.read() or Entry({"turn_id": 0}))["turn_id"] for window in windows]
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(store.data_dir), str(SIZE)],
                stdout=subprocess.PIPE,
                env={**os.environ, "COGLOG_SESSION": window.session or ""},
            )
            for window in windows
        ]
        try:
            for writer in writers:
                assert writer.stdout is not None
                assert writer.stdout.readline() == b"begin\n"
                time.sleep(moments.random() * span)
                writer.send_signal(signal.SIGKILL)
        finally:
            for writer in writers:
                writer.kill()
                writer.communicate()
        for window, known in zip(windows, before, strict=True):
            entry = window.read()
            found = 0 if entry is None else entry["turn_id"]
            assert found >= known
            if entry is not None:
                assert len(entry["layers"]["thinking"]) in (SIZE, len("small"))
            outcomes.add(found > known)
            # The lock is free, and this write removes what the killed writer left.
            again = CogLog(store.data_dir, session=window.session, lock_timeout=1)
            assert small(turn, again)["turn_id"] == found + 1
            names = {path.name for path in again.current_file.parent.iterdir()}
            assert names == {"current.json", "current.json.lock"}, round_
    assert outcomes == {True, False}, "some died before their turn was stored, some after"
    assert (store.read() or Entry())["turn_id"] == last


def run_limited(code: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, str(directory)], capture_output=True, text=True, check=False, timeout=60
    )


def test_a_file_size_limit_in_the_middle_of_a_write(store: CogLog, turn: dict[str, Any]) -> None:
    before = small(turn, store)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
        "from coglog_nb import CogLog, StoreError\n"
        "try:\n"
        "    CogLog(sys.argv[1]).write(user='u', thinking='x' * 5_000_000, assistant='a', current_focus='',"
        " theory_of_mind='', self_narrative='', annotation='')\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    done = run_limited(code, store.data_dir)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"cannot write {store.current_file}: File too large\n"
    assert store.read() == before
    assert not list(store.data_dir.glob(".*.tmp"))


@contextmanager
def small_file_system(directory: Path) -> Iterator[bool]:
    """Mount a file system of 1 MB; yields whether that is possible here."""
    directory.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(directory)], capture_output=True, check=False
    )
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", str(directory)], check=True)


def test_a_full_file_system_in_the_middle_of_a_write(tmp_path: Path, turn: dict[str, Any]) -> None:
    with small_file_system(tmp_path / "small") as mounted:
        if not mounted:
            pytest.skip("only root may mount a small file system")
        store = CogLog(tmp_path / "small")
        before = small(turn, store)
        for _ in range(2):
            with pytest.raises(StoreError, match=r"cannot write .*current\.json: No space left on device"):
                store.write(**{**turn, "thinking": "x" * 5_000_000})
            assert store.read() == before
            assert not list(store.data_dir.glob(".*.tmp"))
        # Not one byte is left: not even the lock's pid can be written.
        filler = tmp_path / "small" / "filler"
        descriptor = os.open(filler, os.O_WRONLY | os.O_CREAT)
        with suppress(OSError):
            while True:
                os.write(descriptor, b"x" * 4096)
        os.close(descriptor)
        with pytest.raises(StoreError, match="No space left on device"):
            small(turn, store)
        assert store.read() == before
        filler.unlink()
        assert small(turn, store)["turn_id"] == 2


def test_the_new_file_is_flushed_before_it_takes_the_name_and_the_directory_after(
    store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    small(turn, store)
    size = store.current_file.stat().st_size
    events: list[str] = []
    fsync, replace = os.fsync, os.replace

    def seen_fsync(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        # What is still in Python's own buffer is flushed by no fsync.
        events.append(f"fsync {'the whole file' if os.fstat(descriptor).st_size == size else name}")
        fsync(descriptor)

    def seen_replace(source: str, target: str) -> None:
        events.append("replace")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(os, "replace", seen_replace)
    small(turn, store)
    assert events == ["fsync the whole file", "replace", "fsync log"]
    events.clear()
    store.clear()
    assert events == ["fsync log"]


def test_no_reader_ever_sees_half_a_turn(store: CogLog, turn: dict[str, Any]) -> None:
    small(turn, store)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.data_dir), "3000000"], stdout=subprocess.DEVNULL
    ) as writer:
        try:
            seen: set[int] = set()
            end = time.monotonic() + 60
            while len(seen) < 20:
                assert time.monotonic() < end, "the writer is too slow"
                data = json.loads(store.current_file.read_bytes())
                assert len(data["layers"]["thinking"]) in (5, 3_000_000)
                seen.add(data["turn_id"])
        finally:
            writer.kill()

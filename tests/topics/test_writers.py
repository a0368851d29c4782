"""Many writers at once lose no turn, and no reader sees a bad one meanwhile."""

from __future__ import annotations

import multiprocessing
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

WRITERS, WRITES = 8, 50
TOGETHER = 1000  # turns that tight writers write together


def write_many(directory: str, turn: dict[str, Any], queue: Any) -> None:
    """One of the writers; in a process it is started by name, so it lives at the top of the module."""
    store = CogLog(directory, lock_timeout=120)
    queue.put([store.write(**turn)["turn_id"] for _ in range(WRITES)])


def check_readers(store: CogLog, alive: Any) -> None:
    """Read for as long as somebody writes: every entry is whole, and none is older than the one before."""
    seen = [0]
    while alive():
        entry = store.read()
        if entry is not None:
            seen.append(entry["turn_id"])
        time.sleep(0.001)
    assert seen == sorted(seen), "a reader never goes back in time"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_lose_no_turn(method: str, tmp_path: Path, turn: dict[str, Any]) -> None:
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    processes = [
        context.Process(target=write_many, args=(str(tmp_path / "log"), turn, queue))  # type: ignore[attr-defined]
        for _ in range(WRITERS)
    ]
    with warnings.catch_warnings():
        # Python 3.12 and later warn of forking a process with threads, which pytest's plugins may have; that such a
        # process is forked is what happens to users.
        warnings.simplefilter("ignore", DeprecationWarning)
        for process in processes:
            process.start()
    check_readers(CogLog(tmp_path / "log"), lambda: any(process.is_alive() for process in processes) and queue.empty())
    ids = [turn_id for _ in processes for turn_id in queue.get(timeout=120)]
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    assert sorted(ids) == list(range(1, WRITERS * WRITES + 1))


def test_threads_lose_no_turn(tmp_path: Path, turn: dict[str, Any]) -> None:
    import queue

    results: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
    threads = [threading.Thread(target=write_many, args=(tmp_path / "log", turn, results)) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    check_readers(CogLog(tmp_path / "log"), lambda: any(thread.is_alive() for thread in threads))
    ids = [turn_id for _ in threads for turn_id in results.get(timeout=120)]
    assert sorted(ids) == list(range(1, WRITERS * WRITES + 1))


def test_processes_and_threads_together_lose_no_turn(tmp_path: Path, turn: dict[str, Any]) -> None:
    """A lock of one kind keeps only its own apart: `lockf` would let two threads of one process in."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers: list[Any] = [context.Process(target=write_many, args=(str(tmp_path), turn, queue)) for _ in range(2)]
    workers += [threading.Thread(target=write_many, args=(str(tmp_path), turn, queue)) for _ in range(2)]
    for worker in workers:
        worker.start()
    ids = [turn_id for _ in workers for turn_id in queue.get(timeout=120)]
    for worker in workers:
        worker.join(120)
    assert sorted(ids) == list(range(1, 4 * WRITES + 1))


def write_in_a_loop(directory: str, turn: dict[str, Any], start: Any, queue: Any) -> None:
    store = CogLog(directory, lock_timeout=120)
    start.wait(120)
    count = 0
    while store.write(**turn)["turn_id"] < TOGETHER:
        count += 1
    queue.put(count)


@pytest.mark.parametrize("writers", [3, 8])
@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_no_writer_starves(kind: str, writers: int, tmp_path: Path, turn: dict[str, Any]) -> None:
    """Writers that write again at once leave each other a fair share: nobody gets under a fifth of the mean."""
    context: Any = multiprocessing.get_context("spawn")
    worker: Any = context.Process
    start, queue = context.Barrier(writers), context.Queue()
    if kind == "threads":
        worker, start = threading.Thread, threading.Barrier(writers)
    workers = [worker(target=write_in_a_loop, args=(str(tmp_path), turn, start, queue)) for _ in range(writers)]
    for one in workers:
        one.start()
    counts = sorted(queue.get(timeout=120) for _ in workers)
    for one in workers:
        one.join(120)
    assert counts[0] >= sum(counts) / writers / 5, counts
    assert {path.name for path in tmp_path.glob("current*")} == {
        "current.json",
        "current.json.lock",
        "current.json.queue.lock",
    }

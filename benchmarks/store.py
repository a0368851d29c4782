"""What the store's promises cost: durable `write` and `read` against the floor, and against the PyPI `coglog`.

    python benchmarks/store.py [--rounds N] [--largest BYTES] [--seconds S]

The floor of a write is the cheapest durable write, done by hand: json.dumps, write, fsync, rename, directory fsync. The
floor of a read is json.load. All figures are ratios of medians from one run in which the cases take turns.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coglog

from coglog_nb import CogLog

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = Path("/dev/shm")  # noqa: S108 - a memory file system; our files in it are temporary
GOAL = 1.3


def turn_of(size: int) -> dict[str, Any]:
    """Make a turn whose texts have so many bytes: prose with line breaks and a few non-ASCII letters."""
    prose = "A value that a function maps to itself, \u2014 \u00e9 \u65e5\u672c.\n"
    text = prose * (size // len(prose.encode()) + 1)
    return {
        "user": "What is a fixed point?",
        "thinking": text,
        "assistant": "See above.",
        "current_focus": "fixed points",
        "theory_of_mind": "",
        "self_narrative": "a tutor",
        "annotation": "ask",
    }


def floor_write(path: Path, entry: dict[str, Any]) -> None:
    """Write an entry durably and do nothing else."""
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(json.dumps(entry, ensure_ascii=False, indent=2))
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def floor_read(path: Path) -> object:
    """Read a file with json.load."""
    with path.open(encoding="utf-8") as file:
        return json.load(file)


def medians(rounds: int, *calls: Callable[[], object]) -> list[float]:
    """Time calls that take turns; return the median of each, in seconds."""
    times: list[list[float]] = [[] for _ in calls]
    for round_ in range(rounds + 1):
        for kept, call in zip(times, calls, strict=True):
            start = time.perf_counter()
            call()
            if round_:  # the first warms up
                kept.append(time.perf_counter() - start)
    return [statistics.median(kept) for kept in times]


def row(name: str, goal: float, pair: list[float]) -> None:
    """Print a line of the table."""
    ours, floor = pair
    print(f"| {name} | {ours * 1e3:.2f} ms | {floor * 1e3:.2f} ms | {ours / floor:.2f} | {goal:.1f} |")


def write_for(seconds: float, directory: str, start: Any, queue: Any) -> None:
    """Write again and again, as one of several processes; report how many turns, and the longest wait for one."""
    store, turn = CogLog(directory, lock_timeout=600), turn_of(1_000)
    start.wait()
    end = time.perf_counter() + seconds
    count, longest = 0, 0.0
    while (begin := time.perf_counter()) < end:
        store.write(**turn)
        count, longest = count + 1, max(longest, time.perf_counter() - begin)
    queue.put((count, longest))


def compete(writers: int, seconds: float) -> None:
    """Print how several tight writers share a window."""
    context = multiprocessing.get_context("spawn")
    start, queue = context.Barrier(writers), context.Queue()
    with tempfile.TemporaryDirectory() as directory:
        processes = [context.Process(target=write_for, args=(seconds, directory, start, queue)) for _ in range(writers)]
        for process in processes:
            process.start()
        results = [queue.get() for _ in processes]
        for process in processes:
            process.join()
    counts = [count for count, _ in results]
    longest = max(wait for _, wait in results)
    print(
        f"{writers} tight writers for {seconds:g} s: {sum(counts)} turns, {min(counts)} to {max(counts)} each,"
        f" longest wait {longest:.2f} s"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=0, help="by default more for small entries, fewer for large ones")
    parser.add_argument("--largest", type=int, default=100_000_000)
    parser.add_argument("--seconds", type=float, default=10, help="how long tight writers compete")
    given = parser.parse_args()
    print("| what | ours | compared with | ratio | goal |")
    print("|---|---|---|---|---|")
    sizes = {"1 KB": 1_000, "100 KB": 100_000, "10 MB": 10_000_000, "100 MB": 100_000_000}
    reads: dict[int, float] = {}
    with (
        tempfile.TemporaryDirectory() as disk,
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as memory,
    ):
        for name, size in sizes.items():
            if size > given.largest:
                continue
            rounds = given.rounds or {1_000: 301, 100_000: 101, 10_000_000: 9, 100_000_000: 3}[size]
            turn = turn_of(size)
            store, quick = CogLog(Path(disk) / name / "ours"), CogLog(Path(memory) / name / "ours")
            theirs = coglog.CogLog(Path(memory) / name / "theirs")
            entry = store.write(**turn)
            floor = Path(disk) / name / "floor.json"

            row(
                f"write, {name} : floor",
                GOAL,
                medians(rounds, partial(store.write, **turn), partial(floor_write, floor, entry)),
            )
            pair = medians(rounds, store.read, partial(floor_read, store.current_file))
            reads[size] = pair[0]
            row(f"read, {name} : json.load", GOAL, pair)
            pair = medians(rounds, partial(quick.write, **turn), partial(theirs.write, **turn))
            row(f"write in memory, {name} : PyPI coglog", 1.0, pair)
            row(f"read in memory, {name} : PyPI coglog", 1.0, medians(rounds, quick.read, theirs.read))
    if len(reads) == len(sizes):
        print(
            f"\nread of 100 MB : 10 x read of 10 MB = {reads[100_000_000] / (10 * reads[10_000_000]):.2f} (1 is linear)"
        )
    print()
    for writers in (2, 8):
        compete(writers, given.seconds)


if __name__ == "__main__":
    main()

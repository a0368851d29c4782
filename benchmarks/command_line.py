"""`coglog write` and `coglog read` as whole processes, against the PyPI `coglog-cli`, and what an import costs.

    python benchmarks/command_line.py [--runs N]

Every figure is a ratio of medians from one run in which the programs take turns, so the machine's speed cancels out.
The store is on a memory file system if there is one, because our store flushes to the device and theirs doesn't.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import coglog_nb

TURN = json.dumps(
    {
        "user": "What is a fixed point?",
        "thinking": "They quote the definition. Start from an example. " * 20,
        "assistant": "A value that a function maps to itself. " * 10,
        "current_focus": "fixed points",
        "theory_of_mind": "",
        "self_narrative": "a tutor",
        "annotation": "ask for one of cos(x)",
    }
).encode()
MEMORY = Path("/dev/shm")  # noqa: S108 - a memory file system; our files in it are temporary


def seconds(command: list[str], stdin: bytes, env: dict[str, str]) -> float:
    """Time one process from start to end."""
    start = time.perf_counter()
    subprocess.run(command, input=stdin, stdout=subprocess.DEVNULL, env=env, check=True)
    return time.perf_counter() - start


def compare(
    name: str, ours: list[str], theirs: list[str], *, stdin: bytes, runs: int, envs: list[dict[str, str]]
) -> None:
    """Time two commands in turn and print the ratio of their medians."""
    times: tuple[list[float], list[float]] = ([], [])
    for run in range(runs + 2):
        for kept, command, env in zip(times, (ours, theirs), envs, strict=True):
            took = seconds(command, stdin, env)
            if run >= 2:  # the first two warm the caches
                kept.append(took)
    ours_median, theirs_median = map(statistics.median, times)
    print(
        f"{name:34} {ours_median * 1e3:8.1f} ms {theirs_median * 1e3:8.1f} ms   ratio {ours_median / theirs_median:.2f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=41)
    runs = parser.parse_args().runs
    python = sys.executable
    # pip compiles what it installs, but a checkout may not be compiled. If Python may not write bytecode, it would
    # compile the checkout again in every run.
    compileall.compile_dir(Path(coglog_nb.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as directory:
        envs = [{**os.environ, "COGLOG_DIR": str(Path(directory, name))} for name in ("ours", "theirs")]
        print(f"{'':34} {'ours':>11} {'theirs':>11}")
        for command, stdin in (("write", TURN), ("read", b"")):
            compare(
                f"coglog {command} : coglog-cli {command}",
                [python, "-m", "coglog_nb", command],
                [python, "-m", "coglog_cli", command],
                stdin=stdin,
                runs=runs,
                envs=envs,
            )
        compare(
            "import coglog_nb : import json",
            [python, "-c", "import coglog_nb"],
            [python, "-c", "import json"],
            stdin=b"",
            runs=runs,
            envs=envs,
        )


if __name__ == "__main__":
    main()

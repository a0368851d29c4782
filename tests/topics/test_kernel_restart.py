"""A kernel killed in the middle of a write: after the restart the log shows the last whole turn."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import pytest
from jupyter_client.manager import KernelManager

from coglog_nb import CogLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def kernel() -> Iterator[KernelManager]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


def run(manager: KernelManager, code: str, *, wait: bool = True) -> str:
    """Run a cell; returns what it printed."""
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        if not wait:
            client.execute(code)
            return ""
        printed: list[str] = []

        def hook(message: dict[str, Any]) -> None:
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        reply = client.execute_interactive(code, timeout=60, output_hook=hook)
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(printed)
    finally:
        client.stop_channels()


def is_half_written(log: Path) -> bool:
    for temporary in log.glob(".current.json.*.tmp"):
        with contextlib.suppress(FileNotFoundError):  # it took the name in between
            return temporary.stat().st_size > 0
    return False


def test_a_kernel_killed_in_the_middle_of_a_write(kernel: KernelManager, tmp_path: Path) -> None:
    log = tmp_path / "log"
    setup = f"%load_ext coglog_nb\n%config CogLogMagics.coglog_dir = {str(log)!r}"
    run(kernel, setup)
    turn = (
        "dict(user='u', thinking='x' * 30_000_000, assistant='a', current_focus='', theory_of_mind='',"
        " self_narrative='', annotation='kept')"
    )
    run(kernel, f"turn = {turn}\nsmall = dict(turn, thinking='t')\nlast = %coglog write small")
    run(
        kernel,
        "for _ in range(1000):\n    get_ipython().run_line_magic('coglog', 'write turn --no-thinking')",
        wait=False,
    )
    # The moment is one in which the new file is half written.
    end = time.monotonic() + 60
    while not is_half_written(log):
        assert time.monotonic() < end, "no write was seen"
    kernel.restart_kernel(now=True)
    whole = CogLog(log).read()
    assert whole is not None
    said = run(kernel, f"{setup}\nprev = %coglog read\nprint(prev['turn_id'], prev['annotation'])")
    assert said.split() == [str(whole["turn_id"]), "kept"]
    assert run(
        kernel,
        "turn = dict(prev['layers'], **{k: prev[k] for k in list(prev)[4:8]})\n"
        "now = %coglog write turn\nprint(now['turn_id'])",
    ).split() == [str(whole["turn_id"] + 1)]

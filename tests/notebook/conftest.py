"""A shell for the notebook's tests: IPython's own, with the extension loaded, raising what a cell raises."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

if TYPE_CHECKING:
    from collections.abc import Iterator


class Ran:
    """What a cell gave: its value, what it printed, its rich outputs."""

    def __init__(self, value: Any, captured: Any) -> None:
        self.value = value
        self.out: str = captured.stdout
        self.err: str = captured.stderr
        self.outputs: list[dict[str, Any]] = [output.data for output in captured.outputs]


class Shell:
    """Runs cells. An error is raised again: IPython prints it and goes on, and a test would pass."""

    def __init__(self, ip: InteractiveShell) -> None:
        self.ip = ip

    def run(self, cell: str) -> Ran:
        with capture_output() as captured:
            result = self.ip.run_cell(cell, store_history=True)
        result.raise_error()
        return Ran(result.result, captured)

    def fail(self, cell: str) -> tuple[BaseException, str]:
        """Run a cell that must fail; returns the error and what the user sees of it."""
        with capture_output() as captured:
            result = self.ip.run_cell(cell)
        error = result.error_in_exec or result.error_before_exec
        assert error is not None, "the cell did not fail"
        return error, captured.stdout + captured.stderr


@pytest.fixture(scope="module", autouse=True)
def _small_collections() -> Iterator[None]:
    """Hide what is in memory already from the collector: a shell collects at each reset, which imports make slow."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def bare_ip() -> Iterator[InteractiveShell]:
    """A shell without the extension. It is the process's only one: what it holds is dropped after each test."""
    InteractiveShell.clear_instance()
    main = sys.modules["__main__"]
    ip = InteractiveShell.instance()
    ip.history_manager.enabled = False
    yield ip
    ip.reset(new_session=False)
    InteractiveShell.clear_instance()
    sys.modules["__main__"] = main  # a shell puts its own there, which no process can be spawned from


@pytest.fixture
def bare_shell(bare_ip: InteractiveShell) -> Shell:
    """Run cells in the shell without the extension."""
    return Shell(bare_ip)


@pytest.fixture
def shell(bare_ip: InteractiveShell) -> Iterator[Shell]:
    """A shell with the extension."""
    bare_ip.run_line_magic("load_ext", "coglog_nb")
    yield Shell(bare_ip)
    bare_ip.run_line_magic("unload_ext", "coglog_nb")

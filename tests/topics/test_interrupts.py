"""An interrupt at any opcode of a write, a read or a clear: the next write works, and no descriptor is left open.

The interrupted call's traceback is kept all the while, as IPython keeps it, so nothing is freed by going out of scope.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry, LockError, artifact, descriptors, files, locks, render
from coglog_nb import store as store_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

pytestmark = pytest.mark.slow

# What opens files and holds locks, and what that calls in the standard library.
TRACED = {module.__file__ for module in (artifact, contextlib, descriptors, files, locks, store_module)} | {__file__}


class Interrupt:
    """Trace a call, and raise KeyboardInterrupt at one opcode of this package's code."""

    def __init__(self) -> None:
        self.seen: set[tuple[CodeType, int]] = set()
        self.done: tuple[CodeType, int] | None = None

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in TRACED:
            return None
        frame.f_trace_opcodes = True
        place = (code, frame.f_lasti)
        if event == "opcode" and place not in self.seen:
            self.seen.add(place)
            self.done = place
            raise KeyboardInterrupt
        return self.trace

    def call(self, function: Callable[[], object]) -> BaseException | None:
        """Call it, and interrupt it at the first opcode where no earlier call was interrupted."""
        self.done = None
        before = sys.gettrace()
        # CPython 3.12 looks whether any frame traces opcodes when a trace function is set, and not again.
        sys._getframe().f_trace_opcodes = True
        sys.settrace(self.trace)
        try:
            function()
        except KeyboardInterrupt as error:
            return error
        except LockError:
            return None
        finally:
            sys.settrace(before)
        return None


def open_files() -> set[str]:
    """Name the open descriptors."""
    names = set()
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the one that listed them
            names.add(f"{link.name} {link.readlink()}")
    return names


def contended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the lock be held by others at each first and second try of a writer."""
    real, tries = fcntl.flock, [0]

    def held_at_first(descriptor: int, how: int) -> None:
        if how & fcntl.LOCK_EX:
            tries[0] += 1
            if tries[0] % 3:
                raise BlockingIOError(errno.EWOULDBLOCK, "held")
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", held_at_first)


def held_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the lock be held by others for longer than a writer waits."""

    def held(_: int, how: int) -> None:
        if how & fcntl.LOCK_EX:
            raise BlockingIOError(errno.EWOULDBLOCK, "held")

    monkeypatch.setattr(fcntl, "flock", held)


def as_it_is(_: pytest.MonkeyPatch) -> None:
    """Let the lock be free."""


CALLS: dict[str, Any] = {
    "write": lambda store, turn: store.write(**turn),
    "read": lambda store, _: store.read(),
    "clear": lambda store, _: store.clear(),
    "render": lambda store, _: render(store.read()),
}


@pytest.mark.parametrize(
    ("name", "state"),
    [
        *((name, as_it_is) for name in CALLS),
        ("write", contended),
        ("write", held_by_another),
    ],
)
def test_after_an_interrupt_at_any_opcode_the_next_write_works(
    name: str,
    state: Callable[[pytest.MonkeyPatch], None],
    store: CogLog,
    turn: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it opens nothing, and takes most of the time
    patient, interrupt = CogLog(store.data_dir, lock_timeout=0), Interrupt()
    hasty = CogLog(store.data_dir, lock_timeout=0.01)
    hasty.write(**turn)
    open_before = open_files()
    interrupted = 0
    while True:
        with monkeypatch.context() as patch:
            state(patch)
            error = interrupt.call(lambda: CALLS[name](hasty, turn))
        if interrupt.done is None:
            break
        assert error is not None, f"{interrupt.done}: the interrupt was swallowed"
        interrupted += 1
        last = (hasty.read() or Entry({"turn_id": 0}))["turn_id"]
        assert patient.write(**turn)["turn_id"] == last + 1, interrupt.done
        assert open_files() == open_before, interrupt.done
        left = {path.name for path in store.data_dir.iterdir() if path.name.endswith(".tmp")}
        assert not left, interrupt.done
        del error
    assert interrupted > 50


def test_after_an_interrupt_of_the_lock_itself_the_next_holder_gets_it(tmp_path: Path) -> None:
    """As above, for `hold` alone, again and again in one function."""
    path = str(tmp_path / "a.lock")
    interrupt = Interrupt()

    def hold() -> None:
        with locks.hold(path, 0):
            pass

    hold()
    open_before = open_files()
    while True:
        error = interrupt.call(hold)
        if interrupt.done is None:
            break
        assert error is not None
        with locks.hold(path, 0) as held:
            assert held, interrupt.done
        assert open_files() == open_before, interrupt.done
        del error

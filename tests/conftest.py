"""What every test gets: a home of its own, and no CogLog settings from outside."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest
from command_line import Run
from hypothesis import settings

from coglog_nb import CogLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# How long an example takes depends on what else the machine does.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

TURN = {
    "user": "What is a fixed point?",
    "thinking": "Start from an example.",
    "assistant": "A value that a function maps to itself.",
    "current_focus": "fixed points",
    "theory_of_mind": "",
    "self_narrative": "a tutor",
    "annotation": "ask for one of cos(x)",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the test's own: none may touch the real one."""
    directory = tmp_path / "home"
    directory.mkdir()
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("USERPROFILE", str(directory))
    monkeypatch.setenv("IPYTHONDIR", str(directory / ".ipython"))
    for name in ("COGLOG_DIR", "COGLOG_SESSION", "COGLOG_VIEWER_DIR"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "here"
    work.mkdir()
    monkeypatch.chdir(work)
    return directory


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Let an interrupt interrupt: a job that a shell put into the background is started with it ignored."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def turn() -> dict[str, Any]:
    """The seven fields of a turn, to change as the test likes."""
    return dict(TURN)


@pytest.fixture
def store(tmp_path: Path) -> CogLog:
    """A store in a directory that isn't there yet."""
    return CogLog(tmp_path / "log")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(capsys, monkeypatch)

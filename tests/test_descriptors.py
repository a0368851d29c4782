"""Who closes what an interrupted `with` statement left open."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

import pytest

from coglog_nb import descriptors
from coglog_nb.descriptors import opened

if TYPE_CHECKING:
    from pathlib import Path


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "file").write_text("text")
    return str(tmp_path / "file")


def test_a_descriptor_is_closed_at_the_end_of_its_block(path: str) -> None:
    with opened(path, os.O_RDONLY) as descriptor:
        assert os.read(descriptor, 4) == b"text"
        with opened(path, os.O_RDONLY) as other:
            assert other != descriptor
        assert is_open(descriptor), "a block inside it closes only its own"
    assert not is_open(descriptor)
    assert not descriptors._scopes


def test_a_file_that_cannot_be_opened_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), opened(str(tmp_path / "none"), os.O_RDONLY):
        pass


@pytest.mark.parametrize("elsewhere", [False, True])
def test_who_opens_next_closes_what_was_left(elsewhere: bool, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []

    def interrupted(scope: opened, *_: object) -> None:
        left.extend(scope.numbers)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(opened, "leave", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught, opened(path, os.O_RDONLY):
            pass
    (number,) = left
    assert is_open(number)

    def open_next() -> None:
        with opened(path, os.O_RDONLY) as descriptor:
            assert is_open(descriptor)

    if elsewhere:
        thread = threading.Thread(target=open_next)
        thread.start()
        thread.join()
    else:
        open_next()
    assert not is_open(number)
    assert caught.value.__traceback__ is not None, "the traceback was kept all the while"


def test_an_exit_stack_can_hold_it(path: str) -> None:
    with contextlib.ExitStack() as stack:
        descriptor = stack.enter_context(opened(path, os.O_RDONLY))
        with opened(path, os.O_RDONLY):
            assert is_open(descriptor)
    assert not is_open(descriptor)

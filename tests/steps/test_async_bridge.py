"""Asynchronous models in synchronous code."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest
from loopback import REPLY

from coglog_nb import CogLog, UsageError, turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scripted import Messages


def test_without_threads_an_asynchronous_model_is_an_error_that_says_what_to_do(
    store: CogLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("coglog_nb.steps.async_bridge._loop", None)
    monkeypatch.setattr("threading.Thread.start", start)

    async def model(_: Messages) -> str:
        return REPLY

    with pytest.raises(UsageError, match=r"await coglog_nb\.aturn"):
        turn("?", model, store=store)
    assert store.read() is None


def test_an_interrupt_ends_an_asynchronous_call_too(store: CogLog) -> None:
    ended = threading.Event()

    async def model(_: Messages) -> AsyncIterator[str]:
        try:
            yield REPLY[:40]
            await asyncio.Event().wait()
        finally:
            ended.set()

    def interrupt(kind: str, text: str) -> None:
        del kind, text
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        turn("?", model, store=store, on_piece=interrupt)
    assert ended.wait(10), "the call goes on"
    assert store.read() is None

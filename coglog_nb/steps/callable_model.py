"""A Python callable as a model: ``messages -> reply``, synchronous or asynchronous, whole or as a stream."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

from ..errors import UsageError
from ..replies.streams import is_stream
from .async_bridge import run_in_background_loop
from .model_base import Chat, Messages, Model, OnPiece


class CallableModel(Model):
    """A Python callable that takes messages and returns a reply.

    Parameters
    ----------
    function : callable
        Takes ``[{"role": ..., "content": ...}, ...]`` and returns any provider's reply, a stream of its chunks, or an
        awaitable of either.
    name : str, optional
        Its name in outputs; by default the function's name.
    """

    def __init__(self, function: Callable[[Messages], Any], name: str = "") -> None:
        self._function = function
        self.name = name or getattr(function, "__name__", "") or type(function).__name__

    def chat(self) -> Chat:
        """Begin a conversation."""
        return _CallableChat(self._function)


class _CallableChat(Chat):
    def __init__(self, function: Callable[[Messages], Any]) -> None:
        super().__init__()
        self._function = function

    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        self._begin()
        result = self._function(copy.deepcopy(messages))
        if inspect.isawaitable(result) or _is_async_stream(result):
            try:
                return run_in_background_loop(lambda forward: self._afinish(result, forward), on_piece)
            except UsageError:
                if inspect.iscoroutine(result):
                    result.close()  # it never began; Python would warn that nobody awaited it
                raise
        return self._enter_and_finish(result, on_piece)

    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        self._begin()
        return await self._afinish(self._function(copy.deepcopy(messages)), on_piece)

    def _enter_and_finish(self, result: Any, on_piece: OnPiece) -> object:
        if _is_unentered_stream(result):
            with result as stream:
                return self._finish(stream, on_piece)
        return self._finish(result, on_piece)

    def _finish(self, result: Any, on_piece: OnPiece) -> object:
        return self._collect(iter(result), on_piece) if is_stream(result) else self._take_whole(result, on_piece)

    async def _afinish(self, result: Any, on_piece: OnPiece) -> object:
        if inspect.isawaitable(result):
            result = await result
        if hasattr(result, "__aenter__") and not hasattr(result, "__aiter__"):
            async with result as stream:
                return await self._acollect(stream, on_piece)
        if _is_async_stream(result):
            return await self._acollect(result, on_piece)
        return self._enter_and_finish(result, on_piece)


def _is_async_stream(result: object) -> bool:
    """Return True for an asynchronous iterator, or a context manager that gives one."""
    return hasattr(result, "__aiter__") or (hasattr(result, "__aenter__") and not hasattr(result, "__enter__"))


def _is_unentered_stream(result: object) -> bool:
    """Return True for a context manager that gives a stream, such as `anthropic`'s ``messages.stream(...)``."""
    return hasattr(result, "__enter__") and not hasattr(result, "__iter__")

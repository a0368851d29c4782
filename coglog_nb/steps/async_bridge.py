"""Between threads and event loops: an asynchronous call from synchronous code, and the other way round."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ..errors import UsageError
from .model_base import OnPiece

_POLL_SECONDS = 0.2
"""How long a wait blocks at most: on Windows an interrupt is seen only between two waits."""


class _PieceQueue:
    """Passes pieces from another thread to the thread that waits for them, which alone may write outputs."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()

    def put(self, kind: str, text: str) -> None:
        self._queue.put((kind, text))

    def end(self, _: object = None) -> None:
        self._queue.put(None)

    def pass_on(self, on_piece: OnPiece) -> None:
        """Call `on_piece` with each piece until the end.

        If it has a method ``raise_if_stopped``, that is called now and then, so that a call that sends nothing can be
        stopped too.
        """
        raise_if_stopped = getattr(on_piece, "raise_if_stopped", None)
        while True:
            try:
                piece = self._queue.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if raise_if_stopped is not None:
                    raise_if_stopped()
                continue
            if piece is None:
                return
            on_piece(*piece)


_loop: asyncio.AbstractEventLoop | None = None
_loop_lock = threading.Lock()


def _background_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of the background thread, the same one each time: a client's connections belong to it."""
    global _loop  # noqa: PLW0603 - one per process, like the thread
    with _loop_lock:
        if _loop is None or _loop.is_closed() or not _loop.is_running():
            loop = asyncio.new_event_loop()
            started = threading.Event()
            loop.call_soon(started.set)
            try:
                threading.Thread(target=loop.run_forever, name="coglog-models", daemon=True).start()
            except RuntimeError as error:  # Pyodide has no threads
                loop.close()
                raise UsageError(
                    "an asynchronous model can't run here: an event loop is already running, and there are no threads;"
                    " await coglog_nb.aturn(...) instead"
                ) from error
            started.wait()
            _loop = loop
        return _loop


def run_in_background_loop(make: Callable[[OnPiece], Coroutine[Any, Any, object]], on_piece: OnPiece) -> object:
    """Run a coroutine from synchronous code, whether or not this thread runs an event loop.

    Parameters
    ----------
    make : callable
        Takes a callable for the pieces, and returns the coroutine.
    on_piece : callable
        Called in this thread with each piece.

    Raises
    ------
    UsageError
        If there are no threads.
    """
    loop = _background_loop()
    pieces = _PieceQueue()
    future = asyncio.run_coroutine_threadsafe(make(pieces.put), loop)
    future.add_done_callback(pieces.end)
    try:
        pieces.pass_on(on_piece)
        return future.result()
    except BaseException:
        future.cancel()  # an interrupt ends the call too, not only the waiting for it
        raise


async def run_in_thread(send: Callable[[OnPiece], object], on_piece: OnPiece) -> object:
    """Run a synchronous call from asynchronous code: in a thread, or here if there are no threads.

    Parameters
    ----------
    send : callable
        Takes a callable for the pieces, and returns the result.
    on_piece : callable
        Called in the event loop's thread with each piece.
    """
    loop = asyncio.get_running_loop()

    def forward(kind: str, text: str) -> None:
        loop.call_soon_threadsafe(on_piece, kind, text)

    try:
        running: Awaitable[object] = loop.run_in_executor(None, send, forward)
    except RuntimeError:  # no threads: then it blocks the loop
        return send(on_piece)
    return await running

"""What a step needs of a model: a `Model` begins a `Chat`, and a chat sends messages and returns the reply.

A reply may arrive whole or as a stream. The sender gets each piece as it arrives, and at the end the whole reply in
its provider's own shape, ready for `capture`.
"""

from __future__ import annotations

import contextlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator

from ..errors import InputError
from ..replies.reader import read_reply
from ..replies.streams import Assembly

Messages = list[dict[str, str]]
OnPiece = Callable[[str, str], None]
"""Called with each piece of an answer as it arrives: "thinking" or "assistant", and the text."""


def ignore_piece(kind: str, text: str) -> None:
    """Take a piece of an answer that nobody watches."""


class Chat(ABC):
    """One conversation with a model: usually one message and its reply."""

    def __init__(self) -> None:
        self._assembly: Assembly | None = None
        self._any_chunk_read = False
        self._reply: object = None

    @property
    def reply(self) -> object:
        """The last reply as far as it arrived, in its provider's shape; None if nothing has arrived."""
        if self._reply is None and self._assembly is not None and self._any_chunk_read:
            return self._assembly.reply()
        return self._reply

    @abstractmethod
    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        """Send the whole conversation and return the reply."""

    @abstractmethod
    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        """Do what `send` does without blocking the event loop."""

    def _begin(self) -> None:
        self._assembly = self._reply = None
        self._any_chunk_read = False

    def _collect(self, stream: Iterator[object], on_piece: OnPiece) -> object:
        """Read a stream to its end, and return the reply that its chunks make."""
        self._assembly = assembly = Assembly()
        try:
            for chunk in stream:
                self._feed(assembly, chunk, on_piece)
        finally:
            _close(stream)  # an interrupt must end the call, not only the waiting for it
        return self._finish_stream(assembly, on_piece)

    async def _acollect(self, stream: AsyncIterator[object], on_piece: OnPiece) -> object:
        self._assembly = assembly = Assembly()
        try:
            async for chunk in stream:
                self._feed(assembly, chunk, on_piece)
        finally:
            await _aclose(stream)
        return self._finish_stream(assembly, on_piece)

    def _feed(self, assembly: Assembly, chunk: object, on_piece: OnPiece) -> None:
        pieces = assembly.feed(chunk)
        # Set after `feed`, which raises for a provider's error: an error isn't part of a reply.
        self._any_chunk_read = True
        for kind, text in pieces:
            on_piece(kind, text)

    def _finish_stream(self, assembly: Assembly, on_piece: OnPiece) -> object:
        for kind, text in assembly.end():  # the last characters, which might have begun a tag
            on_piece(kind, text)
        self._reply = assembly.reply()
        return self._reply

    def _take_whole(self, reply: object, on_piece: OnPiece) -> object:
        """Take a reply that arrived whole, as one piece of each kind."""
        self._reply = reply
        with contextlib.suppress(InputError):  # the step reads the reply again, and reports what is wrong with it
            parsed = read_reply(reply)
            for kind, text in (("thinking", parsed.thinking), ("assistant", parsed.answer)):
                if text:
                    on_piece(kind, text)
        return reply


def _close(stream: object) -> None:
    close = getattr(stream, "close", None)
    if callable(close):
        close()


async def _aclose(stream: object) -> None:
    for name in ("aclose", "close"):
        close = getattr(stream, name, None)
        if callable(close):
            closing = close()
            if inspect.isawaitable(closing):
                await closing
            return


class Model(ABC):
    """Something that answers messages.

    Attributes
    ----------
    name : str
        Its name in outputs.
    """

    name: str

    @abstractmethod
    def chat(self) -> Chat:
        """Begin a conversation."""

    def secrets(self) -> set[str]:
        """Return the keys that no message may show."""
        return set()

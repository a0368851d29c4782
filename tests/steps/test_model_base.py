"""A conversation with a model: the pieces of a reply, what arrived of it, and the end of its stream."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from loopback import ANSWER, REPLY, THINKING

from coglog_nb.steps.model_base import Chat, ignore_piece

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from coglog_nb.steps.model_base import Messages, OnPiece


class StreamChat(Chat):
    """A chat whose replies are streams of given chunks; an error among them is raised."""

    def __init__(self, *chunks: str | BaseException) -> None:
        super().__init__()
        self._chunks = chunks
        self.closed = False

    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        del messages
        self._begin()
        return self._collect(self._stream(), on_piece)

    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        del messages
        self._begin()
        return await self._acollect(self._astream(), on_piece)

    def _stream(self) -> Iterator[str]:
        try:
            for chunk in self._chunks:
                if isinstance(chunk, BaseException):
                    raise chunk
                yield chunk
        finally:
            self.closed = True

    async def _astream(self) -> AsyncIterator[str]:
        try:
            for chunk in self._chunks:
                if isinstance(chunk, BaseException):
                    raise chunk
                yield chunk
        finally:
            self.closed = True


class WholeChat(Chat):
    """A chat whose reply arrives whole."""

    def __init__(self, reply: Any) -> None:
        super().__init__()
        self._answer = reply

    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        del messages
        return self._take_whole(self._answer, on_piece)

    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        return self.send(messages, on_piece)


def send(chat: Chat, on_piece: OnPiece = ignore_piece, *, asynchronous: bool = False) -> object:
    return asyncio.run(chat.asend([], on_piece)) if asynchronous else chat.send([], on_piece)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stream_gives_its_pieces_and_the_whole_reply(*, asynchronous: bool) -> None:
    pieces: list[tuple[str, str]] = []
    chat = StreamChat(REPLY[:20], REPLY[20:])
    assert chat.reply is None
    reply = send(chat, lambda kind, text: pieces.append((kind, text)), asynchronous=asynchronous)
    assert reply == chat.reply == REPLY
    assert "".join(text for kind, text in pieces if kind == "thinking") == THINKING
    assert ANSWER in "".join(text for kind, text in pieces if kind == "assistant")
    assert chat.closed


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stream_that_fails_is_closed_and_keeps_what_arrived(*, asynchronous: bool) -> None:
    chat = StreamChat(REPLY[:20], ConnectionResetError("gone"))
    with pytest.raises(ConnectionResetError):
        send(chat, asynchronous=asynchronous)
    assert chat.reply == REPLY[:20]
    assert chat.closed


def test_a_stream_that_fails_at_once_leaves_no_reply() -> None:
    chat = StreamChat(ConnectionResetError("gone"))
    with pytest.raises(ConnectionResetError):
        send(chat)
    assert chat.reply is None


def test_a_whole_reply_is_one_piece_of_each_kind() -> None:
    pieces: list[str] = []
    assert send(WholeChat(REPLY), lambda kind, _: pieces.append(kind)) == REPLY
    assert pieces == ["thinking", "assistant"]


def test_a_value_that_is_not_a_reply_gives_no_piece() -> None:
    pieces: list[str] = []
    chat = WholeChat(3)
    assert send(chat, lambda kind, _: pieces.append(kind)) == chat.reply == 3
    assert not pieces

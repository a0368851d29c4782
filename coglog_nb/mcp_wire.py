"""The lines between `coglog mcp` and its client: JSON-RPC messages over stdin and stdout.

This module takes the place of the SDK's `stdio_server` (2.3.0), because of three problems in it:

- It doesn't answer a line that it can't use, so the client waits forever (modelcontextprotocol/python-sdk, issue 2751).
  Here such a line gets the answer that JSON-RPC asks for.
- When stdin ends, it drops the calls in progress, although a write may already be stored (issue 2678 there). Here they
  are finished and answered first.
- It replaces bytes that aren't UTF-8, which would silently change a turn's text, and it refuses a whole line for an
  unpaired surrogate in an escape. Here the error names the field that holds it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import threading
from concurrent.futures import CancelledError
from functools import partial

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    CallToolRequestParams,
    GetPromptRequestParams,
    InitializeRequestParams,
    JSONRPCMessage,
    JSONRPCRequest,
    PaginatedRequestParams,
    jsonrpc_message_adapter,
)
from pydantic import BaseModel, ValidationError

from .errors import CogLogError, InputError
from .jsontext import KEYS_OF_AN_ENTRY, decode, kind, without_repeats
from .tools import TOOL_NAMES

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from anyio.abc import ObjectReceiveStream, ObjectSendStream
    from mcp.server import Server

_CLIENT = {"name": "unknown", "version": ""}
_GREETING = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": _CLIENT}

_PARAMS: dict[str, type[BaseModel]] = {
    "initialize": InitializeRequestParams,
    "tools/list": PaginatedRequestParams,
    "tools/call": CallToolRequestParams,
    "prompts/list": PaginatedRequestParams,
    "prompts/get": GetPromptRequestParams,
}
"""The parameters of the methods that this server has."""

_ONCE = KEYS_OF_AN_ENTRY | {"jsonrpc", "id", "method", "params", "name", "arguments"}
"""The keys that a message must not repeat: one of the two values would be lost."""

_CHUNK = 65536
_PIECE = getattr(select, "PIPE_BUF", _CHUNK)  # a pipe that has room takes so much without waiting
_HAS_ROOM = getattr(select, "POLLOUT", 1)
_HUNG_UP = getattr(select, "POLLRDHUP", 0)  # for a socket; a pipe reports its end in any case
_MANY = 8  # unanswered requests; more aren't read
_SILENT = 5  # tenths of a second in which nobody reads, after stdin has ended
_MOMENT = 0.5  # seconds for a call that runs when the server must stop


class _LineError(Exception):
    """A line that gets an error as its answer."""

    def __init__(self, code: int, message: str, request_id: object = None) -> None:
        super().__init__(message)
        # In JSON-RPC, null means that the id is unknown.
        known = type(request_id) in (str, int)
        self.answer = {
            "jsonrpc": "2.0",
            "id": request_id if known else None,
            "error": {"code": code, "message": message},
        }


class _UnreadError(Exception):
    """Stdin has ended, and stdout takes nothing."""


class Wire:
    """The lines to and from one client, and its unanswered requests.

    It reads no further while `_MANY` requests are unanswered, or while one with the next request's id is. So a client
    that doesn't read can't fill the memory, and answers with the same id come in the order of their requests.

    Parameters
    ----------
    incoming, outgoing : int
        The descriptors of stdin and stdout.

    Attributes
    ----------
    unread : bool
        Whether it ended because nobody read its answers after stdin had ended.
    failure : BaseException or None
        What ended it, unless the client did.
    """

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._open: set[str | int] = set()
        self._closed_one = anyio.Event()
        self._greeted = False
        self._stdin_ended = False
        self._sent = 0  # bytes
        self._over = threading.Event()
        self._portal: anyio.from_thread.BlockingPortal | None = None
        self._scope: anyio.CancelScope | None = None
        self.unread = False
        self.failure: BaseException | None = None

    def run(self, server: Server[Any], patience: float) -> None:
        """Let a server answer the client's requests until stdin ends, the client stops reading, or an interrupt comes.

        The loop and all its threads are daemon threads. A call that waits for a lock, or a write to a full stdout, gets
        a moment at the end, but it doesn't keep the process alive.

        Parameters
        ----------
        server : Server
            The SDK's server.
        patience : float
            How long to wait for the next unfinished request after stdin has ended, in seconds.
        """

        def serve() -> None:
            try:
                anyio.run(self._serve, server, patience)
            except BaseException as error:  # noqa: BLE001 - the calling thread raises it
                self.failure = error
            finally:
                self._over.set()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            while not self._over.wait(1):  # Windows doesn't interrupt a wait; it can only do so between two of them
                pass
        finally:
            self._over.set()
            with contextlib.suppress(RuntimeError):  # the loop has ended
                if self._portal is not None:
                    self._portal.start_task_soon(self._stop)
            thread.join(_MOMENT)

    def _stop(self) -> None:
        self._over.set()
        if self._scope is not None:
            self._scope.cancel()

    async def _serve(self, server: Server[Any], patience: float) -> None:
        to_lines, lines = anyio.create_memory_object_stream[bytes](0)
        to_server, for_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        from_server, answers = anyio.create_memory_object_stream["SessionMessage | dict[str, Any]"](0)
        async with anyio.from_thread.BlockingPortal() as portal:
            async with anyio.create_task_group() as group:
                self._portal, self._scope = portal, group.cancel_scope
                group.start_soon(self._write, answers)
                group.start_soon(self._read, lines, to_server, from_server.clone(), patience)
                # A daemon thread, because a blocked read must not keep the process alive.
                threading.Thread(target=self._pump, args=(portal, to_lines), daemon=True).start()
                await server.run(for_server, from_server, server.create_initialization_options())
            # Something remains only if the client has stopped: a line that nobody reads.
            await portal.stop(cancel_remaining=True)

    def _pump(self, portal: anyio.from_thread.BlockingPortal, to_lines: ObjectSendStream[bytes]) -> None:
        """Split stdin into lines; this runs in its own thread."""

        def deliver(pieces: list[bytes]) -> None:
            portal.call(to_lines.send, b"".join(pieces))

        # The loop or the server has ended, and nothing can be delivered.
        with contextlib.suppress(RuntimeError, CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pieces: list[bytes] = []
            try:
                while chunk := os.read(self._incoming, _CHUNK):
                    first, *others = chunk.split(b"\n")
                    pieces.append(first)
                    for other in others:
                        deliver(pieces)
                        pieces = [other]
            except OSError as error:
                self.failure = _failure("read stdin", error)
            self._stdin_ended = True
            deliver(pieces)
            portal.call(to_lines.aclose)

    async def _read(
        self,
        lines: ObjectReceiveStream[bytes],
        to_server: ObjectSendStream[SessionMessage | Exception],
        answers: ObjectSendStream[SessionMessage | dict[str, Any]],
        patience: float,
    ) -> None:
        """Pass the server the messages that it can use, and answer the other lines."""
        async with lines, to_server, answers:
            async for line in lines:
                if not line.strip():
                    continue
                try:
                    message = self._message(line)
                except _LineError as error:
                    await self._free(error.answer["id"])
                    await answers.send(error.answer)
                else:
                    if isinstance(message, JSONRPCRequest):
                        await self._free(message.id)
                        self._open.add(message.id)
                        settled = ServerMessageMetadata(on_request_unanswered=partial(self._settle, message.id))
                        await to_server.send(SessionMessage(message, settled))
                    elif message is not None:
                        await to_server.send(SessionMessage(message))
            # The SDK drops unfinished calls when its stream ends.
            while self._open:
                sent = self._sent
                with anyio.move_on_after(patience) as wait:
                    await self._settled()
                if wait.cancelled_caught and self._sent == sent:
                    self._stop()

    async def _free(self, request_id: object) -> None:
        """Wait until a request with this id may be answered."""
        while request_id in self._open or len(self._open) >= _MANY:
            await self._settled()

    async def _settled(self) -> None:
        """Wait until a request is settled."""
        self._closed_one = anyio.Event()
        await self._closed_one.wait()

    async def _settle(self, request_id: object) -> None:
        """Note that a request has its answer, or that the client called it off and it gets none."""
        self._open.discard(request_id)
        self._closed_one.set()

    async def _write(self, answers: ObjectReceiveStream[SessionMessage | dict[str, Any]]) -> None:
        async with answers:
            try:
                async for answer in answers:
                    whole = answer if isinstance(answer, dict) else _as_dict(answer)
                    # Only a method or an id from the client can hold an unpaired surrogate; it goes back as an escape.
                    line = json.dumps(whole, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
                    await anyio.to_thread.run_sync(self._write_all, line, abandon_on_cancel=True)
                    if not isinstance(answer, dict):
                        await self._settle(whole.get("id"))
            except _UnreadError:
                self.unread = True
                self._stop()
            except OSError as error:
                if not isinstance(error, BrokenPipeError):  # the client has closed stdout
                    self.failure = _failure("write to stdout", error)
                self._stop()

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._wait_for_room()
            written = os.write(self._outgoing, view[:_PIECE])
            self._sent += written
            view = view[written:]

    def _wait_for_room(self) -> None:
        """Wait until stdout takes a piece.

        Raises
        ------
        _UnreadError
            If it takes nothing for half a second after stdin has ended. That shows although lines before it are unread.
        """
        silent = 0
        while not _ready(self._outgoing, _HAS_ROOM, 100):
            silent += self._stdin_ended or _ready(self._incoming, _HUNG_UP, 0)
            if silent == _SILENT or self._over.is_set():
                raise _UnreadError

    def _message(self, line: bytes) -> JSONRPCMessage | None:
        """Make a message from a line; None if it needs no answer.

        Raises
        ------
        _LineError
            If the line isn't a valid message. The error holds the answer.
        """
        given = _parse(line)
        if "method" not in given and ("result" in given or "error" in given):
            return None  # an answer, although this server never asks
        request_id = given.get("id")
        problem = _shape_problem(given)
        if problem:
            raise _LineError(INVALID_REQUEST, f"Invalid Request: {problem}", request_id)
        if "id" in given:
            self._check_request(given)
        try:
            return jsonrpc_message_adapter.validate_python(given)
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise _LineError(INVALID_REQUEST, f"Invalid Request: {reason}", request_id) from error

    def _check_request(self, given: dict[str, Any]) -> None:
        """Refuse what the SDK would refuse, with a more helpful message, and complete an empty greeting.

        Raises
        ------
        _LineError
            If the request is invalid; it holds the answer.
        """
        method, params = given["method"], given.get("params") or {}
        if method == "initialize":
            given["params"] = params = _whole_greeting(params)
        meta = params.get("_meta")
        if isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta:
            self._greeted = True  # from the protocol of July 2026 on, each request carries what the greeting said
        if not self._greeted and method.startswith(("tools/", "prompts/")):
            raise _LineError(INVALID_REQUEST, f"Invalid Request: send initialize before {method}", given["id"])
        problem = (_call_problem(params) if method == "tools/call" else "") or _params_problem(method, params)
        if problem:
            raise _LineError(INVALID_PARAMS, f"Invalid params: {problem}", given["id"])
        if method == "initialize":
            self._greeted = True


def _failure(doing: str, error: OSError) -> CogLogError:
    failure = CogLogError(f"cannot {doing}: {error.strerror}")
    failure.__cause__ = error
    return failure


def _as_dict(answer: SessionMessage) -> dict[str, Any]:
    return answer.message.model_dump(by_alias=True, exclude_unset=True)


def _parse(line: bytes) -> dict[str, Any]:
    try:
        given = json.loads(
            decode(line), parse_constant=_no_constant, object_pairs_hook=partial(without_repeats, once=_ONCE)
        )
    except RecursionError as error:
        raise _LineError(PARSE_ERROR, "Parse error: nested too deeply") from error
    except (InputError, ValueError) as error:
        raise _LineError(PARSE_ERROR, f"Parse error: {error}") from error
    if isinstance(given, list):
        raise _LineError(INVALID_REQUEST, "Invalid Request: a batch; MCP takes one message per line")
    if not isinstance(given, dict):
        raise _LineError(INVALID_REQUEST, f"Invalid Request: not an object but {kind(given)}")
    return given


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _shape_problem(given: dict[str, Any]) -> str:
    """Return why an object isn't a request or notification, or an empty string."""
    if given.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if not isinstance(given.get("method"), str):
        return f"method must be a string, not {kind(given['method'])}" if "method" in given else "it has no method"
    if "id" in given and type(given["id"]) not in (str, int):
        return f"id must be a string or an integer, not {kind(given['id'])}"
    if not isinstance(given.get("params"), (dict, type(None))):
        return f"params must be an object, not {kind(given['params'])}"
    return ""


def _call_problem(params: dict[str, Any]) -> str:
    """Return why parameters are not those of a tool call, or an empty string; the SDK's message doesn't say why."""
    if not isinstance(params.get("name"), str):
        return "name must be a tool's name: " + ", ".join(TOOL_NAMES)
    if not isinstance(params.get("arguments"), (dict, type(None))):
        return f"arguments must be an object, not {kind(params['arguments'])}"
    return ""


def _params_problem(method: str, params: dict[str, Any]) -> str:
    """Return what is wrong with the parameters of a method, or an empty string."""
    if method in _PARAMS:
        try:
            _PARAMS[method].model_validate(params)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return ""


def _whole_greeting(params: dict[str, Any]) -> dict[str, Any]:
    """Complete a greeting: `coglog-mcp` requires none of its parts, and scripts written for it send none."""
    whole = {**_GREETING, **{key: value for key, value in params.items() if value is not None}}
    client = whole["clientInfo"]
    if isinstance(client, dict):
        whole["clientInfo"] = {**_CLIENT, **{key: value for key, value in client.items() if value is not None}}
    return whole


def _ready(descriptor: int, events: int, wait: int) -> bool:
    """Return whether one of these events comes within a number of milliseconds; an error is an event, too."""
    if not hasattr(select, "poll"):
        return bool(events & _HAS_ROOM)  # on Windows a write just waits
    poll = select.poll()
    poll.register(descriptor, events)
    return bool(poll.poll(wait))

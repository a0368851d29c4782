"""A server on the loopback interface that speaks the providers' wire formats, for tests with their own clients.

It answers from a list: each request takes the next `Answer`. `requests` keeps what was asked.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

# What the model answers in most tests.
AXES = {
    "current_focus": "fixed points",
    "theory_of_mind": "",
    "self_narrative": "a tutor",
    "annotation": "ask for one of cos(x)",
}
BLOCK = json.dumps(AXES)
ANSWER = "A value that a function maps to itself."
THINKING = "Start from an example."
REPLY = f"<think>{THINKING}</think>\n\n{ANSWER}\n\n{BLOCK}"


class Answer:
    """The answer to one request: text in pieces, or an HTTP error.

    Parameters
    ----------
    *pieces : str
        The pieces of the answer's text.
    thinking : tuple of str
        The pieces of the thinking, which a stream sends before the answer.
    status : int
        The HTTP status. If it isn't 200, `pieces` are the error's message.
    refusal : bool
        Whether the answer is a refusal.
    hang_after : int or None
        After how many pieces the server waits until the client disconnects.
    finish : str
        Why the answer ended, as OpenAI names it: "stop" or "length".
    """

    def __init__(
        self,
        *pieces: str,
        thinking: tuple[str, ...] = (),
        status: int = 200,
        refusal: bool = False,
        hang_after: int | None = None,
        finish: str = "stop",
    ) -> None:
        self.pieces, self.thinking, self.status = pieces, thinking, status
        self.refusal, self.hang_after, self.finish = refusal, hang_after, finish

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Request:
    def __init__(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> None:
        self.path, self.headers, self.body = path, headers, body


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that disconnected: the tests look at the client's side."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Loopback:
    """The server, as a context manager."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[Request] = []
        self.gone = threading.Event()
        """Set when a client has left an answer that hangs."""
        self.hanging = threading.Event()
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._server = _QuietServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def will(self, *answers: Answer) -> None:
        """Add answers for the next requests."""
        self.answers += answers

    def take(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            return self.answers.pop(0)

    def __enter__(self) -> Loopback:  # noqa: PYI034 - Self is Python 3.11's
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - a class of small methods
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Stay silent."""

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length))
            request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            speak = _WIRES.get(self.path.split("?")[0])
            if speak is None:
                self._send(404, {"error": {"message": f"no such path: {self.path}"}})
                return
            answer = loopback.take(request)
            whole, parts, content_type = speak(answer, body)
            if answer.status != 200:
                self._send(answer.status, {"error": {"message": answer.text, "type": "error"}})
            elif not _wants_stream(request):
                if answer.hang_after is not None:
                    self._hang()
                else:
                    self._send(200, whole)
            else:
                self._stream(parts, content_type, answer.hang_after)

        def _send(self, status: int, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            if status == 429:
                self.send_header("retry-after", "7")
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, parts: Iterator[bytes], content_type: str, hang_after: int | None) -> None:
            self.send_response(200)
            self.send_header("content-type", content_type)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for count, part in enumerate(parts):
                if count == hang_after:
                    self._hang()
                    return
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

        def _hang(self) -> None:
            """Wait until the client has gone: then a read gives the end of what it sends."""
            loopback.hanging.set()
            self.connection.settimeout(0.05)
            while not loopback.stopped.is_set():
                try:
                    if not self.connection.recv(1):
                        loopback.gone.set()
                        break
                except TimeoutError:
                    continue
                except OSError:
                    loopback.gone.set()
                    break
            self.close_connection = True

    return Handler


def _wants_stream(request: Request) -> bool:
    default = request.path.startswith("/api/")  # Ollama streams unless asked not to
    return bool(request.body.get("stream", default))


def _sse(events: list[tuple[str, dict[str, Any]]], *, named: bool, end: bytes = b"") -> Iterator[bytes]:
    for name, data in events:
        head = f"event: {name}\n" if named else ""
        yield f"{head}data: {json.dumps(data)}\n\n".encode()
    if end:
        yield end


_Spoken = tuple[dict[str, Any], "Iterator[bytes]", str]


def _chat(answer: Answer, body: dict[str, Any]) -> _Spoken:
    head = {"id": "chatcmpl-1", "created": 1, "model": body.get("model", "m")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    key = "refusal" if answer.refusal else "content"
    message: dict[str, Any] = {"role": "assistant", "content": None, key: answer.text}
    if answer.thinking:
        message["reasoning_content"] = "".join(answer.thinking)
    whole = {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
        "usage": usage,
    }

    def chunk(delta: dict[str, Any], finish: str | None = None) -> tuple[str, dict[str, Any]]:
        return "", {
            **head,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    chunks = [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"reasoning_content": piece}) for piece in answer.thinking),
        *(chunk({key: piece}) for piece in answer.pieces),
        chunk({}, answer.finish),
        ("", {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}),
    ]
    return whole, _sse(chunks, named=False, end=b"data: [DONE]\n\n"), "text/event-stream"


def _responses(answer: Answer, body: dict[str, Any]) -> _Spoken:
    content = (
        {"type": "refusal", "refusal": answer.text}
        if answer.refusal
        else {"type": "output_text", "text": answer.text, "annotations": []}
    )
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]}
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "".join(answer.thinking)}] if answer.thinking else [],
    }
    whole = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": body.get("model", "m"),
        "status": "completed",
        "output": [reasoning, message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "output_tokens": 1,
            "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }
    begun = {**whole, "status": "in_progress", "output": []}
    kind = "refusal" if answer.refusal else "output_text"
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": {**reasoning, "summary": []}},
        *(
            {
                "type": "response.reasoning_summary_text.delta",
                "item_id": "rs_1",
                "output_index": 0,
                "summary_index": 0,
                "delta": piece,
            }
            for piece in answer.thinking
        ),
        {"type": "response.output_item.done", "output_index": 0, "item": reasoning},
        {"type": "response.output_item.added", "output_index": 1, "item": {**message, "content": []}},
        *(
            {
                "type": f"response.{kind}.delta",
                "item_id": "msg_1",
                "output_index": 1,
                "content_index": 0,
                "delta": piece,
                "logprobs": [],
            }
            for piece in answer.pieces
        ),
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.completed", "response": whole},
    ]
    numbered = [(str(event["type"]), {**event, "sequence_number": number}) for number, event in enumerate(events)]
    return whole, _sse(numbered, named=True), "text/event-stream"


def _anthropic(answer: Answer, body: dict[str, Any]) -> _Spoken:
    thinking = {"type": "thinking", "thinking": "".join(answer.thinking), "signature": "c2lnbmVk"}
    blocks: list[dict[str, Any]] = [thinking] if answer.thinking else []
    blocks.append({"type": "text", "text": answer.text})
    stop = "refusal" if answer.refusal else "max_tokens" if answer.finish == "length" else "end_turn"
    whole = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "m"),
        "content": blocks,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "ping"},
    ]
    index = 0
    if answer.thinking:
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        events.append({"type": "content_block_start", "index": 0, "content_block": empty})
        deltas: list[dict[str, Any]] = [{"type": "thinking_delta", "thinking": piece} for piece in answer.thinking]
        deltas.append({"type": "signature_delta", "signature": "c2lnbmVk"})
        events += [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": 0})
        index = 1
    events.append({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}})
    events += [
        {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}
        for piece in answer.pieces
    ]
    events += [
        {"type": "content_block_stop", "index": index},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]
    return whole, _sse([(str(event["type"]), event) for event in events], named=True), "text/event-stream"


def _ollama(answer: Answer, body: dict[str, Any]) -> _Spoken:
    head = {"model": body.get("model", "m"), "created_at": "2026-02-26T00:00:00Z"}
    end = {"done": True, "done_reason": answer.finish, "eval_count": 1}
    whole = {
        **head,
        "message": {"role": "assistant", "content": answer.text, "thinking": "".join(answer.thinking) or None},
        **end,
    }

    def lines() -> Iterator[bytes]:
        for piece in answer.thinking:
            message = {"role": "assistant", "content": "", "thinking": piece}
            yield json.dumps({**head, "message": message, "done": False}).encode() + b"\n"
        for piece in answer.pieces:
            message = {"role": "assistant", "content": piece}
            yield json.dumps({**head, "message": message, "done": False}).encode() + b"\n"
        yield json.dumps({**head, "message": {"role": "assistant", "content": ""}, **end}).encode() + b"\n"

    return whole, lines(), "application/x-ndjson"


_WIRES: dict[str, Callable[[Answer, dict[str, Any]], _Spoken]] = {
    "/v1/chat/completions": _chat,
    "/v1/responses": _responses,
    "/v1/messages": _anthropic,
    "/api/chat": _ollama,
}

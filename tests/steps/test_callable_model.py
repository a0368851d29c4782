"""Callables as models: streams, interrupts, and the providers' own clients against a loopback server."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import TYPE_CHECKING, Any

import anthropic
import ollama
import openai
import pytest
from loopback import ANSWER, AXES, BLOCK, REPLY, THINKING, Answer, Loopback
from scripted import Scripted

from coglog_nb import CogLog, RefusedError, TurnError, aturn, turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scripted import Messages

# llm and the tests' own clients are closed by the garbage collector, which makes Python warn.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.usefixtures("collected"),
]

KEY = "not-a-real-key-1234567890"
SAID = f"{ANSWER}\n\n{BLOCK}"
HALVES = (SAID[:30], SAID[30:])


def openai_chat(server: Loopback, *, stream: bool) -> Any:
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0, timeout=20)

    def ask(messages: Any) -> Any:
        return client.chat.completions.create(model="m", messages=messages, stream=stream)

    return ask


def openai_responses(server: Loopback, *, stream: bool) -> Any:
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0, timeout=20)

    def ask(messages: Any) -> Any:
        return client.responses.create(model="m", input=messages, stream=stream)

    return ask


def anthropic_messages(server: Loopback, *, stream: bool) -> Any:
    client = anthropic.Anthropic(base_url=server.url, api_key=KEY, max_retries=0, timeout=20)

    def ask(messages: Any) -> Any:
        system = "".join(message["content"] for message in messages if message["role"] == "system")
        rest = [message for message in messages if message["role"] != "system"]
        return client.messages.create(model="m", max_tokens=99, system=system, messages=rest, stream=stream)

    return ask


def ollama_chat(server: Loopback, *, stream: bool) -> Any:
    client: Any = ollama.Client(host=server.url, timeout=20)

    def ask(messages: Any) -> Any:
        return client.chat(model="m", messages=messages, stream=stream)

    return ask


CLIENTS = [openai_chat, openai_responses, anthropic_messages, ollama_chat]


def test_the_pieces_of_a_stream_arrive_one_by_one(store: CogLog) -> None:
    seen: list[tuple[str, str]] = []

    def model(_: Messages) -> Iterator[str]:
        for start in range(0, len(REPLY), 5):
            yield REPLY[start : start + 5]

    entry = turn("?", model, store=store, on_piece=lambda kind, text: seen.append((kind, text)))
    assert entry["layers"]["thinking"] == THINKING
    assert entry["layers"]["assistant"] == ANSWER
    assert "".join(text for kind, text in seen if kind == "thinking") == THINKING
    assert "".join(text for kind, text in seen if kind == "assistant").strip().startswith(ANSWER)
    assert len(seen) > 10


def test_an_interrupt_ends_the_stream_and_stores_nothing(store: CogLog) -> None:
    closed = []

    def model(_: Messages) -> Iterator[str]:
        try:
            yield REPLY[:40]
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        turn("?", model, store=store)
    assert closed == [True]
    assert store.read() is None


class _Stream:
    """A library's stream: nothing but its own `close` ends the call."""

    def __init__(self, *chunks: str | BaseException) -> None:
        self._chunks = iter(chunks)
        self.closed = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        chunk = next(self._chunks)
        if isinstance(chunk, BaseException):
            raise chunk
        return chunk

    def close(self) -> None:
        self.closed = True


def test_a_stream_is_closed_however_it_ends(store: CogLog) -> None:
    whole, broken = _Stream(REPLY), _Stream(REPLY[:40], KeyboardInterrupt())
    turn("?", Scripted(whole), store=store)
    with pytest.raises(KeyboardInterrupt):
        turn("?", Scripted(broken), store=store)
    assert (whole.closed, broken.closed) == (True, True)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("make", CLIENTS)
def test_a_turn_through_a_client(server: Loopback, store: CogLog, make: Any, stream: bool) -> None:
    server.will(Answer(*HALVES, thinking=(THINKING[:7], THINKING[7:])))
    pieces: list[tuple[str, str]] = []
    entry = turn(
        "What is a fixed point?",
        make(server, stream=stream),
        store=store,
        system="You are a tutor.",
        on_piece=lambda kind, text: pieces.append((kind, text)),
    )
    assert entry["layers"] == {"user": "What is a fixed point?", "thinking": THINKING, "assistant": ANSWER}
    assert {name: entry[name] for name in AXES} == AXES
    texts = {kind: [text for each, text in pieces if each == kind] for kind in ("thinking", "assistant")}
    assert {kind: "".join(found) for kind, found in texts.items()} == {"thinking": THINKING, "assistant": SAID}
    if stream:
        assert all(len(found) > 1 for found in texts.values())
    (request,) = server.requests
    sent = str(request.body)
    assert "You are a tutor." in sent
    assert "What is a fixed point?" in sent
    assert bool(request.body.get("stream")) == stream


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_turn_through_asynchronous_clients(server: Loopback, store: CogLog, stream: bool) -> None:
    async def main() -> None:
        async with (
            openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0, timeout=20) as one,
            anthropic.AsyncAnthropic(base_url=server.url, api_key=KEY, max_retries=0, timeout=20) as two,
        ):
            three: Any = ollama.AsyncClient(host=server.url, timeout=20)

            async def ask_one(messages: Any) -> Any:
                return await one.chat.completions.create(model="m", messages=messages, stream=stream)

            async def ask_two(messages: Any) -> Any:
                rest = [message for message in messages if message["role"] != "system"]
                return await two.messages.create(model="m", max_tokens=99, messages=rest, stream=stream)

            async def ask_three(messages: Any) -> Any:
                return await three.chat(model="m", messages=messages, stream=stream)

            for ask in (ask_one, ask_two, ask_three):
                server.will(Answer(*HALVES, thinking=(THINKING,)))
                entry = await aturn("?", ask, store=store)
                assert entry["layers"] == {"user": "?", "thinking": THINKING, "assistant": ANSWER}

    asyncio.run(main())
    assert store.read()["turn_id"] == 3  # type: ignore[index] # it was written three times


def test_anthropics_own_stream_helper(server: Loopback, store: CogLog) -> None:
    client = anthropic.Anthropic(base_url=server.url, api_key=KEY, max_retries=0, timeout=20)

    def ask(messages: Any) -> Any:
        return client.messages.stream(model="m", max_tokens=99, messages=messages[1:])

    server.will(Answer(*HALVES, thinking=(THINKING[:7], THINKING[7:])))
    pieces: list[str] = []
    entry = turn("?", ask, store=store, on_piece=lambda _, text: pieces.append(text))
    assert entry["layers"] == {"user": "?", "thinking": THINKING, "assistant": ANSWER}
    assert "".join(pieces) == THINKING + SAID


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "refused the key"),
        (404, "does not know this model"),
        (429, r"has had too many requests.*it asks for 7 s"),
        (500, r"failed on its side \(HTTP 500\)"),
    ],
)
@pytest.mark.parametrize("make", [openai_chat, anthropic_messages, ollama_chat])
def test_an_error_of_the_server_is_one_sentence_without_the_key(
    server: Loopback, store: CogLog, make: Any, status: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPBACK_API_KEY", KEY)
    server.will(Answer(f"Incorrect API key provided: {KEY}", status=status))
    if make is ollama_chat and status == 429:
        said = "has had too many requests"  # its errors don't carry the response
    with pytest.raises(TurnError, match=said) as caught:
        turn("?", make(server, stream=False), store=store)
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in str(error)
        error = error.__cause__
    assert len(caught.value.problems) == 1
    assert store.read() is None


def test_a_missing_server_is_an_error(store: CogLog) -> None:
    client = ollama.Client(host="http://127.0.0.1:9", timeout=5)
    with pytest.raises(TurnError, match="can't be reached"):
        turn("?", lambda messages: client.chat(model="m", messages=messages), store=store)
    other = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY, max_retries=0, timeout=5)
    with pytest.raises(TurnError, match="can't be reached"):
        turn("?", lambda messages: other.chat.completions.create(model="m", messages=messages), store=store)


def test_a_time_out_keeps_what_arrived(server: Loopback, store: CogLog) -> None:
    server.will(Answer(*HALVES, hang_after=2), Answer(SAID, hang_after=0))
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0, timeout=0.5)
    for stream in (True, False):

        def ask(messages: Any, stream: bool = stream) -> Any:
            return client.chat.completions.create(model="m", messages=messages, stream=stream)

        with pytest.raises(TurnError, match="ask timed out") as caught:
            turn("?", ask, store=store)
        assert (HALVES[0] in str(caught.value.reply)) == stream
    assert store.read() is None


def test_a_refusal_through_a_client(server: Loopback, store: CogLog) -> None:
    for make in (openai_chat, openai_responses, anthropic_messages):
        for stream in (False, True):
            server.will(Answer("I can't help with that.", refusal=True))
            with pytest.raises(RefusedError) as caught:
                turn("?", make(server, stream=stream), store=store)
            assert caught.value.captured.fields["assistant"] == "I can't help with that."
    assert store.read() is None


def test_a_cut_answer_is_an_error(server: Loopback, store: CogLog) -> None:
    for make in CLIENTS:
        server.will(Answer(SAID[:-9], thinking=(THINKING,), finish="length"))
        with pytest.raises(TurnError, match="cut"):
            turn("?", make(server, stream=False), store=store)
    assert store.read() is None


@pytest.mark.parametrize("make", [openai_chat, anthropic_messages, ollama_chat])
def test_an_interrupt_ends_the_call(server: Loopback, store: CogLog, make: Any) -> None:
    server.will(Answer(*HALVES, thinking=(THINKING,), hang_after=5 if make is anthropic_messages else 2))
    came: list[str] = []
    read = threading.Event()

    def on_piece(_: str, text: str) -> None:
        came.append(text)
        read.set()

    def interrupt() -> None:
        assert server.hanging.wait(20)
        assert read.wait(20)
        signal.pthread_kill(main_thread, signal.SIGINT)

    main_thread = threading.get_ident()
    waiting = threading.Thread(target=interrupt)
    waiting.start()
    with pytest.raises(KeyboardInterrupt):
        turn("?", make(server, stream=True), store=store, on_piece=on_piece)
    waiting.join(timeout=20)
    assert came
    assert server.gone.wait(20), "the client still holds the connection"
    assert store.read() is None

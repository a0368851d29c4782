"""Turns through the providers' own clients, against a loopback server that speaks their wire formats."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import TYPE_CHECKING, Any

import anthropic
import llm
import ollama
import openai
import pytest
from loopback import ANSWER, AXES, BLOCK, REPLY, THINKING, Answer, Loopback

from coglog_nb import CogLog, InputError, RefusedError, TurnError, UsageError, aturn, turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# The clients that tests, and llm itself, make for one call are closed by the collector, which Python remarks on.
pytestmark = [pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"), pytest.mark.usefixtures("collected")]

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


# ---- llm


def test_a_turn_through_llm(server: Loopback, store: CogLog, llm_models: Callable[..., None]) -> None:
    llm_models({"model_id": "loop", "aliases": ["lo"], "api_key_name": "loopback"}, keys={"loopback": KEY})
    server.will(Answer(REPLY[:40], REPLY[40:]), Answer(REPLY))
    pieces: list[tuple[str, str]] = []
    entry = turn(
        "?",
        "lo",
        store=store,
        system="You are a tutor.",
        options={"temperature": "0.5"},
        on_piece=lambda kind, text: pieces.append((kind, text)),
    )
    assert entry["layers"] == {"user": "?", "thinking": THINKING, "assistant": ANSWER}
    assert "".join(text for kind, text in pieces if kind == "thinking") == THINKING
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["temperature"] == 0.5
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert request.body["messages"][0]["content"].startswith("You are a tutor.\n\nAt the end of each response")
    assert turn("?", llm.get_model("loop"), store=store)["turn_id"] == 2
    assert KEY not in store.current_file.read_text(encoding="utf-8")


def test_a_turn_through_llm_with_reasoning_of_its_own(
    server: Loopback, store: CogLog, llm_models: Callable[..., None]
) -> None:
    llm_models({"model_id": "loop", "responses": True, "reasoning": True})
    server.will(Answer(*HALVES, thinking=(THINKING[:5], THINKING[5:])))
    entry = turn("?", "loop", store=store)
    assert entry["layers"] == {"user": "?", "thinking": THINKING, "assistant": ANSWER}


def test_a_turn_through_llm_that_does_not_stream(
    server: Loopback, store: CogLog, llm_models: Callable[..., None]
) -> None:
    llm_models({"model_id": "loop", "can_stream": False})
    server.will(Answer(REPLY))
    assert turn("?", "loop", store=store)["layers"]["assistant"] == ANSWER
    assert not server.requests[0].body.get("stream")


def test_a_turn_through_llm_without_blocking(server: Loopback, store: CogLog, llm_models: Callable[..., None]) -> None:
    llm_models({"model_id": "loop"})
    server.will(Answer(REPLY), Answer(REPLY), Answer(REPLY))

    async def main() -> None:
        assert (await aturn("?", "loop", store=store))["turn_id"] == 1
        assert (await aturn("?", llm.get_async_model("loop"), store=store))["turn_id"] == 2
        assert turn("?", llm.get_async_model("loop"), store=store)["turn_id"] == 3

    asyncio.run(main())


class _Sync(llm.Model):
    """A model as an old plugin gives it: no asynchronous form, plain text, and it reads no `prompt.messages`."""

    model_id = "old-plugin"
    can_stream = True

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Any:
        assert stream
        assert response.model is self
        if conversation.responses:
            yield f"{len(conversation.responses)}: {prompt.prompt[-20:]}"
        else:
            yield REPLY[:10]
            yield REPLY[10:]


def test_a_model_of_an_old_plugin_works_too(store: CogLog) -> None:
    assert turn("?", _Sync(), store=store)["layers"]["assistant"] == ANSWER
    assert asyncio.run(aturn("?", _Sync(), store=store))["turn_id"] == 2
    entry = turn("?", _Sync(), store=store, reflect=True)
    assert [entry[name][:3] for name in AXES] == ["1: ", "2: ", "3: ", "4: "]


def test_reflection_through_llm_is_one_conversation(
    server: Loopback, store: CogLog, llm_models: Callable[..., None]
) -> None:
    llm_models({"model_id": "loop"})
    server.will(Answer(f"<think>{THINKING}</think>{ANSWER}"), Answer("f"), Answer("t"), Answer("(empty)"), Answer("a"))
    entry = turn("?", "loop", store=store, system="be brief", reflect=True)
    assert [entry[name] for name in AXES] == ["f", "t", "", "a"]
    roles = [[message["role"] for message in request.body["messages"]] for request in server.requests]
    assert roles == [["system", "user", *["assistant", "user"] * count] for count in range(5)]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("lop", r"unknown model lop; did you mean loop\?: `llm models` lists"),
        ("", "no model: name one that llm knows"),
    ],
)
def test_an_unknown_model_is_told(
    server: Loopback, store: CogLog, llm_models: Callable[..., None], model: str, said: str
) -> None:
    llm_models({"model_id": "loop"})
    with pytest.raises(UsageError, match=said):
        turn("?", model, store=store)
    assert not server.requests


def test_settings_of_llm_that_are_damaged_are_told(
    server: Loopback, store: CogLog, llm_models: Callable[..., None], llm_dir: Path
) -> None:
    llm_models({"model_id": "loop"})
    (llm_dir / "keys.json").write_text("{damaged")
    server.will(Answer("no", status=401))
    with pytest.raises(TurnError, match="loop refused the key"):
        turn("?", "loop", store=store)
    (llm_dir / "extra-openai-models.yaml").write_text("{damaged")
    with pytest.raises(InputError, match=r"llm can't look for the model loop: \w+Error: .*extra-openai-models\.yaml"):
        turn("?", "loop", store=store)


def test_without_llm_the_message_says_what_to_install(store: CogLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "llm", None)
    with pytest.raises(UsageError, match=r"the model gpt needs the llm library: pip install 'coglog-nb\[llm\]'"):
        turn("?", "gpt", store=store)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"temperatur": "1"}, r"loop has no option temperatur; did you mean temperature\?; it has "),
        ({"temperature": "hot"}, "option temperature of loop: Input should be a valid number"),
    ],
)
def test_an_option_that_does_not_fit_is_told(
    server: Loopback, store: CogLog, llm_models: Callable[..., None], options: dict[str, str], said: str
) -> None:
    llm_models({"model_id": "loop"})
    with pytest.raises(UsageError, match=said):
        turn("?", "loop", store=store, options=options)
    assert not server.requests


def test_a_missing_key_is_told(server: Loopback, store: CogLog, llm_models: Callable[..., None]) -> None:
    llm_models({"model_id": "loop", "api_key_name": "loopback"})
    with pytest.raises(TurnError, match=r"loop needs a key .*llm keys set loopback"):
        turn("?", "loop", store=store)
    assert not server.requests


# ---- failures


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


def test_a_key_of_llms_is_in_no_message(server: Loopback, store: CogLog, llm_models: Callable[..., None]) -> None:
    key = "plain words of a key"
    llm_models({"model_id": "loop", "api_key_name": "loopback"}, keys={"loopback": key})
    server.will(Answer(f"bad key: {key}", status=401))
    with pytest.raises(TurnError, match="loop refused the key") as caught:
        turn("?", "loop", store=store)
    assert key not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_key_that_a_model_was_given_is_in_no_message(
    server: Loopback, store: CogLog, llm_models: Callable[..., None]
) -> None:
    llm_models({"model_id": "loop", "api_key_name": "loopback"})
    model = llm.get_model("loop")
    model.key = "plain words of a key"
    server.will(Answer(f"not good: {model.key}", status=401))
    with pytest.raises(TurnError, match="loop refused the key") as caught:
        turn("?", model, store=store)
    assert model.key not in str(caught.value)
    assert "(key not shown)" in str(caught.value)


def test_a_server_that_is_not_there_is_told(store: CogLog) -> None:
    client = ollama.Client(host="http://127.0.0.1:9", timeout=5)
    with pytest.raises(TurnError, match="can't be reached"):
        turn("?", lambda messages: client.chat(model="m", messages=messages), store=store)
    other = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY, max_retries=0, timeout=5)
    with pytest.raises(TurnError, match="can't be reached"):
        turn("?", lambda messages: other.chat.completions.create(model="m", messages=messages), store=store)


def test_a_time_out_is_told_and_the_part_that_came_is_not_lost(server: Loopback, store: CogLog) -> None:
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


def test_an_answer_that_was_cut_is_told(server: Loopback, store: CogLog) -> None:
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

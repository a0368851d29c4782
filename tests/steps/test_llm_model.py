"""The models of the `llm` library, against a loopback server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import llm
import pytest
from loopback import ANSWER, AXES, BLOCK, REPLY, THINKING, Answer, Loopback

from coglog_nb import CogLog, InputError, TurnError, UsageError, aturn, turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# llm and the tests' own clients are closed by the garbage collector, which makes Python warn.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.usefixtures("collected"),
]

KEY = "not-a-real-key-1234567890"
SAID = f"{ANSWER}\n\n{BLOCK}"
HALVES = (SAID[:30], SAID[30:])


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
    ("options", "said"),
    [
        ({"temperatur": "1"}, r"loop has no option temperatur; did you mean temperature\?; it has "),
        ({"temperature": "hot"}, "option temperature of loop: Input should be a valid number"),
    ],
)
def test_a_wrong_option_is_an_error(
    server: Loopback, store: CogLog, llm_models: Callable[..., None], options: dict[str, str], said: str
) -> None:
    llm_models({"model_id": "loop"})
    with pytest.raises(UsageError, match=said):
        turn("?", "loop", store=store, options=options)
    assert not server.requests


def test_a_missing_key_is_an_error(server: Loopback, store: CogLog, llm_models: Callable[..., None]) -> None:
    llm_models({"model_id": "loop", "api_key_name": "loopback"})
    with pytest.raises(TurnError, match=r"loop needs a key .*llm keys set loopback"):
        turn("?", "loop", store=store)
    assert not server.requests


def test_a_key_of_llms_is_in_no_message(server: Loopback, store: CogLog, llm_models: Callable[..., None]) -> None:
    key = "plain words of a key"
    llm_models({"model_id": "loop", "api_key_name": "loopback"}, keys={"loopback": key})
    server.will(Answer(f"bad key: {key}", status=401))
    with pytest.raises(TurnError, match="loop refused the key") as caught:
        turn("?", "loop", store=store)
    assert key not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_key_of_llms_is_in_no_message_of_another_model(store: CogLog, llm_dir: Path) -> None:
    key = "plain words of a key"
    (llm_dir / "keys.json").write_text(f'{{"loopback": "{key}"}}')

    def failing(messages: object) -> str:
        raise ValueError(f"sent {key} with {messages}")

    with pytest.raises(TurnError, match=r"sent \(key not shown\) with") as caught:
        turn("?", failing, store=store)
    assert caught.value.__cause__ is None
    with pytest.raises(TurnError, match=r"no \(key not shown\)"):
        turn("?", lambda _: {"error": {"message": f"no {key}"}}, store=store)


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


@pytest.mark.parametrize(
    ("model", "said"),
    [("lop", r"unknown model lop; did you mean loop\?: `llm models` lists"), ("", "no model: name one that llm knows")],
)
def test_an_unknown_model_is_an_error_with_the_nearest_name(
    server: Loopback, store: CogLog, llm_models: Callable[..., None], model: str, said: str
) -> None:
    llm_models({"model_id": "loop"})
    with pytest.raises(UsageError, match=said):
        turn("?", model, store=store)
    assert not server.requests


def test_damaged_settings_of_llm_are_reported(
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

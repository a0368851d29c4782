"""The page on the system prompt is right: its loop runs, its `chat` functions fit the libraries."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from coglog_nb import CogLog
from coglog_nb.fields import AXES, FIELDS
from coglog_nb.prompt import TEMPLATE
from coglog_nb.view import values_of

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = (Path(__file__).parents[2] / "docs" / "system-prompt.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
TEXT = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
LOOP, *CHATS = PYTHON


def reply(number: int) -> str:
    return (
        f"<think>Thought {number}.</think>Answer {number}: {{x}} $HOME.\n\n"
        f'{{"current_focus":"focus {number}","theory_of_mind":"","self_narrative":"self","annotation":"note {number}"}}'
    )


def run_loop(replies: list[str], said: list[str]) -> list[list[dict[str, str]]]:
    """Run the page's loop with a scripted chat; return what that was sent."""
    sent: list[list[dict[str, str]]] = []
    left = iter(replies)

    def chat(messages: list[dict[str, str]]) -> str:
        sent.append(messages)
        return next(left)

    lines = iter([*said, ""])
    exec(compile(LOOP, "the loop", "exec"), {"chat": chat, "input": lambda _: next(lines)})  # noqa: S102 - the page's own
    return sent


def test_the_loop_has_ten_lines() -> None:
    assert len([line for line in LOOP.splitlines() if line]) == 10


def test_each_round_starts_from_the_turn_before(capsys: pytest.CaptureFixture[str]) -> None:
    sent = run_loop([reply(1), reply(2), reply(3)], ["one", "two", "three"])
    entry = CogLog().read()
    assert entry is not None
    assert entry["turn_id"] == 3
    assert values_of(entry) == {
        "user": "three",
        "thinking": "Thought 3.",
        "assistant": "Answer 3: {x} $HOME.",
        "current_focus": "focus 3",
        "theory_of_mind": "",
        "self_narrative": "self",
        "annotation": "note 3",
    }
    assert capsys.readouterr().out == "".join(f"Answer {number}: {{x}} $HOME.\n" for number in (1, 2, 3))
    assert [messages[-1] for messages in sent] == [
        {"role": "user", "content": word} for word in ("one", "two", "three")
    ]
    systems = [messages[0]["content"] for messages in sent]
    assert all(text.startswith("You are a tutor.") and text.endswith(TEMPLATE) for text in systems)
    assert all("between <think> and </think>" in text for text in systems)
    assert "CogLog turn" not in systems[0]
    # Of everything before, the turn before and nothing else.
    for number, text in enumerate(systems[1:], 1):
        assert f"CogLog turn {number}," in text
        assert all(words in text for words in (f"note {number}", f"Thought {number}.", f"Answer {number}:"))
        assert f"note {number - 1}" not in text


def test_a_reply_without_its_block_is_reported_and_the_turn_before_stays(capsys: pytest.CaptureFixture[str]) -> None:
    sent = run_loop([reply(1), "<think>Hm.</think>No block here.", reply(3)], ["one", "two", "three"])
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "No block here."
    assert any("current_focus" in line for line in told[2:-1])
    assert "CogLog turn 1," in sent[2][0]["content"]
    entry = CogLog().read()
    assert entry is not None
    assert (entry["turn_id"], entry["annotation"]) == (2, "note 3")


def clients() -> dict[str, Callable[[], Any]]:
    def openai() -> Any:
        from openai import OpenAI

        return OpenAI(api_key="none", base_url="http://127.0.0.1:9")

    def anthropic() -> Any:
        from anthropic import Anthropic

        return Anthropic(api_key="none", base_url="http://127.0.0.1:9")

    def ollama() -> Any:
        from ollama import Client

        return Client(host="http://127.0.0.1:9")

    def langchain() -> Any:
        from langchain_core.language_models import FakeListChatModel

        return FakeListChatModel(responses=["answered"])

    def llm() -> Any:
        from llm import Model

        class Silent(Model):
            model_id = "silent"

            def execute(self, *_: Any, **__: Any) -> Any:
                yield "answered"

        return Silent()

    return {"OpenAI": openai, "Anthropic": anthropic, "Ollama": ollama, "LangChain": langchain, "llm": llm}


@pytest.mark.parametrize("library", clients())
def test_a_chat_line_fits_its_library(library: str) -> None:
    (code,) = (code for code in CHATS if re.search(rf"# {library}\b", code))
    client = clients()[library]()
    names: dict[str, Any] = {"MODEL": "some-model", "client": client}
    exec(compile(code, library, "exec"), names)  # noqa: S102 - the page's own
    sent = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    if library == "LangChain":
        assert names["chat"](sent).content == "answered"
        return
    if library == "llm":
        response = names["chat"](sent)
        assert (response.prompt.prompt, response.prompt.system) == ("u", "s")
        return
    path, method = {
        "OpenAI": ("chat.completions", "create"),
        "Anthropic": ("messages", "create"),
        "Ollama": ("", "chat"),
    }[library]
    owner = attrgetter(path)(client) if path else client
    # The library's own signature is kept: an argument that it doesn't have is an error.
    with mock.patch.object(owner, method, autospec=True, return_value="answered") as called:
        assert names["chat"](sent) == "answered"
    given = called.call_args.kwargs
    assert given["model"] == "some-model"
    assert given["messages"] == (sent[1:] if library == "Anthropic" else sent)
    assert given.get("system") == ("s" if library == "Anthropic" else None)


def test_every_library_it_names_is_tried() -> None:
    assert len(CHATS) == len(clients())


def test_what_to_paste_is_what_the_code_says() -> None:
    template, guide = TEXT
    assert template == TEMPLATE + "\n"
    assert re.findall(r"^- (\w+) \((\w+)\): (.+)$", guide, re.MULTILINE) == [
        (field.name, field.direction, field.question) for field in FIELDS if field.name in AXES
    ]

"""Ollama's two calls, whole and streamed, against the library's own types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ollama import ChatResponse, GenerateResponse
from recorded import TEXT, THINKING, USER, by_field, fed, forms_of, pieces, same, seen, whole_turn

from coglog_nb import capture


def chat(content: str = TEXT, thinking: str | None = THINKING, reason: str = "stop") -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **({} if thinking is None else {"thinking": thinking})}
    return {
        "model": "qwen3",
        "created_at": "2026-11-30T00:00:00Z",
        "message": message,
        "done": True,
        "done_reason": reason,
    }


def generate(response: str = TEXT, thinking: str = THINKING) -> dict[str, Any]:
    return {
        "model": "qwen3",
        "created_at": "2026-11-30T00:00:00Z",
        "response": response,
        "thinking": thinking,
        "done": True,
        "done_reason": "stop",
        "context": [1, 2],
    }


def test_chat() -> None:
    captured = same(*forms_of(chat(), ChatResponse.model_validate(chat())))
    whole_turn(captured)
    assert captured.provider == "Ollama chat"
    assert captured.sources["thinking"] == "message.thinking"


def test_generate() -> None:
    captured = same(*forms_of(generate(), GenerateResponse.model_validate(generate())))
    whole_turn(captured)
    assert captured.provider == "Ollama generate"
    assert captured.sources["assistant"] == "response"


def test_without_thinking() -> None:
    data = chat(thinking=None)
    captured = same(*forms_of(data, ChatResponse.model_validate(data)))
    assert captured.thinking_state == "none"
    assert "think=True" in by_field(captured, "thinking")


def test_tags_where_the_model_was_not_asked_to_think_apart() -> None:
    data = chat(f"<think>\n{THINKING}\n</think>\n\n{TEXT}", None)
    whole_turn(same(*forms_of(data, ChatResponse.model_validate(data))))


def test_an_empty_answer_at_the_limit() -> None:
    data = chat("", reason="length")
    captured = same(*forms_of(data, ChatResponse.model_validate(data)))
    assert captured.cut
    assert "cut" in by_field(captured, "assistant")
    assert captured.fields["thinking"] == THINKING


@pytest.mark.parametrize("call", ["chat", "generate"])
def test_chunks_give_the_turn_of_the_reply(call: str) -> None:
    head = {"model": "qwen3", "created_at": "2026-11-30T00:00:00Z"}

    def piece(thinking: str, text: str) -> dict[str, Any]:
        if call == "chat":
            return {**head, "message": {"role": "assistant", "content": text, "thinking": thinking}, "done": False}
        return {**head, "response": text, "thinking": thinking, "done": False}

    data = [
        *(piece(each, "") for each in pieces(THINKING)),
        *(piece("", each) for each in pieces(TEXT)),
        {**piece("", ""), "done": True, "done_reason": "stop"},
    ]
    kind: Any = ChatResponse if call == "chat" else GenerateResponse
    expected = capture(chat() if call == "chat" else generate(), user=USER)
    for stream in (data, [kind.model_validate(each) for each in data]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert seen(captured) == seen(expected)
        assert said == {"thinking": THINKING, "assistant": TEXT}
    lines = "".join(json.dumps(each) + "\n" for each in data)
    assert seen(capture(lines, user=USER)) == seen(expected), "as the server sends it, a line a chunk"

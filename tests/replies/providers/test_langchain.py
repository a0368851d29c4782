"""LangChain's messages, with the content of the providers behind them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, AIMessageChunk
from recorded import TEXT, THINKING, USER, by_field, fed, pieces, same, seen, whole_turn

from coglog_nb import capture


def forms(content: Any, **more: Any) -> list[Any]:
    typed = AIMessage(content=content, **more)
    return [typed, typed.model_dump(), typed.model_dump_json(), dumps(typed)]


SAID = {"type": "text", "text": TEXT}


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ([{"type": "reasoning", "reasoning": THINKING}, SAID], {}),
        ([{"type": "thinking", "thinking": THINKING, "signature": "c2ln"}, SAID], {}),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": THINKING}], "id": "rs_1"}, SAID], {}),
        ([{"type": "reasoning_content", "reasoning_content": {"text": THINKING, "signature": "c2ln"}}, SAID], {}),
        (TEXT, {"additional_kwargs": {"reasoning_content": THINKING}}),
        (
            [SAID],
            {
                "additional_kwargs": {
                    "reasoning": {"id": "rs_1", "summary": [{"type": "summary_text", "text": THINKING}]}
                }
            },
        ),
        (f"<think>\n{THINKING}\n</think>\n\n{TEXT}", {}),
        ([{"type": "reasoning", "reasoning": THINKING}, TEXT], {}),
    ],
)
def test_every_place_of_thinking(content: Any, more: dict[str, Any]) -> None:
    captured = same(*forms(content, **more))
    whole_turn(captured)
    assert captured.provider == "LangChain"


def test_the_librarys_content_blocks_say_the_same() -> None:
    content: list[str | dict[Any, Any]] = [{"type": "thinking", "thinking": THINKING, "signature": "c2ln"}, SAID]
    typed = AIMessage(content=content, response_metadata={"model_provider": "anthropic"})
    assert [block["type"] for block in typed.content_blocks] == ["reasoning", "text"]
    captured = capture(typed, user=USER)
    assert captured.fields["thinking"] == typed.content_blocks[0]["reasoning"]  # type: ignore[typeddict-item]  # a reasoning block
    whole_turn(same(AIMessage(content_blocks=typed.content_blocks)))


@pytest.mark.parametrize(
    "part",
    [
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "non_standard", "value": {"type": "redacted_thinking", "data": "c2VjcmV0"}},
        {"type": "reasoning", "summary": [], "encrypted_content": "c2VjcmV0"},
        {"type": "reasoning", "extras": {"signature": "c2VjcmV0"}},
        {"type": "reasoning_content", "reasoning_content": {"redacted_content": "c2VjcmV0"}},
    ],
)
def test_withheld(part: dict[str, Any]) -> None:
    captured = same(*forms([part, SAID]))
    assert captured.thinking_state == "withheld"
    assert "ask the chat model" in by_field(captured, "thinking")
    assert "c2VjcmV0" not in str(seen(captured))


def test_ends() -> None:
    assert same(*forms(TEXT[:-4], response_metadata={"finish_reason": "length"})).cut
    assert same(*forms("No.", response_metadata={"stop_reason": "refusal"})).refusal
    refused = same(*forms("", additional_kwargs={"refusal": "I can't."}))
    assert refused.refusal
    assert refused.fields["assistant"] == "I can't."
    calls = same(*forms(TEXT, tool_calls=[{"name": "cos", "args": {}, "id": "1", "type": "tool_call"}]))
    assert "1 part of type tool_call left out" in calls.notes


@pytest.mark.parametrize(
    "think",
    [
        lambda piece: AIMessageChunk(content=[{"type": "thinking", "thinking": piece, "index": 0}]),
        lambda piece: AIMessageChunk(content=[{"type": "reasoning", "reasoning": piece, "index": 0}]),
        lambda piece: AIMessageChunk(content="", additional_kwargs={"reasoning_content": piece}),
    ],
)
def test_chunks_give_the_turn_of_their_sum(think: Any) -> None:
    chunks = [
        *(think(piece) for piece in pieces(THINKING)),
        *(AIMessageChunk(content=[{"type": "text", "text": piece, "index": 1}]) for piece in pieces(TEXT)),
        AIMessageChunk(content="", response_metadata={"stop_reason": "end_turn"}),
    ]
    total = chunks[0]
    for each in chunks[1:]:
        total = total + each
    expected = capture(total, user=USER)
    for stream in (chunks, [json.loads(each.model_dump_json()) for each in chunks]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert captured.fields == expected.fields
        assert said == {"thinking": THINKING, "assistant": TEXT}


def test_withheld_thinking_in_chunks() -> None:
    chunks = [
        AIMessageChunk(content=[{"type": "redacted_thinking", "data": "c2VjcmV0", "index": 0}]),
        *(AIMessageChunk(content=piece) for piece in pieces(TEXT)),
    ]
    captured, _ = fed(chunks)
    assert captured.thinking_state == "withheld"

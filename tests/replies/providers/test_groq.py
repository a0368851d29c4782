"""Groq's replies and chunks: reasoning apart from the answer, or in tags."""

from __future__ import annotations

from typing import Any

from groq.types.chat import ChatCompletion, ChatCompletionChunk
from recorded import TEXT, THINKING, by_field, chunk, completion, fed, forms_of, pieces, same, whole_turn


def test_parsed_and_raw() -> None:
    parsed = {**completion("qwen/qwen3-32b", reasoning=THINKING), "x_groq": {"id": "req_1"}}
    captured = same(*forms_of(parsed, ChatCompletion.model_validate(parsed)))
    whole_turn(captured)
    assert captured.provider == "Groq"
    raw = {**completion("qwen/qwen3-32b", content=f"<think>\n{THINKING}\n</think>\n{TEXT}"), "x_groq": {"id": "1"}}
    whole_turn(same(*forms_of(raw, ChatCompletion.model_validate(raw))))


def test_hidden() -> None:
    hidden = {**completion("qwen/qwen3-32b"), "x_groq": {"id": "req_1"}}
    captured = same(*forms_of(hidden, ChatCompletion.model_validate(hidden)))
    assert captured.thinking_state == "none"
    assert 'reasoning_format="parsed"' in by_field(captured, "thinking")


def test_chunks() -> None:
    data: list[dict[str, Any]] = [
        {**chunk("qwen", {"role": "assistant", "content": ""}), "x_groq": {"id": "req_1"}},
        *(chunk("qwen", {"reasoning": piece}) for piece in pieces(THINKING)),
        *(chunk("qwen", {"content": piece}) for piece in pieces(TEXT)),
        {**chunk("qwen", {}, "stop"), "x_groq": {"id": "req_1", "usage": None}},
    ]
    for stream in (data, [ChatCompletionChunk.model_validate(each) for each in data]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert captured.provider == "Groq"
        assert said == {"thinking": THINKING, "assistant": TEXT}

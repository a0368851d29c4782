"""Mistral's replies and chunks: a content that is a text, or a list of parts."""

from __future__ import annotations

from typing import Any

import pytest
from mistralai.client.models import ChatCompletionResponse, CompletionChunk, CompletionEvent
from recorded import (
    TEXT,
    THINKING,
    USER,
    by_field,
    chunk,
    completion,
    fed,
    forms_of,
    pieces,
    same,
    seen,
    whole_turn,
)

from coglog_nb import capture

PARTS = (
    {"type": "thinking", "thinking": [{"type": "text", "text": THINKING}]},
    {"type": "text", "text": TEXT},
)


def test_a_list_and_a_string() -> None:
    parts = completion("magistral-medium-latest", content=list(PARTS))
    captured = same(*forms_of(parts, ChatCompletionResponse.model_validate(parts)))
    whole_turn(captured)
    assert captured.provider == "Mistral"
    assert captured.sources["thinking"] == "choices[0].message.content[0].thinking"
    plain = completion("mistral-medium-latest")
    captured = same(*forms_of(plain, ChatCompletionResponse.model_validate(plain)))
    assert captured.thinking_state == "none"
    assert "reasoning" in by_field(captured, "thinking")


def test_several_pieces_of_one_thought() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": piece} for piece in pieces(THINKING, 20)]},
        {"type": "text", "text": TEXT[:20]},
        {"type": "text", "text": TEXT[20:]},
    ]
    whole_turn(capture(completion("magistral-small", content=content), user=USER))


def test_its_own_tags() -> None:
    whole_turn(same(completion("magistral-small", content=f"[THINK]{THINKING}[/THINK]{TEXT}")))


@pytest.mark.parametrize("text_as_list", [True, False])
def test_chunks(text_as_list: bool) -> None:
    def said_as(piece: str) -> Any:
        return [{"type": "text", "text": piece}] if text_as_list else piece

    model = "magistral-medium-latest"
    data: list[dict[str, Any]] = [
        chunk(model, {"role": "assistant", "content": ""}),
        *(
            chunk(model, {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]})
            for piece in pieces(THINKING)
        ),
        *(chunk(model, {"content": said_as(piece)}) for piece in pieces(TEXT)),
        chunk(model, {"content": ""}, "stop"),
    ]
    events = [CompletionEvent(data=CompletionChunk.model_validate(each)) for each in data]
    expected = capture(completion(model, content=list(PARTS)), user=USER)
    for stream in (data, [{"data": each} for each in data], events):
        captured, said = fed(stream)
        whole_turn(captured)
        assert seen(captured) == seen(expected)
        assert said == {"thinking": THINKING, "assistant": TEXT}

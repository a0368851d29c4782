"""LiteLLM's replies and chunks: one text may stand in them in two places."""

from __future__ import annotations

import os
from typing import Any

import pytest
from recorded import TEXT, THINKING, by_field, chunk, completion, fed, forms_of, pieces, same, whole_turn

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it would ask a server for its list of prices

from litellm.types.utils import ModelResponse, ModelResponseStream

# Of pydantic, about types that the library itself defines so.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Item .* on TypedDict class 'ChatCompletion.*' is using the `ReadOnly` qualifier:UserWarning"
)

BLOCKS = ({"type": "thinking", "thinking": THINKING, "signature": "c2lnbmVk"},)


@pytest.mark.parametrize("with_text", [True, False])
def test_the_same_text_is_not_taken_twice(with_text: bool) -> None:
    message: dict[str, Any] = {"thinking_blocks": list(BLOCKS)}
    if with_text:
        message["reasoning_content"] = THINKING
    data = completion("claude-sonnet-4-5", **message)
    captured = same(*forms_of(data, ModelResponse(**data)))
    whole_turn(captured)
    assert captured.provider == "LiteLLM"


def test_redacted_blocks_are_withheld() -> None:
    data = completion("claude-sonnet-4-5", thinking_blocks=[{"type": "redacted_thinking", "data": "c2VjcmV0"}])
    captured = same(*forms_of(data, ModelResponse(**data)))
    assert captured.thinking_state == "withheld"
    assert "reasoning_effort" in by_field(captured, "thinking")


def test_chunks() -> None:
    data = [
        *(
            chunk(
                "claude",
                {
                    "role": "assistant",
                    "content": "",
                    "reasoning_content": piece,
                    "thinking_blocks": [{"type": "thinking", "thinking": piece}],
                },
            )
            for piece in pieces(THINKING)
        ),
        *(chunk("claude", {"content": piece}) for piece in pieces(TEXT)),
        chunk("claude", {}, "stop"),
    ]
    for stream in (data, [ModelResponseStream(**each) for each in data]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert said == {"thinking": THINKING, "assistant": TEXT}

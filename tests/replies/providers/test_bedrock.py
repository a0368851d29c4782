"""Bedrock's Converse: the library gives plain dicts, with bytes in them."""

from __future__ import annotations

from typing import Any

import pytest
from recorded import TEXT, THINKING, USER, by_field, fed, pieces, same, seen, whole_turn

from coglog_nb import capture

THOUGHT = {"reasoningContent": {"reasoningText": {"text": THINKING, "signature": "c2lnbmVk"}}}
REDACTED = {"reasoningContent": {"redactedContent": b"\x00\xff secret"}}
UNREADABLE = {"reasoningContent": {"reasoningText": {"text": "", "signature": "c2lnbmVk"}}}


def reply(*content: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    return {
        "ResponseMetadata": {"HTTPHeaders": {"x-amzn-requestid": "1"}, "HTTPStatusCode": 200},
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": reason,
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
    }


def test_reasoning_and_the_answer() -> None:
    captured = same(reply(THOUGHT, {"text": TEXT}))
    whole_turn(captured)
    assert captured.provider == "Bedrock Converse"
    assert captured.sources["thinking"] == "output.message.content[0].reasoningContent.reasoningText.text"


@pytest.mark.parametrize("part", [REDACTED, UNREADABLE])
def test_bytes_and_a_signature_are_withheld(part: dict[str, Any]) -> None:
    captured = same(reply(part, {"text": TEXT}))
    assert captured.thinking_state == "withheld"
    assert "additionalModelRequestFields" in by_field(captured, "thinking")
    assert "secret" not in str(seen(captured))


def test_ends() -> None:
    assert same(reply(THOUGHT, {"text": TEXT[:-4]}, reason="max_tokens")).cut
    stopped = same(reply({"text": "Blocked."}, reason="guardrail_intervened"))
    assert stopped.refusal
    assert stopped.fields["assistant"] == "Blocked."
    tools = same(reply(THOUGHT, {"toolUse": {"toolUseId": "1", "name": "cos", "input": {}}}, {"text": TEXT}))
    assert "1 part of type toolUse left out" in tools.notes


def delta(index: int, **what: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": what}}


def test_events_give_the_turn_of_the_reply() -> None:
    events: list[dict[str, Any]] = [
        {"messageStart": {"role": "assistant"}},
        *(delta(0, reasoningContent={"text": piece}) for piece in pieces(THINKING)),
        delta(0, reasoningContent={"signature": "c2lnbmVk"}),
        {"contentBlockStop": {"contentBlockIndex": 0}},
        delta(1, reasoningContent={"redactedContent": b"secret"}),
        *(delta(2, text=piece) for piece in pieces(TEXT)),
        {"contentBlockStop": {"contentBlockIndex": 2}},
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": {}}},
    ]
    captured, said = fed(events)
    whole_turn(captured)
    assert seen(captured) == seen(capture(reply(THOUGHT, REDACTED, {"text": TEXT}), user=USER))
    assert said == {"thinking": THINKING, "assistant": TEXT}

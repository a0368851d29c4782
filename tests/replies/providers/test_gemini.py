"""Gemini's two interfaces, whole and streamed, against the library's own types."""

from __future__ import annotations

import json
from typing import Any

from google.genai import types
from recorded import TEXT, THINKING, USER, by_field, fed, pieces, same, seen, whole_turn

from coglog_nb import capture


def part(text: str, *, thought: bool = False, **more: Any) -> dict[str, Any]:
    return {"text": text, **({"thought": True} if thought else {}), **more}


def reply(*parts: dict[str, Any], reason: str = "STOP", **more: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}
    return {"candidates": [candidate], "modelVersion": "gemini-2.5-flash", **more}


def forms(*parts: dict[str, Any], **more: Any) -> list[Any]:
    data = reply(*parts, **more)
    typed = types.GenerateContentResponse.model_validate(data)
    return [
        data,
        json.dumps(data),
        typed,
        typed.model_dump(),
        typed.model_dump_json(),
        typed.model_dump(by_alias=True, exclude_none=True, mode="json"),
    ]


def test_thoughts_and_the_answer() -> None:
    captured = same(*forms(part(THINKING, thought=True), part(TEXT[:9]), part(TEXT[9:], thoughtSignature="c2lnbmVk")))
    whole_turn(captured)
    assert captured.provider == "Gemini"
    assert captured.sources["thinking"] == "candidates[0].content.parts[0].text"


def test_a_signature_on_the_answers_part_is_withheld_thinking() -> None:
    captured = same(*forms(part(TEXT, thoughtSignature="c2lnbmVk")))
    assert captured.thinking_state == "withheld"
    assert "include_thoughts=True" in by_field(captured, "thinking")
    assert captured.fields["assistant"]
    assert "c2lnbmVk" not in str(seen(captured))


def test_no_thinking() -> None:
    captured = same(*forms(part(TEXT), usageMetadata={"thoughtsTokenCount": 512}))
    assert captured.thinking_state == "none"
    assert any("512 tokens" in note for note in captured.notes)


def test_cut_and_blocked() -> None:
    assert same(*forms(part(TEXT[:-9]), reason="MAX_TOKENS")).cut
    stopped = same(*forms(part("Well"), reason="SAFETY"))
    assert stopped.refusal
    assert stopped.fields["assistant"] == "Well"
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    captured = same(blocked, types.GenerateContentResponse.model_validate(blocked))
    assert captured.refusal
    assert "empty" in by_field(captured, "assistant")


def test_other_parts_are_left_out() -> None:
    captured = same(*forms(part(THINKING, thought=True), {"functionCall": {"name": "cos", "args": {}}}, part(TEXT)))
    whole_turn(captured)
    assert "1 part of type function_call left out" in captured.notes


def test_chunks_give_the_turn_of_the_reply() -> None:
    data = [
        *(reply(part(piece, thought=True), reason="") for piece in pieces(THINKING)),
        *(reply(part(piece), reason="") for piece in pieces(TEXT)),
        reply(part("", thoughtSignature="c2lnbmVk"), usageMetadata={"thoughtsTokenCount": 12}),
    ]
    for each in data[:-1]:
        del each["candidates"][0]["finishReason"]
    expected = capture(reply(part(THINKING, thought=True), part(TEXT, thoughtSignature="c2lnbmVk")), user=USER)
    for stream in (data, [types.GenerateContentResponse.model_validate(each) for each in data]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert seen(captured) == seen(expected)
        assert said == {"thinking": THINKING, "assistant": TEXT}


def interaction(*steps: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    return {"id": "i_1", "object": "interaction", "status": status, "model": "gemini-2.5-pro", "steps": list(steps)}


def thought(*summary: str) -> dict[str, Any]:
    return {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": text} for text in summary]}


def output(*texts: str) -> dict[str, Any]:
    return {"type": "model_output", "content": [{"type": "text", "text": text} for text in texts]}


def interaction_forms(*steps: dict[str, Any], status: str = "completed") -> list[Any]:
    from google.genai._gaos.types.interactions.interaction import Interaction

    data = interaction(*steps, status=status)
    typed = Interaction.model_validate(data)
    return [data, json.dumps(data), typed, typed.model_dump(), typed.model_dump_json()]


def test_interactions() -> None:
    captured = same(*interaction_forms(thought(THINKING), output(TEXT[:5], TEXT[5:])))
    whole_turn(captured)
    assert captured.provider == "Gemini Interactions"
    assert captured.sources["thinking"] == "steps[0].summary[0].text"
    empty = same(*interaction_forms(thought(), output(TEXT)))
    assert empty.thinking_state == "withheld"
    assert "thinking_summaries" in by_field(empty, "thinking")
    assert same(*interaction_forms(thought(THINKING), output(TEXT[:-5]), status="incomplete")).cut
    failed = same(*interaction_forms(thought(THINKING), output(TEXT), status="failed"))
    assert "failed" in by_field(failed, "assistant")


def test_an_interactions_events_give_its_turn() -> None:
    from google.genai._gaos.types.interactions.interactionssestreamevent import InteractionSSEStreamEvent

    events: list[dict[str, Any]] = [
        {"event_type": "interaction.created", "interaction": interaction(status="in_progress")},
        {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
        {
            "event_type": "step.delta",
            "index": 0,
            "delta": {"type": "thought_summary", "content": {"type": "text", "text": THINKING}},
        },
        {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_signature", "signature": "c2ln"}},
        {"event_type": "step.stop", "index": 0},
        {"event_type": "step.start", "index": 1, "step": {"type": "model_output"}},
        *({"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": piece}} for piece in pieces(TEXT)),
        {"event_type": "step.stop", "index": 1},
        {"event_type": "interaction.completed", "interaction": interaction(status="completed")},
    ]
    expected = capture(interaction(thought(THINKING), output(TEXT)), user=USER)
    typed = [InteractionSSEStreamEvent.model_validate({"data": event}) for event in events]
    for stream in (events, typed, [each.data for each in typed]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert seen(captured) == seen(expected)
        assert said == {"thinking": THINKING, "assistant": TEXT}

"""Anthropic's messages and streams, against the library's own types."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.lib.streaming import MessageStreamEvent
from anthropic.types import Message, RawMessageStreamEvent
from pydantic import TypeAdapter
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, by_field, fed, forms_of, pieces, same, seen, whole_turn

from coglog_nb import capture

THOUGHT = {"type": "thinking", "thinking": THINKING, "signature": "c2lnbmVk"}
OMITTED = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}
REDACTED = {"type": "redacted_thinking", "data": "c2VjcmV0"}
SAID = {"type": "text", "text": TEXT}


def message(*content: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": list(content),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 20},
        **changes,
    }


def forms(*content: dict[str, Any], **changes: Any) -> list[Any]:
    data = message(*content, **changes)
    return forms_of(data, Message.model_validate(data))


def test_a_message_with_thinking() -> None:
    captured = same(*forms(THOUGHT, SAID))
    whole_turn(captured)
    assert captured.provider == "Anthropic Messages"
    assert captured.sources["thinking"] == "content[0].thinking"
    assert captured.sources["assistant"] == "content[1].text"
    assert "c2lnbmVk" not in str(seen(captured))


def test_the_content_alone() -> None:
    whole_turn(same(Message.model_validate(message(THOUGHT, SAID)).model_dump(include={"content", "role"})))


@pytest.mark.parametrize(("part", "sign"), [(OMITTED, "signature"), (REDACTED, "redacted_thinking")])
def test_omitted_and_redacted_thinking_is_withheld_and_says_what_to_ask_for(part: dict[str, Any], sign: str) -> None:
    captured = same(*forms(part, SAID))
    assert captured.thinking_state == "withheld"
    assert "thinking" not in captured.fields
    problem = by_field(captured, "thinking")
    assert sign in problem
    assert '"display": "summarized"' in problem
    assert "thinking=" in problem
    assert same(*forms(part, SAID), thinking="mine").complete


def test_no_thinking_at_all() -> None:
    captured = same(*forms(SAID))
    assert captured.thinking_state == "none"
    assert '"display": "summarized"' in by_field(captured, "thinking")
    assert captured.fields["assistant"] == ANSWER


def test_parts_are_joined_and_a_redacted_neighbour_is_noted() -> None:
    call = {"type": "tool_use", "id": "tool_1", "name": "cos", "input": {"x": 1}}
    second = {"type": "thinking", "thinking": "Now the graph.", "signature": "c2lnbmVk"}
    captured = same(
        *forms(
            THOUGHT,
            {"type": "text", "text": "Let me "},
            call,
            REDACTED,
            second,
            {"type": "text", "text": "see.\n\n" + BLOCK},
        )
    )
    assert captured.fields["thinking"] == f"{THINKING}\n\nNow the graph."
    assert captured.fields["assistant"] == "Let me see."
    assert captured.thinking_state == "given"
    assert captured.complete
    assert any("1 part of the thinking can't be read (redacted_thinking)" in note for note in captured.notes)
    assert any("tool_use" in note for note in captured.notes)
    assert "c2VjcmV0" not in str(seen(captured))


def test_thinking_in_tags_as_a_prompt_may_ask_for_it() -> None:
    captured = same(*forms({"type": "text", "text": f"<thinking>{THINKING}</thinking>\n\n{TEXT}"}))
    whole_turn(captured)
    assert captured.sources["thinking"] == "<thinking> in content[0].text"


def test_beside_thinking_a_tag_is_text() -> None:
    captured = same(*forms(THOUGHT, {"type": "text", "text": f"Write <think>this</think>.\n\n{BLOCK}"}))
    assert captured.fields["assistant"] == "Write <think>this</think>."
    assert captured.fields["thinking"] == THINKING
    assert any("<think>" in note for note in captured.notes)


def test_a_reply_at_its_limit() -> None:
    captured = same(*forms(THOUGHT, {"type": "text", "text": TEXT[:-30]}, stop_reason="max_tokens"))
    assert captured.cut
    assert "never closes" in by_field(captured, "annotation")
    assert not set(AXES) & set(captured.fields)
    assert captured.fields["assistant"] == TEXT[:-30]


def test_a_refusal_is_the_answer() -> None:
    captured = same(*forms({"type": "text", "text": "I won't."}, stop_reason="refusal"))
    assert captured.refusal
    assert captured.fields["assistant"] == "I won't."
    assert any("refusal" in note for note in captured.notes)


def raw_events() -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message(stop_reason=None)},
        {"type": "content_block_start", "index": 0, "content_block": {**OMITTED, "signature": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": piece}}
            for piece in pieces(THINKING)
        ),
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "signature_delta", "signature": "c2lnbmVk"},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": REDACTED},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": piece}}
            for piece in pieces(TEXT)
        ),
        {"type": "content_block_stop", "index": 2},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 20},
        },
        {"type": "message_stop"},
    ]
    return events


def test_raw_events_give_the_turn_of_the_message() -> None:
    expected = capture(message(THOUGHT, REDACTED, SAID), user="What is a fixed point?")
    adapter: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
    typed = [adapter.validate_python(event) for event in raw_events()]
    for events in (raw_events(), typed, [event.model_dump() for event in typed]):
        captured, said = fed(events)
        whole_turn(captured)
        assert seen(captured) == seen(expected)
        assert said == {"thinking": THINKING, "assistant": TEXT}
    assert seen(capture(typed, user="What is a fixed point?")) == seen(expected), "a list of the chunks is a reply"


def test_the_librarys_own_events_add_nothing_twice() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(MessageStreamEvent)
    events: list[dict[str, Any]] = []
    thought, text = "", ""
    for event in raw_events():
        if event["type"] == "message_stop":
            event = {**event, "message": message(THOUGHT, REDACTED, SAID)}  # noqa: PLW2901 - as the library gives it
        if event["type"] == "content_block_stop":
            event = {**event, "content_block": (THOUGHT, REDACTED, SAID)[event["index"]]}  # noqa: PLW2901 - as above
        events.append(event)
        delta = event.get("delta", {})
        if delta.get("type") == "thinking_delta":
            thought += delta["thinking"]
            events.append({"type": "thinking", "thinking": delta["thinking"], "snapshot": thought})
        if delta.get("type") == "text_delta":
            text += delta["text"]
            events.append({"type": "text", "text": delta["text"], "snapshot": text})
        if delta.get("type") == "signature_delta":
            events.append({"type": "signature", "signature": "c2lnbmVk"})
    typed = [adapter.validate_python(event) for event in events]
    captured, said = fed(typed)
    whole_turn(captured)
    assert said == {"thinking": THINKING, "assistant": TEXT}


def test_a_stream_that_ends_early_is_what_came() -> None:
    events = raw_events()[:-12]
    captured, said = fed(events)
    assert captured.fields["thinking"] == THINKING
    assert said["assistant"] == captured.fields["assistant"]
    assert not captured.complete


def test_omitted_thinking_in_a_stream_is_withheld() -> None:
    events = [event for event in raw_events() if event.get("delta", {}).get("type") != "thinking_delta"]
    captured, said = fed(events)
    assert captured.thinking_state == "withheld"
    assert said["thinking"] == ""

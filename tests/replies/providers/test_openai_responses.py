"""OpenAI's Responses, whole and streamed, against the library's own types."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, USER, by_field, fed, forms_of, pieces, same, seen, whole_turn

from coglog_nb import InputError, capture


def reasoning(*summary: str, **more: Any) -> dict[str, Any]:
    texts = [{"type": "summary_text", "text": text} for text in summary]
    return {"id": "rs_1", "type": "reasoning", "summary": texts, **more}


def message(*content: dict[str, Any]) -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": list(content)}


def said(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def response(*output: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1764460800.0,
        "model": "gpt-5",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "output": list(output),
        **changes,
    }


def forms(*output: dict[str, Any], **changes: Any) -> list[Any]:
    data = response(*output, **changes)
    return forms_of(data, Response.model_validate(data))


def test_a_summary_and_the_answer() -> None:
    captured = same(*forms(reasoning(THINKING), message(said(TEXT))))
    whole_turn(captured)
    assert captured.provider == "OpenAI Responses"
    assert captured.sources["thinking"] == "output[0].summary[0].text"
    assert captured.sources["assistant"] == "output[1].content[0].text"


def test_the_output_alone() -> None:
    typed = Response.model_validate(response(reasoning(THINKING), message(said(TEXT))))
    whole_turn(same({"output": [item.model_dump() for item in typed.output]}))


def test_parts_of_a_summary_are_joined_by_a_blank_line_and_of_an_answer_by_nothing() -> None:
    captured = same(
        *forms(reasoning("One.", "Two."), reasoning("Three."), message(said("Hel"), said(f"lo\n\n{BLOCK}")))
    )
    assert captured.fields["thinking"] == "One.\n\nTwo.\n\nThree."
    assert captured.fields["assistant"] == "Hello"
    assert captured.complete


def test_the_whole_reasoning_is_better_than_its_summary() -> None:
    whole = reasoning("short", content=[{"type": "reasoning_text", "text": THINKING}])
    whole_turn(same(*forms(whole, message(said(TEXT)))))


@pytest.mark.parametrize("more", [{}, {"encrypted_content": "c2VjcmV0"}])
def test_an_empty_summary_is_withheld(more: dict[str, Any]) -> None:
    captured = same(*forms(reasoning(**more), message(said(TEXT))))
    assert captured.thinking_state == "withheld"
    assert 'reasoning={"summary": "auto"}' in by_field(captured, "thinking")
    assert "c2VjcmV0" not in str(seen(captured))
    assert captured.fields == {"user": USER, "assistant": ANSWER, **AXES}


def test_no_reasoning_item() -> None:
    assert same(*forms(message(said(TEXT)))).thinking_state == "none"


def test_a_refusal() -> None:
    captured = same(*forms(message({"type": "refusal", "refusal": "I can't."})))
    assert captured.refusal
    assert captured.fields["assistant"] == "I can't."


def test_incomplete() -> None:
    captured = same(
        *forms(
            reasoning(THINKING),
            message(said(TEXT[:-20])),
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        )
    )
    assert captured.cut
    assert "never closes" in by_field(captured, "current_focus")
    filtered = same(*forms(message(said("Hm")), status="incomplete", incomplete_details={"reason": "content_filter"}))
    assert filtered.refusal


def test_a_failure_is_reported_in_the_providers_words() -> None:
    error = {"code": "server_error", "message": "The server had an error."}
    with pytest.raises(InputError, match="server_error: The server had an error"):
        capture(response(status="failed", error=error))
    captured = same(*forms(message(said(TEXT)), status="failed", error=error), thinking=THINKING)
    assert "server_error" in by_field(captured, "assistant")
    with pytest.raises(InputError, match="not done yet"):
        capture(response(status="queued"))


def test_calls_of_tools_are_left_out() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c_1", "name": "cos", "arguments": "{}"}
    captured = same(*forms(reasoning(THINKING), call, message(said(TEXT))))
    assert captured.complete
    assert "1 part of type function_call left out" in captured.notes


def events(*, with_end: bool = True) -> list[dict[str, Any]]:
    whole = response(reasoning(THINKING), message(said(TEXT)))
    listed: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": reasoning()},
        {
            "type": "response.reasoning_summary_part.added",
            "item_id": "rs_1",
            "output_index": 0,
            "summary_index": 0,
            "part": {"type": "summary_text", "text": ""},
        },
        *(
            {
                "type": "response.reasoning_summary_text.delta",
                "item_id": "rs_1",
                "output_index": 0,
                "summary_index": 0,
                "delta": piece,
            }
            for piece in pieces(THINKING)
        ),
        {"type": "response.output_item.done", "output_index": 0, "item": reasoning(THINKING)},
        {"type": "response.output_item.added", "output_index": 1, "item": message()},
        *(
            {
                "type": "response.output_text.delta",
                "item_id": "msg_1",
                "output_index": 1,
                "content_index": 0,
                "delta": piece,
                "logprobs": [],
            }
            for piece in pieces(TEXT)
        ),
    ]
    if with_end:
        listed += [
            {"type": "response.output_item.done", "output_index": 1, "item": message(said(TEXT))},
            {"type": "response.completed", "response": whole},
        ]
    return [{"sequence_number": number, **event} for number, event in enumerate(listed)]


def test_events_give_the_turn_of_the_response() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    expected = capture(response(reasoning(THINKING), message(said(TEXT))), user=USER)
    typed = [adapter.validate_python(event) for event in events()]
    for stream in (events(), typed):
        captured, came = fed(stream)
        whole_turn(captured)
        assert seen(captured) == seen(expected)
        assert came == {"thinking": THINKING, "assistant": TEXT}


def test_events_that_end_early_are_what_came() -> None:
    captured, _ = fed(events(with_end=False))
    assert captured.fields["thinking"] == THINKING
    assert captured.fields["assistant"] == ANSWER
    assert "interrupted" in by_field(captured, "assistant")


def test_raw_reasoning_and_refusals_stream() -> None:
    listed = [
        {"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": THINKING},
        {"type": "response.refusal.delta", "output_index": 1, "content_index": 0, "delta": "I can't."},
    ]
    captured, came = fed(listed)
    assert came == {"thinking": THINKING, "assistant": "I can't."}
    assert captured.refusal
    assert captured.fields["thinking"] == THINKING


def test_an_error_in_the_stream() -> None:
    failed = [
        *events(with_end=False),
        {"type": "error", "sequence_number": 99, "code": "server_error", "message": "no"},
    ]
    captured, _ = fed(failed)
    assert "server_error: no" in by_field(captured, "assistant")

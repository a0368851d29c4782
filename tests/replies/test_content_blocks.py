"""The parts of a content: which types are read, and how."""

from __future__ import annotations

from typing import Any

import pytest

from coglog_nb.replies.content_blocks import are_parts, read_content
from coglog_nb.replies.parsed_reply import ParsedReply


def read(content: Any) -> ParsedReply:
    parsed = ParsedReply("a provider", "ask for it")
    read_content(parsed, content, "content")
    return parsed.finish()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"type": "text", "text": "Hi"}], True),
        ([{"type": "image"}, {"type": "thinking", "thinking": "Hm"}], True),
        ([{"type": "image"}], False),
        ([{"type": "text"}, {"text": "Hi"}], False),
        ([], False),
        ("text", False),
        (None, False),
    ],
)
def test_what_is_a_list_of_parts(value: Any, expected: bool) -> None:
    assert are_parts(value) is expected


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"type": "thinking", "thinking": "Hm"}, "content[0].thinking"),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}, "content[0].thinking"),
        ({"type": "reasoning", "reasoning": "Hm"}, "content[0].reasoning"),
        ({"type": "reasoning", "text": "Hm"}, "content[0].text"),
        ({"type": "reasoning", "summary": [{"text": "Hm"}]}, "content[0].summary[0].text"),
        ({"type": "reasoning", "summary": [{"text": "no"}], "content": [{"text": "Hm"}]}, "content[0].content[0].text"),
        ({"type": "reasoning_content", "reasoning_content": {"text": "Hm"}}, "content[0].reasoning_content.text"),
        ({"type": "non_standard", "value": {"type": "thinking", "thinking": "Hm"}}, "content[0].value.thinking"),
    ],
)
def test_thinking(part: dict[str, Any], place: str) -> None:
    parsed = read([part, {"type": "text", "text": "Yes."}])
    assert (parsed.thinking, parsed.answer) == ("Hm", "Yes.")
    assert parsed.source("thinking") == place


@pytest.mark.parametrize(
    ("part", "sign"),
    [
        ({"type": "thinking", "thinking": "", "signature": "c2ln"}, "a signature without its text"),
        ({"type": "redacted_thinking", "data": "c2ln"}, "redacted_thinking"),
        ({"type": "reasoning", "encrypted_content": "c2ln"}, "encrypted_content"),
        ({"type": "reasoning", "redacted": True}, "redacted"),
        ({"type": "reasoning", "extras": {"signature": "c2ln"}}, "a signature without its text"),
        ({"type": "reasoning", "summary": []}, "an empty summary"),
        ({"type": "reasoning_content", "reasoning_content": {"signature": "c2ln"}}, "a signature"),
    ],
)
def test_withheld_thinking(part: dict[str, Any], sign: str) -> None:
    parsed = read([part])
    assert parsed.thinking_state == "withheld"
    assert parsed.hidden_by == sign
    assert "c2ln" not in f"{parsed!r}{parsed.notes}"


def test_the_rest() -> None:
    parsed = read(["Hi, ", {"type": "output_text", "text": "you"}, {"type": "tool_use"}, {"type": "tool_use"}, {}])
    assert parsed.answer == "Hi, you"
    assert parsed.notes == ["2 parts of type tool_use left out", "1 part of type unknown left out"]
    refused = read([{"type": "refusal", "refusal": "No."}])
    assert refused.refusal
    assert refused.answer == "No."
    assert read("Hi").source("assistant") == "content"

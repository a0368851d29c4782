"""What a provider's file puts into a parsed reply, and what comes out."""

from __future__ import annotations

import pytest

from coglog_nb.replies.parsed_reply import ParsedReply


@pytest.fixture
def parsed() -> ParsedReply:
    return ParsedReply("a provider", "ask for it")


def test_pieces_of_one_place_are_one_part(parsed: ParsedReply) -> None:
    for piece in ("Hm", " ", "so"):
        parsed.think(piece, "content[0].thinking")
    parsed.think("Then.", "content[1].thinking")
    parsed.say("Ye", "content[2].text")
    parsed.say("s.", "content[2].text")
    assert parsed.thinking == "Hm so\n\nThen."
    assert parsed.answer == "Yes."
    assert parsed.source("thinking") == "content[0].thinking, content[1].thinking"
    assert parsed.source("assistant") == "content[2].text"
    assert parsed.added[:2] == [("thinking", "Hm"), ("thinking", " ")]


def test_only_text_that_can_be_read_is_thinking(parsed: ParsedReply) -> None:
    assert parsed.think("Hm", "a")
    for nothing in ("", " \n", None, 3, ["Hm"]):
        assert not parsed.think(nothing, "b")
    assert parsed.source("thinking") == "a"
    parsed.say(None, "c")
    assert parsed.answer == ""


def test_the_three_states(parsed: ParsedReply) -> None:
    assert parsed.thinking_state == "none"
    assert parsed.is_empty
    parsed.withhold("a signature", "content[0]")
    assert parsed.thinking_state == "withheld"
    assert parsed.hidden_by == "a signature"
    parsed.think("Hm", "content[1].thinking")
    assert parsed.thinking_state == "given"
    assert parsed.finish().notes == ["1 part of the thinking can't be read (a signature), and is left out"]


def test_a_sign_counts_only_where_nothing_better_is_found(parsed: ParsedReply) -> None:
    parsed.withhold("a signature", "content[1]")
    parsed.think("Hm", "content[1].thinking")
    parsed.withhold("encrypted", "content[10]")
    assert parsed.finish().notes == ["1 part of the thinking can't be read (encrypted), and is left out"]
    assert parsed.has_thinking("content[1]")
    assert not parsed.has_thinking("content[10]", "content[1].think")
    assert parsed.has_text("content[1]")
    assert not parsed.has_text("content[10]")


def test_notes_come_once_and_places_are_not_listed_without_end(parsed: ParsedReply) -> None:
    for index in range(5):
        parsed.say("a", f"content[{index}]")
        parsed.leave_out("tool_use", f"content[{index % 2}]")
        parsed.refuse("it refused")
    assert parsed.finish().notes == ["it refused", "2 parts of type tool_use left out"]
    assert parsed.refusal
    assert parsed.source("assistant") == "content[0], content[1], content[2] and 2 more"


def test_thinking_in_tags(parsed: ParsedReply) -> None:
    parsed.say("<think>One.</think>A.<think>Two.", "text")
    parsed.finish()
    assert parsed.thinking == "One.\n\nTwo."
    assert parsed.answer == "A."
    assert not parsed.cut, "no provider said so"
    assert parsed.unclosed == "<think>"
    assert parsed.notes == ["<think> never closes: the answer is missing"]
    assert parsed.source("thinking") == "<think> in text"


def test_tags_beside_thinking_that_is_apart() -> None:
    for apart, answer, note in (("Hm", "Yes.", "repeated"), ("Other", "<think>Hm</think>Yes.", "stays in the answer")):
        parsed = ParsedReply("a provider", "ask for it")
        parsed.think(apart, "thinking")
        parsed.say("<think>Hm</think>Yes.", "text")
        assert parsed.finish().answer == answer
        assert parsed.thinking == apart
        assert note in parsed.notes[0]


def test_thinking_that_only_a_number_tells_of(parsed: ParsedReply) -> None:
    parsed.thinking_tokens = 1234
    parsed.say("Yes.", "text")
    assert parsed.finish().notes == ["the model thought (1,234 tokens); the reply doesn't say what"]


def test_its_repr_says_what_it_holds(parsed: ParsedReply) -> None:
    assert repr(parsed) == "<ParsedReply a provider: nothing>"
    parsed.think("Hm", "a")
    parsed.say("Yes.", "b")
    assert repr(parsed) == "<ParsedReply a provider: thinking='Hm', assistant='Yes.'>"

"""Thinking between tags in a text: every spelling of them, and what only looks like one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, USER, by_field, pieces, same, whole_turn

from coglog_nb import capture
from coglog_nb.replies.think_tags import MARKS, TagParser, split


@pytest.mark.parametrize("tag", ["think", "thinking", "thought", "THINK", "Thinking", "ThOuGhT"])
@pytest.mark.parametrize("gap", ["", "\n", "\n\n", "\r\n"])
def test_tags_in_any_case(tag: str, gap: str) -> None:
    captured = same(f"<{tag}>{gap}{THINKING}{gap}</{tag}>{gap}{TEXT}")
    whole_turn(captured)
    assert captured.provider == "raw text"
    assert captured.sources["thinking"] == f"<{tag}> in text"


def test_a_closing_tag_alone() -> None:
    captured = same(f"{THINKING}\n</think>\n\n{TEXT}")
    whole_turn(captured)
    assert captured.sources["thinking"] == "</think> in text"


def test_mistrals_tags() -> None:
    whole_turn(same(f"[THINK]{THINKING}[/THINK]{TEXT}"))
    assert split("[think]no[/think]").thoughts == []


def test_channels() -> None:
    text = (
        f"<|channel|>analysis<|message|>{THINKING}<|end|>"
        "<|start|>assistant<|channel|>commentary to=functions.cos <|constrain|>json<|message|>{}<|call|>"
        f"<|start|>assistant<|channel|>final<|message|>{TEXT}<|return|>"
    )
    whole_turn(same(text))
    whole_turn(same(f"<|start|>assistant{text}"))
    cut = capture(f"<|channel|>analysis<|message|>{THINKING}", user=USER)
    assert cut.cut
    assert cut.fields["thinking"] == THINKING
    assert "empty" in by_field(cut, "assistant")


def test_several_stretches_of_thinking() -> None:
    captured = same(f"<think>One.</think>\n\nFirst.\n\n<think>Two.</think>\n\nSecond.\n\n{BLOCK}")
    assert captured.fields["thinking"] == "One.\n\nTwo."
    assert captured.fields["assistant"] == "First.\n\nSecond."


def test_a_tag_that_never_closes_leaves_no_answer() -> None:
    captured = same(f"<think>{THINKING}")
    assert captured.cut
    assert captured.fields["thinking"] == THINKING
    assert "cut" in by_field(captured, "assistant")
    assert any("never closes" in note for note in captured.notes)


@pytest.mark.parametrize(
    "text",
    [
        "```html\n<think>x</think>\n```\nThat is the tag.",
        "~~~\n</think>\n~~~\nThat is the tag.",
        "Use `<think>` and `</think>`.",
        "Use ``a ` <think>`` here.",
        'Send {"text": "<think>x</think>"} to it.',
        json.dumps({**AXES, "annotation": "explain </think> and <think>"}),
        "a < b, think > c, <thinker>no</thinker>",
        "The <think> tag begins it.",
    ],
)
def test_a_tag_in_code_or_in_json_is_text(text: str) -> None:
    found = split(text)
    assert found.thoughts == []
    assert found.answer == text


def test_a_tag_in_an_axis_of_the_block_and_one_that_is_thinking() -> None:
    axes = {**AXES, "annotation": "explain </think>, <think> and ```"}
    captured = capture(f"<think>{THINKING}</think>\n\n{ANSWER}\n\n{json.dumps(axes)}", user=USER)
    assert captured.fields["annotation"] == axes["annotation"]
    assert captured.fields["thinking"] == THINKING
    assert captured.fields["assistant"] == ANSWER
    cut = json.dumps(axes)[:-2]
    assert split(f"{ANSWER}\n\n{cut}").answer == f"{ANSWER}\n\n{cut}"


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("<think>It is `</think>` that ends it.</think>Yes.", "It is `</think>` that ends it.", "Yes."),
        ("<think>\n```\n</think>\n```\nThat ends it.</think>Yes.", "```\n</think>\n```\nThat ends it.", "Yes."),
        ("<think>```py\nx = 1</think>Yes.", "```py\nx = 1", "Yes."),
        ("<think>\n```py\nx = 1\n</think>\nYes.\n```\ny\n```", "```py\nx = 1", "Yes.\n```\ny\n```"),
        ("<think>a <think> b</think>Yes.", "a <think> b", "Yes."),
        ("<think>\n```py x</think>Yes.", "```py x", "Yes."),
        ("Well.<think>Hm.</think>Yes.", "Hm.", "Well.Yes."),
        ("<think>Hm.</think>It ends with </think>.", "Hm.", "It ends with </think>."),
    ],
)
def test_thinking_about_tags(text: str, thought: str, answer: str) -> None:
    found = split(text)
    assert found.thoughts == [thought]
    assert found.answer == answer


def test_empty_thinking_is_none() -> None:
    captured = same(f"<think>\n\n</think>\n\n{TEXT}")
    assert captured.thinking_state == "none"
    assert captured.fields["assistant"] == ANSWER
    assert "<think>" in by_field(captured, "thinking")


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 40_000,
        "</think>" * 40_000,
        "<think>`</think>" * 20_000,
        "<think>\n```\n</think>" * 15_000,
        "` `` " * 50_000,
    ],
    ids=lambda text: text[:20],
)
def test_many_tags_come_to_an_end(text: str) -> None:
    found = split(text)
    assert len("".join(found.thoughts)) + len(found.answer) <= len(text)


def streamed(text: str, size: int) -> dict[str, str]:
    """Feed a text in chunks; returns what was told apart, by kind."""
    parser = TagParser()
    said = {"thinking": "", "assistant": ""}
    for chunk in pieces(text, size):
        for layer, piece in parser.feed(chunk):
            said[layer] += piece
    for layer, piece in parser.end():
        said[layer] += piece
    return said


@pytest.mark.parametrize("opening", MARKS)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_each_mark_in_chunks_as_in_the_whole(opening: str, size: int) -> None:
    text = f"{opening}{THINKING}{MARKS[opening]}\n\n{TEXT}"
    assert streamed(text, size) == {"thinking": THINKING, "assistant": TEXT}
    assert (split(text).thoughts, split(text).answer) == ([THINKING], TEXT)


TOKENS = ("<think>", "</think>", "[THINK]", "<thi", "```", "~~", "`", "\n", " ", "a", "{", '"')


@given(parts=st.lists(st.sampled_from(TOKENS)), size=st.integers(1, 9))
def test_the_cuts_between_chunks_change_nothing(parts: list[str], size: int) -> None:
    text = "".join(parts)
    said = streamed(text, size)
    if max(map(len, text.split("\n"))) <= 40:  # the end of a longer label of a fence isn't waited for
        assert said == streamed(text, len(text) + 1)
    assert len(said["thinking"]) + len(said["assistant"]) <= len(text)


def test_while_a_text_comes_a_tag_counts_at_the_start_of_a_line() -> None:
    assert streamed("Use <think> for it.", 4) == {"thinking": "", "assistant": "Use <think> for it."}
    assert streamed("```\n<think>\n```", 4) == {"thinking": "", "assistant": "```\n<think>\n```"}
    assert streamed("  <think>Hm", 4) == {"thinking": "Hm", "assistant": "  "}


@pytest.mark.parametrize(
    "text", ["x <think>" * 20_000, "```\n" * 40_000, "<think>`" * 20_000], ids=lambda text: text[:9]
)
def test_many_tags_in_one_chunk_come_to_an_end(text: str) -> None:
    said = streamed(text, len(text))
    assert len(said["thinking"]) + len(said["assistant"]) <= len(text)

"""Thinking between tags in a text: every spelling of them, and what only looks like one."""

from __future__ import annotations

import json

import pytest
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, USER, by_field, same, whole_turn

from coglog_nb import capture
from coglog_nb.replies.think_marks import MARKS, MARKS_AT_THE_START
from coglog_nb.replies.think_tags import split


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
    assert not cut.cut
    assert cut.fields["thinking"] == THINKING
    assert "empty" in by_field(cut, "assistant")


def test_several_stretches_of_thinking() -> None:
    captured = same(f"<think>One.</think>\n\nFirst.\n\n<think>Two.</think>\n\nSecond.\n\n{BLOCK}")
    assert captured.fields["thinking"] == "One.\n\nTwo."
    assert captured.fields["assistant"] == "First.\n\nSecond."


def test_a_tag_that_never_closes_leaves_no_answer() -> None:
    captured = same(f"<think>{THINKING}")
    assert captured.fields["thinking"] == THINKING
    assert captured.notes == ("<think> never closes: the answer is missing",)
    assert not captured.cut
    assert "<think> never closes" in by_field(captured, "assistant")
    assert "provider" not in by_field(captured, "assistant")
    said = capture({"message": {"role": "assistant", "content": "<think>Hm"}, "done": True, "done_reason": "length"})
    assert said.cut
    assert "provider cut" in by_field(said, "assistant")


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


@pytest.mark.parametrize(("opening", "closing"), [*MARKS.items(), *MARKS_AT_THE_START.items()])
@pytest.mark.parametrize("gap", ["", "\n", "\n\n"])
def test_each_mark(opening: str, closing: str, gap: str) -> None:
    captured = same(f"{gap}{opening}{gap}{THINKING}{gap}{closing}{gap}{TEXT}")
    assert captured.fields["thinking"] == THINKING
    assert captured.fields["assistant"].strip() == ANSWER
    assert captured.sources["thinking"] == f"{opening} in text"
    assert captured.complete
    assert captured.notes == ()


@pytest.mark.parametrize(
    "opening", ['<think type="deep">', "<THINK depth='3' lang=en>", '<thinking\n  budget = "a > b" >', "<Thought >"]
)
def test_a_tag_may_have_attributes(opening: str) -> None:
    name = opening.strip("<>").split()[0]
    whole_turn(same(f"{opening}{THINKING}</{name} >{TEXT}"))


@pytest.mark.parametrize(
    "text", ["<think and act> is it", "<thinkers>no</thinkers>", "<think", "<think x", "a<think/>b"]
)
def test_what_only_begins_as_a_tag_is_text(text: str) -> None:
    assert split(text).pieces == [("assistant", text)]


@pytest.mark.parametrize(
    ("text", "thoughts", "answer"),
    [
        ("<think>a<think>b</think>c</think>Yes.", ["a<think>b</think>c"], "Yes."),
        ("<think>\n<think>\na</think>Yes.", ["<think>\na"], "Yes."),
        ("<think>a<think>b<think>c</think></think></think>Yes.", ["a<think>b<think>c</think></think>"], "Yes."),
        ("<think>a<thinking>b</think>Yes.", ["a<thinking>b"], "Yes."),
        ("<think>a <think> b</think>Yes.<think>c</think>So.", ["a <think> b", "c"], "Yes.So."),
        ("<think>`</think>` <think>b</think>c</think>Yes.", ["`", "b"], "` c</think>Yes."),
        ("[THINK]a[THINK]b[/THINK]c[/THINK]Yes.", ["a[THINK]b[/THINK]c"], "Yes."),
    ],
)
def test_thinking_within_thinking(text: str, thoughts: list[str], answer: str) -> None:
    found = split(text)
    assert found.thoughts == thoughts
    assert found.answer == answer


@pytest.mark.parametrize(("opening", "closing"), MARKS_AT_THE_START.items())
@pytest.mark.parametrize(
    "form",
    [
        "Use {0} and {1} for it.",
        "Well.\n{0}a{1}b",
        "`{0}a{1}` marks it.",
        "```\n{0}a{1}\n```\nThat is the tag.",
        '{{"text": "{0}a{1}"}}',
        "{0} is closed by `{1}`.",
        "{0} opens it.",
        "{1} closes it.",
    ],
)
def test_a_mark_that_people_write_about_counts_only_as_the_first_thing_and_outside_code(
    opening: str, closing: str, form: str
) -> None:
    text = form.format(opening, closing)
    assert split(text).pieces == [("assistant", text)]


def test_a_mark_that_does_not_count_hides_no_other() -> None:
    found = split("analysis of <think>a</think>b")
    assert (found.thoughts, found.answer) == (["a"], "analysis of b")
    found = split("<think>a</think><reasoning>b</reasoning>c")
    assert (found.thoughts, found.answer) == (["a"], "<reasoning>b</reasoning>c")
    found = split("Use <think> here. <thinking>a</thinking>b")
    assert (found.thoughts, found.answer) == (["a"], "Use <think> here. b")
    text = "Use <think> and `</think>` here."
    assert split(text).answer == text


@pytest.mark.parametrize(
    "opening", ["<ponder>", "<inner_voice lang='en'>", "<|thought|>", "[REASONING]", "\u25c1plan\u25b7", "&lt;plan&gt;"]
)
def test_an_unknown_mark_stays_text_and_is_noted(opening: str) -> None:
    closing = opening.replace(" lang='en'", "").replace("<", "</").replace("[", "[/").replace("&lt;", "&lt;/")
    captured = same(f"{opening}Hm.{closing}\n{TEXT}")
    assert captured.thinking_state == "none"
    assert captured.fields["assistant"] == f"{opening}Hm.{closing}\n{ANSWER}"
    assert captured.notes == (
        f"the reply begins with {opening}, which isn't a known mark of thinking: it stays in the answer",
    )


def test_a_mark_at_the_start_that_never_closes_stays_text_and_is_noted() -> None:
    captured = same(f"<scratchpad>\n{TEXT}")
    assert captured.fields["assistant"] == f"<scratchpad>\n{ANSWER}"
    assert captured.notes == ("the reply begins with <scratchpad>, which never closes: it stays in the answer",)


@pytest.mark.parametrize("text", ["<p>Yes.</p>\n", "<div class='a'>x</div>", "<ponder> alone", "[NOTE] Yes.", "a <b"])
def test_an_honest_beginning_is_not_noted(text: str) -> None:
    assert same(f"{text}\n{TEXT}").notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 40_000,
        "</think>" * 40_000,
        "<think>`</think>" * 20_000,
        "<think>\n```\n</think>" * 15_000,
        "` `` " * 50_000,
        "<think>a<think>b</think>" * 15_000,
        "<reasoning>" * 20_000 + "</reasoning>",
        "x <think>" * 20_000,
        "x <think>`</think>`" * 10_000,
        "<think " * 40_000,
    ],
    ids=lambda text: text[:20],
)
def test_many_tags_come_to_an_end(text: str) -> None:
    found = split(text)
    assert len("".join(found.thoughts)) + len(found.answer) <= len(text)

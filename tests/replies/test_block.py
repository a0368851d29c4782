"""The coglog block at the end of an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from recorded import ANSWER, AXES, BLOCK

from coglog_nb.fields import AXES as NAMES
from coglog_nb.replies.block import find_block

PRETTY = json.dumps(AXES, indent=2)


@pytest.mark.parametrize(
    "written",
    [
        BLOCK,
        PRETTY,
        f"```json\n{BLOCK}\n```",
        f"```json\n{PRETTY}\n```\n",
        f"```coglog\n{BLOCK}\n```",
        f"```\n{PRETTY}\n```",
        f"~~~\n{BLOCK}\n~~~",
        f"````json\n{BLOCK}\n````",
        f"  ```json\n  {BLOCK}\n  ```",
        f"```json\r\n{BLOCK}\r\n```\r\n",
        f"```json\n\n{BLOCK}\n\n```",
        f"```json {BLOCK} ```",
        f"`{BLOCK}`",
        f"```json\n{BLOCK}",
        json.dumps({"coglog": AXES}),
        f"```json\n{json.dumps({'coglog': AXES}, indent=1)}\n```",
        json.dumps(AXES, ensure_ascii=False),
        BLOCK + "\n\n\n",
    ],
)
@pytest.mark.parametrize("before", ["\n", "\n\n", "\r\n\r\n"])
def test_every_way_to_write_it(written: str, before: str) -> None:
    block = find_block(ANSWER + before + written)
    assert block.axes == AXES
    assert block.rest == ANSWER, "and the fence of other code before it stays"
    assert block.found
    assert block.problems == []
    assert block.notes == []


def test_other_keys_are_left_out_and_noted() -> None:
    block = find_block(json.dumps({"mood": "calm", **AXES, "turn_id": 3}))
    assert block.axes == AXES
    assert block.notes == ["other keys of the block were left out: mood, turn_id"]
    assert block.rest == ""


def test_a_sentence_after_it_is_a_part_of_the_answer() -> None:
    block = find_block(f"{ANSWER}\n\n{BLOCK}\n\nAnything else?")
    assert block.axes == AXES
    assert block.rest == f"{ANSWER}\n\nAnything else?"
    assert block.notes == ["14 characters follow the block; they stay in the answer"]
    assert find_block(f"Hi.\n{BLOCK} Bye.").rest == "Hi.\nBye."
    assert find_block(f"{BLOCK}\n\nBye.").rest == "Bye."


def test_the_last_of_two_wins_and_the_quoted_one_stays() -> None:
    old = json.dumps({**AXES, "annotation": "the old one"})
    for quoted in (old, f"```json\n{old}\n```", f"`{old}`"):
        block = find_block(f"You said:\n{quoted}\nNow:\n{BLOCK}")
        assert block.axes == AXES
        assert block.rest == f"You said:\n{quoted}\nNow:"


def test_a_new_one_that_is_wrong_is_not_replaced_by_the_old_one() -> None:
    old = json.dumps({**AXES, "annotation": "the old one"})
    for new in (BLOCK[:-9], BLOCK.replace('"annotation"', "annotation"), '{"current_focus": "a", "annotation": null}'):
        block = find_block(f"{old}\n\n{new}")
        assert "the old one" not in block.axes.values()
        assert block.problems


@pytest.mark.parametrize("name", NAMES)
def test_an_axis_that_is_missing_null_or_not_text_is_named(name: str) -> None:
    others = {key: value for key, value in AXES.items() if key != name}
    for value, word in (
        (None, "null"),
        (["a"], "an array"),
        ({"a": 1}, "an object"),
        (1, "a number"),
        (True, "a boolean"),
    ):
        block = find_block(f"Hi.\n\n{json.dumps({**AXES, name: value})}")
        (problem,) = block.problems
        assert problem.startswith(f"{name}: it is {word}, not a string")
        assert block.axes == others
    block = find_block(f"Hi.\n\n{json.dumps(others)}")
    (problem,) = block.problems
    assert problem.startswith(f"{name}: it is missing")
    assert block.axes == others
    assert block.rest == "Hi."


def test_an_axis_given_twice_is_named() -> None:
    (problem,) = find_block(BLOCK[:-1] + ', "annotation": "another"}').problems
    assert problem.startswith("annotation: it is given twice")


def test_a_fence_that_closes_over_a_cut_block() -> None:
    cut = BLOCK[: BLOCK.index(', "annotation"')]
    (problem,) = find_block(f"Hi.\n\n```json\n{cut}\n```\n\nBye.").problems
    assert "never closes" in problem
    assert "line 4 column 1" in problem


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (BLOCK.replace('"', "'"), 'expected a key in double quotes, not "\'" at line 3 column 2'),
        ('{current_focus: "a", theory_of_mind: "b"}', "expected a key in double quotes, not 'c' at line 3 column 2"),
        ('{"current_focus": "she said "hi"", "annotation": ""}', "expected a comma or }, not 'h' at line 3 column 30"),
        ('{"current_focus": None, "annotation": ""}', "expected a value, not 'N' at line 3 column 19"),
        ('{"current_focus": "a" "annotation": ""}', "expected a comma or }"),
        ('{"current_focus" = "a", "annotation": ""}', "expected a colon after the key, not '='"),
        ('{"current_focus": "a\tb", "annotation": ""}', "U+0009 in a string has to be escaped"),
        ('{"current_focus": "a\\d", "annotation": ""}', "unknown escape in a string"),
        ('{"current_focus": 01, "annotation": ""}', "expected a comma or }"),
    ],
)
def test_what_is_not_json_is_reported_with_its_place(written: str, words: str) -> None:
    block = find_block(f"Hi.\n\n{written}")
    (problem,) = block.problems
    assert words in problem
    assert block.axes == {}
    assert block.rest == f"Hi.\n\n{written}"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "No block here.",
        'JSON: {"a": 1}',
        'JSON: {"focus": "x"} and {braces}',
        f"```python\nx = {BLOCK}\n```",
        json.dumps({"quoted": BLOCK}),
        json.dumps({"list": [AXES]}),
        "current_focus: a\ntheory_of_mind: b",
    ],
)
def test_no_block_is_reported_and_none_made_up(answer: str) -> None:
    block = find_block(answer)
    (problem,) = block.problems
    assert "no coglog block" in problem
    assert "template" in problem
    assert block.axes == {}
    assert block.rest == answer
    assert not block.found


def test_a_block_in_a_fence_of_another_language_that_holds_nothing_else() -> None:
    assert find_block(f"Hi.\n\n```javascript\n{BLOCK}\n```").rest == "Hi."


def test_a_fence_that_was_forgotten_to_be_closed() -> None:
    block = find_block(f"```python\nx = 1\n\n```json\n{BLOCK}\n```")
    assert block.axes == AXES
    assert block.rest == "```python\nx = 1"


def test_a_quote_that_never_closes_before_it() -> None:
    assert find_block(f'Write {{"a and then:\n{BLOCK}').axes == AXES


def test_the_templates_own_placeholders_are_noted() -> None:
    block = find_block(json.dumps(dict.fromkeys(NAMES, "...")))
    assert block.notes == ['every axis is "...", as in the template']


TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(values=st.tuples(TEXT, TEXT, TEXT, TEXT), answer=TEXT, fence=st.sampled_from(["", "```json", "```"]))
@example(values=("```", "\n```\n", "}", '"'), answer="```\n", fence="```")
@example(values=("{", "", "//", "/*"), answer='{"', fence="")
def test_any_axes_behind_any_answer_come_back_exactly(values: tuple[str, ...], answer: str, fence: str) -> None:
    axes = dict(zip(NAMES, values, strict=True))
    for ascii_only in (True, False):
        written = json.dumps(axes, ensure_ascii=ascii_only)
        if fence:
            written = f"{fence}\n{written}\n```"
        block = find_block(f"{answer}\n\n{written}")
        assert block.axes == axes
        assert block.problems == []
        if not answer.endswith("\r") and (not fence or "```" not in answer):
            assert block.rest == answer

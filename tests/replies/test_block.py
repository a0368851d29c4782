"""The coglog block at the end of an answer."""

from __future__ import annotations

import json
import re
import sys

import pytest
from hypothesis import assume, example, given
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
        ('{"current_focus": "a\x01b", "annotation": ""}', "U+0001 in a string has to be escaped"),
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
        json.dumps({"quoted": BLOCK}),
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


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\nx = {BLOCK}\n```",
        json.dumps({"list": [AXES]}),
        "current_focus: a\ntheory_of_mind: b",
    ],
)
def test_axes_outside_a_block_are_named_as_what_they_are(answer: str) -> None:
    block = find_block(answer)
    (problem,) = block.problems
    assert "not in a block of its own" in problem
    assert "template" not in problem
    assert (block.axes, block.rest, block.found) == ({}, answer, False)


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
    # A model's escapes before a letter, in a formula or in a path have a reading of their own: test_block_escapes.py.
    whole = "".join(values)
    assume(not re.search(r"[\b\f][A-Za-z]", whole))
    assume(not (re.search("[\n\t\r]", whole) and re.search(r"[$\\]|[A-Za-z]:", whole)))
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


AX = {"current_focus": "cf", "theory_of_mind": "tom", "self_narrative": "sn", "annotation": "an"}
ONE_LINE = json.dumps(AX)


@pytest.mark.parametrize(
    "written",
    [
        f"<coglog>{ONE_LINE}</coglog>",
        f"<coglog>\n{ONE_LINE}\n</coglog>",
        f"<coglog>\n```json\n{ONE_LINE}\n```\n</coglog>",
        f"<coglog>{ONE_LINE}",
        f"[{ONE_LINE}]",
        f"> {ONE_LINE}",
        f"<!-- {ONE_LINE} -->",
        f"<!--\n{ONE_LINE}\n-->",
        f"<!-- coglog: {ONE_LINE} -->",
        f"```xml\n<coglog>{ONE_LINE}</coglog>\n```",
        f"> ```json\n> {ONE_LINE}\n> ```",
        f"Reasoning: [{ONE_LINE}]",
        f"{ONE_LINE}<|im_end|>",
        f"{ONE_LINE}\n<|eot_id|>",
        f"{ONE_LINE}\n<|END_RESPONSE|>",
        f"```json\n{ONE_LINE}\n```<|im_end|><|endoftext|>",
        f"Reasoning: []\n{ONE_LINE}",
        f"{ONE_LINE}\nReasoning: []",
        f"{ONE_LINE}\n\nReasoning: []\n<|im_end|>",
        f"coglog:\n{ONE_LINE}",
        f"**CogLog**\n\n```json\n{ONE_LINE}\n```",
    ],
)
def test_what_only_surrounds_a_block_goes_with_it(written: str) -> None:
    block = find_block(f"Hi.\n\n{written}")
    assert (block.axes, block.rest, block.problems) == (AX, "Hi.", [])


def test_what_is_beside_a_block_stays() -> None:
    assert find_block(f"See [1].\n\n{ONE_LINE}").rest == "See [1]."
    assert find_block(f"<b>Hi</b>\n\n{ONE_LINE}").rest == "<b>Hi</b>"
    assert find_block(f"Use <|im_end|>.\n\n{ONE_LINE}").rest == "Use <|im_end|>."
    assert find_block(f"Reasoning: [] is empty.\n\n{ONE_LINE}").rest == "Reasoning: [] is empty."


JAPANESE = {"いまの焦点": "cf", "相手の心の推測": "tom", "自己の語り": "sn", "次への覚え書き": "an"}


@pytest.mark.parametrize(
    "written",
    [
        json.dumps({"Current_Focus": "cf", "Theory_of_Mind": "tom", "Self_Narrative": "sn", "Annotation": "an"}),
        json.dumps({"Current focus": "cf", "Theory of mind": "tom", "Self-narrative": "sn", "Annotation": "an"}),
        json.dumps({name.upper(): text for name, text in AX.items()}),
        json.dumps(JAPANESE, ensure_ascii=False),
        json.dumps(JAPANESE, ensure_ascii=False).replace(": ", "\uff1a").replace(", ", "\uff0c"),
        json.dumps({"currentFocus": "cf", "theoryOfMind": "tom", "selfNarrative": "sn", "annotation": "an"}),
        ONE_LINE.replace("_", "\\_"),
        json.dumps({"CogLog": AX}),
        "{\u200b" + ONE_LINE[1:],
        ONE_LINE.replace('"', "\uff02"),
        "{" + ", ".join(f"\u00ab{name}\u00bb: \u00ab{text}\u00bb" for name, text in AX.items()) + "}",
        ONE_LINE.replace('"', "\u201d"),
        "{" + ", ".join(f"\u201c{name}\u201d: \u201c{text}\u201d" for name, text in AX.items()) + "}",
        ONE_LINE.replace(" ", "\u00a0"),
        ONE_LINE.replace(" ", "\u3000"),
        "\n".join(f"{name}: {text}" for name, text in AX.items()),
        "\n".join(f"- **{name}**: {text}" for name, text in AX.items()),
        "```yaml\n" + "\n".join(f"{name}: {text}" for name, text in AX.items()) + "\n```",
        "coglog:\n" + "\n".join(f"  {name}: {text}" for name, text in AX.items()),
        "\n".join(f"{name}\uff1a{text}" for name, text in JAPANESE.items()),
        f'<tool_call>{{"name": "coglog_write", "arguments": {ONE_LINE}}}</tool_call>',
        f'<tool_call>\n{{"name": "coglog_write", "arguments": {json.dumps(ONE_LINE)}}}\n</tool_call>',
        "\n".join(f"> {line}" for line in json.dumps(AX, indent=1).split("\n")),
    ],
)
def test_other_spellings_of_a_block_are_read_with_a_note(written: str) -> None:
    block = find_block(f"Hi.\n\n{written}")
    assert (block.axes, block.rest, block.problems) == (AX, "Hi.", [])
    assert block.notes


def test_typographic_quotes_with_straight_ones_between_them_are_not_guessed() -> None:
    written = '{\u201ccurrent_focus\u201d: \u201ca "b" c\u201d, \u201cannotation\u201d: \u201c\u201d}'
    block = find_block(f"Hi.\n\n{written}")
    assert not block.found
    assert "isn't JSON" in block.problems[0]


@pytest.mark.parametrize("line", ["```" + " " * 20_000 + "`", "~" * 20_000 + "`", "```x" + " x" * 10_000 + "`"])
def test_a_line_that_is_nearly_a_fence_is_looked_at_once(line: str) -> None:
    assert find_block(f"{line}\n{ONE_LINE}").axes == AX  # tried at every place, it would take hours


@pytest.mark.parametrize(
    "piece",
    [
        "{'annotation':",
        '{"annotation":',
        "{ ",
        '{"a":',
        "```python\n{'annotation':",
        "annotation: a\n",
        "> {",
        "`{annotation:",
    ],
)
def test_the_work_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    def work(count: int) -> int:
        steps = 0

        def step(*_: object) -> None:
            nonlocal steps
            steps += 1

        before = sys.getprofile()
        sys.setprofile(step)
        try:
            find_block(piece * count)
        finally:
            sys.setprofile(before)
        return steps

    assert work(800) < 3 * work(400) + 2_000

"""The format of an exercise: every problem is named with its place, and the JSON Schema agrees."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import coglog_nb.teaching.exercises
from coglog_nb.fields import FACTS
from coglog_nb.teaching.exercises.catalog import built_in, find
from coglog_nb.teaching.exercises.format import Exercise, problems

FOLDER = Path(coglog_nb.teaching.exercises.__file__).parent
SCHEMA = jsonschema.Draft202012Validator(json.loads((FOLDER / "schema.json").read_text(encoding="utf-8")))
ALL = built_in()


def changed(exercise: Exercise, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return an exercise's data with one value replaced; `...` removes it."""
    data = copy.deepcopy(exercise.data)
    inner: Any = data
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


PLACE, FILL = find("coding"), find("fill-tutoring")
LONG = "x" * 201
WRONG: dict[str, tuple[Exercise, tuple[Any, ...], Any, str]] = {
    "no format": (PLACE, ("format",), ..., '"format" must be "coglog-exercise/1", and is missing'),
    "another format": (PLACE, ("format",), "coglog-exercise/2", 'must be "coglog-exercise/1", not "coglog-exercise/2"'),
    "no kind": (PLACE, ("kind",), ..., '"kind" must be "place" or "blank", and is missing'),
    "another kind": (PLACE, ("kind",), ["place"], '"kind" must be "place" or "blank", not ["place"]'),
    "no title": (PLACE, ("title",), ..., '"title" is missing'),
    "an empty title": (PLACE, ("title",), " \n", '"title" must say something'),
    "a title that isn't text": (PLACE, ("title",), 5, '"title" must be a string, not a number'),
    "a long title": (FILL, ("title",), LONG, '"title" has 201 characters, more than 200'),
    "not a language": (PLACE, ("language",), "english please", '"language" must be a language tag'),
    "a key of the other kind": (PLACE, ("facts",), FILL.data["facts"], 'unknown key "facts"'),
    "a misspelled key": (PLACE, ("statments",), [], 'unknown key "statments"; did you mean "statements"?'),
    "no dialogue": (PLACE, ("dialogue",), ..., '"dialogue" must be an array, and is missing'),
    "an empty dialogue": (PLACE, ("dialogue",), [], '"dialogue" must not be empty'),
    "a line that is text": (PLACE, ("dialogue", 1), "hello", "line 2: must be an object, not a string"),
    "another speaker": (PLACE, ("dialogue", 0, "speaker"), "system", 'line 1: "speaker" must be "user", "thinking" or'),
    "an empty line": (PLACE, ("dialogue", 0, "text"), "", 'line 1: "text" must say something'),
    "statements in an object": (PLACE, ("statements",), {}, '"statements" must be an array, not an object'),
    "too many statements": (PLACE, ("statements",), PLACE.statements * 9, '"statements" has 72 entries, more than 60'),
    "no best": (PLACE, ("statements", 3, "best"), ..., 'statement 4: "best" must be'),
    "an unknown best": (PLACE, ("statements", 0, "best"), "anotation", 'not "anotation"; did you mean "annotation"?'),
    "a second that is the best": (
        PLACE,
        ("statements", 0, "second"),
        ["current_focus"],
        'statement 1: "second" contains "current_focus", which is already the best',
    ),
    "a second twice": (PLACE, ("statements", 0, "second"), ["none", "none"], '"second" contains a choice twice'),
    "an unknown second": (PLACE, ("statements", 0, "second"), ["self"], 'statement 1: "second" may contain'),
    "a second, not a list": (PLACE, ("statements", 0, "second"), "none", '"second" must be an array, not a string'),
    "no reasons": (PLACE, ("statements", 1, "reasons"), ..., 'statement 2: "reasons" is missing'),
    "a reason that is missing": (
        PLACE,
        ("statements", 1, "reasons", "none"),
        ...,
        'statement 2, reasons: "none" is missing',
    ),
    "an empty reason": (PLACE, ("statements", 1, "reasons", "none"), "", 'reasons: "none" must say something'),
    "a reason too many": (PLACE, ("statements", 1, "reasons", "user"), "x", 'reasons: unknown key "user"'),
    "half a character": (PLACE, ("statements", 1, "text"), "a\ud83d", '"text" contains an unpaired surrogate'),
    "no facts": (FILL, ("facts",), ..., '"facts" is missing'),
    "a fact that is empty": (FILL, ("facts", "thinking"), "", 'facts: "thinking" must say something'),
    "one answer": (
        FILL,
        ("answers",),
        FILL.data["answers"][:1],
        "must contain two worked answers to compare with, not 1",
    ),
    "no answers": (FILL, ("answers",), [], "must contain two worked answers to compare with, not 0"),
    "an answer without an axis": (
        FILL,
        ("answers", 1, "axes", "annotation"),
        ...,
        'answer 2, axes: "annotation" is missing',
    ),
    "an axis without its why": (
        FILL,
        ("answers", 0, "axes", "annotation", "why"),
        "",
        'answer 1, annotation: "why" must say something',
    ),
    "an axis that is null": (
        FILL,
        ("answers", 0, "axes", "annotation", "text"),
        None,
        'answer 1, annotation: "text" must be a string, not null',
    ),
}
RIGHT: dict[str, tuple[Exercise, tuple[Any, ...], Any]] = {
    "as it is shipped": (PLACE, ("format",), "coglog-exercise/1"),
    "a schema for an editor": (PLACE, ("$schema",), "schema.json"),
    "without a language": (PLACE, ("language",), ...),
    "another language": (FILL, ("language",), "pt-BR"),
    "without a second": (PLACE, ("statements", 0, "second"), ...),
    "an empty axis": (FILL, ("answers", 0, "axes", "annotation", "text"), ""),
    "one statement": (PLACE, ("statements",), PLACE.statements[:1]),
    "emoji": (PLACE, ("title",), "\U0001f331\U0001f468\u200d\U0001f469"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_has_a_message_with_its_place_and_the_schema_agrees(case: str) -> None:
    exercise, path, value, message = WRONG[case]
    data = changed(exercise, path, value)
    found = problems(data)
    assert any(message in problem for problem in found), found
    assert not SCHEMA.is_valid(data)


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_file_is_accepted_and_the_schema_agrees(case: str) -> None:
    data = changed(*RIGHT[case])
    assert problems(data) == []
    assert SCHEMA.is_valid(data)


def test_every_problem_is_named_at_once() -> None:
    found = problems({"format": "coglog-exercise/1", "kind": "place", "dialogue": [{}], "statements": [{"best": 3}]})
    assert len(found) >= 6
    assert problems([]) == ["an exercise is a JSON object, not an array"]


def test_the_examples_in_the_docs_are_exercises() -> None:
    guide = (FOLDER.parents[2] / "docs" / "exercises.md").read_text(encoding="utf-8")
    examples = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)]
    assert {example["kind"] for example in examples} == {"place", "blank"}
    for example in examples:
        assert problems(example) == []
        assert SCHEMA.is_valid(example)


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)
def test_the_built_in_ones_match_the_schema(exercise: Exercise) -> None:
    SCHEMA.check_schema(SCHEMA.schema)
    assert [error.message for error in SCHEMA.iter_errors(exercise.data)] == []


def test_a_blank_turn_gives_the_three_facts() -> None:
    blank = [exercise for exercise in ALL if exercise.kind == "blank"]
    assert blank
    for exercise in blank:
        assert tuple(exercise.data["facts"]) == FACTS

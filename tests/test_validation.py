from __future__ import annotations

import re
from typing import Any

import pytest

from coglog_nb import ValidationError
from coglog_nb.entry import make
from coglog_nb.fields import AXES, FACTS, NAMES
from coglog_nb.validation import flatten, unknown_keys, validate


def test_validation_names_every_problem_in_the_fields_order() -> None:
    with pytest.raises(ValidationError) as caught:
        validate({"user": "", "thinking": 3, "annotation": None})
    assert caught.value.problems == (
        "missing required field: user (it is empty; a fact must say something)",
        "missing required field: thinking (it is a number, not text)",
        "missing required field: assistant (not given)",
        "missing required field: current_focus (empty string is acceptable) (not given)",
        "missing required field: theory_of_mind (empty string is acceptable) (not given)",
        "missing required field: self_narrative (empty string is acceptable) (not given)",
        "missing required field: annotation (empty string is acceptable) (it is null, not text)",
    )
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).count("\n") == 6


REASONS: list[tuple[object, str]] = [
    (None, "it is null, not text"),
    (1, "it is a number, not text"),
    (1.5, "it is a number, not text"),
    (True, "it is a boolean, not text"),
    ([], "it is an array, not text"),
    ({}, "it is an object, not text"),
    (b"bytes", "it is bytes, not text"),
    (..., "not given"),
]


@pytest.mark.parametrize("name", FACTS)
@pytest.mark.parametrize(("value", "reason"), [*REASONS, ("", "it is empty; a fact must say something")])
def test_a_fact_is_text_and_not_empty(name: str, value: object, reason: str, turn: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        validate({**turn, name: value})
    assert caught.value.problems == (f"missing required field: {name} ({reason})",)


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize(("value", "reason"), REASONS)
def test_an_axis_is_text(name: str, value: object, reason: str, turn: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        validate({**turn, name: value})
    assert caught.value.problems == (f"missing required field: {name} (empty string is acceptable) ({reason})",)


def test_unknown_keys_are_named_beside_a_missing_field_alone(turn: dict[str, Any]) -> None:
    given = {**turn, "mood": 1, "thinkng": "t", "_schema": {}, "turn_id": 1, "layers": {"usr": "u", "user": "u"}}
    keys = unknown_keys(given)
    assert keys == ["mood", "thinkng", "usr"]
    assert validate(flatten(given), keys=keys) == {**turn, "user": "u"}
    del given["thinking"]
    with pytest.raises(ValidationError) as caught:
        validate(flatten(given), keys=keys)
    assert caught.value.problems == (
        "missing required field: thinking (not given)",
        "unknown key 'thinkng'; did you mean thinking?",
        "unknown key 'mood', which is ignored",
        "unknown key 'usr', which is ignored",
    )


def test_of_many_unknown_keys_the_nearest_are_named() -> None:
    with pytest.raises(ValidationError) as caught:
        validate({}, keys=[*(f"x{number}" for number in range(30)), "anotation"])
    assert caught.value.problems[7] == "unknown key 'anotation'; did you mean annotation?"
    assert caught.value.problems[-1] == "and 23 more unknown keys, which are ignored"


def test_a_known_cause_is_in_the_message() -> None:
    with pytest.raises(ValidationError) as caught:
        validate({}, causes={"user": "line 3 begins with `usr:`"})
    assert caught.value.problems[0] == "missing required field: user (not given; line 3 begins with `usr:`)"


@pytest.mark.parametrize("name", AXES)
def test_an_axis_may_be_empty(name: str, turn: dict[str, Any]) -> None:
    assert validate({**turn, name: ""})[name] == ""


@pytest.mark.parametrize("name", FACTS)
def test_whitespace_is_text(name: str, turn: dict[str, Any]) -> None:
    assert validate({**turn, name: " \n"})[name] == " \n"


@pytest.mark.parametrize("name", NAMES)
def test_an_unpaired_surrogate_is_refused_with_field_and_position(name: str, turn: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        validate({**turn, name: "ab\ud83d"})
    (problem,) = caught.value.problems
    assert re.search(rf"^{name}: .*U\+D83D.* position 2", problem)


def test_the_stored_text_of_a_str_subclass_is_what_it_holds(turn: dict[str, Any]) -> None:
    class Loud(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "something else"

    checked = validate({**turn, "user": Loud("quiet")})
    assert type(checked["user"]) is str
    assert checked["user"] == "quiet"


def test_flatten_takes_a_whole_entry_and_ignores_what_it_does_not_know(turn: dict[str, Any]) -> None:
    entry = make(turn, 7, "2026-02-26T00:00:00+00:00")
    assert flatten({**entry, "mood": "fine"}) == turn
    assert flatten({**turn, "mood": "fine"}) == turn
    assert flatten({"layers": "no object", "user": "u"}) == {"user": "u"}

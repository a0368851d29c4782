from __future__ import annotations

import re
from typing import Any

import pytest

from coglog_nb import ValidationError
from coglog_nb.entry import make
from coglog_nb.fields import AXES, FACTS, NAMES
from coglog_nb.validation import flatten, validate


def test_validation_names_every_problem_in_the_fields_order() -> None:
    with pytest.raises(ValidationError) as caught:
        validate({"user": "", "thinking": 3, "annotation": None})
    assert caught.value.problems == (
        "missing required field: user",
        "missing required field: thinking",
        "missing required field: assistant",
        "missing required field: current_focus (empty string is acceptable)",
        "missing required field: theory_of_mind (empty string is acceptable)",
        "missing required field: self_narrative (empty string is acceptable)",
        "missing required field: annotation (empty string is acceptable)",
    )
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).count("\n") == 6


@pytest.mark.parametrize("name", FACTS)
@pytest.mark.parametrize("value", [None, 1, 1.5, True, [], {}, b"bytes", ""])
def test_a_fact_is_text_and_not_empty(name: str, value: object, turn: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        validate({**turn, name: value})
    assert caught.value.problems == (f"missing required field: {name}",)


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize("value", [None, 1, 1.5, True, [], {}, b"bytes"])
def test_an_axis_is_text(name: str, value: object, turn: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        validate({**turn, name: value})
    assert caught.value.problems == (f"missing required field: {name} (empty string is acceptable)",)


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

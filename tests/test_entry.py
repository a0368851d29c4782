from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any

import pytest

from coglog_nb import CogLog, Entry, ValidationError
from coglog_nb.entry import make, restore
from coglog_nb.fields import AXES, FACTS, NAMES, schema
from coglog_nb.validation import LAST_TURN_ID, flatten, validate


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


def test_keys_stand_in_the_contracts_order(turn: dict[str, Any]) -> None:
    entry = make(turn, 1, "2026-02-26T00:00:00+00:00")
    assert list(entry) == ["_schema", "turn_id", "timestamp", "layers", *AXES]
    assert list(entry["layers"]) == list(FACTS)


def test_flatten_takes_a_whole_entry_and_ignores_what_it_does_not_know(turn: dict[str, Any]) -> None:
    entry = make(turn, 7, "2026-02-26T00:00:00+00:00")
    assert flatten({**entry, "mood": "fine"}) == turn
    assert flatten({**turn, "mood": "fine"}) == turn
    assert flatten({"layers": "no object", "user": "u"}) == {"user": "u"}


def stored(turn: dict[str, Any], **changes: object) -> dict[str, object]:
    return {**json.loads(json.dumps(make(turn, 5, "2026-02-26T00:00:00Z"))), **changes}


def test_restore_keeps_unknown_keys_and_newer_versions(turn: dict[str, Any]) -> None:
    entry = restore(stored(turn, _schema={"version": "1.2.0"}, mood="fine"))
    assert entry["_schema"] == {"version": "1.2.0"}
    assert entry["mood"] == "fine"
    assert list(entry)[:8] == ["_schema", "turn_id", "timestamp", "layers", *AXES]


def test_an_axis_that_an_older_entry_lacks_reads_as_empty_and_is_named_as_missing(
    turn: dict[str, Any],
) -> None:
    old = stored(turn)
    del old["current_focus"], old["_schema"]
    entry = restore(old)
    assert entry["current_focus"] == ""
    assert entry.missing == ("current_focus",)
    assert entry["_schema"] == schema()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"turn_id": "5"}, "turn_id"),
        ({"turn_id": None}, "turn_id"),
        ({"turn_id": 1.0}, "turn_id"),
        ({"turn_id": True}, "turn_id"),
        ({"turn_id": 0}, "turn_id"),
        ({"turn_id": -9}, "turn_id"),
        ({"turn_id": LAST_TURN_ID + 1}, "turn_id"),
        ({"timestamp": 7}, "timestamp"),
        ({"layers": None}, "layers"),
        ({"layers": []}, "layers"),
        ({"layers": {"user": "u", "thinking": "t"}}, "assistant"),
        ({"layers": {"user": "u", "thinking": 4, "assistant": "a"}}, "thinking"),
        ({"annotation": 4}, "annotation"),
        ({"annotation": None}, "annotation"),
    ],
)
def test_restore_says_what_is_wrong(changes: dict[str, object], reason: str, turn: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=reason):
        restore(stored(turn, **changes))


@pytest.mark.parametrize("name", ["turn_id", "timestamp", "layers"])
def test_restore_misses_what_is_not_there(name: str, turn: dict[str, Any]) -> None:
    lacking = stored(turn)
    del lacking[name]
    with pytest.raises(ValueError, match=name):
        restore(lacking)


@pytest.mark.parametrize("value", [None, [], [1], 7, "abc", True])
def test_restore_takes_objects_only(value: object) -> None:
    with pytest.raises(ValueError, match="not an object"):
        restore(value)


def test_an_entry_is_a_dict_that_can_be_copied_pickled_and_written_as_json(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**turn)
    for twin in (copy.copy(entry), copy.deepcopy(entry), pickle.loads(pickle.dumps(entry))):  # noqa: S301 - our own bytes
        assert isinstance(twin, Entry)
        assert twin == entry
        assert twin.data_dir == entry.data_dir
    assert json.loads(json.dumps(entry)) == entry
    assert repr(entry) == repr(dict(entry))


def test_the_repr_of_an_entry_that_hides_its_thinking_hides_it(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**turn)
    entry.show_thinking = False
    for text in (repr(entry), str(entry), f"{entry}", entry._repr_html_() or ""):
        assert turn["thinking"] not in text
        assert "(not shown)" in text
    assert entry["layers"]["thinking"] == turn["thinking"]

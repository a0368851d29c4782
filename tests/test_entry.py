from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from coglog_nb import CogLog, Entry
from coglog_nb.entry import make, restore
from coglog_nb.fields import AXES, FACTS, schema
from coglog_nb.validation import LAST_TURN_ID


def test_keys_are_in_the_contracts_order(turn: dict[str, Any]) -> None:
    entry = make(turn, 1, "2026-02-26T00:00:00+00:00")
    assert list(entry) == ["_schema", "turn_id", "timestamp", "layers", *AXES]
    assert list(entry["layers"]) == list(FACTS)


def stored(turn: dict[str, Any], **changes: object) -> dict[str, object]:
    return {**json.loads(json.dumps(make(turn, 5, "2026-02-26T00:00:00Z"))), **changes}


def test_restore_keeps_unknown_keys_and_newer_versions(turn: dict[str, Any]) -> None:
    entry = restore(stored(turn, _schema={"version": "1.2.0"}, mood="fine"))
    assert entry["_schema"] == {"version": "1.2.0"}
    assert entry["mood"] == "fine"
    assert list(entry)[:8] == ["_schema", "turn_id", "timestamp", "layers", *AXES]


def test_an_axis_that_is_missing_in_an_older_entry_reads_as_empty_and_is_named_as_missing(
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


# ---- a fact by its own name


def test_a_fact_is_read_by_its_own_name(turn: dict[str, Any]) -> None:
    entry = make(turn, 3, "2026-02-26T00:00:00+00:00")
    for name in FACTS:
        assert entry[name] == entry.get(name) == turn[name]
    assert entry["turn_id"] == entry.get("turn_id") == 3
    assert entry.get("usr") is None
    assert entry.get("usr", "x") == "x"
    assert "{user}, {annotation}".format_map(entry) == f"{turn['user']}, {turn['annotation']}"
    with pytest.raises(KeyError, match="usr"):
        entry["usr"]


def test_the_entry_holds_what_it_held(turn: dict[str, Any]) -> None:
    entry = make(turn, 3, "2026-02-26T00:00:00+00:00")
    keys = ["_schema", "turn_id", "timestamp", "layers", *AXES]
    assert list(entry) == list(entry.keys()) == list(dict(entry)) == list({**entry}) == keys
    assert list(json.loads(json.dumps(entry))) == keys
    assert list(copy.deepcopy(entry)) == list(pickle.loads(pickle.dumps(entry))) == keys  # noqa: S301 - its own
    assert not [name for name in FACTS if name in entry]
    assert len(entry) == len(keys)


def test_layers_wins_over_a_foreign_key_of_that_name(turn: dict[str, Any]) -> None:
    entry = restore({**make(turn, 3, "2026-02-26T00:00:00+00:00"), "user": "foreign"})
    assert entry["user"] == entry.get("user") == turn["user"]
    assert "user" in entry
    assert dict(entry)["user"] == "foreign", "it is stored as it was"


@pytest.mark.parametrize("layers", [None, [], {}, "user", {"thinking": "t"}])
def test_layers_that_somebody_broke_have_no_such_fact(layers: object) -> None:
    entry = Entry({"layers": layers})
    assert entry.get("user") is None
    with pytest.raises(KeyError, match=r"^'user'$"):
        entry["user"]
    with pytest.raises(KeyError):
        Entry()["user"]


def test_tab_offers_the_keys_and_the_facts(turn: dict[str, Any]) -> None:
    entry = make(turn, 3, "2026-02-26T00:00:00+00:00")
    assert entry._ipython_key_completions_() == [*entry, *FACTS]
    assert Entry({"user": "foreign"})._ipython_key_completions_() == ["user", "thinking", "assistant"]

"""The JSON Schema is right: stored entries are valid, other things aren't, and the tools' schemas come from it."""

from __future__ import annotations

import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from coglog_nb import CogLog, ValidationError, cli, tools
from coglog_nb.entry import restore
from coglog_nb.fields import AXES, FACTS, FIELDS, NAMES
from coglog_nb.json_schema import DIALECT, entry_schema, input_schema
from coglog_nb.validation import validate

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TURN = st.fixed_dictionaries({**dict.fromkeys(FACTS, TEXT.filter(bool)), **dict.fromkeys(AXES, TEXT)})
ANYTHING = st.none() | st.booleans() | st.integers() | TEXT | st.lists(TEXT, max_size=2)
# The speed of the disk isn't a property of the code; the function-scoped fixture only keeps tests out of the real home.
COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

ENTRY = Draft202012Validator(entry_schema())
INPUT = Draft202012Validator(input_schema())


@pytest.mark.parametrize("schema", [entry_schema(), input_schema(), input_schema(lengths=False)])
def test_it_is_a_schema(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    assert entry_schema()["$schema"] == DIALECT == Draft202012Validator.META_SCHEMA["$id"]


def test_every_field_carries_its_question() -> None:
    for field in FIELDS:
        for schemas in (entry_schema()["$defs"], input_schema()["properties"]):
            assert field.question in schemas[field.name]["description"]
            assert field.direction in schemas[field.name]["description"]


@COMMON
@given(TURN)
def test_what_we_store_is_valid(turn: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as place:
        CogLog(place).write(**turn)
        ENTRY.validate(json.loads((Path(place) / "current.json").read_bytes()))
    INPUT.validate(turn)


@pytest.mark.parametrize("peer", ["coglog", "coglog_cli", "coglog_mcp"])
def test_what_the_peers_store_is_valid(peer: str, tmp_path: Path, turn: dict[str, Any]) -> None:
    importlib.import_module(peer).CogLog(data_dir=tmp_path).write(**turn)
    ENTRY.validate(json.loads((tmp_path / "current.json").read_bytes()))


@COMMON
@given(st.dictionaries(st.sampled_from([*NAMES, "extra"]), ANYTHING))
def test_the_input_is_valid_exactly_when_a_write_takes_it(given_: dict[str, Any]) -> None:
    known = {key: value for key, value in given_.items() if key != "extra"}
    try:
        validate(known)
    except ValidationError:
        assert not INPUT.is_valid(known)
    else:
        assert INPUT.is_valid(known)
    assert not INPUT.is_valid({**given_, "extra": 1})


def test_an_invalid_entry_is_not_valid(store: CogLog, turn: dict[str, Any]) -> None:
    good = json.loads(json.dumps(store.write(**turn)))
    ENTRY.validate(good)
    wrong: list[dict[str, Any]] = [{key: value for key, value in good.items() if key != gone} for gone in good]
    no_texts: list[Any] = [None, 1, [], {}]
    wrong += [{**good, axis: value} for axis in AXES for value in no_texts]
    wrong += [{**good, "layers": {**good["layers"], fact: value}} for fact in FACTS for value in ("", None, 1)]
    wrong += [
        {**good, "layers": {key: value for key, value in good["layers"].items() if key != fact}} for fact in FACTS
    ]
    wrong += [{**good, "turn_id": value} for value in (0, -1, 1.5, "1", True, None, 2**53)]
    wrong += [{**good, "timestamp": 1}, {**good, "_schema": "0.9.1"}, {**good, "layers": []}]
    for entry in wrong:
        assert not ENTRY.is_valid(entry), entry
    assert not ENTRY.is_valid([good])


def test_an_older_entry_is_valid_once_it_is_read(store: CogLog, turn: dict[str, Any]) -> None:
    stored = json.loads(json.dumps(store.write(**turn)))
    for gone in ("_schema", *AXES):
        older = {key: value for key, value in stored.items() if key != gone}
        assert not ENTRY.is_valid(older)
        ENTRY.validate(dict(restore(older)))


def test_keys_that_nobody_knows_are_valid(store: CogLog, turn: dict[str, Any]) -> None:
    stored = dict(store.write(**turn), mood="calm", _schema={"version": "2"}, timestamp="2027-01-01T00:00:00.5Z")
    stored["layers"] = {**stored["layers"], "tool": "x"}
    ENTRY.validate(stored)
    assert restore(stored)["mood"] == "calm"


def test_the_tools_take_what_the_schema_says() -> None:
    by_name = {tool["name"]: tool["input_schema"] for tool in tools.definitions("anthropic")}
    assert by_name["coglog_write"] == input_schema()
    for name in ("coglog_read", "coglog_clear"):
        Draft202012Validator(by_name[name]).validate({})
    ollama = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools.definitions("ollama")}
    assert ollama == by_name
    chat = [tool["function"]["parameters"] for tool in tools.definitions("openai")]
    assert chat == [tool["parameters"] for tool in tools.definitions("openai-responses")]
    assert chat[1] == input_schema(lengths=False)


def test_no_caller_changes_what_the_next_gets() -> None:
    for make in (entry_schema, input_schema, lambda: tools.definitions("ollama")):
        first, before = make(), json.dumps(make())
        _spoil(first)
        assert json.dumps(make()) == before


def _spoil(value: Any) -> None:
    for inner in list(value.values()) if isinstance(value, dict) else list(value):
        if isinstance(inner, (dict, list)):
            _spoil(inner)
    value.clear()


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == entry_schema()
    assert cli.main(["schema", "--input"]) == 0
    printed = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(printed)
    assert printed["$schema"] == DIALECT
    assert {key: printed[key] for key in input_schema()} == input_schema()

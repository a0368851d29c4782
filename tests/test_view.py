"""What outputs show of an entry, in HTML and as text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, ValidationError, html_form, render, text_form
from coglog_nb.entry import as_entry, restore
from coglog_nb.limits import FIELD_LIMIT

if TYPE_CHECKING:
    from pathlib import Path


def static_card(entry: Any) -> str:
    return html_form.static_card(as_entry(entry).view())


def plain_text(entry: Any) -> str:
    return text_form.plain_text(as_entry(entry).view())


@pytest.fixture
def entry(store: CogLog, turn: dict[str, Any]) -> Any:
    return store.write(**turn)


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_neither_form_holds_addresses_or_unfilled_holes(make: Any, entry: Any) -> None:
    text = make(entry)
    assert not re.search(r"0x[0-9a-f]{6}| id=|%\{", text)


@pytest.mark.parametrize("make", [static_card, plain_text])
@pytest.mark.parametrize("character", ["x", "é", "語", "🙂"])
def test_no_more_than_20_kb_of_one_field(make: Any, character: str, store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**{**turn, "thinking": character * 50_000})
    text = make(entry)
    kept = text.count(character)
    assert len((character * kept).encode()) <= 20_480
    assert f"{50_000 - (kept if character != 'x' else FIELD_LIMIT):,}" in text
    assert "50,000" in text


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_a_field_of_20_kb_is_whole(make: Any, store: CogLog, turn: dict[str, Any]) -> None:
    assert "left out" not in make(store.write(**{**turn, "thinking": "y" * FIELD_LIMIT}))


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_missing_hidden_and_empty_are_told_apart(make: Any, entry: Any) -> None:
    stored = json.loads(json.dumps(entry))
    del stored["annotation"]
    old = restore(stored)
    old.show_thinking = False
    text = make(old)
    assert "(missing" in text
    assert "(not shown)" in text
    assert "(empty)" in text
    assert "Start from an example." not in text


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_the_session_is_named(make: Any, tmp_path: Path, turn: dict[str, Any]) -> None:
    assert "npc-1" in make(CogLog(tmp_path, session="npc-1").write(**turn))


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_foreign_values_of_an_entry_are_text_too(make: Any, entry: Any) -> None:
    stored = json.loads(json.dumps(entry))
    stored["timestamp"] = stored["_schema"]["version"] = "<script>alert(1)</script>\x1b"
    text = make(restore(stored))
    assert "<script>" not in text or make is plain_text
    assert "\x1b" not in text or make is static_card


# ---- entries that somebody changed, or that another tool wrote


def test_a_changed_entry_becomes_no_code(entry: Any) -> None:
    entry["turn_id"] = '<img src=x onerror="alert(1)">'
    assert entry._repr_html_() is None
    for make in (static_card, plain_text, render):
        with pytest.raises(ValidationError, match="turn_id"):
            make(entry)


SPOILED = [
    dict.clear,
    lambda e: e.update(layers=5),
    lambda e: e["layers"].update(user=5),
    lambda e: e.pop("annotation"),
    lambda e: e.pop("_schema"),
    lambda e: e.update(_schema={1, 2}),
]


@pytest.mark.parametrize("spoil", SPOILED)
def test_an_entry_made_invalid_shows_as_a_dict(spoil: Any, entry: Any) -> None:
    from IPython.lib.pretty import pretty

    spoil(entry)
    entry.show_thinking = False
    assert entry._repr_html_() is None
    assert pretty(entry) == repr(entry) == dict.__repr__(entry)
    for make in (static_card, plain_text, render):
        with pytest.raises(ValidationError, match="not an entry"):
            make(entry)


def test_other_tools_keys_are_shown_nowhere(entry: Any, store: CogLog, tmp_path: Path) -> None:
    """They may say again what the thinking said."""
    stored = json.loads(json.dumps(entry))
    stored["layers"]["thinking_summary"] = stored["raw_thinking"] = "SECRET"
    store.current_file.write_text(json.dumps(stored))
    read = store.read()
    assert read is not None
    assert read["raw_thinking"] == "SECRET"
    read.show_thinking = False
    for text in (render(read, tmp_path).read_text(), static_card(read), plain_text(read), repr(read)):
        assert "SECRET" not in text


def test_a_long_schema_or_time_is_cut(entry: Any) -> None:
    entry["_schema"] = {"version": "v" * 50_000, "more": "m" * 50_000}
    entry["timestamp"] = "t" * 50_000
    for text in (static_card(entry), plain_text(entry)):
        assert len(text) < 30_000
    assert "characters left out" in static_card(entry)

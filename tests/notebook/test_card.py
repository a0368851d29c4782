"""The card as a widget: its code travels once, and it is made once and forgotten with its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, ValidationError, show
from coglog_nb.fields import schema
from coglog_nb.notebook import card
from coglog_nb.notebook.display import WIDGET_MIME

if TYPE_CHECKING:
    from tests.notebook.conftest import Shell


@pytest.fixture
def entry(turn: dict[str, Any], shell: Shell) -> Any:
    shell.ip.user_ns["entry"] = CogLog().write(**turn)
    return shell.ip.user_ns["entry"]


def test_one_entry_shown_many_times_makes_one_widget(entry: Any, shell: Shell) -> None:
    del entry
    shown = [shell.run("entry").outputs[1][WIDGET_MIME]["model_id"] for _ in range(3)]
    assert len(set(shown)) == 1
    shell.run("other = %coglog read")
    assert shell.run("other").outputs[1][WIDGET_MIME]["model_id"] not in shown


def test_the_viewers_code_travels_once(entry: Any, shell: Shell, turn: dict[str, Any]) -> None:
    first, second = show(entry), show(CogLog().write(**turn))
    assert first.library is second.library
    assert first.layout is second.layout
    assert len(first.library._esm) > 10_000
    assert len(first._esm) < 400
    del shell


def test_a_card_holds_the_turn_and_the_library_what_all_have_in_common(entry: Any) -> None:
    widget = show(entry, theme="dark")
    assert widget.turn["entry"] == {key: value for key, value in entry.items() if key != "_schema"}
    assert widget.turn["missing"] == []
    assert widget.turn["hidden"] == []
    assert (widget.session, widget.theme) == ("", "dark")
    assert widget.library.shared["schema"] == schema()
    assert [field["name"] for field in widget.library.shared["fields"]][:2] == ["user", "thinking"]


def test_a_foreign_schema_travels_with_its_card(entry: Any) -> None:
    entry["_schema"]["version"] = "9"
    assert show(entry).turn["entry"]["_schema"]["version"] == "9"


def test_after_close_all_there_is_a_new_library_and_a_new_card(entry: Any) -> None:
    from ipywidgets import Widget

    old = show(entry)
    Widget.close_all()
    new = show(entry)
    assert new is not old
    assert new.comm is not None
    assert new.library.comm is not None
    assert new.library is not old.library


def test_a_card_is_forgotten_with_its_entry(turn: dict[str, Any], shell: Shell) -> None:
    import gc

    del shell
    entry = CogLog().write(**turn)
    show(entry)
    key = id(entry)
    assert key in card._cards
    del entry
    gc.collect()
    assert key not in card._cards


def test_show_takes_a_plain_mapping_and_refuses_an_invalid_entry(entry: Any) -> None:
    assert show(dict(entry)).turn["entry"]["annotation"] == entry["annotation"]
    with pytest.raises(ValidationError, match="turn_id"):
        show({"user": "a"})
    with pytest.raises(ValidationError, match="theme"):
        show(entry, theme="blue")


def test_in_marimo_a_card_carries_its_code(entry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import types

    marimo = types.ModuleType("marimo")
    marimo.running_in_notebook = lambda: True  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    widget = show(entry)
    assert isinstance(widget, card.StandaloneCard)
    assert len(widget._esm) > 10_000
    assert widget.shared["schema"] == schema()

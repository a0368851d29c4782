"""An entry in a notebook: it shows itself as one card, and in a terminal as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, show
from coglog_nb.notebook.display import WIDGET_MIME

if TYPE_CHECKING:
    from tests.notebook.conftest import Shell


@pytest.fixture
def entry(turn: dict[str, Any], shell: Shell) -> Any:
    shell.ip.user_ns["entry"] = CogLog().write(**turn)
    return shell.ip.user_ns["entry"]


def test_an_entry_shows_itself_once_as_a_static_and_a_live_card(entry: Any, shell: Shell) -> None:
    static, live = shell.run("entry").outputs
    assert set(static) == {"text/html", "text/plain"}
    assert "coglog-static" in static["text/html"]
    assert static["text/plain"].startswith("CogLog 0.9.1 · Turn 1")
    assert set(live) == {WIDGET_MIME}, "a text beside the widget would be a second card where no widget runs"
    assert live[WIDGET_MIME]["model_id"] == show(entry).model_id


def test_display_shows_it_too(entry: Any, shell: Shell) -> None:
    del entry
    assert len(shell.run("display(entry)").outputs) == 2


def test_a_terminal_gets_text(entry: Any, shell: Shell) -> None:
    del entry
    shell.ip.display_formatter.active_types = ["text/plain"]
    ran = shell.run("entry")
    assert "Fact layer\n  user\n    What is a fixed point?" in ran.out + str(ran.outputs)
    assert WIDGET_MIME not in str(ran.outputs)


def test_an_entry_in_a_list_is_text(entry: Any, shell: Shell) -> None:
    del entry
    ran = shell.run("[entry]")
    assert "Interpretation layer" in ran.out
    assert ran.outputs == []


def test_a_changed_entry_shows_as_it_is_now(entry: Any) -> None:
    widget = show(entry)
    entry["annotation"] = "changed"
    assert show(entry) is widget
    assert widget.turn["entry"]["annotation"] == "changed"

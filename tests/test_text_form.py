from __future__ import annotations

import re
from typing import Any

import pytest

from coglog_nb import CogLog, text_form


@pytest.fixture
def entry(store: CogLog, turn: dict[str, Any]) -> Any:
    return store.write(**turn)


def test_the_text_reads_well_alone(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**{**turn, "assistant": "two\n\n  lines"})
    assert text_form.plain_text(entry.view()).replace(entry["timestamp"], "TIME") == (
        "CogLog 0.9.1 · Turn 1 · TIME\n"
        "\n"
        "Fact layer\n"
        "  user\n"
        "    What is a fixed point?\n"
        "  thinking\n"
        "    Start from an example.\n"
        "  assistant\n"
        "    two\n"
        "\n"
        "      lines\n"
        "\n"
        "Interpretation layer\n"
        "  current_focus (present)\n"
        "    fixed points\n"
        "  theory_of_mind (other)\n"
        "    (empty)\n"
        "  self_narrative (self)\n"
        "    a tutor\n"
        "  annotation (future)\n"
        "    ask for one of cos(x)"
    )


def test_a_terminal_is_not_given_control_characters(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**{**turn, "user": "\x1b]0;title\x07 \x9b31m \x7f \r tab\there"})
    text = text_form.plain_text(entry.view())
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert "tab\there" in text

from __future__ import annotations

import pytest

from coglog_nb.limits import FIELD_LIMIT, LINE_LIMIT, cut, cut_line, cut_with_note


@pytest.mark.parametrize("character", ["x", "é", "語", "🙂"])
def test_a_cut_falls_between_characters(character: str) -> None:
    text = character * FIELD_LIMIT
    kept, left_out = cut(text)
    assert kept == text[: len(kept)]
    assert len(kept) + left_out == len(text)
    assert FIELD_LIMIT - 4 < len(kept.encode()) <= FIELD_LIMIT


def test_what_fits_is_not_cut() -> None:
    text = "x" * FIELD_LIMIT
    assert cut(text) == (text, 0)
    assert cut_with_note(text) == text
    assert cut_line("x" * LINE_LIMIT) == "x" * LINE_LIMIT


def test_a_cut_is_noted() -> None:
    assert cut_with_note("x" * (FIELD_LIMIT + 5)).endswith("x\n[5 of 20,005 characters left out]")
    assert cut_line("x" * (LINE_LIMIT + 1)) == "x" * LINE_LIMIT + "…"

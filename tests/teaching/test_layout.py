"""Text in a terminal's columns, and the colours of the fields."""

from __future__ import annotations

import re
from pathlib import Path

from coglog_nb.teaching.layout import ACCENTS, columns, wrap

VIEWER = Path(__file__).parents[2] / "js" / "src" / "CogLogViewer.jsx"


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_a_japanese_letter_is_two_columns_wide() -> None:
    assert columns("a事実") == 5


def test_wrapping_loses_nothing_but_spaces() -> None:
    text = "a  b「c」d、" * 60 + "w" * 200
    lines = wrap(text, "    ")
    assert squeezed("".join(lines)) == squeezed(text)
    assert all(line.startswith("    ") for line in lines)


def test_the_colours_are_the_cards() -> None:
    source = VIEWER.read_text(encoding="utf-8")
    table = source.partition("const ACCENTS = {")[2].partition("}")[0]
    assert dict(re.findall(r'(\w+): "(#\w+)"', table)) == ACCENTS

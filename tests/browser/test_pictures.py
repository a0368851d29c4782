"""The README's pictures are of today's card. Drives no browser: it compares files."""

from __future__ import annotations

import json
import struct

import pytest
from pictures import FOLDER, LIMIT, RECORD, THEMES, on_disk, picture, today

pytestmark = pytest.mark.browser

HOW = "the pictures in docs/images don't show today's card; take them again: python scripts/take_pictures.py"


def test_the_pictures_are_of_this_build() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    assert record.get("made_of") == today(), HOW
    assert record.get("pictures") == on_disk(), HOW


@pytest.mark.parametrize("theme", THEMES)
def test_a_picture_is_small_and_sharp(theme: str) -> None:
    content = (FOLDER / picture(theme)).read_bytes()
    assert len(content) < LIMIT
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert 1200 <= width <= 2200
    assert height < 2000

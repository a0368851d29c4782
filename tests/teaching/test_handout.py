"""The page to print: the guide's texts, and room to write."""

from __future__ import annotations

import html
import re

import pytest

from coglog_nb.fields import AXES
from coglog_nb.labels import LANGUAGES
from coglog_nb.teaching.handout import handout_source
from coglog_nb.teaching.locales import texts_of


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_contains_the_guides_texts_and_room_to_write(lang: str) -> None:
    source = handout_source(lang)
    shown = html.unescape(re.sub(r"<[^>]*>", " ", source))
    texts = texts_of("guide", lang)
    for name in AXES:
        assert texts[f"{name}.says"] in shown
        assert texts[f"{name}.weak"] in shown
    assert f'<html lang="{lang}">' in source
    assert source.count('<div class="name label">') == len(AXES)
    assert not re.search(r"<script|https?:|<link|url\(", source)

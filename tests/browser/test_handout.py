"""The handout: one page on both papers, in both languages, with the widest fonts too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from plain import complaints, plain_page, shoot, show

from coglog_nb.fields import AXES
from coglog_nb.labels import LANGUAGES
from coglog_nb.teaching.handout import handout_source

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PAPERS = ("A4", "Letter")
# The fonts of a system without the named ones are wider.
WIDE = '<style>body{font-family:"DejaVu Sans","Noto Sans CJK JP",sans-serif!important}</style></head>'


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("paper", PAPERS)
def test_it_prints_on_one_page(browser: Browser, tmp_path: Path, lang: str, paper: str) -> None:
    for source in (handout_source(lang), handout_source(lang).replace("</head>", WIDE)):
        with plain_page(browser) as page:
            show(page, tmp_path, source)
            data = page.pdf(format=paper, print_background=True, margin={"top": "10mm", "bottom": "10mm"})
            assert len(re.findall(rb"/Type\s*/Page\b(?!s)", data)) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_reads_well_on_a_screen(browser: Browser, tmp_path: Path, lang: str) -> None:
    for width in (320, 900):
        with plain_page(browser, viewport={"width": width, "height": 800}) as page:
            show(page, tmp_path, handout_source(lang))
            assert complaints(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            shoot(page, f"handout-{lang}-{width}")


def test_it_has_a_place_to_write_for_each_axis(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser, viewport={"width": 703, "height": 1000}) as page:
        page.emulate_media(media="print")
        show(page, tmp_path, handout_source())
        places = page.locator(".lines > div")
        assert places.all_inner_texts() == list(AXES)
        for place in places.all():
            box = place.bounding_box()
            assert box is not None
            assert box["height"] >= 40
            assert box["width"] > 300
        shoot(page, "handout-printed")

"""The static card where a page's owner takes things out of it: styles, attributes, scripts."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from plain import LONG, TEXTS, complaints, plain_page, shoot, show, turn_of
from playwright.sync_api import expect

from coglog_nb import html_form
from coglog_nb.entry import restore
from coglog_nb.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

HARD = {
    **TEXTS,
    "thinking": "\n\n  two line breaks and two spaces first\n</pre><script>document.title = 'hacked'</script>",
    "assistant": "日本語の文章\n\t한국어, and \\ {x} ${y} &lt; \"q\" 'q'",
    "theory_of_mind": "",
    "annotation": "no_break_anywhere" * 30,
}


def words(text: str) -> set[str]:
    return set(text.split())


# What each lets through, as far as it could concern a card: GitHub's by the published `html-pipeline`, JupyterLab's by
# its `apputils`, which looks into a `style` as well.
GITHUB_TAGS = words(
    """h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot
    blockquote dl dt dd kbd q samp var hr li tr td th s strike summary details caption figure abbr small span"""
)
GITHUB_ATTRIBUTES = words(
    """align alt aria-describedby aria-hidden aria-label aria-labelledby border color dir height id lang name open role
    scope start summary tabindex title valign value width"""
)
LAB_TAGS = GITHUB_TAGS | words("article aside button footer header nav section u")
LAB_ATTRIBUTES = words("class dir draggable hidden id inert itemprop lang spellcheck style title translate")
LAB_STYLES = words(
    """background background-color border border-bottom border-left border-right border-top color display font
    font-family font-size font-weight line-height margin margin-left margin-top max-width min-width overflow-wrap
    padding text-align vertical-align white-space width word-break"""
)


class Sanitizer(HTMLParser):
    """Keeps the tags, attributes and styles on its lists, and the text of everything else but scripts and styles."""

    def __init__(self, tags: set[str], attributes: set[str], styles: set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.styles = tags, attributes, styles
        self.kept: list[str] = []
        self.skipping = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "style"}:
            self.skipping += 1
        if tag not in self.tags:
            return
        kept = []
        for name, value in attrs:
            content = value or ""
            if name == "style":
                rules = [rule for rule in content.split(";") if rule.split(":")[0].strip() in self.styles]
                content = ";".join(rule for rule in rules if "var(" not in rule)
            if name in self.attributes:
                kept.append(f' {name}="{html.escape(content)}"')
        self.kept.append(f"<{tag}{''.join(kept)}>")
        if tag == "pre":
            self.kept.append("\n")  # a parser drops one

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self.skipping -= 1
        if tag in self.tags and tag not in {"br", "hr", "img"}:
            self.kept.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            if self.kept and self.kept[-1] == "\n":
                data = data.removeprefix("\n")
            self.kept.append(html.escape(data, quote=False))


def sanitized(text: str, tags: set[str], attributes: set[str], styles: set[str]) -> str:
    sanitizer = Sanitizer(tags, attributes, styles)
    sanitizer.feed(text)
    sanitizer.close()
    return "".join(sanitizer.kept)


PLACES: dict[str, Callable[[str], str]] = {
    "as it is": lambda card: card,
    "GitHub": lambda card: sanitized(card, GITHUB_TAGS, GITHUB_ATTRIBUTES, set()),
    "JupyterLab": lambda card: sanitized(card, LAB_TAGS, LAB_ATTRIBUTES, LAB_STYLES),
    "no style": lambda card: re.sub(r' style="[^"]*"', "", card),
    "tags alone": lambda card: sanitized(card, GITHUB_TAGS, set(), set()),
}


def card_of(texts: dict[str, str]) -> str:
    return html_form.static_card(restore(turn_of(texts)["entry"]).view())


def page_with(card: str, *, dark: bool = False) -> str:
    colours = "background:#0d1117;color:#e6edf3" if dark else "background:#fff;color:#1f2328"
    # The headings that a card comes after in a notebook.
    around = "<h1>A notebook</h1><h2>A chapter</h2>"
    style = f"body{{{colours};font:15px sans-serif;margin:16px}}"
    head = f'<meta charset="utf-8"><title>A notebook</title><style>{style}</style>'
    return f'<!doctype html><html lang="en">{head}<body><main>{around}{card}</main></body></html>'


def faults(page: Page, place: str) -> list[str]:
    """Ask axe-core; GitHub takes a heading's level and leaves its role, and browsers then take it for a level of 2."""
    found = complaints(page)
    ours = [one for one in found if not (place == "GitHub" and one["id"] == "aria-required-attr")]
    assert all("aria-level" in node for one in found if one not in ours for node in one["nodes"])
    return [one["id"] for one in ours]


def lines_of(page: Page) -> list[str]:
    return [line.strip() for line in page.locator("main").inner_text().split("\n") if line.strip()]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("width", [320, 900])
def test_it_reads_as_a_record_wherever_it_stands(browser: Browser, tmp_path: Path, place: str, width: int) -> None:
    card = PLACES[place](card_of(HARD))
    with plain_page(browser, java_script_enabled=False, viewport={"width": width, "height": 900}) as page:
        show(page, tmp_path, page_with(card))
        lines = lines_of(page)
        assert lines[2] == "CogLog 0.9.1"
        assert lines[3] == "Turn 3 2026-02-26T00:00:00+00:00" or width == 320
        # The layers and the parts in their order, each with its name, direction and question on a line of its own.
        heads = [f"{field.name} {field.direction}".strip() + f" {field.question}" for field in FIELDS]
        expected = ["Fact layer", *heads[:3], "Interpretation layer", *heads[3:]]
        text = " ".join(lines)
        places = [text.find(line) for line in expected]
        assert -1 not in places
        assert places == sorted(places)
        if width == 900:
            assert [line for line in lines if line in expected] == expected
        # The texts, whole and with their own breaks and spaces.
        pres = [pre.text_content() for pre in page.locator("pre").all()[1:]]
        assert pres == [text for text in HARD.values() if text]
        assert "(empty) left unwritten on purpose" in lines
        assert page.title() == "A notebook"
        shoot(page, f"static-{place.replace(' ', '-')}-{width}")


@pytest.mark.parametrize("place", PLACES)
def test_its_schema_opens_without_scripts(browser: Browser, tmp_path: Path, place: str) -> None:
    with plain_page(browser, java_script_enabled=False) as page:
        show(page, tmp_path, page_with(PLACES[place](card_of(HARD))))
        schema = page.locator("details pre")
        expect(schema).not_to_be_visible()
        page.locator("summary").click()
        expect(schema).to_be_visible()
        expect(schema).to_contain_text('"window_size"')
        page.locator("summary").press("Enter")
        expect(schema).not_to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_on_it(browser: Browser, tmp_path: Path, place: str, dark: bool) -> None:
    with plain_page(browser) as page:
        show(page, tmp_path, page_with(PLACES[place](card_of({**TEXTS, "annotation": ""})), dark=dark))
        assert faults(page, place) == []
        shoot(page, f"static-{place.replace(' ', '-')}-{'dark' if dark else 'light'}")


def test_in_jupyterlab_it_is_narrow_where_space_is_short(browser: Browser, tmp_path: Path) -> None:
    for width, count in ((900, 2), (320, 1)):
        with plain_page(browser, viewport={"width": width, "height": 900}) as page:
            show(page, tmp_path, page_with(PLACES["as it is"](card_of(TEXTS))))
            axes = [f"[data-part={field.name}]" for field in FIELDS if field.direction]
            boxes: list[Any] = [page.locator(selector).bounding_box() for selector in axes]
            assert len({round(box["x"]) for box in boxes}) == count
            assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_text_of_a_turn_ago_is_under_its_axis(browser: Browser, tmp_path: Path) -> None:
    fragment = html_form._card_fragments()["before"].replace("%{text}", html.escape("What stood there."))
    card = card_of({**TEXTS, "annotation": ""}).replace("on purpose</i>", f"on purpose</i>{fragment}")
    for place, change in PLACES.items():
        with plain_page(browser) as page:
            show(page, tmp_path, page_with(change(card)))
            lines = lines_of(page)
            at = lines.index("(empty) left unwritten on purpose")
            assert lines[at + 1 : at + 3] == ["a turn ago", "What stood there."], place
            assert faults(page, place) == []


def test_what_it_leaves_out_it_says(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        show(page, tmp_path, page_with(PLACES["GitHub"](card_of({**TEXTS, "assistant": LONG}))))
        assert any("characters left out" in line for line in lines_of(page))

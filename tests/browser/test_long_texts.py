"""Texts of every length and script in the live card: wrapped, folded, clamped, copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from jlab import settle
from plain import DEEP, LONG, TEXTS, page_of, plain_page, shoot, show, turn_of, widget_page
from playwright.sync_api import expect

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

SCRIPTS = {
    "user": "هل يمكنك مساعدتي في تخطيط الأسبوع؟ https://example.invalid/" + "a/very/long/address/" * 12,
    "thinking": "הם מבקשים תוכנית, אבל הגינה חשובה להם.\n" + "one line in English\n" + "שורה נוספת של מחשבה.\n" * 14,
    "assistant": "日本語の文章です。庭の話から始めましょう。" * 12,
    "current_focus": "ภาษาไทยไม่มีช่องว่างระหว่างคำ" * 12,
    "theory_of_mind": "no_break_anywhere" * 40,
    "self_narrative": "👩‍👩‍👧🏳️‍🌈👍🏽" * 40,
    "annotation": "\u2800".join(["word"] * 40) + "\t\ttabs\n\n\n   three spaces   \n",
}
MEGABYTES = {
    "words": "word " * 200_000,
    "no break": "x" * 1_000_000,
    "lines": "line of text\n" * 77_000,
    "Japanese": "日本語の文章。" * 47_620,
    "Arabic": "هل يمكنك " * 60_000,
}
# How many characters a page lays out.
LAID_OUT = """() => {
    const walker = document.createTreeWalker(document.querySelector('.coglog-live'), NodeFilter.SHOW_TEXT);
    let characters = 0;
    while (walker.nextNode())
        if (!walker.currentNode.parentElement.matches('style, script')) characters += walker.currentNode.data.length;
    return characters;
}"""
AROUND = 3_000  # more than the characters of labels, buttons and the schema


def part(page: Page, name: str) -> Locator:
    return page.locator(f"[data-part={name}]")


def text_of(page: Page, name: str) -> str:
    return str(part(page, name).locator("> pre").evaluate("pre => pre.childNodes.length === 1 && pre.firstChild.data"))


def more(page: Page, name: str) -> Locator:
    return part(page, name).locator("> .coglog-more")


@pytest.mark.parametrize("width", [320, 900])
def test_whatever_is_long_wraps(browser: Browser, tmp_path: Path, width: int) -> None:
    with plain_page(browser, viewport={"width": width, "height": 900}) as page:
        show(page, tmp_path, page_of(turn_of(SCRIPTS), session="a-session." * 6))
        for name, text in SCRIPTS.items():
            assert text_of(page, name) == text
        wide = page.evaluate("""() => [...document.querySelectorAll('body, body *')].filter(each => {
            const within = each.closest('.coglog-part') ?? document.body;
            return each.getBoundingClientRect().right > within.getBoundingClientRect().right
                || (each.matches('body, pre') && each.scrollWidth > each.clientWidth);
        }).map(each => each.outerHTML.slice(0, 99))""")
        assert wide == []
        shoot(page, f"text-scripts-{width}")


def test_each_script_reads_from_its_own_side(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        show(page, tmp_path, page_of(turn_of(SCRIPTS)))
        directions = {
            name: part(page, name).locator("> pre").evaluate("pre => getComputedStyle(pre).direction")
            for name in SCRIPTS
        }
        right = {name for name, direction in directions.items() if direction == "rtl"}
        assert right == {"user", "thinking"}
        # And each line of its own: the English one in the Hebrew text begins at the left.
        sides = (
            part(page, "thinking")
            .locator("> pre")
            .evaluate("""pre => {
            const side = word => {
                const range = document.createRange();
                const at = pre.firstChild.data.indexOf(word);
                range.setStart(pre.firstChild, at);
                range.setEnd(pre.firstChild, at + word.length);
                const [box, all] = [range.getBoundingClientRect(), pre.getBoundingClientRect()];
                return box.left - all.left < all.right - box.right ? 'left' : 'right';
            };
            return [side('הם'), side('one')];
        }""")
        )
        assert sides == ["right", "left"]


def test_a_long_text_is_clamped_and_shown_on_demand(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        texts = {"user": LONG, "annotation": "🙂" * 15_000}
        show(page, tmp_path, page_of(turn_of(texts)))
        assert text_of(page, "user") == "\n".join(LONG.split("\n")[:300])
        assert text_of(page, "annotation") == "🙂" * 10_000
        for name, text in texts.items():
            button = more(page, name)
            expect(button).to_have_text(f"show all ({len(text):,} characters)")
            button.click()
            assert text_of(page, name) == text
            expect(button).to_have_text("show less")
            button.click()
            assert text_of(page, name) != text
            # After closing a long text, the reader isn't at the end of the page.
            box = button.bounding_box()
            assert box is not None
            assert -1 <= box["y"] <= 900


def test_a_long_thinking_starts_folded(browser: Browser, tmp_path: Path) -> None:
    def height(page: Page) -> float:
        return float(part(page, "thinking").locator("> pre").evaluate("pre => pre.clientHeight"))

    with plain_page(browser) as page:
        for text in (DEEP, "A thought that goes on and on. " * 40):
            show(page, tmp_path, page_of(turn_of({"thinking": text})))
            assert text_of(page, "thinking") == text
            assert 100 < height(page) < 150
            more(page, "thinking").click()
            assert height(page) > 150
            expect(more(page, "thinking")).to_have_text("show less")
        show(page, tmp_path, page_of(turn_of({"thinking": "\n".join(DEEP.split("\n")[:12])})))
        expect(more(page, "thinking")).to_have_count(0)
        assert height(page) > 200
        # On the widest page, too, "show more" shows more.
        page.set_viewport_size({"width": 2000, "height": 900})
        show(page, tmp_path, page_of(turn_of({"thinking": "A thought, and more. " * 58})))
        before = height(page)
        more(page, "thinking").click()
        assert height(page) > before


@pytest.mark.parametrize("kind", MEGABYTES)
def test_a_megabyte_does_not_stop_the_page(browser: Browser, tmp_path: Path, kind: str) -> None:
    text = MEGABYTES[kind]
    with plain_page(browser) as page:
        names = ("user", "thinking", "assistant", "annotation")
        show(page, tmp_path, page_of(turn_of(dict.fromkeys(names, text))))
        settle(page)
        for name in names:
            assert len(text_of(page, name)) <= 20_000
        assert page.evaluate(LAID_OUT) <= 4 * 20_000 + AROUND
        if kind == "words":
            shoot(page, "text-megabyte")
        # The whole text is laid out once, the other three stay short, and the page goes on answering.
        more(page, "user").click()
        settle(page)
        assert text_of(page, "user") == text
        whole = page.evaluate("text => text.length", text)
        assert page.evaluate(LAID_OUT) <= whole + 3 * 20_000 + AROUND
        expect(more(page, "user")).to_have_text("show less")
        more(page, "user").click()
        assert len(text_of(page, "user")) <= 20_000


@pytest.mark.parametrize("form", ["page", "widget"])
def test_a_text_is_copied_as_it_is(browser: Browser, tmp_path: Path, form: str) -> None:
    texts = {"user": LONG, "annotation": "\n\ttab, \u2028 and 🙂 \n"}
    turn = turn_of(texts, hidden=["thinking"], missing=["self_narrative"])
    content = page_of(turn) if form == "page" else widget_page({"turn": turn})
    with plain_page(browser, permissions=["clipboard-read", "clipboard-write"]) as page:
        show(page, tmp_path, content)
        labels = [each.get_attribute("aria-label") for each in page.locator(".coglog-copy button").all()]
        assert labels == [f"copy {name}" for name in TEXTS if name not in {"thinking", "self_narrative"}]
        for name, text in texts.items():
            page.get_by_role("button", name=f"copy {name}").click()
            expect(part(page, name).get_by_role("status")).to_have_text("copied")
            assert page.evaluate("navigator.clipboard.readText()") == text
        shoot(page, f"text-copied-{form}")
        expect(part(page, "user").get_by_role("status")).to_have_text("")


def test_where_the_clipboard_is_closed_the_older_way_works(browser: Browser, tmp_path: Path) -> None:
    text = "\n\ttab, \u2028 and 🙂 \n"
    with plain_page(browser, permissions=["clipboard-read"]) as page:
        page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))")
        show(page, tmp_path, page_of(turn_of({"user": text})))
        button = page.get_by_role("button", name="copy user")
        button.click()
        expect(part(page, "user").get_by_role("status")).to_have_text("copied")
        expect(button).to_be_focused()
        assert page.evaluate("navigator.clipboard.readText()") == text
        page.evaluate("document.execCommand = () => false")
        button.click()
        expect(part(page, "user").get_by_role("status")).to_have_text("not copied")


def test_empty_and_missing_say_so(browser: Browser, tmp_path: Path) -> None:
    turn: Any = turn_of({"current_focus": ""}, missing=["annotation"], hidden=["thinking"])
    with plain_page(browser) as page:
        show(page, tmp_path, page_of(turn))
        expect(part(page, "current_focus")).to_contain_text("(empty) left unwritten on purpose")
        expect(part(page, "annotation")).to_contain_text("(missing) not in this entry")
        expect(part(page, "thinking")).to_contain_text("(not shown)")

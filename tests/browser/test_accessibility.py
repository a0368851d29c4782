"""The card for who uses a screen reader, a keyboard, or more contrast: axe-core, the accessibility tree, focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from jlab import notebook_of
from plain import DEEP, FOCUS, RINGS, STATES, TEXTS, complaints, page_of, plain_page, shoot, show, turn_of, widget_page
from playwright.sync_api import expect

if TYPE_CHECKING:
    from pathlib import Path

    from jlab import Open
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

THEMES = ("light", "dark")


def open_all(page: Page) -> None:
    """Open whatever can be opened, and copy something."""
    page.locator("summary").click()
    for button in page.locator(".coglog-more").all():
        button.click()


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_on_the_exported_page(browser: Browser, tmp_path: Path, state: str, theme: str) -> None:
    with plain_page(browser) as page:
        show(page, tmp_path, page_of(**STATES[state], theme=theme))
        expect(page.locator(".coglog-live")).to_have_attribute("data-theme", theme)
        assert complaints(page) == []
        open_all(page)
        assert complaints(page) == []
        shoot(page, f"page-{state}-open-{theme}")


@pytest.mark.parametrize("width", [320, 1400])
def test_axe_finds_nothing_in_other_widths(browser: Browser, tmp_path: Path, width: int) -> None:
    with plain_page(browser, viewport={"width": width, "height": 800}) as page:
        show(page, tmp_path, page_of(**STATES["diff"]))
        assert complaints(page) == []


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_without_scripts(browser: Browser, tmp_path: Path, state: str) -> None:
    content = page_of(**STATES[state]).replace("<noscript>", "").replace("</noscript>", "")
    head, _, rest = content.partition("<script>")
    with plain_page(browser) as page:
        show(page, tmp_path, head + rest.partition("</script>")[2])
        # The static card is made for the middle of a notebook: its headings begin below others, which here are missing.
        assert {one["id"] for one in complaints(page)} <= {"heading-order", "page-has-heading-one"}


def test_axe_would_find_something(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        show(page, tmp_path, page_of(**STATES["plain"]))
        page.evaluate("document.querySelector('.coglog-ask').style.color = '#ccc'")
        assert [one["id"] for one in complaints(page)] == ["color-contrast"]


def test_axe_finds_nothing_on_the_live_card_in_jupyterlab(open_notebook: Open) -> None:
    texts = {**TEXTS, "thinking": DEEP, "annotation": "", "assistant": "line\n" * 400}
    notebook = open_notebook("axe.ipynb", notebook_of(f"texts = {texts!r}", "%coglog write texts"))
    notebook.run_all()
    card = notebook.show(notebook.live)
    for theme in THEMES:
        card.get_by_role("button", name=theme, exact=True).click()
        expect(card).to_have_attribute("data-theme", theme)
        for _ in range(2):
            assert complaints(notebook.page, ".coglog-live") == []
            card.locator("summary").click()
            card.locator(".coglog-more").first.click()
        notebook.picture(f"lab-long-{theme}", card)


def test_what_a_screen_reader_hears(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        turn = turn_of({"thinking": DEEP, "self_narrative": ""}, changed=["annotation"], before={"annotation": "Wait."})
        show(page, tmp_path, page_of(turn, session="mira"))
        expect(page.locator("body")).to_match_aria_snapshot("""
            - main:
              - article "Turn 3":
                - group "Theme":
                  - button "light"
                  - button "system" [pressed]
                  - button "dark"
                - heading "Turn 3" [level=1]
                - text: 2026-02-26T00:00:00+00:00 session mira
                - group: _schema
                - group "Fact layer":
                  - heading "Fact layer" [level=2]
                  - group "user":
                    - text: user user's original utterance
                    - button "copy user"
                    - text: Can you help me plan the week? I keep losing track of the garden.
                  - group "thinking":
                    - text: thinking AI's full thinking process
                    - button "copy thinking"
                    - text: /^1\\. One thought, .* 30\\. One thought, and one more that follows from it\\.$/
                    - button "show more" [expanded=false]
                  - group "assistant":
                    - button "copy assistant"
                    - text: /^Let's begin with the garden, then\\./
                - group "Interpretation layer":
                  - heading "Interpretation layer" [level=2]
                  - group "current_focus":
                    - text: current_focus present what am I working on?
                    - button "copy current_focus"
                    - text: One small garden habit before any weekly plan.
                  - group "theory_of_mind":
                    - text: theory_of_mind other what is the user's state?
                  - group "self_narrative": /self_narrative self .* \\(empty\\) left unwritten on purpose/
                  - group "annotation":
                    - text: annotation changed future what should I do next?
                    - button "copy annotation"
                    - text: Ask how the ten minutes went before offering more. a turn ago Wait.
            """)


def test_in_a_notebook_its_headings_come_below_the_notebooks(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        show(page, tmp_path, widget_page(STATES["plain"]))
        expect(page.locator(".coglog-live")).to_match_aria_snapshot("""
            - article "Turn 3":
              - heading "Turn 3" [level=3]
              - group "Fact layer":
                - heading "Fact layer" [level=4]
            """)


@pytest.mark.parametrize("theme", THEMES)
def test_everything_is_reached_and_worked_by_keyboard(browser: Browser, tmp_path: Path, theme: str) -> None:
    with plain_page(browser) as page:
        show(page, tmp_path, page_of(turn_of({"thinking": DEEP, "assistant": "line\n" * 400}), theme=theme))
        stops: list[dict[str, Any]] = []
        while True:
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUS)
            if stop is None or len(stops) > 20:
                break
            stops.append(stop)
        assert [stop["name"] for stop in stops] == [
            *("light", "system", "dark", "_schema", "copy user", "copy thinking", "show more", "copy assistant"),
            "show all (2,000 characters)",
            *("copy current_focus", "copy theory_of_mind", "copy self_narrative", "copy annotation"),
        ]
        for stop in stops:
            assert stop["outline"] >= 2, stop
            assert stop["colour"] == RINGS[theme], stop
            assert stop["seen"], stop
            assert min(stop["height"], stop["width"]) >= 22, stop
        thinking = page.locator("[data-part=thinking]")
        for key, label, is_open in (("Enter", "show more", "true"), ("Space", "show less", "false")):
            thinking.get_by_role("button", name=label).focus()
            page.keyboard.press(key)
            button = thinking.locator(".coglog-more")
            expect(button).to_have_attribute("aria-expanded", is_open)
            expect(button).to_be_focused()
        page.keyboard.press("Tab")
        shoot(page, f"page-focus-{theme}")


def test_nothing_moves_where_that_is_not_wanted(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser, reduced_motion="reduce") as page:
        show(page, tmp_path, page_of(**STATES["long"]))
        moving = page.evaluate("""() => {
            for (const each of document.querySelectorAll('button, summary')) each.click();
            return document.getAnimations().length;
        }""")
        assert moving == 0


@pytest.mark.parametrize("theme", THEMES)
def test_edges_and_controls_stand_out(browser: Browser, tmp_path: Path, theme: str) -> None:
    """What axe leaves out: lines, at 3:1."""
    with plain_page(browser) as page:
        show(page, tmp_path, page_of(**STATES["diff"], theme=theme))
        low = page.evaluate("""() => {
            const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
            const luminance = colour => {
                const [r, g, b] = numbers(colour).map(v => v / 255)
                    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const contrast = (one, other) => {
                const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
                return (light + 0.05) / (dark + 0.05);
            };
            const ground = element => {
                const own = getComputedStyle(element).backgroundColor;
                return numbers(own)[3] === 0 ? ground(element.parentElement) : own;
            };
            const found = [];
            let looked = 0;
            for (const element of document.querySelectorAll('.coglog-live *')) {
                const style = getComputedStyle(element);
                for (const side of ['left', 'top', 'right', 'bottom']) {
                    if (parseFloat(style[`border-${side}-width`]) === 0) continue;
                    looked += 1;
                    for (const under of [ground(element), ground(element.parentElement)])
                        if (contrast(style[`border-${side}-color`], under) < 3)
                            found.push(`${element.className} ${side}`);
                }
            }
            return [looked, found];
        }""")
        assert low[1] == []
        assert low[0] > 15

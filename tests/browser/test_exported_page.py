"""The exported page: one file that is the whole card, offline, in every theme and size, and on paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from plain import DEEP, LONG, STATES, TEXTS, page_of, plain_page, shoot, show, turn_of, widget_page
from playwright.sync_api import expect

from coglog_nb.built_files import static_text
from coglog_nb.fields import AXES, NAMES

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

THEMES = ("light", "dark")
HOSTILE = (
    "</script><script>document.title = 'hacked'</script><!-- <script>",
    "</noscript></main><img src=x onerror=\"document.title = 'hacked'\">",
    "\n\n\\ \\u003c \\n \"'` ${1} {x} {{x}} %{data} %{static} %{title} &lt; &amp;",
    "__proto__ constructor \u2028\u2029 \ufeff \r\n \r \t \0 \x7f",
    "日本語 🙂 👩‍👩‍👧 العربية עברית e\u0301",
)
LIGHT, DARK = "rgb(251, 245, 234)", "rgb(30, 26, 22)"
# What each frame that is painted shows: the page's ground, and the card's theme if there is a card.
FRAMES = """() => {
    window.frames_seen = [];
    const look = () => {
        const html = document.documentElement;
        const card = document.querySelector('.coglog-live');
        if (html) window.frames_seen.push([
            getComputedStyle(html).backgroundColor, card?.dataset.theme ?? null, document.body !== null,
        ]);
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""


def texts_of(page: Page) -> dict[str, str]:
    found = {}
    for name in NAMES:
        pre = page.locator(f"[data-part={name}] > pre")
        assert pre.evaluate("pre => [...pre.childNodes].map(node => node.nodeType)") == [3]
        found[name] = pre.text_content() or ""
    return found


def test_it_opens_offline_and_is_the_whole_card(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        show(page, tmp_path, page_of(turn_of(), session="mira", theme="dark"))
        assert page.title() == "Turn 3"
        assert texts_of(page) == TEXTS
        card = page.locator(".coglog-live")
        expect(card).to_have_attribute("data-theme", "dark")
        expect(card).to_contain_text("session mira")
        assert requests == [page.url]
        # The static twin gave way to the live card.
        assert page.locator("noscript, .coglog-static").count() == 0
        page.get_by_role("button", name="light", exact=True).click()
        expect(card).to_have_attribute("data-theme", "light")
        page.locator("summary").click()
        expect(page.locator("details pre")).to_contain_text('"window_size"')


def test_beside_its_text_it_is_small() -> None:
    assert len(static_text("export-page.html").encode()) <= 60_000
    assert len(page_of(turn_of()).encode()) <= 60_000


def test_hostile_text_shows_as_text_and_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser) as page:
        for first in range(len(HOSTILE)):
            texts = {name: HOSTILE[(first + place) % len(HOSTILE)] for place, name in enumerate(NAMES)}
            show(page, tmp_path, page_of(turn_of(texts)))
            assert texts_of(page) == texts
            assert page.title() == "Turn 3"
            assert page.locator("img").count() == 0


def test_a_script_that_got_in_would_not_run(browser: Browser, tmp_path: Path) -> None:
    hacked = "<script>document.title = 'hacked'</script><img src=x onerror=\"document.title = 'hacked'\">"
    content = page_of(turn_of()).replace("</main>", f"</main>{hacked}")
    with plain_page(browser, quiet=False) as page:
        show(page, tmp_path, content)
        assert texts_of(page) == TEXTS
        assert page.title() == "Turn 3"


@pytest.mark.parametrize("theme", ["light", "system", "dark"])
@pytest.mark.parametrize("system", THEMES)
def test_no_frame_is_in_the_wrong_theme(browser: Browser, tmp_path: Path, theme: str, system: Any) -> None:
    expected = system if theme == "system" else theme
    with plain_page(browser, color_scheme=system) as page:
        page.add_init_script(f"({FRAMES})()")
        # A long text, so that the page comes in pieces.
        show(page, tmp_path, page_of(turn_of({"assistant": LONG * 20}), theme=theme))
        expect(page.locator(".coglog-live")).to_have_css("background-color", LIGHT if expected == "light" else DARK)
        frames = page.evaluate("() => window.frames_seen")
        # Without a body nothing of a page is painted.
        grounds = {ground for ground, _, has_body in frames if has_body}
        themes = {shown for _, shown, _ in frames if shown}
        assert themes == {expected}
        assert len(grounds) == 1
        red, _, _ = map(int, re.findall(r"\d+", grounds.pop())[:3])
        assert red > 200 if expected == "light" else red < 50


def test_the_ground_follows_the_toggle_and_the_system(browser: Browser, tmp_path: Path) -> None:
    with plain_page(browser, color_scheme="light") as page:
        show(page, tmp_path, page_of(turn_of()))
        html, card = page.locator("html"), page.locator(".coglog-live")
        light = html.evaluate("html => getComputedStyle(html).backgroundColor")
        page.get_by_role("button", name="dark", exact=True).click()
        expect(card).to_have_css("background-color", DARK)
        dark = html.evaluate("html => getComputedStyle(html).backgroundColor")
        assert dark != light
        page.get_by_role("button", name="system", exact=True).click()
        page.emulate_media(color_scheme="dark")
        expect(card).to_have_attribute("data-theme", "dark")
        expect(html).to_have_css("background-color", dark)
        page.emulate_media(color_scheme="light")
        expect(card).to_have_attribute("data-theme", "light")
        expect(html).to_have_css("background-color", light)


@pytest.mark.parametrize("system", THEMES)
def test_without_scripts_the_static_card_is_read(browser: Browser, tmp_path: Path, system: Any) -> None:
    with plain_page(browser, java_script_enabled=False, color_scheme=system) as page:
        show(page, tmp_path, page_of(**STATES["plain"]))
        card = page.locator("main .coglog-static")
        for words in ("Turn 3", "Fact layer", "Interpretation layer", *NAMES, TEXTS["user"], TEXTS["annotation"]):
            expect(card).to_contain_text(words)
        expect(page.locator(".coglog-live")).to_have_count(0)
        schema = page.locator("details pre")
        expect(schema).not_to_be_visible()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(schema).to_be_visible()
        page.locator("summary").click()
        expect(schema).not_to_be_visible()
        shoot(page, f"page-without-scripts-{system}")


def columns(page: Page) -> int:
    boxes = [page.locator(f"[data-part={name}]").bounding_box() for name in AXES]
    return len({round(box["x"]) for box in boxes if box})


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("theme", THEMES)
def test_at_320_pixels_it_is_one_column(browser: Browser, tmp_path: Path, state: str, theme: Any) -> None:
    with plain_page(browser, viewport={"width": 320, "height": 700}, color_scheme=theme) as page:
        show(page, tmp_path, page_of(**STATES[state]))
        assert columns(page) == 1
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        overlapping = page.evaluate("""() => [...document.querySelectorAll('.coglog-head')].filter(head => {
            const copy = head.querySelector('.coglog-copy')?.getBoundingClientRect();
            return copy && [...head.children].some(each => {
                const box = each.getBoundingClientRect();
                return each.className !== 'coglog-copy' && box.right > copy.left && box.top < copy.bottom;
            });
        }).length""")
        assert overlapping == 0
        shoot(page, f"page-{state}-320-{theme}")


def test_at_200_percent_nothing_is_cut_off(browser: Browser, tmp_path: Path) -> None:
    # A browser's zoom halves the pixels that a page of 1280 has.
    with plain_page(browser, viewport={"width": 640, "height": 450}, device_scale_factor=2) as page:
        show(page, tmp_path, page_of(**STATES["diff"]))
        assert page.evaluate("document.documentElement.scrollWidth") == 640
        assert columns(page) == 2
        shoot(page, "page-zoomed")


@pytest.mark.parametrize("theme", THEMES)
def test_printed_it_is_light_and_whole(browser: Browser, tmp_path: Path, theme: str) -> None:
    texts = {"thinking": DEEP, "assistant": LONG, "annotation": LONG}
    with plain_page(browser) as page:
        show(page, tmp_path, page_of(turn_of(texts), theme=theme))
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert texts_of(page) == {**TEXTS, **texts}
        expect(page.locator(".coglog-live")).to_have_css("background-color", LIGHT)
        assert page.locator("html").evaluate("html => getComputedStyle(html).backgroundColor") == "rgba(0, 0, 0, 0)"
        assert page.locator("button").evaluate_all("all => all.filter(each => each.checkVisibility()).length") == 0
        thinking = page.locator("[data-part=thinking] > pre")
        assert thinking.evaluate("pre => pre.scrollHeight <= pre.clientHeight + 1")
        shoot(page, f"page-printed-{theme}")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert len(texts_of(page)["assistant"]) < len(LONG)


def test_a_printer_gets_all_of_it(browser: Browser, tmp_path: Path) -> None:
    def pages(text: str) -> int:
        with plain_page(browser) as page:
            show(page, tmp_path, page_of(turn_of({"assistant": text})))
            return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))

    clamped = "\n".join(LONG.split("\n")[:300])
    assert pages(LONG) > pages(clamped) + 10


@pytest.mark.parametrize("theme", THEMES)
def test_in_high_contrast_everything_has_its_outline(browser: Browser, tmp_path: Path, theme: Any) -> None:
    with plain_page(browser, forced_colors="active", color_scheme=theme) as page:
        show(page, tmp_path, page_of(**STATES["diff"]))
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        for name in NAMES:
            part = page.locator(f"[data-part={name}]")
            side = "top" if name in AXES else "left"
            edge = part.evaluate("(part, side) => getComputedStyle(part)[`border-${side}-color`]", side)
            assert edge != ground
        pressed = page.get_by_role("button", name="system", exact=True)
        other = page.get_by_role("button", name="light", exact=True)
        colour = "button => getComputedStyle(button).backgroundColor"
        assert pressed.evaluate(colour) != other.evaluate(colour)
        page.keyboard.press("Tab")
        expect(other).to_be_focused()
        assert other.evaluate("button => getComputedStyle(button).outlineStyle") == "solid"
        shoot(page, f"page-high-contrast-{theme}")


HOSTS = {
    "JupyterLab": (("body", "data-jp-theme-light", "true"), ("body", "data-jp-theme-light", "false")),
    "VS Code": (
        ("body", "data-vscode-theme-kind", "vscode-light"),
        ("body", "data-vscode-theme-kind", "vscode-dark"),
    ),
    "VS Code, high contrast": (
        ("body", "data-vscode-theme-kind", "vscode-high-contrast-light"),
        ("body", "data-vscode-theme-kind", "vscode-high-contrast"),
    ),
    "Colab": (("html", "theme", "light"), ("html", "theme", "dark")),
    "marimo": (("body", "class", "light"), ("body", "class", "dark")),
}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("theme", THEMES)
def test_a_widget_starts_in_its_hosts_theme_and_follows_it(
    browser: Browser, tmp_path: Path, host: str, theme: str
) -> None:
    other = "dark" if theme == "light" else "light"
    place, attribute, value = HOSTS[host][THEMES.index(theme)]
    system: Any = other  # what the page says counts, not what the system does
    with plain_page(browser, color_scheme=system) as page:
        page.add_init_script(f"({FRAMES})()")
        content = widget_page(STATES["diff"], **{f"{place}_attributes": f'{attribute}="{value}"'})
        show(page, tmp_path, content)
        card = page.locator(".coglog-live")
        expect(card).to_have_css("background-color", LIGHT if theme == "light" else DARK)
        assert {shown for _, shown, _ in page.evaluate("() => window.frames_seen") if shown} == {theme}
        now = HOSTS[host][THEMES.index(other)]
        page.locator(place).evaluate("(element, [name, value]) => element.setAttribute(name, value)", now[1:])
        expect(card).to_have_attribute("data-theme", other)

"""The quickstart, run from top to bottom in JupyterLab: the cards that a person sees, and works with."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Literal

import pytest
from jlab import NARROW, QUICKSTART, WIDE, Notebook, Server, opened, read, until, without_outputs
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

FACTS = ("user", "thinking", "assistant")
AXES = ("current_focus", "theory_of_mind", "self_narrative", "annotation")

# By hand from the viewer's palette: which side of a part has the colour, and which one.
BORDERS = {
    "user": ("left", "#c17d11"),
    "thinking": ("left", "#87882b"),
    "assistant": ("left", "#bd5d36"),
    "current_focus": ("top", "#c17d11"),
    "theory_of_mind": ("top", "#13918a"),
    "self_narrative": ("top", "#9b6bc9"),
    "annotation": ("top", "#4f963f"),
}


@pytest.fixture(scope="module")
def ran(server: Server, browser: Browser) -> Iterator[Notebook]:
    server.put("quickstart.ipynb", without_outputs(QUICKSTART))
    with opened(browser, server, "quickstart.ipynb") as notebook:
        notebook.run_all()
        expect(notebook.live).to_have_count(3)
        yield notebook
    server.delete_kernels()


@pytest.fixture
def page(ran: Notebook) -> Iterator[Notebook]:
    """Give the page as it was after the run, and put it back."""
    yield ran
    ran.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    for card in ran.live.all():
        theme_button(card, "system").click()
        card.locator("details").evaluate("details => { details.open = false }")
    assert ran.strangers == []


def theme_button(card: Locator, name: str) -> Locator:
    return card.get_by_role("group", name="Theme").get_by_role("button", name=name, exact=True)


def choose(card: Locator, theme: str) -> None:
    """Set a card's theme, and wait until its colours have become the new ones."""
    theme_button(card, theme).click()
    card.evaluate("""card => Promise.all(card.getAnimations({subtree: true}).map(each => each.finished))""")


def part(card: Locator, name: str) -> Locator:
    return card.locator(f'[data-part="{name}"]')


def turns() -> list[dict[str, str]]:
    """Read the three turns out of the notebook's source."""
    sources = [cell["source"] for cell in read(QUICKSTART)["cells"] if cell["cell_type"] == "code"]
    bodies = [source.split("\n", 1)[1] for source in sources if source.startswith("%%coglog write")]
    sections, as_json = bodies
    pieces = re.split(rf"^({'|'.join((*FACTS, *AXES))}):", sections, flags=re.MULTILINE)
    first = {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    python = next(source for source in sources if source.startswith("reply ="))
    assigned = [node.value for node in ast.parse(python).body if isinstance(node, ast.Assign)]
    reply, next_step = map(ast.literal_eval, assigned)
    return [first, json.loads(as_json), {**reply, "annotation": next_step}]


def luminance(colour: tuple[int, ...]) -> float:
    shares = [value / 255 for value in colour]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def computed(element: Locator, name: str) -> str:
    return str(element.evaluate("(element, name) => getComputedStyle(element)[name]", name))


def colour(element: Locator, name: str) -> tuple[int, ...]:
    value = computed(element, name)
    numbers = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", value)
    assert numbers, f"{name} is {value}, no opaque colour"
    return tuple(int(number) for number in numbers.groups())


def boxes(elements: list[Locator]) -> list[dict[str, int]]:
    found = []
    for element in elements:
        box = element.bounding_box()
        assert box is not None
        found.append({"x": round(box["x"]), "y": round(box["y"]), "width": round(box["width"])})
    return found


def test_every_card_is_live_and_each_is_seen_once(page: Notebook) -> None:
    seen = page.seen()
    assert [[(row["live"], row["fixed"]) for row in outputs] for outputs in seen] == [[(0, 0), (1, 0)]] * 3
    # The static twin leaves no gap behind, nor its cell's prompt.
    assert [outputs[0]["height"] for outputs in seen] == [0, 0, 0]
    for card in page.live.all():
        expect(card.locator("details")).to_have_js_property("open", value=False)
        expect(theme_button(card, "system")).to_have_attribute("aria-pressed", "true")
    page.show(page.live.first)
    page.picture("quickstart-page-light")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_seven_texts_are_the_notebooks(page: Notebook, number: int) -> None:
    card = page.live.nth(number - 1)
    expect(card.get_by_role("heading", name=f"Turn {number}")).to_have_count(1)
    turn = turns()[number - 1]
    assert list(turn) == [*FACTS, *AXES]
    for name, text in turn.items():
        if text:
            assert part(card, name).locator("pre").text_content() == text
        else:
            expect(part(card, name).locator("pre")).to_have_count(0)
            expect(part(card, name)).to_contain_text("(empty)")
    page.picture(f"turn-{number}-light", card)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_borders_tell_the_parts_apart(page: Notebook, theme: str) -> None:
    card = page.show(page.live.first)
    choose(card, theme)
    expect(card).to_have_attribute("data-theme", theme)
    ground = colour(card, "backgroundColor")
    assert luminance(ground) > 0.8 if theme == "light" else luminance(ground) < 0.05

    for name, (side, expected) in BORDERS.items():
        element = part(card, name)
        edges = {each: computed(element, f"border{each}Width") for each in ("Left", "Top", "Right", "Bottom")}
        assert edges.pop(side.title()) == "4px", name
        assert set(edges.values()) == {"0px"}, name
        assert computed(element, f"border{side.title()}Style") == "solid", name
        edge = colour(element, f"border{side.title()}Color")
        assert f"#{bytes(edge).hex()}" == expected, name
        for against in (ground, colour(element, "backgroundColor")):
            assert contrast(edge, against) >= 3, name
    for side in ("left", "top"):
        colours = [value for at, value in BORDERS.values() if at == side]
        assert len(set(colours)) == len(colours)
    page.picture(f"card-{theme}", card)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read(page: Notebook, theme: str) -> None:
    card = page.show(page.live.nth(1))  # the one with an empty axis
    card.locator("summary").click()
    choose(card, theme)
    grounds = card.evaluate("""card => [...card.querySelectorAll('*')]
        .filter(e => e.tagName !== 'STYLE' && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
        .map(e => {
            let under = e;
            const ground = () => getComputedStyle(under).backgroundColor;
            while (ground() === 'rgba(0, 0, 0, 0)') under = under.parentElement;
            return [e.textContent, getComputedStyle(e).color, ground()];
        })""")
    assert len(grounds) > 30
    for text, ink, ground in grounds:
        values = [tuple(int(number) for number in re.findall(r"\d+", value)) for value in (ink, ground)]
        assert contrast(*values) >= 4.5, (text, ink, ground)


def test_the_theme_is_toggled_by_mouse(page: Notebook) -> None:
    first, second = page.live.nth(0), page.live.nth(1)
    for theme in ("dark", "light", "system"):
        theme_button(first, theme).click()
        expect(first).to_have_attribute("data-theme", "dark" if theme == "dark" else "light")
        for each in ("light", "system", "dark"):
            expect(theme_button(first, each)).to_have_attribute("aria-pressed", str(each == theme).lower())
        expect(second).to_have_attribute("data-theme", "light")


@pytest.mark.parametrize("wish", ["no-preference", "reduce"])
def test_nothing_moves_where_that_is_not_wanted(page: Notebook, wish: Literal["no-preference", "reduce"]) -> None:
    page.page.emulate_media(reduced_motion=wish)
    try:
        card = page.show(page.live.first)
        theme_button(card, "dark").click()
        moving = card.evaluate("""card => {
            card.querySelector('summary').click();
            return card.getAnimations({subtree: true}).map(each => each.effect.target.outerHTML.slice(0, 80));
        }""")
        assert bool(moving) == (wish == "no-preference"), moving
    finally:
        page.page.emulate_media(reduced_motion="null")


def test_theme_and_schema_are_worked_by_keyboard(page: Notebook) -> None:
    keyboard = page.page.keyboard
    card = page.show(page.live.first)
    details = card.locator("details")
    theme_button(card, "system").click()
    scroller = page.page.locator(".jp-WindowedPanel-outer")
    before = scroller.evaluate("element => element.scrollTop")
    prompts = page.page.locator(".jp-CodeCell .jp-InputPrompt").all_text_contents()

    keyboard.press("Tab")
    expect(theme_button(card, "dark")).to_be_focused()
    keyboard.press("Enter")
    expect(card).to_have_attribute("data-theme", "dark")
    page.picture("card-keyboard-focus-on-dark", card)
    keyboard.press("Shift+Tab")
    keyboard.press("Shift+Tab")
    expect(theme_button(card, "light")).to_be_focused()
    keyboard.press("Space")
    expect(card).to_have_attribute("data-theme", "light")

    for _ in range(3):
        keyboard.press("Tab")
    expect(card.locator("summary")).to_be_focused()
    for key, is_open in (("Enter", True), ("Space", False), ("Space", True), ("Enter", False)):
        keyboard.press(key)
        expect(details).to_have_js_property("open", is_open)
    page.picture("card-keyboard-focus-on-schema", card)

    # None of these keys was a command to the notebook.
    assert scroller.evaluate("element => element.scrollTop") == before
    assert page.page.locator(".jp-CodeCell .jp-InputPrompt").all_text_contents() == prompts
    expect(page.page.locator(".jp-Notebook.jp-mod-editMode")).to_have_count(0)


def test_schema_is_folded_and_opens_and_closes_by_mouse(page: Notebook) -> None:
    card = page.show(page.live.first)
    summary, json_text = card.locator("summary"), card.locator("details pre")
    expect(json_text).not_to_be_visible()
    summary.click()
    expect(json_text).to_be_visible()
    schema = json.loads(json_text.text_content() or "")
    assert list(schema) == ["version", "fact_layer", "interpretation_layer", "constraints"]
    assert tuple(schema["interpretation_layer"]) == AXES
    page.picture("card-schema-open", card)
    choose(card, "dark")
    page.picture("card-schema-open-dark", card)
    summary.click()
    expect(json_text).not_to_be_visible()


def test_the_readings_are_a_grid_where_there_is_room(page: Notebook) -> None:
    for width in (WIDE[0], 2400):
        page.page.set_viewport_size({"width": width, "height": WIDE[1]})
        card = page.show(page.live.first)
        one, two, three, four = boxes([part(card, name) for name in AXES])
        assert one["y"] == two["y"] < three["y"] == four["y"]
        assert one["x"] == three["x"] < two["x"] == four["x"]
        assert one["width"] == two["width"] == three["width"] == four["width"]
        page.picture(f"card-wide-{width}", card)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_readings_are_one_column_where_it_is_narrow(page: Notebook, theme: str) -> None:
    page.page.set_viewport_size({"width": NARROW[0] + 300, "height": NARROW[1]})
    for card in (page.live.first, page.live.nth(1)):
        choose(page.show(card), theme)
        places = boxes([part(card, name) for name in (*FACTS, *AXES)])
        assert len({(box["x"], box["width"]) for box in places}) == 1
        assert [box["y"] for box in places] == sorted(box["y"] for box in places)
        assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
    page.picture(f"card-narrow-{theme}", page.live.first)
    page.picture(f"page-narrow-{theme}")
    page.page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    assert page.show(page.live.first).evaluate("card => card.scrollWidth <= card.clientWidth")
    page.picture(f"page-very-narrow-{theme}")


def test_a_system_card_follows_jupyterlabs_theme(page: Notebook) -> None:
    first, second = page.live.nth(0), page.live.nth(1)
    theme_button(second, "light").click()
    page.menu("Settings", "Theme", "JupyterLab Dark")
    try:
        expect(first).to_have_attribute("data-theme", "dark")
        expect(second).to_have_attribute("data-theme", "light")
        page.show(first)
        page.picture("quickstart-page-dark")
        page.show(second)
        page.picture("light-card-on-dark-page")
    finally:
        page.menu("Settings", "Theme", "JupyterLab Light")
    expect(first).to_have_attribute("data-theme", "light")


def test_no_request_leaves_this_machine(page: Notebook) -> None:
    until(lambda: any(url.startswith("ws://") for url in page.requests), "the kernel's socket in the list")
    assert len(page.requests) > 50
    assert page.strangers == []
    # And one that did would be noticed.
    page.page.evaluate("fetch('http://elsewhere.invalid/').catch(() => 0)")
    until(lambda: page.strangers, "the request in the list")
    assert page.strangers == ["http://elsewhere.invalid/"]
    page.requests.clear()

"""The card in a plain page, without a notebook around it: the exported page, and the widget's bundle by itself."""

from __future__ import annotations

import base64
import html
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jlab import OUTPUT, ROOT, SECONDS

from coglog_nb.built_files import static_text
from coglog_nb.entry import restore
from coglog_nb.fields import AXES, FACTS, schema
from coglog_nb.html_form import static_card
from coglog_nb.labels import field_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

TEXTS = {
    "user": "Can you help me plan the week? I keep losing track of the garden.",
    "thinking": "They ask for a plan, but the garden matters to them.\nFirst one small thing that lasts.",
    "assistant": "Let's begin with the garden, then.\n\n  1. Name the minutes.\n  2. Put one task in them.",
    "current_focus": "One small garden habit before any weekly plan.",
    "theory_of_mind": "A little tired, wanting to be reminded rather than managed.",
    "self_narrative": "I am the one who slows the question down.",
    "annotation": "Ask how the ten minutes went before offering more.",
}
LONG = "\n".join(f"{number}. A line of a long answer, with a word or two in it." for number in range(1, 1001))
DEEP = "\n".join(f"{number}. One thought, and one more that follows from it." for number in range(1, 31))


def turn_of(texts: dict[str, str] | None = None, **states: Any) -> dict[str, Any]:
    """Make the turn that a card is given: seven texts, and what else is to be said of them."""
    values = {**TEXTS, **(texts or {})}
    entry = {
        "_schema": schema(),
        "turn_id": 3,
        "timestamp": "2026-02-26T00:00:00+00:00",
        "layers": {name: values[name] for name in FACTS},
        **{name: values[name] for name in AXES},
    }
    return {"entry": entry, "fields": field_table(), "missing": [], "hidden": [], **states}


STATES: dict[str, dict[str, Any]] = {
    "plain": {"turn": turn_of()},
    "long": {
        "turn": turn_of({"thinking": DEEP, "assistant": LONG, "theory_of_mind": LONG}),
        "session": "mira",
    },
    "less": {
        "turn": turn_of({"thinking": "", "current_focus": ""}, hidden=["thinking"], missing=["annotation"]),
    },
    "diff": {
        "turn": turn_of(
            {"self_narrative": ""},
            before={"theory_of_mind": "Curious.", "self_narrative": "I am new here.", "annotation": ""},
            changed=["theory_of_mind", "self_narrative"],
        ),
    },
}
"""Every state that a part of a card can have, in few cards."""


def page_of(turn: dict[str, Any], *, session: str | None = None, theme: str = "system") -> str:
    """Fill the template of the exported page."""
    data = json.dumps({"turn": turn, "session": session, "theme": theme}, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    holes = {
        "title": html.escape(f"Turn {turn['entry']['turn_id']}"),
        "data": data,
        "static": static_card(restore({**turn["entry"]}).view()),
    }
    return re.sub(r"%\{(\w+)\}", lambda hole: holes[hole[1]], static_text("export-page.html"))


def widget_page(state: dict[str, Any], *, html_attributes: str = "", body_attributes: str = "") -> str:
    """Write a page that shows the widget's bundle as anywidget would, in a model that never changes."""
    code = base64.b64encode(static_text("card.js").encode()).decode()
    turn = {name: value for name, value in state["turn"].items() if name != "fields"}
    model = {
        "turn": turn,
        "session": state.get("session") or "",
        "theme": state.get("theme", "system"),
        "shared": {"fields": field_table(), "schema": schema()},
    }
    data = json.dumps(model).replace("<", "\\u003c")
    return (
        f'<!doctype html><html lang="en" {html_attributes}><meta charset="utf-8"><title>a notebook</title>'
        f"<body {body_attributes}><div></div>"
        '<script type="module">'
        f'import card from "data:text/javascript;base64,{code}";'
        f"const state = {data};"
        "card.render({model: {get: name => state[name], on() {}, off() {}}, el: document.querySelector('div')});"
        "</script></body></html>"
    )


@contextmanager
def plain_page(browser: Browser, *, quiet: bool = True, **options: Any) -> Iterator[Page]:
    """Open an empty page that reaches nothing; what it complains of fails the test."""
    options.setdefault("viewport", {"width": 900, "height": 900})
    context: BrowserContext = browser.new_context(offline=True, **options)
    try:
        context.set_default_timeout(SECONDS * 1000)
        page = context.new_page()
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
        page.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        yield page
        assert not quiet or said == []
    finally:
        context.close()


def show(page: Page, folder: Path, content: str) -> Page:
    """Let a page show a file with this content."""
    path = folder / "page.html"
    path.write_text(content, encoding="utf-8", newline="")
    page.goto(path.as_uri())
    return page


def shoot(page: Page, name: str) -> None:
    """Leave a screenshot of a whole page."""
    OUTPUT.mkdir(exist_ok=True)
    page.screenshot(path=OUTPUT / f"{name}.png", animations="disabled", full_page=True)


AXE = ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"

_REPORT = """async scope => {
    const {violations, passes} = await axe.run(scope ?? document);
    return {
        passed: passes.length,
        violations: violations.map(({id, nodes}) => ({
            id, nodes: nodes.map(({html, failureSummary}) => `${html.slice(0, 200)} ${failureSummary}`),
        })),
    };
}"""


def complaints(page: Page, scope: str | None = None) -> list[Any]:
    """Ask axe-core, by its default rules, what is wrong with a page or with what a selector finds in it."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    # Nobody reads a colour that is still changing; a blinking cursor never stops changing, and what is
    # out of sight may rest halfway.
    page.evaluate("""() => Promise.race([
        Promise.all(document.getAnimations().map(each => each.finished.catch(() => {}))),
        new Promise(done => setTimeout(done, 1000)),
    ])""")
    report = page.evaluate(_REPORT, scope)
    assert report["passed"] > 8, "axe has looked at nothing"
    violations: list[Any] = report["violations"]
    return violations


# The focused element: its name, its outline, its size, and whether all of it is in view.
FOCUS = """() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return null;
    const style = getComputedStyle(focused);
    const box = focused.getBoundingClientRect();
    return {
        name: focused.getAttribute('aria-label') ?? focused.textContent.replace('\\u25b8', ''),
        outline: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
        colour: style.outlineColor,
        height: box.height, width: box.width,
        seen: box.top >= 0 && box.bottom <= innerHeight,
    };
}"""
RINGS = {"light": "rgb(138, 75, 8)", "dark": "rgb(240, 179, 91)"}

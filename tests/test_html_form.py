from __future__ import annotations

import html
from html.parser import HTMLParser
from typing import Any

import pytest

from coglog_nb import CogLog, html_form
from coglog_nb.fields import NAMES

HOSTILE = "\n</script><b>&amp;\"'`\\ ${x} {y} %{text} \u2028 \x1b[31m \r \0 🙂 __proto__"


class Pre(HTMLParser):
    """Collects what each `<pre>` would hold in a browser, as the parsing rules have it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag == "pre":
            self.open = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self.open = False
            # A parser drops one newline right after the tag.
            self.texts[-1] = self.texts[-1].removeprefix("\n")

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[-1] += data


@pytest.fixture
def entry(store: CogLog, turn: dict[str, Any]) -> Any:
    return store.write(**turn)


def test_the_static_card_holds_every_text_exactly(store: CogLog, turn: dict[str, Any]) -> None:
    texts: dict[str, Any] = {name: f"{HOSTILE} {name}" for name in turn}
    card = html_form.static_card(store.write(**texts).view())
    shown = Pre(card).texts
    for text in texts.values():
        # NUL has no form in HTML; its picture stands for it.
        assert text.replace("\0", "\u2400") in shown
    assert "<b>&amp;" not in card
    assert "\r" not in card


def test_the_static_card_names_all_seven_parts_and_the_turn(entry: Any) -> None:
    card = html_form.static_card(entry.view())
    for words in (
        *NAMES,
        "Turn 1",
        entry["timestamp"],
        "0.9.1",
        "present",
        "other",
        "self",
        "future",
        "(empty)",
        "_schema",
    ):
        assert words in card
    assert "window_size" in html.unescape(card)

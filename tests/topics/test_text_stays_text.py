"""No text of a user or of ours is read as mathematics: a page typesets it anywhere except in `pre` and `code`."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import mistune
import pytest

from coglog_nb import CogLog, capture
from coglog_nb.fields import NAMES
from coglog_nb.html_form import inline, static_card
from coglog_nb.notebook.streaming import _pre
from coglog_nb.replies.status_html import status_markup
from coglog_nb.teaching.exercises.catalog import BUILT_IN, find
from coglog_nb.teaching.exercises.format import Exercise
from coglog_nb.teaching.exercises.text_form import static_html, summary
from coglog_nb.teaching.guide import guide

MONEY = "$5 now and $6 later, $$x$$, \\(y\\), \\[z\\], \\begin{align}a\\end{align}\n\n# a < b"
TEX = re.compile(r"[$\\]")


class Bare(HTMLParser):
    """Collects what stands outside the elements that a typesetter skips."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self._skipped = 0
        self.text = ""
        self.whole = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self._skipped += tag in {"pre", "code", "style"}

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in {"pre", "code", "style"}

    def handle_data(self, data: str) -> None:
        self.whole += data
        if not self._skipped:
            self.text += data


def assert_plain(markup: str) -> None:
    """Check that no mathematics can be found, that the texts are there, and that Markdown takes all as one block."""
    page = Bare(markup)
    assert MONEY.partition(",")[0] in page.whole
    assert not TEX.search(page.text), page.text
    parsed: Any = mistune.create_markdown(renderer=None)(f"{markup}\n")
    assert [token["type"] for token in parsed if token["type"] != "blank_line"] == ["block_html"]


def with_money(value: Any, key: str = "") -> Any:
    """Return an exercise's data with money in each text that a person wrote."""
    if isinstance(value, dict):
        return {name: with_money(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [with_money(item, key) for item in value]
    fixed = {"format", "speaker", "best", "second", "language", "kind", "name"}
    return MONEY if isinstance(value, str) and value and key not in fixed else value


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_an_exercise(name: str, lang: str) -> None:
    exercise = Exercise(name, with_money(find(name).data))
    assert_plain(static_html(exercise, lang))


def test_the_results() -> None:
    answers: list[Any] = []
    run = {"kind": "place", "exercise": MONEY[:40], "session": "", "changed": "2026", "total": 1, "answers": answers}
    assert_plain(f"<div>{summary([run], 'en').markup}</div>")


def test_a_card_with_money_everywhere(store: CogLog) -> None:
    entry = store.write(**dict.fromkeys(NAMES, MONEY))  # type: ignore[arg-type]
    entry["timestamp"] = MONEY
    entry["_schema"] = {"version": MONEY, MONEY: MONEY}
    assert_plain(static_card(entry.view()))
    assert_plain(str(entry._repr_html_()))


def test_problems_notes_and_an_answer_that_arrives() -> None:
    assert_plain(status_markup([(MONEY, (MONEY, f"user: {MONEY}"))]))
    assert_plain(f"<div>{_pre(MONEY)}</div>")
    captured = capture({"message": {"role": "assistant", "content": MONEY}, "done": True}, user=MONEY, thinking=MONEY)
    assert_plain(f"<div>{captured._repr_html_()}</div>")


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_guide_holds_nothing_to_typeset(lang: str) -> None:
    assert not TEX.search(Bare(guide(lang=lang).markup).text)


@pytest.mark.parametrize("text", ["", "plain", "a < b & c", "\n\n", "$", "\\", "a\n\n$b\n \n\0c"])
def test_a_text_inside_an_element_is_whole(text: str) -> None:
    assert Bare(inline(text)).whole == text.replace("\0", "\u2400")

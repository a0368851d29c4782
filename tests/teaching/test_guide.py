"""The guide: what it says of each field, in both languages, as text and as HTML."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from coglog_nb import UsageError
from coglog_nb.fields import AXES, NAMES
from coglog_nb.labels import LANGUAGES, field_table
from coglog_nb.teaching.guide import guide, mix_ups
from coglog_nb.teaching.layout import WIDTH, columns
from coglog_nb.teaching.locales import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

WITHOUT_END = {"br", "meta", "!doctype"}


class Words(HTMLParser):
    """The text and the headings of a page; every element must be closed."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.headings: list[tuple[int, str]] = []
        self._level = 0
        self.feed(markup)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("role") == "heading":
            self._level = int(found["aria-level"] or 0)
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._level:
            self.headings.append((self._level, data))
            self._level = 0
        self.text += data + " "


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_text_and_html_both_have_all_of_it(lang: str) -> None:
    whole = guide(lang=lang)
    texts = texts_of("guide", lang)
    shown = Words(whole._repr_html_()).text
    for key, text in texts.items():
        if key.startswith("handout.") or "{" in text or key == "colon":
            continue
        assert squeezed(text) in squeezed(whole), key
        assert squeezed(text) in squeezed(shown), key
    for field in field_table(lang):
        assert field["question"] in whole


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_guide_to_one_field(name: str, lang: str) -> None:
    one = guide(name, lang)
    texts = texts_of("guide", lang)
    for part in ("says", "good", "good.why", "weak", "weak.why"):
        assert squeezed(texts[f"{name}.{part}"]) in squeezed(one)
        for other in set(NAMES) - {name}:
            assert squeezed(texts[f"{other}.{part}"]) not in squeezed(one)
    assert mix_ups(lang, name)
    assert (squeezed(texts["empty"]) in squeezed(one)) == (name in AXES)


def test_it_has_what_the_protocol_says_about_two_axes() -> None:
    focus, narrative = guide("current_focus"), guide("self_narrative")
    for word in ("eggs, milk", "buries"):
        assert word in focus
    for word in ("a fixed definition", "language model", "grade", "told again each turn"):
        assert squeezed(word) in squeezed(narrative)
    titles = [section.title for section in mix_ups("en")]
    assert titles[:3] == [
        "current_focus or annotation?",
        "theory_of_mind or self_narrative?",
        "self_narrative or a self-evaluation?",
    ]


@pytest.mark.parametrize("word", ["theory-of-mind", "Theory of mind", " THEORY_OF_MIND "])
def test_a_name_may_be_joined_in_any_way(word: str) -> None:
    assert guide(word) == guide("theory_of_mind")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("anotation", "no such field: anotation; did you mean annotation?"),
        ("self", "did you mean self_narrative?"),
        ("xyz", "there are user, thinking, assistant, current_focus"),
        ("", "there are user"),
    ],
)
def test_an_unknown_name_suggests_the_nearest_one(word: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        guide(word)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_line_is_too_wide_or_begins_with_a_closing_mark(lang: str) -> None:
    for line in guide(lang=lang).split("\n"):
        assert columns(line) <= WIDTH + 2, line  # a closing mark may hang over by its own width
        assert line == line.rstrip()
        assert not re.match(r"\s*[、。）」]", line), line  # noqa: RUF001 - Japanese marks


@pytest.mark.parametrize("field", [None, *NAMES])
def test_the_html_needs_no_style_sheet_and_no_script(field: str | None) -> None:
    markup = guide(field)._repr_html_()
    assert not re.search(r"<style|<script|<h\d|var\(|url\(| id=| on\w+=", markup)
    levels = [level for level, _ in Words(markup).headings]
    assert levels[0] == 3
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))

"""The guide: what it says of each field, in both languages, as text, as HTML and as a page to print."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from coglog_nb import UsageError
from coglog_nb.cli import main
from coglog_nb.fields import AXES, FIELDS, NAMES
from coglog_nb.teaching.guide import ACCENTS, WIDTH, columns, guide, mix_ups, wrap
from coglog_nb.teaching.handout import sheet_source
from coglog_nb.teaching.locales import LANGUAGES, words

if TYPE_CHECKING:
    from collections.abc import Sequence

VIEWER = Path(__file__).parents[2] / "js" / "src" / "CogLogViewer.jsx"
WITHOUT_END = {"br", "meta", "!doctype"}


class Words(HTMLParser):
    """The words of a page, and whether each element that was opened is closed."""

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
def test_it_says_all_of_it_as_text_and_as_html(lang: str) -> None:
    whole = guide(lang=lang)
    own = words("guide", lang)
    shown = Words(whole._repr_html_()).text
    for key, text in own.items():
        if key.startswith("sheet.") or "{" in text or key == "colon":
            continue
        assert squeezed(text) in squeezed(whole), key
        assert squeezed(text) in squeezed(shown), key
    for field in FIELDS:
        assert words("fields", lang)[f"{field.name}.question"] in whole


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_one_field_alone(name: str, lang: str) -> None:
    one = guide(name, lang)
    own = words("guide", lang)
    for part in ("says", "good", "good.why", "weak", "weak.why"):
        assert squeezed(own[f"{name}.{part}"]) in squeezed(one)
        for other in set(NAMES) - {name}:
            assert squeezed(own[f"{other}.{part}"]) not in squeezed(one)
    assert mix_ups(lang, name)
    assert (squeezed(own["empty"]) in squeezed(one)) == (name in AXES)


def test_what_the_seeds_say_of_two_axes_is_there() -> None:
    focus, narrative = guide("current_focus"), guide("self_narrative")
    for word in ("eggs, milk", "buries"):
        assert word in focus
    for word in ("a fixed definition", "language model", "grade", "anew each turn"):
        assert squeezed(word) in squeezed(narrative)
    titles = [section.title for section in mix_ups("en")]
    assert titles[:3] == [
        "current_focus or annotation?",
        "theory_of_mind or self_narrative?",
        "self_narrative or a self-evaluation?",
    ]


@pytest.mark.parametrize("word", ["theory-of-mind", "Theory of mind", " THEORY_OF_MIND "])
def test_a_name_is_known_however_it_is_joined(word: str) -> None:
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
def test_an_unknown_name_is_told_what_may_have_been_meant(word: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        guide(word)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_line_is_too_wide_or_begins_as_none_may(lang: str) -> None:
    for line in guide(lang=lang).split("\n"):
        assert columns(line) <= WIDTH + 2, line  # a closing mark may hang over by its own width
        assert line == line.rstrip()
        assert not re.match(r"\s*[、。）」]", line), line  # noqa: RUF001 - Japanese marks


def test_wrapping_loses_nothing_but_spaces() -> None:
    text = "a  b「c」d、" * 60 + "w" * 200
    lines = wrap(text, "    ")
    assert squeezed("".join(lines)) == squeezed(text)
    assert all(line.startswith("    ") for line in lines)


def test_the_colours_are_the_cards() -> None:
    source = VIEWER.read_text(encoding="utf-8")
    table = source.partition("const ACCENTS = {")[2].partition("}")[0]
    assert dict(re.findall(r'(\w+): "(#\w+)"', table)) == ACCENTS


@pytest.mark.parametrize("field", [None, *NAMES])
def test_the_html_needs_no_style_sheet_and_no_script(field: str | None) -> None:
    markup = guide(field)._repr_html_()
    assert not re.search(r"<style|<script|<h\d|var\(|url\(| id=| on\w+=", markup)
    levels = [level for level, _ in Words(markup).headings]
    assert levels[0] == 3
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_sheet_holds_the_guides_words_and_room_to_write(lang: str) -> None:
    source = sheet_source(lang)
    shown = Words(source).text
    own = words("guide", lang)
    for name in AXES:
        assert own[f"{name}.says"] in shown
        assert own[f"{name}.weak"] in shown
    assert f'<html lang="{lang}">' in source
    assert source.count('<div class="name label">') == len(AXES)
    assert not re.search(r"<script|https?:|<link|url\(", source)


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["guide"]) == 0
    assert capsys.readouterr().out == guide() + "\n"
    assert main(["guide", "annotation", "--lang", "ja"]) == 0
    assert capsys.readouterr().out == guide("annotation", "ja") + "\n"
    assert main(["guide", "anotation"]) == 2
    assert "did you mean annotation?" in capsys.readouterr().err
    assert main(["guide", "--lang", "fr"]) == 2
    assert "'en', 'ja'" in capsys.readouterr().err.replace("en, ja", "'en', 'ja'")
    sheet = tmp_path / "sheet.html"
    assert main(["guide", "--sheet", str(sheet), "--lang=ja"]) == 0
    assert capsys.readouterr().out == f"coglog: sheet \u2192 {sheet}\n"
    assert sheet.read_text(encoding="utf-8") == sheet_source("ja")
    assert main(["guide", "--sheet", str(sheet)]) == 1
    assert "is there already; --force overwrites it" in capsys.readouterr().err
    assert main(["guide", "--sheet", str(sheet), "--force"]) == 0
    assert sheet.read_text(encoding="utf-8") == sheet_source("en")
    assert main(["guide", "--sheet", str(tmp_path / "sheet.pdf")]) == 2
    assert main(["guide", "user", "--sheet", str(sheet)]) == 2
    capsys.readouterr()
    assert main(["guide", "--sheet", str(tmp_path), "--force"]) == 2
    (tmp_path / "folder.html").mkdir()
    assert main(["guide", "--sheet", str(tmp_path / "folder.html"), "--force"]) == 1
    assert "not a regular file" in capsys.readouterr().err

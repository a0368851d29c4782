"""An exercise where no widget runs, as text and as HTML; the list, and the table of results."""

from __future__ import annotations

import copy
import re
from html.parser import HTMLParser

import pytest

from coglog_nb.fields import AXES
from coglog_nb.labels import LANGUAGES
from coglog_nb.teaching.exercises import results
from coglog_nb.teaching.exercises.catalog import BUILT_IN, built_in, find
from coglog_nb.teaching.exercises.format import Exercise
from coglog_nb.teaching.exercises.text_form import answers_text, list_text, plain_text, static_html, summary
from coglog_nb.teaching.layout import columns
from coglog_nb.teaching.locales import texts_of

ALL = built_in()
PLACE, FILL = find("coding"), find("fill-tutoring")


class Reader(HTMLParser):
    """Reads HTML: the text inside and outside the details, and the tags left open."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.inside = self.outside = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {name for name, _ in attrs} - {"class", "style", "lang", "role", "aria-level"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "details" in self.open:
            self.inside += data
        else:
            self.outside += data


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)
def test_the_html_shows_the_questions_and_folds_the_answers(exercise: Exercise, lang: str) -> None:
    page = Reader(static_html(exercise, lang))
    assert page.open == []
    assert exercise.title in page.outside
    if exercise.kind == "place":
        for line in exercise.data["dialogue"]:
            assert line["text"] in page.outside
        for statement in exercise.statements:
            assert statement["text"] in page.outside
            for reason in statement["reasons"].values():
                assert reason in page.inside
                assert reason not in page.outside
    else:
        for answer in exercise.data["answers"]:
            for one in answer["axes"].values():
                assert one["why"] in page.inside
                assert one["why"] not in page.outside
    for axis in AXES:
        assert axis in page.outside
    assert texts_of("exercises", lang)["static.says"] in page.outside


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)
def test_the_text_has_the_questions_and_another_call_the_answers(exercise: Exercise) -> None:
    text = plain_text(exercise, "en", f"coglog exercise {exercise.name}")
    flat = " ".join(text.split())
    assert max(map(len, text.split("\n"))) <= 88
    assert f"coglog exercise {exercise.name} --answers" in flat
    given = answers_text(exercise, "en")
    assert max(map(len, given.split("\n"))) <= 88
    told = " ".join(given.split())
    for statement in exercise.statements:
        assert statement["text"] in flat
        assert statement["reasons"][statement["best"]] not in flat
        assert f"{statement['best']} (best fit): {statement['reasons'][statement['best']]}" in told
        for second in statement["second"]:
            assert f"{second} (fits as well): {statement['reasons'][second]}" in told
    for answer in exercise.data.get("answers", ()):
        for one in answer["axes"].values():
            assert one["why"] not in flat
            assert one["why"] in told


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)
def test_no_japanese_line_is_too_wide(exercise: Exercise) -> None:
    for text in (plain_text(exercise, "ja", "coglog exercise"), answers_text(exercise, "ja")):
        assert [line for line in text.split("\n") if columns(line) > 88] == []


def test_a_line_of_wide_spaces_is_an_empty_line() -> None:
    data = copy.deepcopy(dict(FILL.data))
    data["facts"]["user"] = "\u3000\nこんにちは"
    assert "こんにちは" in plain_text(Exercise("mine", data), "ja", "coglog exercise")


def test_markup_in_an_exercise_is_escaped() -> None:
    data = copy.deepcopy(PLACE.data)
    hard = "<b>bold</b>\n\n<script>alert(1)</script> &amp; \x1b[31m \x00 C:\\temp {0}"
    data["title"] = data["statements"][0]["text"] = data["dialogue"][0]["text"] = hard
    source = static_html(Exercise("x.json", data), "en")
    assert "<script" not in source
    assert not re.search(r"\n[ \t]*\n", source), "a blank line ends HTML in Markdown"
    assert Reader(source).outside.count("<b>bold</b>") == 3
    assert "\x1b" not in plain_text(Exercise("x.json", data), "en", "coglog exercise x.json")


def test_the_list_has_every_exercise_with_its_subject_and_work() -> None:
    lines = list_text(ALL, "en", "coglog exercise").split("\n")
    assert [line.split()[0] for line in lines[1 : len(ALL) + 1]] == list(BUILT_IN)
    assert re.search(r"coding +coding +8 statements +The report that comes a day late$", lines[1])


def test_a_blank_turn_counts_the_axes_that_were_written() -> None:
    run = results.new_run(FILL, "mira")
    results.set_axes(run, {"annotation": "x", "self_narrative": " ", "user": "y"})
    assert run["axes"] == {"annotation": "x"}
    table = summary([run], "en")
    assert re.search(r"fill-tutoring +mira +1/4 +- +- +- +-$", table)
    assert "<td" in table.markup
    assert summary([], "ja") == texts_of("exercises", "ja")["summary.none"]


def test_markup_in_the_table_is_escaped() -> None:
    run = results.new_run(PLACE, "")
    run["exercise"] = "<img src=x>" + "y" * 200 + ".json"
    table = summary([run], "en")
    assert "<img" not in table.markup
    assert "\u2026" in table
    assert "<img" not in table

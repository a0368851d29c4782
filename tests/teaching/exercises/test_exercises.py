"""Exercises as data: the format and its schema, those that are shipped, their forms without a widget, the results."""

from __future__ import annotations

import copy
import json
import os
import re
import stat
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import coglog_nb.teaching.exercises
from coglog_nb import InputError, StoreError, UsageError
from coglog_nb.fields import AXES, FACTS
from coglog_nb.teaching.exercises import BUILT_IN, built_in, find, results
from coglog_nb.teaching.exercises.format import CHOICES, Exercise, fit_of, problems
from coglog_nb.teaching.exercises.text_form import answers_text, list_text, plain_text, static_html, summary
from coglog_nb.teaching.guide import columns
from coglog_nb.teaching.locales import LANGUAGES, words

FOLDER = Path(coglog_nb.teaching.exercises.__file__).parent
SCHEMA = jsonschema.Draft202012Validator(json.loads((FOLDER / "schema.json").read_text(encoding="utf-8")))
ALL = built_in()
PLACED = [exercise for exercise in ALL if exercise.kind == "place"]
BLANK = [exercise for exercise in ALL if exercise.kind == "blank"]
STATEMENTS = [(exercise.name, statement) for exercise in PLACED for statement in exercise.statements]

# ---- those that are shipped


def test_every_file_is_listed_and_every_listed_one_is_there() -> None:
    assert sorted(path.stem for path in (FOLDER / "builtin").glob("*.json")) == sorted(BUILT_IN)


def test_there_are_enough_of_both_kinds_and_of_every_use() -> None:
    assert len(PLACED) >= 6
    assert len(BLANK) >= 2
    assert len(STATEMENTS) >= 40
    assert {exercise.use for exercise in PLACED} >= {"coding", "tutoring", "roleplay", "game mastering", "support"}


def test_the_axes_come_up_about_equally_often() -> None:
    best = Counter(statement["best"] for _, statement in STATEMENTS)
    assert set(best) == set(CHOICES)
    assert max(best.values()) - min(best.values()) <= 4
    for exercise in PLACED:
        assert {statement["best"] for statement in exercise.statements} == set(CHOICES), exercise.name


def test_the_usual_mix_ups_are_in_them() -> None:
    pairs = {frozenset((statement["best"], second)) for _, statement in STATEMENTS for second in statement["second"]}
    assert frozenset(("current_focus", "annotation")) in pairs
    assert frozenset(("theory_of_mind", "self_narrative")) in pairs
    assert any("none" in pair for pair in pairs)


def test_no_statement_and_no_reason_stands_twice() -> None:
    texts = Counter(statement["text"] for _, statement in STATEMENTS)
    assert set(texts.values()) == {1}
    for name, statement in STATEMENTS:
        reasons = statement["reasons"].values()
        assert len(set(reasons)) == len(CHOICES), (name, statement["text"])


def test_the_verdict_is_left_to_what_shows_it() -> None:
    """The widget and the texts say how a choice fits before its reason, in the language that was asked for."""
    for _, statement in STATEMENTS:
        for reason in statement["reasons"].values():
            assert not re.match(r"(best|defensible|right|wrong|correct|yes|no)\b[.:,]", reason, re.IGNORECASE), reason


def test_the_order_tells_nothing() -> None:
    orders = [tuple(statement["best"] for statement in exercise.statements) for exercise in PLACED]
    assert len(set(orders)) == len(orders)
    assert not [order for order in orders if list(order) == sorted(order, key=CHOICES.index)]


def test_each_blank_turn_has_an_answer_with_an_axis_left_empty() -> None:
    for exercise in BLANK:
        empty = [[axis for axis in AXES if not answer["axes"][axis]["text"]] for answer in exercise.data["answers"]]
        assert sorted(map(len, empty)) == [0, 1], exercise.name


# ---- the format


def changed(exercise: Exercise, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return an exercise's data with one thing in it replaced; `...` takes it out."""
    data = copy.deepcopy(exercise.data)
    inner: Any = data
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


PLACE, FILL = PLACED[0], BLANK[0]
LONG = "x" * 201
WRONG: dict[str, tuple[Exercise, tuple[Any, ...], Any, str]] = {
    "no format": (PLACE, ("format",), ..., '"format" must be "coglog-exercise/1", and is missing'),
    "another format": (PLACE, ("format",), "coglog-exercise/2", 'must be "coglog-exercise/1", not "coglog-exercise/2"'),
    "no kind": (PLACE, ("kind",), ..., '"kind" must be "place" or "blank", and is missing'),
    "another kind": (PLACE, ("kind",), ["place"], '"kind" must be "place" or "blank", not ["place"]'),
    "no title": (PLACE, ("title",), ..., '"title" is missing'),
    "an empty title": (PLACE, ("title",), " \n", '"title" must say something'),
    "a title that is no text": (PLACE, ("title",), 5, '"title" must be a string, not a number'),
    "a long title": (FILL, ("title",), LONG, '"title" has 201 characters, more than 200'),
    "a language that is none": (PLACE, ("language",), "english please", '"language" must be a language tag'),
    "a key of the other kind": (PLACE, ("facts",), FILL.data["facts"], 'unknown key "facts"'),
    "a misspelled key": (PLACE, ("statments",), [], 'unknown key "statments"; did you mean "statements"?'),
    "no dialogue": (PLACE, ("dialogue",), ..., '"dialogue" must be an array, and is missing'),
    "an empty dialogue": (PLACE, ("dialogue",), [], '"dialogue" must not be empty'),
    "a line that is text": (PLACE, ("dialogue", 1), "hello", "line 2: must be an object, not a string"),
    "another speaker": (PLACE, ("dialogue", 0, "speaker"), "system", 'line 1: "speaker" must be "user", "thinking" or'),
    "an empty line": (PLACE, ("dialogue", 0, "text"), "", 'line 1: "text" must say something'),
    "statements in an object": (PLACE, ("statements",), {}, '"statements" must be an array, not an object'),
    "too many statements": (PLACE, ("statements",), PLACE.statements * 9, '"statements" has 72 entries, more than 60'),
    "no best": (PLACE, ("statements", 3, "best"), ..., 'statement 4: "best" must be'),
    "an unknown best": (PLACE, ("statements", 0, "best"), "anotation", 'not "anotation"; did you mean "annotation"?'),
    "a second that is the best": (
        PLACE,
        ("statements", 0, "second"),
        ["current_focus"],
        'statement 1: "second" holds "current_focus", which is the best already',
    ),
    "a second twice": (PLACE, ("statements", 0, "second"), ["none", "none"], '"second" holds a choice twice'),
    "an unknown second": (PLACE, ("statements", 0, "second"), ["self"], 'statement 1: "second" may hold'),
    "a second that is no list": (PLACE, ("statements", 0, "second"), "none", '"second" must be an array, not a string'),
    "no reasons": (PLACE, ("statements", 1, "reasons"), ..., 'statement 2: "reasons" is missing'),
    "a reason that is missing": (
        PLACE,
        ("statements", 1, "reasons", "none"),
        ...,
        'statement 2, reasons: "none" is missing',
    ),
    "an empty reason": (PLACE, ("statements", 1, "reasons", "none"), "", 'reasons: "none" must say something'),
    "a reason too many": (PLACE, ("statements", 1, "reasons", "user"), "x", 'reasons: unknown key "user"'),
    "half a character": (PLACE, ("statements", 1, "text"), "a\ud83d", '"text" holds an unpaired surrogate'),
    "no facts": (FILL, ("facts",), ..., '"facts" is missing'),
    "a fact that is empty": (FILL, ("facts", "thinking"), "", 'facts: "thinking" must say something'),
    "one answer": (FILL, ("answers",), FILL.data["answers"][:1], "must hold two worked answers to compare with, not 1"),
    "no answers": (FILL, ("answers",), [], "must hold two worked answers to compare with, not 0"),
    "an answer without an axis": (
        FILL,
        ("answers", 1, "axes", "annotation"),
        ...,
        'answer 2, axes: "annotation" is missing',
    ),
    "an axis without its why": (
        FILL,
        ("answers", 0, "axes", "annotation", "why"),
        "",
        'answer 1, annotation: "why" must say something',
    ),
    "an axis that is null": (
        FILL,
        ("answers", 0, "axes", "annotation", "text"),
        None,
        'answer 1, annotation: "text" must be a string, not null',
    ),
}
RIGHT: dict[str, tuple[Exercise, tuple[Any, ...], Any]] = {
    "as it is shipped": (PLACE, ("format",), "coglog-exercise/1"),
    "a schema for an editor": (PLACE, ("$schema",), "schema.json"),
    "without a language": (PLACE, ("language",), ...),
    "another language": (FILL, ("language",), "pt-BR"),
    "without a second": (PLACE, ("statements", 0, "second"), ...),
    "an empty axis": (FILL, ("answers", 0, "axes", "annotation", "text"), ""),
    "one statement": (PLACE, ("statements",), PLACE.statements[:1]),
    "emoji": (PLACE, ("title",), "\U0001f331\U0001f468\u200d\U0001f469"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_exercise_is_told_with_its_place_and_the_schema_agrees(case: str) -> None:
    exercise, path, value, message = WRONG[case]
    data = changed(exercise, path, value)
    found = problems(data)
    assert any(message in problem for problem in found), found
    assert not SCHEMA.is_valid(data)


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_an_exercise_is_taken_and_the_schema_agrees(case: str) -> None:
    data = changed(*RIGHT[case])
    assert problems(data) == []
    assert SCHEMA.is_valid(data)


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)
def test_the_shipped_ones_are_exercises_by_the_schema_too(exercise: Exercise) -> None:
    SCHEMA.check_schema(SCHEMA.schema)
    assert [error.message for error in SCHEMA.iter_errors(exercise.data)] == []


def test_every_problem_is_named_at_once() -> None:
    found = problems({"format": "coglog-exercise/1", "kind": "place", "dialogue": [{}], "statements": [{"best": 3}]})
    assert len(found) >= 6
    assert problems([]) == ["an exercise is a JSON object, not an array"]


def test_the_form_of_a_file_in_the_guide_is_an_exercise() -> None:
    guide = (FOLDER.parents[2] / "docs" / "exercises.md").read_text(encoding="utf-8")
    examples = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)]
    assert {example["kind"] for example in examples} == {"place", "blank"}
    for example in examples:
        assert problems(example) == []
        assert SCHEMA.is_valid(example)


# ---- finding one


def test_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.json"
    path.write_text("\ufeff" + json.dumps(FILL.data), encoding="utf-8", newline="\r\n")
    monkeypatch.chdir(tmp_path)
    for name in ("mine.json", "./mine.json", str(path)):
        found = find(name)
        assert found.name == name
        assert found.title == FILL.title


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"no such exercise: codign; did you mean coding\?"):
        find("codign")
    with pytest.raises(UsageError, match=r"did you mean game-master\?"):
        find("game")
    with pytest.raises(UsageError, match=r"there are coding, .* and files that end in \.json"):
        find("zzz")


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot read .*absent\.json: No such file"):
        find(str(tmp_path / "absent.json"))
    path = tmp_path / "bad.json"
    path.write_text('{"format": "coglog-exercise/1",\n "kind": }', encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.json: invalid JSON: .*line 2 column 10"):
        find(str(path))
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="not UTF-8"):
        find(str(path))
    path.write_text(json.dumps({"kind": "blank"}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        find(str(path))
    assert len(caught.value.problems) > 3
    assert all(problem.startswith(f"{path}: ") for problem in caught.value.problems)
    path.write_text(" " * 1_000_001, encoding="utf-8")
    with pytest.raises(InputError, match="more than 1,000,000"):
        find(str(path))


# ---- the forms without a widget


class Reader(HTMLParser):
    """Reads HTML: what is inside the details, what is outside, and which tags are left open."""

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
def test_the_static_form_asks_first_and_answers_folded(exercise: Exercise, lang: str) -> None:
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
    assert words("exercises", lang)["static.says"] in page.outside


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)
def test_the_text_asks_and_keeps_the_answers_for_another_call(exercise: Exercise) -> None:
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


@pytest.mark.parametrize("exercise", built_in(), ids=lambda exercise: exercise.name)
def test_no_line_is_too_wide_in_japanese_either(exercise: Exercise) -> None:
    for text in (plain_text(exercise, "ja", "coglog exercise"), answers_text(exercise, "ja")):
        assert [line for line in text.split("\n") if columns(line) > 88] == []


def test_a_line_of_wide_spaces_is_an_empty_line() -> None:
    data = copy.deepcopy(dict(BLANK[0].data))
    data["facts"]["user"] = "\u3000\nこんにちは"
    assert "こんにちは" in plain_text(Exercise("mine", data), "ja", "coglog exercise")


def test_text_stays_text() -> None:
    data = copy.deepcopy(PLACE.data)
    hard = "<b>bold</b>\n\n<script>alert(1)</script> &amp; \x1b[31m \x00 C:\\temp {0}"
    data["title"] = data["statements"][0]["text"] = data["dialogue"][0]["text"] = hard
    source = static_html(Exercise("x.json", data), "en")
    assert "<script" not in source
    assert not re.search(r"\n[ \t]*\n", source), "a blank line ends HTML in Markdown"
    assert Reader(source).outside.count("<b>bold</b>") == 3
    assert "\x1b" not in plain_text(Exercise("x.json", data), "en", "coglog exercise x.json")


def test_the_list_names_every_exercise_and_what_it_holds() -> None:
    lines = list_text(ALL, "en", "coglog exercise").split("\n")
    assert [line.split()[0] for line in lines[1 : len(ALL) + 1]] == list(BUILT_IN)
    assert re.search(r"coding +coding +8 statements +The report that comes a day late$", lines[1])


SOURCES = [*(FOLDER.parents[1]).rglob("*.py"), FOLDER.parents[2] / "js" / "src" / "Exercise.jsx"]
SAID = re.compile(r"""(?:\bsay\(|own\[)([^)\]]*)""")


def test_every_word_that_is_said_is_there_and_every_one_that_is_there_is_said() -> None:
    known = words("exercises")
    component = SOURCES[-1].read_text(encoding="utf-8")
    for call in SAID.findall(component):
        for key in re.findall(r'"([a-z.]+)"', call.split(", {")[0]):
            assert key in known, key
    everything = "".join(
        path.read_text(encoding="utf-8")
        for path in SOURCES
        if path.name != "exercises.py" and path.name not in {"guide.py", "handout.py"}
    )
    # Of those that are put together: their beginnings.
    together = ("theme.", "fit.", "list.", "summary.", "characters.")
    for key in known:
        assert f'"{key}"' in everything or f"'{key}'" in everything or key.startswith(together), key


# ---- results


def run_of(chosen: dict[str, list[str]], exercise: Exercise = PLACE) -> dict[str, Any]:
    run = results.new_run(exercise, "")
    results.set_answers(run, exercise, chosen)
    return run


def test_a_run_counts_what_was_chosen_first_and_last() -> None:
    first, second = PLACE.statements[:2]
    run = run_of(
        {
            "0": ["theory_of_mind", first["best"]],
            "1": [second["second"][0]],
            "2": ["none"],
            "99": ["none"],
            "3": ["?"],
        }
    )
    assert [(answer["first_fit"], answer["fit"]) for answer in run["answers"]] == [
        ("other", "best"),
        ("second", "second"),
        ("other", "other"),
    ]
    assert fit_of(first, first["best"]) == "best"
    table = summary([run], "en").split("\n")
    assert re.search(r"coding +3/8 +1 +1 +1 +0$", table[-1])


def test_results_are_kept_in_a_private_file_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    run = run_of({"0": ["none"]})
    assert results.keep(str(folder), run) == ""
    assert sorted(path.name for path in folder.iterdir()) == ["exercises.json", "exercises.json.lock"]
    kept = json.loads((folder / "exercises.json").read_text(encoding="utf-8"))
    assert kept == {"format": "coglog-results/1", "results": [run]}
    if os.name == "posix":
        assert stat.S_IMODE((folder / "exercises.json").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # The same run is brought up to date, another one comes after it.
    results.set_answers(run, PLACE, {"0": ["none"], "1": ["none"]})
    other = run_of({"0": ["annotation"]})
    assert results.keep(str(folder), run) == results.keep(str(folder), other) == ""
    assert [one["id"] for one in results.all_runs(str(folder))] == [run["id"], other["id"]]
    assert len(json.loads((folder / "exercises.json").read_text(encoding="utf-8"))["results"]) == 2


def test_another_kernels_results_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, ours = run_of({"0": ["none"]}), run_of({"1": ["none"]})
    results.keep(str(tmp_path), theirs)
    monkeypatch.setattr(results, "_runs", {})
    results.keep(str(tmp_path), ours)
    assert [run["id"] for run in results.all_runs(str(tmp_path))] == [theirs["id"], ours["id"]]


def test_the_oldest_go_where_there_are_very_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_RUNS", 3)
    runs = [run_of({"0": ["none"]}) for _ in range(5)]
    for run in runs:
        results.keep(str(tmp_path), run)
    kept = json.loads((tmp_path / "exercises.json").read_text(encoding="utf-8"))["results"]
    assert [run["id"] for run in kept] == [run["id"] for run in runs[2:]]


@pytest.mark.parametrize("content", [b"{half", b"\xff\xff", b"[]", b'{"format": "coglog-results/1", "results": [{}]}'])
def test_a_damaged_file_is_left_as_it_is_and_the_kernel_keeps_the_run(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "exercises.json"
    path.write_bytes(content)
    run = run_of({"0": ["none"]})
    said = results.keep(str(tmp_path), run)
    assert said.startswith(f"damaged results {path}: ")
    assert "--summary --clear" in said
    assert path.read_bytes() == content
    with pytest.raises(StoreError, match="damaged results"):
        results.all_runs(str(tmp_path))
    assert results.clear(str(tmp_path))
    assert not path.exists()
    assert results.all_runs(str(tmp_path)) == []
    assert not results.clear(str(tmp_path))


def test_a_directory_that_can_not_be_written_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file in the way", encoding="utf-8")
    folder = str(tmp_path / "log")
    run = run_of({"0": ["none"]})
    assert folder in results.keep(folder, run)
    (tmp_path / "log").unlink()
    assert [one["id"] for one in results.all_runs(folder)] == [run["id"]], "it is in memory"


@pytest.mark.skipif(os.name != "posix", reason="makes a symbolic link")
def test_clear_removes_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    real = tmp_path / "elsewhere.json"
    results.keep(str(tmp_path), run_of({"0": ["none"]}))
    (tmp_path / "exercises.json").rename(real)
    (tmp_path / "log" / "exercises.json").symlink_to(real)
    assert results.keep(str(tmp_path / "log"), run_of({"1": ["none"]})) == ""
    assert (tmp_path / "log" / "exercises.json").is_symlink()
    assert len(json.loads(real.read_text(encoding="utf-8"))["results"]) == 2
    assert results.clear(str(tmp_path / "log"))
    assert not real.exists()
    assert not os.path.lexists(tmp_path / "log" / "exercises.json")


def test_a_blank_turn_counts_the_axes_that_were_written() -> None:
    run = results.new_run(FILL, "mira")
    results.set_axes(run, {"annotation": "x", "self_narrative": " ", "user": "y"})
    assert run["axes"] == {"annotation": "x"}
    table = summary([run], "en")
    assert re.search(r"fill-tutoring +mira +1/4 +- +- +- +-$", table)
    assert "<td" in table.markup
    assert summary([], "ja") == words("exercises", "ja")["summary.none"]


def test_the_table_stays_text() -> None:
    run = run_of({"0": ["none"]})
    run["exercise"] = "<img src=x>" + "y" * 200 + ".json"
    table = summary([run], "en")
    assert "<img" not in table.markup
    assert "\u2026" in table
    assert "<img" not in table


def test_facts_are_what_a_blank_turn_gives() -> None:
    for exercise in BLANK:
        assert tuple(exercise.data["facts"]) == FACTS

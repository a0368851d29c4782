"""`coglog exercise` on the command line, where an exercise can be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from coglog_nb.teaching.exercises import results
from coglog_nb.teaching.exercises.catalog import BUILT_IN, find
from coglog_nb.teaching.locales import texts_of

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run


def test_without_a_name_it_lists(run: Run) -> None:
    done = run("exercise")
    assert done.code == 0
    assert all(f"\n{name} " in done.out for name in BUILT_IN)
    assert "coglog exercise NAME opens one" in done.out


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_exercise_and_its_answers(run: Run, name: str) -> None:
    done = run("exercise", name)
    assert (done.code, done.err) == (0, "")
    assert find(name).title in done.out
    assert f"coglog exercise {name} --answers shows the answers" in " ".join(done.out.split())
    answers = run("exercise", "--answers", name)
    assert answers.code == 0
    assert len(answers.out) > len(done.out) / 2


def test_in_japanese(run: Run) -> None:
    done = run("exercise", "coding", "--lang", "ja")
    assert texts_of("exercises", "ja")["dialogue"] in done.out
    assert run("exercise", "--lang=ja").code == 0
    unknown = run("exercise", "--lang", "fr")
    assert unknown.code == 2


def test_a_file_of_ones_own(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(find("support").data), encoding="utf-8")
    assert run("exercise", str(path)).out.startswith("CogLog exercise \u00b7 support")
    path.write_text('{"kind": "place"}', encoding="utf-8")
    wrong = run("exercise", str(path))
    assert wrong.code == 1
    assert wrong.err.count("coglog error: ") > 3
    assert f'{path}: "title" is missing' in wrong.err


def test_misuse(run: Run) -> None:
    done = run("exercise", "codign")
    assert done.code == 2
    assert "no such exercise: codign; did you mean coding?" in done.err
    for argv, said in (
        (["--answers"], "--answers needs the NAME of an exercise"),
        (["coding", "--clear"], "--clear goes with --summary"),
        (["--summary", "--clear", "coding"], "leave out coding"),
        (["--summary", "--answers", "coding"], "give one of them"),
    ):
        done = run("exercise", *argv)
        assert done.code == 2, argv
        assert said in done.err
        assert "usage: coglog exercise [NAME] [options]" in done.err


def test_the_results_of_earlier_kernels(run: Run, home: Path) -> None:
    nothing = run("exercise", "--summary")
    assert (nothing.code, nothing.out) == (0, "(no exercise answered yet)\n")
    assert not (home / ".coglog").exists(), "asking creates nothing"
    assert run("exercise", "--summary", "--clear").out == "coglog: no results to remove\n"
    exercise = find("coding")
    answered = results.new_run(exercise, "")
    results.set_answers(answered, exercise, {"0": ["current_focus"], "1": ["none", "annotation"]})
    results.keep(str(home / ".coglog"), answered)
    shown = run("exercise", "--summary")
    assert shown.code == 0
    assert shown.out.splitlines()[-1].split()[2:] == ["coding", "2/8", "1", "1", "0", "1"]
    assert run("exercise", "support", "--summary").out == "(no exercise answered yet)\n"
    assert run("exercise", "--clear", "--summary").out == "coglog: results removed\n"
    assert run("exercise", "--summary").out == "(no exercise answered yet)\n"


def test_damaged_results_are_an_error(run: Run, home: Path) -> None:
    (home / ".coglog").mkdir()
    (home / ".coglog" / "exercises.json").write_text("{", encoding="utf-8")
    done = run("exercise", "--summary")
    assert done.code == 1
    assert "damaged results" in done.err

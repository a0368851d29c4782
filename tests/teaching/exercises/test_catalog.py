"""The built-in exercises, and how an exercise is found."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import coglog_nb.teaching.exercises
from coglog_nb import InputError, StoreError, UsageError
from coglog_nb.fields import AXES
from coglog_nb.teaching.exercises.catalog import BUILT_IN, built_in, find
from coglog_nb.teaching.exercises.format import CHOICES

FOLDER = Path(coglog_nb.teaching.exercises.__file__).parent
ALL = built_in()
PLACED = [exercise for exercise in ALL if exercise.kind == "place"]
BLANK = [exercise for exercise in ALL if exercise.kind == "blank"]
STATEMENTS = [(exercise.name, statement) for exercise in PLACED for statement in exercise.statements]

# ---- the built-in ones


def test_the_list_names_exactly_the_files() -> None:
    assert sorted(path.stem for path in (FOLDER / "builtin").glob("*.json")) == sorted(BUILT_IN)


def test_there_are_enough_of_each_kind_and_subject() -> None:
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


def test_the_usual_mix_ups_occur() -> None:
    pairs = {frozenset((statement["best"], second)) for _, statement in STATEMENTS for second in statement["second"]}
    assert frozenset(("current_focus", "annotation")) in pairs
    assert frozenset(("theory_of_mind", "self_narrative")) in pairs
    assert any("none" in pair for pair in pairs)


def test_no_statement_and_no_reason_occurs_twice() -> None:
    texts = Counter(statement["text"] for _, statement in STATEMENTS)
    assert set(texts.values()) == {1}
    for name, statement in STATEMENTS:
        reasons = statement["reasons"].values()
        assert len(set(reasons)) == len(CHOICES), (name, statement["text"])


def test_no_reason_repeats_the_verdict() -> None:
    """The widget and the texts show the verdict before the reason, in the learner's language."""
    for _, statement in STATEMENTS:
        for reason in statement["reasons"].values():
            assert not re.match(r"(best|defensible|right|wrong|correct|yes|no)\b[.:,]", reason, re.IGNORECASE), reason


def test_the_order_of_the_statements_gives_nothing_away() -> None:
    orders = [tuple(statement["best"] for statement in exercise.statements) for exercise in PLACED]
    assert len(set(orders)) == len(orders)
    assert not [order for order in orders if list(order) == sorted(order, key=CHOICES.index)]


def test_each_blank_turn_has_an_answer_with_an_axis_left_empty() -> None:
    for exercise in BLANK:
        empty = [[axis for axis in AXES if not answer["axes"][axis]["text"]] for answer in exercise.data["answers"]]
        assert sorted(map(len, empty)) == [0, 1], exercise.name


# ---- finding one


def test_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.json"
    path.write_text("\ufeff" + json.dumps(BLANK[0].data), encoding="utf-8", newline="\r\n")
    monkeypatch.chdir(tmp_path)
    for name in ("mine.json", "./mine.json", str(path)):
        found = find(name)
        assert found.name == name
        assert found.title == BLANK[0].title


def test_an_unknown_name_suggests_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"no such exercise: codign; did you mean coding\?"):
        find("codign")
    with pytest.raises(UsageError, match=r"did you mean game-master\?"):
        find("game")
    with pytest.raises(UsageError, match=r"there are coding, .* and files that end in \.json"):
        find("zzz")


def test_a_file_that_is_not_an_exercise(tmp_path: Path) -> None:
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

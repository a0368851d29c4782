"""`%coglog exercise` and `exercise()`: the widget, its static form, and what is kept of the answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import ipywidgets
import pytest

from coglog_nb import UsageError, ValidationError, exercise
from coglog_nb.fields import AXES, FACTS
from coglog_nb.notebook.display import WIDGET_MIME
from coglog_nb.notebook.exercise_widget import ExerciseWidget
from coglog_nb.teaching.exercises import results
from coglog_nb.teaching.exercises.catalog import find
from coglog_nb.teaching.exercises.text_form import static_html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.notebook.conftest import Shell


@pytest.fixture
def terminal(shell: Shell) -> Shell:
    """A shell that shows text alone."""
    shell.ip.display_formatter.active_types = ["text/plain"]
    return shell


def kept(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / "exercises.json").read_text(encoding="utf-8"))["results"]
    return found


def test_it_has_two_outputs_of_which_one_is_visible(shell: Shell) -> None:
    ran = shell.run("%coglog exercise coding")
    static, live = ran.outputs
    assert set(static) == {"text/html", "text/plain"}
    assert static_html(find("coding"), "en") in static["text/html"]
    assert ".coglog-practice" in static["text/html"]
    assert static["text/plain"].startswith("CogLog exercise \u00b7 coding")
    assert set(live) == {WIDGET_MIME}


def test_assigned_it_shows_nothing_and_is_the_widget(shell: Shell) -> None:
    ran = shell.run("task = %coglog exercise coding")
    assert ran.outputs == []
    assert ran.out == ""
    widget = shell.ip.user_ns["task"]
    assert isinstance(widget, ExerciseWidget)
    shown = shell.run("task").outputs
    assert len(shown) == 2
    assert shell.run("again = %coglog exercise coding\nagain is task").value is True


def test_in_a_terminal_it_is_text(terminal: Shell) -> None:
    ran = terminal.run("%coglog exercise coding")
    assert ran.outputs == []
    text = terminal.ip.display_formatter.format(ran.value)[0]["text/plain"]
    assert text.startswith("CogLog exercise \u00b7 coding")
    assert "1. A date that is a day late" in text


def test_answers_lists_and_summaries_are_text(shell: Shell) -> None:
    assert "(best fit): " in shell.run("%coglog exercise coding --answers").out
    assert "%coglog exercise NAME opens one" in shell.run("%coglog exercise").out
    assert shell.run("%coglog exercise --summary").value == "(no exercise answered yet)"
    assert "<table" not in shell.run("x = %coglog exercise --summary").out


def test_an_answer_is_kept_and_the_widget_says_where(shell: Shell, home: Path) -> None:
    widget = shell.run("%coglog exercise coding").value
    folder = home / ".coglog"
    assert not folder.exists()
    widget.set_state({"answers": {"0": ["none"]}})
    widget.set_state({"answers": {"0": ["self_narrative", "current_focus"], "1": ["annotation"]}})
    assert str(folder / "exercises.json") in widget.kept
    (run,) = kept(folder)
    assert run["exercise"] == "coding"
    assert [(one["first_fit"], one["fit"]) for one in run["answers"]] == [  # type: ignore[attr-defined]
        ("other", "best"),
        ("second", "second"),
    ]
    table = shell.run("%coglog exercise --summary").value
    assert table.splitlines()[-1].split()[2:] == ["coding", "2/8", "1", "1", "0", "0"]
    assert "<table" in table._repr_html_()


def test_the_kernel_confirms_each_message() -> None:
    widget = exercise("support")
    widget.set_state({"answers": {"0": ["none"]}, "said": 3})
    assert widget.heard == 3
    widget.set_state({"said": 4})  # the same answer once more
    assert widget.heard == 4


def test_starting_again_begins_a_new_run(home: Path) -> None:
    widget = exercise("support")
    widget.set_state({"answers": {"0": ["none"]}})
    # As the page sends it: all in one message.
    widget.set_state({"answers": {}, "axes": {}, "compared": False, "run": 1})
    widget.set_state({"answers": {"1": ["theory_of_mind"]}})
    first, second = kept(home / ".coglog")
    assert [answer["last"] for answer in first["answers"]] == ["none"]  # type: ignore[attr-defined]
    assert [answer["last"] for answer in second["answers"]] == ["theory_of_mind"]  # type: ignore[attr-defined]


def test_malformed_messages_do_no_harm(home: Path) -> None:
    widget = exercise("support")
    widget.set_state(
        {"answers": {"0": "annotation", "x": ["none"], "1": [None, "none"], "2": ["no axis"], "900": ["none"]}}
    )
    (run,) = kept(home / ".coglog")
    assert len(run["answers"]) == 1  # type: ignore[arg-type]


def test_a_blank_turn_gives_a_turn_to_write(shell: Shell, home: Path) -> None:
    shell.run("task = %coglog exercise fill-tutoring")
    widget = shell.ip.user_ns["task"]
    widget.set_state({"axes": {"annotation": "clap", "current_focus": "three\nagainst four"}})
    assert list(widget.turn) == [*FACTS, *AXES]
    entry = shell.run("entry = %coglog write task.turn\nentry").value or shell.ip.user_ns["entry"]
    assert entry["annotation"] == "clap"
    assert entry["current_focus"] == "three\nagainst four"
    assert entry["theory_of_mind"] == ""
    (run,) = kept(home / ".coglog")
    assert run["axes"] == {"current_focus": "three\nagainst four", "annotation": "clap"}


def test_deleted_text_is_not_kept(home: Path) -> None:
    widget = exercise("fill-character")
    widget.set_state({"axes": {"annotation": "something too private"}})
    widget.set_state({"axes": {"annotation": ""}})
    assert "too private" not in (home / ".coglog" / "exercises.json").read_text(encoding="utf-8")
    (run,) = kept(home / ".coglog")
    assert run["axes"] == {}


def test_each_session_has_a_widget_of_its_own(shell: Shell, home: Path) -> None:
    shell.run("a = %coglog exercise coding --session mira\nb = %coglog exercise coding --session tom")
    a, b = shell.ip.user_ns["a"], shell.ip.user_ns["b"]
    assert a is not b
    a.set_state({"answers": {"0": ["none"]}})
    b.set_state({"answers": {"0": ["none"]}})
    assert [run["session"] for run in kept(home / ".coglog")] == ["mira", "tom"]
    assert "session" in shell.run("%coglog exercise --summary").value


def test_a_changed_file_is_another_exercise(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    data = find("coding").data
    path.write_text(json.dumps(data), encoding="utf-8")
    before = exercise(str(path))
    assert exercise(str(path)) is before
    path.write_text(json.dumps({**data, "title": "Another"}), encoding="utf-8")
    after = exercise(str(path))
    assert after is not before
    assert after.exercise["title"] == "Another"


def test_a_closed_widget_is_replaced() -> None:
    before = exercise("writing")
    ipywidgets.Widget.close_all()
    assert exercise("writing") is not before


def test_language_and_theme(shell: Shell) -> None:
    shell.run("%config CogLogMagics.lang = 'ja'")
    shell.run("%config CogLogMagics.theme = 'dark'")
    shell.run("task = %coglog exercise coding")
    widget = shell.ip.user_ns["task"]
    assert (widget.lang, widget.theme) == ("ja", "dark")
    assert widget.words["next"] == "次へ"
    shell.run("task = %coglog exercise coding --lang en --theme light")
    assert shell.ip.user_ns["task"].words["next"] == "Next"
    assert shell.ip.user_ns["task"].theme == "light"
    with pytest.raises(UsageError, match="no such language"):
        exercise("coding", lang="fr")
    with pytest.raises(ValidationError, match="theme"):
        exercise("coding", theme="pink")


def test_results_that_cannot_be_stored_are_reported_and_counted(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way", encoding="utf-8")
    widget = exercise("coding", coglog_dir=tmp_path / "log")
    widget.set_state({"answers": {"0": ["none"]}})
    assert widget.kept.startswith("Your answers are kept only until the kernel stops: ")
    (tmp_path / "log").unlink()
    assert len(results.all_runs(str(tmp_path / "log"))) == 1


def test_an_unknown_name_is_an_error_of_the_cell(shell: Shell) -> None:
    error, said = shell.fail("%coglog exercise codign")
    assert isinstance(error, UsageError)
    assert "did you mean coding?" in said

"""What a learner answered: in the kernel's memory, and in `exercises.json` in the data directory. It goes nowhere else.

A run is one go at one exercise, from its first answer until "start again". It holds its own words (the statements, what
was chosen first and last, how that fits), so that it can be read when the exercise's file is another one or gone.
"""

from __future__ import annotations

import os

from ...clock import now
from ...errors import CogLogError, StoreError
from ...fields import AXES
from ...files import PRIVATE_FILE, make_directories, replace_file
from ...jsontext import decode, dump, load_object
from .format import CHOICES, fit_of

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .format import Exercise

FILE = "exercises.json"
FORMAT = "coglog-results/1"
MOST_RUNS = 500
"""How many runs the file keeps; the oldest go."""

PATIENCE = 2.0
"""How long an answer waits for another kernel that is writing, in seconds."""

_runs: dict[str, dict[str, dict[str, Any]]] = {}
"""The runs of this process, by data directory and by their own id."""


def path_of(data_dir: str) -> str:
    """Return the file that results are kept in."""
    return os.path.join(data_dir, FILE)


def new_run(exercise: Exercise, session: str) -> dict[str, Any]:
    """Begin a run of an exercise, which holds no answer yet."""
    time = now()
    return {
        "id": os.urandom(8).hex(),
        "exercise": exercise.name,
        "title": exercise.title,
        "kind": exercise.kind,
        "session": session,
        "began": time,
        "changed": time,
        "total": len(exercise.statements) if exercise.kind == "place" else len(AXES),
        "answers": [],
        "axes": {},
    }


def set_answers(run: dict[str, Any], exercise: Exercise, chosen: Mapping[str, Sequence[str]]) -> None:
    """Put the statements that were placed into a run.

    Parameters
    ----------
    run : dict
        The run.
    exercise : Exercise
        The exercise.
    chosen : mapping
        For the number of a statement (from 0, as text) what was chosen first and what was chosen last; anything else
        in it is ignored, because it comes from a page.
    """
    run["changed"] = now()
    run["answers"] = [
        {
            "statement": statement["text"],
            "first": choices[0],
            "last": choices[-1],
            "first_fit": fit_of(statement, choices[0]),
            "fit": fit_of(statement, choices[-1]),
        }
        for number, statement in enumerate(exercise.statements)
        if (choices := [choice for choice in chosen.get(str(number), ()) if choice in CHOICES])
    ]


def set_axes(run: dict[str, Any], axes: Mapping[str, str]) -> None:
    """Put the axes that were written into a run; what is empty isn't counted as written."""
    run["changed"] = now()
    run["axes"] = {axis: axes[axis] for axis in AXES if isinstance(axes.get(axis), str) and axes[axis].strip()}


def keep(data_dir: str, run: dict[str, Any]) -> str:
    """Keep a run in memory and in the file.

    Returns
    -------
    str
        Why it isn't in the file; empty if it is.
    """
    _runs.setdefault(data_dir, {})[run["id"]] = run
    try:
        _store(data_dir, run)
    except CogLogError as error:
        return str(error)
    return ""


def _store(data_dir: str, run: dict[str, Any]) -> None:
    from ...locks import hold_window

    make_directories(data_dir, private=True)
    with hold_window(path_of(data_dir), PATIENCE) as (target, _):
        runs = [other for other in _read(target) if other["id"] != run["id"]]
        data = dump({"format": FORMAT, "results": [*runs, run][-MOST_RUNS:]})
        # What comes from a page may hold half a character, which no file can.
        replace_file(target, [data.encode("utf-8", "replace")], mode=PRIVATE_FILE)


def _read(path: str) -> list[dict[str, Any]]:
    try:
        with open(path, "rb") as file:
            text = decode(file.read())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError.from_os("read", path, error) from error
    except CogLogError as error:
        raise _damaged(path, str(error)) from error
    try:
        value = load_object(text)
    except CogLogError as error:
        raise _damaged(path, str(error)) from error
    runs = value.get("results")
    if value.get("format") != FORMAT or not isinstance(runs, list) or not all(map(_is_run, runs)):
        raise _damaged(path, f"it holds no results of the format {FORMAT}")
    return runs


def _damaged(path: str, reason: str) -> StoreError:
    return StoreError(
        f"damaged results {path}: {reason}; the file was left as it is: repair it, or remove it with"
        " exercise --summary --clear",
        path,
    )


def _is_run(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    texts = ("id", "exercise", "title", "kind", "session", "began", "changed")
    if not all(isinstance(value.get(key), str) for key in texts) or type(value.get("total")) is not int:
        return False
    answers, axes = value.get("answers"), value.get("axes")
    if not isinstance(answers, list) or not isinstance(axes, dict):
        return False
    return all(
        isinstance(answer, dict) and all(isinstance(answer.get(key), str) for key in ("fit", "first_fit"))
        for answer in answers
    )


def all_runs(data_dir: str) -> list[dict[str, Any]]:
    """Return the runs of the file and those of this process that aren't in it.

    Raises
    ------
    StoreError
        If the file can't be read, or holds no results.
    """
    kept = {run["id"]: run for run in _read(path_of(data_dir))}
    return list({**kept, **_runs.get(data_dir, {})}.values())


def clear(data_dir: str) -> bool:
    """Remove all results of a data directory; returns whether there were any.

    Raises
    ------
    StoreError
        If the file can't be removed.
    """
    had = bool(_runs.pop(data_dir, None))
    path = path_of(data_dir)
    if not os.path.lexists(path):
        return had
    # Where it is a link, what it leads to holds the answers; a link that is left over would lead nowhere.
    for each in dict.fromkeys((os.path.realpath(path), path)):
        try:
            os.unlink(each)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError.from_os("remove", each, error) from error
    return True

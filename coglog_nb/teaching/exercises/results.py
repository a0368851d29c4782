"""A learner's answers: in the kernel's memory, and in `exercises.json` in the data directory. They go nowhere else.

A run is one attempt at one exercise, from the first answer until "Start again". It contains the statements, the first
and the last choice for each, and how these fit, so it can still be read after the exercise's file has changed.
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
"""The most runs that the file keeps; the oldest ones are dropped."""

PATIENCE = 2.0
"""Seconds that an answer waits while another kernel writes the file."""

_runs: dict[str, dict[str, dict[str, Any]]] = {}
"""The runs of this process, by data directory and by id."""


def path_of(data_dir: str) -> str:
    """Return the path of the file that keeps the results."""
    return os.path.join(data_dir, FILE)


def new_run(exercise: Exercise, session: str) -> dict[str, Any]:
    """Return a new run of an exercise, without answers."""
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
    """Store in a run where its statements were placed.

    Parameters
    ----------
    run : dict
        The run.
    exercise : Exercise
        The exercise.
    chosen : mapping
        For the number of a statement (from 0, as text), the first and the last choice. Anything else in it is ignored,
        because it comes from a page.
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
    """Store in a run the axes that were written; an empty one doesn't count as written."""
    run["changed"] = now()
    run["axes"] = {axis: axes[axis] for axis in AXES if isinstance(axes.get(axis), str) and axes[axis].strip()}


def keep(data_dir: str, run: dict[str, Any]) -> str:
    """Keep a run in memory and in the file.

    Returns
    -------
    str
        Why the file couldn't be written; empty if it was.
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
        # A text from a page may contain half of a surrogate pair, which UTF-8 can't encode.
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
        raise _damaged(path, f"it isn't in the format {FORMAT}")
    return runs


def _damaged(path: str, reason: str) -> StoreError:
    return StoreError(
        f"damaged results {path}: {reason}; the file is unchanged: repair it, or remove it with"
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
    """Return the runs in the file, and those of this process that couldn't be written to it.

    Raises
    ------
    StoreError
        If the file can't be read or is damaged.
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
    # The answers are in the file that a link leads to; the link itself would lead nowhere afterwards.
    for each in dict.fromkeys((os.path.realpath(path), path)):
        try:
            os.unlink(each)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError.from_os("remove", each, error) from error
    return True

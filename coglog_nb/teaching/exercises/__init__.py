"""Exercises in the four axes: JSON files, built in or a facilitator's own, and what becomes of the answers.

An exercise is data. Its format is `schema.json` beside this file, and `docs/exercises.md` in words; `form` reads and
checks it, `texts` shows it where no widget runs, `results` keeps what a learner answered.
"""

from __future__ import annotations

import os

from ...errors import UsageError
from ...paths import absolute
from .format import Exercise, read_file

PLACE = "place"
BLANK = "blank"

BUILT_IN = (
    "coding",
    "tutoring",
    "roleplay",
    "game-master",
    "support",
    "writing",
    "fill-tutoring",
    "fill-character",
)
"""The names of the exercises that are shipped, in the order in which they are listed."""

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "builtin")


def built_in() -> list[Exercise]:
    """Read all exercises that are shipped, in their order."""
    return [find(name) for name in BUILT_IN]


def find(name: str) -> Exercise:
    """Read an exercise.

    Parameters
    ----------
    name : str
        The name of one that is shipped, or the path of a file: what ends in ``.json`` or holds a slash is a path.

    Returns
    -------
    Exercise
        The exercise, checked.

    Raises
    ------
    UsageError
        If there is none of that name, with what may have been meant.
    StoreError
        If the file can't be read.
    InputError
        If it isn't JSON, or is no exercise; every problem is a sentence that says where in the file it is.
    """
    if name in BUILT_IN:
        return read_file(os.path.join(_FOLDER, f"{name}.json"), name)
    if name.lower().endswith(".json") or "/" in name or os.sep in name:
        path = absolute(name, "the exercise")
        return read_file(path, name)
    from difflib import get_close_matches

    word = name.lower()
    close = [known for known in BUILT_IN if word and known.startswith(word)] or get_close_matches(word, BUILT_IN, n=1)
    meant = f"did you mean {close[0]}?" if close else f"there are {', '.join(BUILT_IN)}, and files that end in .json"
    raise UsageError(f"no such exercise: {name}; {meant}")

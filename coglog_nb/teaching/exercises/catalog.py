"""The built-in exercises, and how an exercise is found: by its name or by the path of its file."""

from __future__ import annotations

import os

from ...errors import UsageError
from ...paths import absolute
from ...suggestions import closest
from .format import Exercise, read_file

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
"""The names of the built-in exercises, in the order of the list that a user sees."""

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "builtin")


def built_in() -> list[Exercise]:
    """Read all built-in exercises, in the order of `BUILT_IN`."""
    return [find(name) for name in BUILT_IN]


def find(name: str) -> Exercise:
    """Read an exercise.

    Parameters
    ----------
    name : str
        The name of a built-in exercise, or the path of a file. A name that ends in ``.json`` or contains a slash is a
        path.

    Returns
    -------
    Exercise
        The exercise; its file was checked.

    Raises
    ------
    UsageError
        If no exercise has that name. The message suggests the nearest one.
    StoreError
        If the file can't be read.
    InputError
        If the file isn't JSON or isn't an exercise. Each problem is a sentence that says where in the file it is.
    """
    if name in BUILT_IN:
        return read_file(os.path.join(_FOLDER, f"{name}.json"), name)
    if name.lower().endswith(".json") or "/" in name or os.sep in name:
        return read_file(absolute(name, "the exercise"), name)
    near = closest(name, BUILT_IN)
    hint = f"did you mean {near}?" if near else f"there are {', '.join(BUILT_IN)}, and files that end in .json"
    raise UsageError(f"no such exercise: {name}; {hint}")

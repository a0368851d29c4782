"""Checks on plain data: the seven fields that a caller gives, and the shape of a stored entry."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import ValidationError
from .fields import AXES, FACTS, NAMES, NOT_SHOWN
from .jsontext import dump, kind

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

LAST_TURN_ID = 2**53 - 1
"""The largest turn id. Beyond it JavaScript (the viewer, other tools) can't tell two integers apart."""

THEMES = ("light", "system", "dark")


def checked_theme(theme: str) -> str:
    """Return the theme, or raise a `ValidationError` that names the three there are."""
    if theme not in THEMES:
        raise ValidationError(f"theme must be one of {', '.join(THEMES)}, not {theme!r}")
    return theme


def flatten(given: Mapping[str, object]) -> dict[str, object]:
    """Take the seven fields out of what a caller gives: the fields by name, or a whole entry.

    Parameters
    ----------
    given : mapping
        The fields by name; facts may also be in ``layers``, as in an entry. Unknown keys are ignored.

    Returns
    -------
    dict
        The fields that are there, unchecked.
    """
    layers = given.get("layers")
    facts = layers if isinstance(layers, Mapping) else {}
    # Where both give a fact, `layers` wins: that is where every entry has it.
    found = {name: given[name] for name in NAMES if name in given}
    found.update({name: facts[name] for name in FACTS if name in facts})
    return found


def surrogate_problem(name: str, text: str) -> str | None:
    """Say where a text has an unpaired surrogate, which UTF-8 can't encode; None if it has none."""
    if text.isascii():
        return None
    try:
        # UTF-16 can't encode an unpaired surrogate either, and encodes a long text four times faster.
        text.encode("utf-16-le")
    except UnicodeEncodeError as error:
        return (
            f"{name}: an unpaired surrogate (U+{ord(text[error.start]):04X}) at position {error.start},"
            " which UTF-8 cannot encode"
        )
    return None


def validate(given: Mapping[str, object]) -> dict[str, str]:
    """Check the seven fields: all are text that UTF-8 can encode, and no fact is empty.

    Parameters
    ----------
    given : mapping
        The fields by name.

    Returns
    -------
    dict of str to str
        The seven texts in the contract's order.

    Raises
    ------
    ValidationError
        With every problem, in the order of the fields.
    """
    problems = []
    checked = {}
    for name in NAMES:
        value = given.get(name)
        if not isinstance(value, str):
            suffix = " (empty string is acceptable)" if name in AXES else ""
            problems.append(f"missing required field: {name}{suffix}")
        elif not value and name in FACTS:
            problems.append(f"missing required field: {name}")
        else:
            problem = surrogate_problem(name, value)
            if problem:
                problems.append(problem)
            # A subclass of str may print as something else than it holds; what it holds is stored.
            checked[name] = value if type(value) is str else str.__str__(value)
    if problems:
        raise ValidationError(problems)
    return checked


def refuse_placeholder(given: Mapping[str, object]) -> None:
    """Refuse an entry exported without its thinking: importing it would store the placeholder as a fact.

    Raises
    ------
    ValidationError
        If the thinking of a whole entry is the placeholder.
    """
    layers = given.get("layers")
    if isinstance(layers, Mapping) and layers.get("thinking") == NOT_SHOWN:
        raise ValidationError(
            f"thinking: this entry was exported with --no-thinking and holds {NOT_SHOWN!r} instead;"
            " export it again without that option"
        )


def _check_turn_id(stored: Mapping[str, Any]) -> None:
    if "turn_id" not in stored:
        raise ValueError("has no turn_id")
    turn_id = stored["turn_id"]
    if type(turn_id) is not int:  # not isinstance: in Python, True is an int too
        raise ValueError(f"turn_id is {turn_id!r:.20}, not an integer")
    if not 1 <= turn_id <= LAST_TURN_ID:
        raise ValueError(f"turn_id is out of range (1 to {LAST_TURN_ID})")


def check_stored(stored: object) -> None:
    """Check that a value has the shape of a stored entry. An older one may have no `_schema` and not all axes.

    Raises
    ------
    ValueError
        If it hasn't, with the reason.
    """
    if not isinstance(stored, dict):
        raise ValueError(f"holds {kind(stored)}, not an object")
    _check_turn_id(stored)
    if not isinstance(stored.get("timestamp"), str):
        raise ValueError("timestamp is not a string")
    layers = stored.get("layers")
    if not isinstance(layers, dict):
        raise ValueError("layers is not an object" if "layers" in stored else "has no layers")
    for name in FACTS:
        if not isinstance(layers.get(name), str):
            raise ValueError(f"{name} is not a string" if name in layers else f"has no {name}")
    for name in AXES:
        if name in stored and not isinstance(stored[name], str):
            raise ValueError(f"{name} is not a string")


def entry_problem(entry: Mapping[str, Any]) -> str | None:
    """Say why a dict isn't a whole entry (any more) that can be shown; None if it is one."""
    try:
        check_stored(entry)
        for key in ("_schema", *AXES):  # a file may be without them; `restore` adds them
            if key not in entry:
                return f"has no {key}"
        dump({"_schema": entry["_schema"]})
    except (TypeError, ValueError) as error:
        return str(error)
    return None

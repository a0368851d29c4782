"""Checks on plain data: the seven fields that a caller gives, and the shape of a stored entry."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import ValidationError
from .fields import AXES, FACTS, NAMES, NOT_SHOWN
from .jsontext import KEYS_OF_AN_ENTRY, dump, kind
from .suggestions import closest_field

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

LAST_TURN_ID = 2**53 - 1
"""The largest turn id. Beyond it JavaScript (the viewer, other tools) can't tell two integers apart."""

_MOST_KEYS = 8
"""How many unknown keys an error names."""

DEEPEST = 200
"""How deeply an entry may be nested. CogLog's own keys need 3 levels; Python's recursion limit is 1,000."""

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


def missing_problem(name: str, given: Mapping[str, object], cause: str = "") -> str | None:
    """Say that a field is missing, and why; None if it is there.

    Parameters
    ----------
    name : str
        The field's name.
    given : mapping
        The fields by name.
    cause : str, optional
        Why the field isn't in it, where the caller knows that.
    """
    value = given.get(name, ...)
    if isinstance(value, str) and (value or name in AXES):
        return None
    if value is ...:
        reason = f"not given; {cause}" if cause else "not given"
    elif isinstance(value, str):
        reason = "it is empty; a fact must say something"
    else:
        known = value is None or isinstance(value, (bool, int, float, list, tuple, Mapping))
        reason = f"it is {kind(value) if known else type(value).__name__}, not text"
    acceptable = " (empty string is acceptable)" if name in AXES else ""
    return f"missing required field: {name}{acceptable} ({reason})"


def unknown_keys(given: Mapping[str, object]) -> list[str]:
    """Return the keys of what a caller gives, the fields or a whole entry, that say nothing about a turn."""
    layers = given.get("layers")
    keys = [key for key in given if key not in KEYS_OF_AN_ENTRY and key not in ("_schema", "written_by")]
    if isinstance(layers, Mapping):
        keys += [key for key in layers if key not in FACTS]
    return [str(key) for key in keys]


def _unknown_key_problems(keys: Iterable[str], missing: Collection[str]) -> list[str]:
    """Name keys that may have been meant as one of the missing fields."""
    problems = []
    for key in dict.fromkeys(keys):
        name = closest_field(key, missing)
        problems.append(f"unknown key {key[:40]!r}" + (f"; did you mean {name}?" if name else ", which is ignored"))
    # The nearest first; among many keys the others don't matter.
    problems.sort(key=lambda problem: "did you mean" not in problem)
    more = len(problems) - _MOST_KEYS
    return problems if more <= 0 else [*problems[:_MOST_KEYS], f"and {more} more unknown keys, which are ignored"]


def validate(
    given: Mapping[str, object], *, keys: Iterable[str] = (), causes: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Check the seven fields: all are text that UTF-8 can encode, and no fact is empty.

    Parameters
    ----------
    given : mapping
        The fields by name.
    keys : iterable of str, optional
        The unknown keys beside them; the error names them if a field is missing.
    causes : mapping of str to str, optional
        Why a field isn't given, by the field's name.

    Returns
    -------
    dict of str to str
        The seven texts in the contract's order.

    Raises
    ------
    ValidationError
        With every problem, in the order of the fields.
    """
    problems, missing = [], []
    checked = {}
    for name in NAMES:
        value = given.get(name)
        problem = missing_problem(name, given, (causes or {}).get(name, ""))
        if problem:
            missing.append(name)
        elif isinstance(value, str):
            problem = surrogate_problem(name, value)
            # A subclass of str may print as something else than it holds; what it holds is stored.
            checked[name] = value if type(value) is str else str.__str__(value)
        if problem:
            problems.append(problem)
    if missing:
        problems += _unknown_key_problems(keys, missing)
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


def check_depth(value: object) -> None:
    """Check that JSON data isn't nested so deeply that writing or showing it could exceed Python's recursion limit.

    Raises
    ------
    ValueError
        If it has more than `DEEPEST` levels, or contains itself.
    """
    level = [value]
    for _ in range(DEEPEST):
        inside = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)  # type: ignore[attr-defined]
            if isinstance(inner, (Mapping, list, tuple))
        ]
        if not inside:
            return
        level = list({id(inner): inner for inner in inside}.values())  # what is there several times is looked at once
    raise ValueError(f"is nested too deeply (more than {DEEPEST} levels)")


def entry_problem(entry: Mapping[str, Any]) -> str | None:
    """Say why a dict isn't a whole entry (any more) that can be shown; None if it is one."""
    try:
        check_depth(entry)
        check_stored(entry)
        for key in ("_schema", *AXES):  # a file may be without them; `restore` adds them
            if key not in entry:
                return f"has no {key}"
        dump({"_schema": entry["_schema"]})
    except (TypeError, ValueError) as error:
        return str(error)
    return None

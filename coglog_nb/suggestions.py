"""The nearest known name to a misspelt one."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST, _SHORTEST = 60, 3
"""Longer and shorter words, in characters, are taken for no field's name: two letters begin anything."""


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to a word, or None.

    Parameters
    ----------
    word : str
        What somebody typed; its case doesn't matter.
    known : iterable of str
        The names to choose from.
    """
    from difflib import get_close_matches  # only an error pays for this import

    by_lower_case = {name.lower(): name for name in known}
    word = word.lower()
    if not word.strip("-"):
        return None
    # A name cut short wins over a similar one: otherwise `--rep` would suggest `--help`.
    cut_short = [name for name in by_lower_case if name.startswith(word)]
    found = cut_short or get_close_matches(word, by_lower_case, n=1)
    return by_lower_case[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean NAME?"`` for the nearest known name, or an empty string.

    Parameters
    ----------
    word, known
        As `closest` takes them.
    """
    name = closest(word, known)
    return f"; did you mean {name}?" if name else ""


def closest_field(word: str, fields: Iterable[str]) -> str | None:
    """Return the field that a key or a label means, or None.

    Parameters
    ----------
    word : str
        What somebody typed, such as ``Theory of mind``, ``theoryOfMind``, ``thinkng`` or ``focus``.
    fields : iterable of str
        The names of the fields to choose from.
    """
    fields = list(fields)
    if len(word) > _LONGEST:  # no name, and finding out takes long
        return None
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", "_", _narrow(word)).strip("_").lower()
    if words in fields:
        return words
    if len(words) < _SHORTEST:
        return None
    parts = [name for name in fields if words in name.split("_")]
    return parts[0] if parts else closest(words, fields)


def _narrow(text: str) -> str:
    """Turn full-width letters into those of the keyboard."""
    from unicodedata import normalize  # only an error pays for this import

    return normalize("NFKC", text)

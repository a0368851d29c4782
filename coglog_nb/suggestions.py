"""The nearest known name to a misspelt one."""

from __future__ import annotations

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to a word, or None.

    Parameters
    ----------
    word : str
        What somebody typed; its case doesn't matter.
    known : iterable of str
        The names to choose from, in lower case.
    """
    from difflib import get_close_matches  # only an error pays for this import

    known = list(known)
    word = word.lower()
    if not word.strip("-"):
        return None
    # A name cut short wins over a similar one: otherwise `--rep` would suggest `--help`.
    cut_short = (name for name in known if name.startswith(word))
    return next(cut_short, None) or next(iter(get_close_matches(word, known, n=1)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean NAME?"`` for the nearest known name, or an empty string.

    Parameters
    ----------
    word, known
        As `closest` takes them.
    """
    name = closest(word, known)
    return f"; did you mean {name}?" if name else ""

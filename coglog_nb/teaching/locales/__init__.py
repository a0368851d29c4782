"""What the widgets and the guide say, in one place and in every language there is.

A part of the program has a module of its own here, with ``WORDS``: a table of texts by key for each language. Texts may
hold ``{name}`` for what `str.format` puts there. What the seven fields are called in English is the contract's, and is
made from `coglog_nb.fields`.
"""

from __future__ import annotations

from importlib import import_module

from ...errors import UsageError
from ...fields import LANGUAGES as LANGUAGES


def checked_language(lang: str) -> str:
    """Return the language.

    Raises
    ------
    UsageError
        If there is none of that name; it says which there are.
    """
    if lang not in LANGUAGES:
        raise UsageError(f"no such language: {lang!r}; there are {' and '.join(LANGUAGES)}")
    return lang


def words(part: str, lang: str = "en") -> dict[str, str]:
    """Return the texts of one part of the program in one language.

    Parameters
    ----------
    part : str
        The name of a module of this package: ``"fields"``, ``"guide"``, ``"editor"``, ...
    lang : str, optional
        ``"en"`` or ``"ja"``.

    Returns
    -------
    dict of str to str
        The texts by key; a new dict at every call.

    Raises
    ------
    UsageError
        If there is no such language.
    """
    home = "coglog_nb.labels" if part == "fields" else f"{__name__}.{part}"
    table: dict[str, dict[str, str]] = import_module(home).WORDS
    return dict(table[checked_language(lang)])


def field_table(lang: str = "en") -> list[dict[str, str]]:
    """Return what a viewer is told of the seven fields, in one language.

    Parameters
    ----------
    lang : str, optional
        ``"en"`` or ``"ja"``.

    Raises
    ------
    UsageError
        If there is no such language.
    """
    from ...viewer import field_table as english

    own = words("fields", lang)
    return [
        {
            **field,
            "label": own[f"{field['name']}.label"],
            "direction": own[f"direction.{field['direction']}"] if field["direction"] else "",
            "question": own[f"{field['name']}.question"],
        }
        for field in english()
    ]

"""The texts of the guide, the exercises and the form, in every language.

Each module here has the texts of one part, in ``TEXTS``: for each language, a table of texts by key. ``{name}`` in a
text is a value that `str.format` inserts. The labels and questions of the seven fields are in `coglog_nb.labels`.
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


def texts_of(part: str, lang: str = "en") -> dict[str, str]:
    """Return the texts of one part in one language.

    Parameters
    ----------
    part : str
        The name of a module of this package: ``"guide"``, ``"exercises"`` or ``"editor"``.
    lang : str, optional
        ``"en"`` or ``"ja"``.

    Returns
    -------
    dict of str to str
        The texts by key; a new dict at every call.

    Raises
    ------
    UsageError
        If there are no texts in that language.
    """
    table: dict[str, dict[str, str]] = import_module(f"{__name__}.{part}").TEXTS
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
    from ...labels import WORDS
    from ...viewer import field_table as english

    own = WORDS[checked_language(lang)]
    return [
        {
            **field,
            "label": own[f"{field['name']}.label"],
            "direction": own[f"direction.{field['direction']}"] if field["direction"] else "",
            "question": own[f"{field['name']}.question"],
        }
        for field in english()
    ]

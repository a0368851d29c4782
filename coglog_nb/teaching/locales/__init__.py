"""The texts of the guide, the exercises and the form, in every language.

Each module here has the texts of one part, in ``TEXTS``: for each language, a table of texts by key. ``{name}`` in a
text is a value that `str.format` inserts. The labels and questions of the seven fields are in `coglog_nb.labels`.
"""

from __future__ import annotations

from importlib import import_module

from ...labels import checked_language


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

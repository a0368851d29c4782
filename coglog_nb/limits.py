"""How much of a long text an output holds."""

from __future__ import annotations

FIELD_LIMIT = 20_000
"""How many bytes (UTF-8) of one field an output may hold. Only the live card, the page and the artifact hold all."""

LINE_LIMIT = 200
"""How many characters of a time or a version are shown."""


def cut(text: str) -> tuple[str, int]:
    """Cut a text to what an output may hold.

    Returns
    -------
    tuple of (str, int)
        The text or its beginning, and how many characters are left out.
    """
    if len(text) * 4 <= FIELD_LIMIT:  # most texts: no character takes more than four bytes
        return text, 0
    kept = text.encode("utf-8", "surrogatepass")[:FIELD_LIMIT].decode("utf-8", "ignore")
    return (kept, len(text) - len(kept)) if len(kept) < len(text) else (text, 0)


def cut_line(text: str) -> str:
    """Cut a text that should be one line (a title, a time, a version)."""
    return text if len(text) <= LINE_LIMIT else text[:LINE_LIMIT] + "\u2026"


def cut_with_note(text: str) -> str:
    """Cut a text and append a note that says how much is left out."""
    kept, left_out = cut(text)
    return f"{kept}\n[{left_out:,} of {len(text):,} characters left out]" if left_out else text

"""Looking into a reply, be it an object of some library, a dict, or parsed JSON: the same look for all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

_PLAIN = (str, bytes, bytearray, int, float, list, tuple, set, frozenset, type(None))

# What looks like a key, in the words of a provider that refuses one.
_SECRET = re.compile(
    r"(?i)\b(?:bearer\s+\S+|(?:sk|pk|rk|gsk|xai|hf|nvapi|api|key|r8)[-_][A-Za-z0-9_*.-]{6,}|AIza[\w*-]{8,}|AKIA[A-Z0-9]{8,})"
)


def get(value: object, *names: str) -> Any:
    """Return what stands under the first of the names that has something, or None."""
    if isinstance(value, Mapping):
        return next((value[name] for name in names if value.get(name) is not None), None)
    if isinstance(value, _PLAIN):
        return None
    for name in names:
        try:
            found = getattr(value, name, None)
        except Exception:  # noqa: BLE001, S112 - a property of somebody's library may do anything
            continue
        if found is not None:
            return found
    return None


def string(value: object, *names: str) -> str:
    """Return the text under a name; an empty one where there is none."""
    found = get(value, *names)
    return found if isinstance(found, str) else ""


def items(value: object, *names: str) -> list[Any]:
    """Return the list under a name; an empty one where there is none."""
    found = get(value, *names)
    return list(found) if isinstance(found, (list, tuple)) else []


def has_list(value: object, name: str) -> bool:
    """Whether a list, be it empty, stands under a name."""
    return isinstance(get(value, name), (list, tuple))


def word(value: object, *names: str) -> str:
    """Return a word that a provider chose from a list of its own, in lower case: some give text, some an enum."""
    found = get(value, *names)
    found = getattr(found, "value", found)
    return found.lower() if isinstance(found, str) else ""


def kind_of(value: object) -> str:
    """Name what was given, in Python's own words."""
    return "None" if value is None else f"{type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


def told(text: object) -> str:
    """Return a provider's own words for a message: one line, not long, without what looks like a key."""
    line = " ".join(_SECRET.sub("(a key)", str(text)).split())
    return line if len(line) <= 300 else line[:300] + "\u2026"  # noqa: PLR2004 - enough for any provider's sentence


def error_told(value: object) -> str:
    """Return what a provider says went wrong, in its own words; nothing where it says nothing."""
    error = get(value, "error")
    if isinstance(error, str):
        return told(error)
    if error is None:
        return ""
    kinds = (get(error, name) for name in ("type", "status", "code"))
    kind = next((str(kind) for kind in kinds if isinstance(kind, (str, int)) and kind), "")
    message = string(error, "message", "msg", "detail")
    return told(": ".join(filter(None, (kind, message)))) or "an error without a message"

"""Looking into a reply in the same way whether it is an object of some library, a dict, or parsed JSON."""

from __future__ import annotations

from collections.abc import Mapping

from ..redaction import without_secrets

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

_PLAIN = (str, bytes, bytearray, int, float, list, tuple, set, frozenset, type(None))
_LONGEST_MESSAGE = 300
_LONGEST_READ = 20_000


def get(value: object, *names: str) -> Any:
    """Return what is under the first of the names that has something, or None."""
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
    """Return the text under the first of the names that has something, or an empty one."""
    found = get(value, *names)
    return found if isinstance(found, str) else ""


def items(value: object, *names: str) -> list[Any]:
    """Return the list under the first of the names that has something, or an empty one."""
    found = get(value, *names)
    return list(found) if isinstance(found, (list, tuple)) else []


def has_list(value: object, name: str) -> bool:
    """Whether there is a list under a name, even an empty one."""
    return isinstance(get(value, name), (list, tuple))


def word(value: object, *names: str) -> str:
    """Return a provider's own keyword in lower case, such as a type or a status: some give text, some an enum."""
    found = get(value, *names)
    found = getattr(found, "value", found)
    return found.lower() if isinstance(found, str) else ""


def kind_of(value: object) -> str:
    """Name a value's type in Python's own words."""
    return "None" if value is None else f"{type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


def has_any_name(value: object) -> bool:
    """Whether something has an attribute of every name: a mock, for instance, would pass for any provider's reply."""
    return not isinstance(value, (Mapping, *_PLAIN)) and get(value, "no_reply_has_this_name") is not None


def short_message(text: object) -> str:
    """Return a provider's own words for a message of ours: in one line, not long, without keys."""
    try:
        words = str(text)[:_LONGEST_READ]
    except Exception:  # noqa: BLE001 - an error's own class may do anything there
        return "it can't be put into words"
    line = " ".join(without_secrets(words).split())
    return line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + "\u2026"


def error_message(value: object) -> str:
    """Return what a provider says went wrong, in its own words, or an empty text."""
    error = get(value, "error")
    if isinstance(error, str):
        return short_message(error)
    if error is None:
        return ""
    kinds = (get(error, name) for name in ("type", "status", "code"))
    kind = next((str(kind) for kind in kinds if isinstance(kind, (str, int)) and kind), "")
    message = string(error, "message", "msg", "detail")
    return short_message(": ".join(filter(None, (kind, message)))) or "an error without a message"

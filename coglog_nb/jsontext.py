"""JSON: how `current.json` is written, and how input from users is read."""

from __future__ import annotations

import json

from .errors import InputError
from .fields import NAMES

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS_OF_AN_ENTRY = frozenset((*NAMES, "layers", "turn_id", "timestamp"))


def kind(value: object) -> str:
    """Name a value's JSON type, with its article (``"an array"``)."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, (list, tuple)) else "an object"


def dump(value: Mapping[str, object]) -> str:
    """Write an object the way `current.json` holds it: indent 2, non-ASCII kept, LF, no newline at the end."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def quote(text: str) -> bytes:
    """Write one string as JSON in UTF-8, non-ASCII kept."""
    return json.dumps(text, ensure_ascii=False).encode("utf-8")


def decode(data: bytes) -> str:
    """Turn bytes into text.

    Parameters
    ----------
    data : bytes
        UTF-8, with or without a byte order mark.

    Raises
    ------
    InputError
        If it isn't UTF-8; the message names the first wrong byte.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The two byte order marks of UTF-16 can't begin UTF-8 text. Redirection in a Windows shell writes them.
        hint = " (it looks like UTF-16)" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise InputError(f"invalid input: not UTF-8 at byte {error.start}{hint}") from error


def without_repeats(pairs: list[tuple[str, object]], once: frozenset[str] = KEYS_OF_AN_ENTRY) -> dict[str, object]:
    """Make an object from its pairs, for ``object_pairs_hook``; without this, Python would silently drop a duplicate.

    Parameters
    ----------
    pairs : list of tuple
        Each key with its value.
    once : frozenset of str, optional
        The keys that must not be repeated. A duplicate of any other key loses nothing, because it is ignored anyway.

    Raises
    ------
    InputError
        If one of them is repeated.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next((key for key in found if key in once and keys.count(key) > 1), None)
        if repeated is not None:
            raise InputError(f'invalid JSON: duplicate key "{repeated}"')
    return found


def load_object(text: str, *, strict: bool = True) -> dict[str, object]:
    r"""Read one JSON object from text that a user gives.

    Parameters
    ----------
    text : str
        The JSON text; a byte order mark before it is dropped.
    strict : bool, optional
        Whether control characters in strings must be escaped, as in standard JSON. False accepts a real newline too.

    Raises
    ------
    InputError
        If it isn't JSON (with line and column), isn't an object, or has a field twice.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise InputError("invalid JSON: empty input: line 1 column 1 (char 0)")
    try:
        value = json.loads(text, strict=strict, object_pairs_hook=without_repeats)
    except json.JSONDecodeError as error:
        raise InputError(f"invalid JSON: {error}") from error
    except RecursionError as error:
        raise InputError("invalid JSON: nested too deeply") from error
    except InputError:
        raise
    except ValueError as error:  # CPython's limit on the digits of an integer
        raise InputError("invalid JSON: a number with too many digits") from error
    if not isinstance(value, dict):
        raise InputError(f"not a JSON object but {kind(value)}")
    return value

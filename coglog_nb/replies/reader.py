"""What a reply says, in whatever form it is given: find its provider, and let that provider's file read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice

from ..errors import InputError
from ..redaction import without_secrets
from . import access, wire
from .parsed_reply import ParsedReply
from .registry import PROVIDERS, RAW
from .streams import Assembly, is_chunk, is_stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

TAKES = (
    "it takes the reply of a provider's library (an object, the dict it dumps to, or that as JSON text), the list of a"
    " stream's chunks, or the model's raw text"
)


def read_reply(reply: object) -> ParsedReply:
    """Tell thinking and answer apart in a reply of any provider, in any form.

    Parameters
    ----------
    reply : object
        An object of a provider's library, the dict that it dumps to, that as JSON text or bytes, the list of a
        stream's chunks, the raw text of a model, or what `Assembly.reply` returned.

    Returns
    -------
    ParsedReply
        What it says.

    Raises
    ------
    InputError
        If it isn't a reply: nothing, a number, an unknown shape, a stream that was not read to its end, or the error
        that a provider gave instead.
    """
    try:
        return _read(reply)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - an object of somebody's may do anything when it is looked into
        words = access.short_message(error)
        raise InputError(
            f"not a reply but {_named(reply)}, which fails when it is read"
            f" ({type(error).__name__}{f': {words}' if words else ''}); {TAKES}"
        ) from None


def _read(reply: object) -> ParsedReply:
    if isinstance(reply, (bytes, bytearray)):
        text, is_cut = wire.text_of(bytes(reply))
        return _of_text(text, is_cut=is_cut)
    if isinstance(reply, ParsedReply):
        return _checked(reply)
    if isinstance(reply, str):
        return _of_text(reply)
    if access.has_any_name(reply):
        raise InputError(f"not a reply but {_named(reply)}, which has an attribute of every name; {TAKES}")
    found = _of_value(reply)
    if found is not None:
        return found
    raise InputError(without_secrets(_not_a_reply(reply)))


def _named(value: object) -> str:
    """Name the type of an object that may raise for anything that it is asked."""
    try:
        return access.kind_of(value)
    except Exception:  # noqa: BLE001 - even its class may
        return "an object"


def _of_text(text: str, *, is_cut: bool = False) -> ParsedReply:
    if not text.strip():
        raise InputError(f"not a reply but an empty text; {TAKES}")
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped[:1] in ("{", "["):
        try:
            value = json.loads(stripped)
        except (ValueError, RecursionError):
            value = None
        # JSON in no provider's shape is what the model said, for instance an answer that is only the block.
        found = _of_value(value) if isinstance(value, (dict, list)) else None
        if found is not None:
            return found
    if stripped.startswith(("{", "data:", "event:", "id:", "retry:", ":")):
        chunks, is_stream_cut = wire.frames(stripped, is_chunk)
        if chunks:
            found = _of_chunks(chunks)
            if is_stream_cut or is_cut:
                found.note(wire.CUT_STREAM)
            return found
    found = _of_cut_json(stripped) if stripped[:1] in ("{", "[") else None
    if found is None and is_cut:
        raise InputError("not a reply: the text is cut within its last character; give all of its bytes")
    return found or RAW.parse(text.removeprefix("\ufeff")).finish()


def _of_cut_json(text: str) -> ParsedReply | None:
    """Read what has come of a reply's JSON; None if it isn't a provider's, or wasn't cut."""
    value = wire.completed(text)
    if value is None:
        return None
    found = _of_value(value)
    if found is None and wire.is_beginning(text):
        raise InputError(f"not a reply but the beginning of one: {wire.CUT_REPLY}; ask the model again")
    if found is not None:
        found.note(wire.CUT_STREAM if isinstance(value, list) else wire.CUT_REPLY)
    return found


def _of_value(value: Any) -> ParsedReply | None:
    """Read what isn't text; None if no provider's shape fits."""
    for provider in PROVIDERS:
        if provider.fits(value):
            return _checked(provider.parse(value).finish())
    _raise_error(value)
    if isinstance(value, (list, tuple)) and value and is_chunk(value[0]):
        return _of_chunks(value)
    return None


def _checked(parsed: ParsedReply) -> ParsedReply:
    if parsed.is_empty and parsed.failure:
        raise InputError(f"{parsed.provider} gave an error and no reply: {parsed.failure}")
    return parsed


def _of_chunks(chunks: Iterable[object]) -> ParsedReply:
    """Read a reply from all its chunks."""
    assembly = Assembly()
    for chunk in chunks:
        assembly.feed(chunk)
    return read_reply(assembly.reply())


def _raise_error(value: object) -> None:
    """Raise what a provider's error says."""
    if isinstance(value, BaseException):
        raise InputError(f"not a reply but an error: {type(value).__name__}: {access.short_message(value)}")
    said = access.error_message(value)
    if not said and access.word(value, "object", "type") == "error":
        said = access.short_message(access.string(value, "message"))
    if said:
        raise InputError(f"the provider gave an error and no reply: {said}")


def _not_a_reply(value: object) -> str:
    if is_stream(value):
        return "not a reply but a stream of one: read it to its end, and give the list of its chunks"
    if hasattr(value, "__await__"):
        return "not a reply but a call that was not awaited: put `await` before it"
    if hasattr(value, "headers") and hasattr(value, "status_code"):
        return "not a reply but an HTTP response: give its .json()"
    what = access.kind_of(value)
    if isinstance(value, Mapping):
        names = [str(name)[:40] for name in islice(value, 6)]
        what = f"a dict with the keys {', '.join(names)}" if names else "an empty dict"
        if "layers" in value or {"user", "assistant"} <= set(value):
            return f"not a reply but {what}: a turn already, which write takes"
    elif isinstance(value, (list, tuple)):
        what = (
            f"a {type(value).__name__} that holds no chunks of a stream"
            if value
            else f"an empty {type(value).__name__}"
        )
    return f"not a reply but {what}; {TAKES}"

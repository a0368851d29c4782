"""A reply as it came over the wire: the frames of a stream, or JSON, whole or cut somewhere.

What a cut frame holds is the provider's text, not the model's: it is never taken for an answer.
"""

from __future__ import annotations

import codecs
import json
import re

from ..errors import InputError
from ..fields import AXES
from ..jsontext import decode

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CUT_STREAM = "the stream was cut: its last frame isn't whole and is left out"
CUT_REPLY = "the reply was cut: its JSON ends in the middle"

_LINE_END = re.compile(r"\r\n|\n|\r")
_ONLY_A_NAME = re.compile(r"event:[ \t]?[\w.]*\s*(?:d(?:a(?:t(?:a:?)?)?)?\s*)?")
_NO_DATA = ("event:", "id:", "retry:")
# The keys that a provider's reply, or a frame of one, begins with.
_KEYS = (
    "id",
    "object",
    "created",
    "created_at",
    "model",
    "type",
    "role",
    "choices",
    "candidates",
    "message",
    "output",
    "response",
    "error",
    "event_type",
    "status",
    "usage",
    "usageMetadata",
    "promptFeedback",
    "modelVersion",
    "system_fingerprint",
    "provider",
    "service_tier",
    "steps",
    "lc",
    "responseId",
    "generated_text",
    "index",
    "delta",
    "done",
    "content",
)
_TOKEN = re.compile(r'[{}\[\],]|"[^"\\]*(?:\\.[^"\\]*)*(?:"|(?P<open>\\?\Z))', re.DOTALL)
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CUT_SURROGATE = re.compile(r"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_KEY = re.compile(r'\s*"([^"\\]*)')


def text_of(data: bytes) -> tuple[str, bool]:
    """Return the text that bytes are, and whether they are cut within their last character."""
    try:
        return decode(data), False
    except InputError:
        try:
            return codecs.getincrementaldecoder("utf-8-sig")().decode(data), True
        except UnicodeDecodeError:
            pass
        raise


def frames(text: str, is_chunk: Callable[[object], bool]) -> tuple[list[Any], bool]:
    """Return the chunks of a stream as it came over the wire: events, or an object in each line.

    Parameters
    ----------
    text : str
        The text.
    is_chunk : callable
        Whether something is a chunk of a known stream.

    Returns
    -------
    list, bool
        The chunks, and whether the stream was cut inside the last. The list is empty if the text is something else.

    Raises
    ------
    InputError
        If there is no whole frame of a known stream in the events.
    """
    chunks: list[Any] = []
    is_events = is_cut = is_cut_data = False
    for line in _LINE_END.split(text):
        if not line.strip() or line.startswith(":"):
            continue
        is_cut = line.startswith(_NO_DATA)  # the data that belongs to it has to follow
        if is_cut:
            continue
        is_data = line.startswith("data:")
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            continue
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            is_cut = True
            is_cut_data = is_data and (not data or data.startswith("{"))
            break
        is_events = is_events or is_data
        chunks.append(value)
    if chunks and is_chunk(chunks[0]):
        return chunks, is_cut
    if (is_cut_data or _ONLY_A_NAME.fullmatch(text)) and not chunks:
        raise InputError("not a reply but a stream that was cut inside its first frame; ask the model again")
    if is_events and not (chunks and "error" in chunks[0]):
        raise InputError(
            "not a reply but the events of an unknown stream: give the model's text, or a provider's reply"
        )
    return [], False


def completed(text: str) -> Any:
    """Return the value of JSON that was cut, as far as it came; None if the text isn't JSON that was cut.

    What is cut in the list at the top is left out: it is a list of chunks, and the last isn't whole.
    """
    closing, last_comma, in_string = _scan(text)
    if closing is None:
        return None
    attempts = [(text, closing)]
    if in_string:
        # The last escape may be cut as well.
        attempts = [(_CUT_SURROGATE.sub(r"\1", _CUT_ESCAPE.sub(r"\1", text)), ['"', *closing])]
    if last_comma >= 0:
        attempts.append((text[:last_comma], _scan(text[:last_comma])[0] or []))
    for beginning, end in attempts:
        try:
            value = json.loads(beginning + "".join(end))
        except (ValueError, RecursionError):
            continue
        return value[:-1] if isinstance(value, list) and len(end) > 1 else value
    return {}


def _scan(text: str) -> tuple[list[str] | None, int, bool]:
    """Return what closes the open brackets of a text, its last comma outside a string, and whether it ends in one.

    There is nothing to close, `None`, if the text isn't JSON that was cut.
    """
    closing: list[str] = []
    last_comma = -1
    for token in _TOKEN.finditer(text):
        what = token[0]
        if what in "{[":
            closing.append("}" if what == "{" else "]")
        elif what in "}]":
            if not closing or closing.pop() != what or not closing:
                return None, last_comma, False
        elif what == ",":
            last_comma = token.start()
        elif token["open"] is not None:
            return closing[::-1], last_comma, True
    return closing[::-1], last_comma, False


def is_beginning(text: str) -> bool:
    """Whether JSON that was cut begins as a provider's reply, and as nothing that a model is asked for."""
    start = text.lstrip("[ \t\r\n")
    if not start.startswith("{"):
        return False
    key = _KEY.match(start, 1)
    if key is None or not key[1]:
        return False
    is_whole = start.startswith('"', key.end())
    known = [name for name in _KEYS if (name == key[1] if is_whole else name.startswith(key[1]))]
    may_be_ours = any(f'"{name}' in text or (name.startswith(key[1]) and not is_whole) for name in (*AXES, "coglog"))
    return bool(known) and not may_be_ours

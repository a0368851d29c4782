"""A reply that comes in chunks: its text as it comes, thinking apart from it, and the whole of it at the end.

What a chunk adds is for looking at. The turn is taken from the whole: `Assembly.reply` gives the reply in the shape
that it would have had in one piece, and `capture` reads that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ..errors import InputError
from . import access
from .providers.base import ASSISTANT, THINKING, Stream
from .providers.llm_library import is_response
from .registry import STREAMS

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .providers.base import Pieces

_NO_STREAM = (str, bytes, bytearray, Mapping, list, tuple, set, frozenset)


def is_stream(reply: object) -> bool:
    """Whether something gives a reply in chunks: an iterator, a generator, a library's stream, async ones as well.

    Parameters
    ----------
    reply : object
        What a model's function returned. A reply itself, text, a dict and a list are no streams.
    """
    if isinstance(reply, (*_NO_STREAM, type)) or is_response(reply):
        return False
    if hasattr(reply, "__next__") or hasattr(reply, "__anext__"):
        return True
    # An object of pydantic's can be iterated over, and gives its fields.
    if hasattr(reply, "model_dump") or hasattr(reply, "headers"):
        return False
    return hasattr(reply, "__iter__") or hasattr(reply, "__aiter__")


class Assembly:
    """Puts a reply together from its chunks. What kind they are is seen by the first of them.

    Examples
    --------
    >>> assembly = Assembly()
    >>> for chunk in ["<think>Short.</th", "ink>", "Yes."]:
    ...     print(assembly.feed(chunk))
    [('thinking', 'Short.')]
    []
    [('assistant', 'Yes.')]
    """

    def __init__(self) -> None:
        self._stream: Stream | None = None
        self._router = _Router()
        self._has_thinking = False

    def feed(self, chunk: object) -> Pieces:
        """Take a chunk.

        Parameters
        ----------
        chunk : object
            A chunk of any provider's stream, or a text.

        Returns
        -------
        list of tuple of (str, str)
            The pieces of text that it adds, each with "thinking" or "assistant". A few characters may be held back
            until it is seen whether they begin a tag.

        Raises
        ------
        InputError
            If the chunk is of no known kind, of another kind than those before it, or the provider's error.
        """
        if self._stream is None:
            self._stream = _stream_for(chunk)
        elif not self._stream.fits(chunk):
            _refuse(chunk)
        pieces: Pieces = []
        for layer, text in self._stream.feed(chunk):
            if layer == THINKING:
                self._has_thinking = True
            # A provider that gives thinking apart has none in the answer: there a tag is what the answer is about.
            pieces += self._router.feed(text) if layer == ASSISTANT and not self._has_thinking else [(layer, text)]
        return _merged(pieces)

    def end(self) -> Pieces:
        """Return the pieces that were held back: no chunk comes any more."""
        return _merged(self._router.end())

    def reply(self) -> Any:
        """Return the whole reply so far, ready for `capture`: in its provider's own shape, or a text.

        Raises
        ------
        InputError
            If no chunk has come.
        """
        if self._stream is None:
            raise InputError("not a reply but a stream that gave nothing")
        return self._stream.reply()


class _Text(Stream):
    """Chunks that are texts."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        return isinstance(chunk, str)

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        self._texts.append(chunk)
        return [(ASSISTANT, chunk)] if chunk else []

    def reply(self) -> str:
        """Return the text so far."""
        return "".join(self._texts)


def _kinds() -> tuple[type[Stream], ...]:
    return (_Text, *STREAMS)


def is_chunk(value: object) -> bool:
    """Whether something is a chunk of some stream."""
    return any(kind.fits(value) for kind in _kinds())


def _stream_for(chunk: object) -> Stream:
    for kind in _kinds():
        if kind.fits(chunk):
            return kind()
    _refuse(chunk)
    raise AssertionError  # the line above has raised


def _refuse(chunk: object) -> None:
    """Say what a chunk is that doesn't fit."""
    if isinstance(chunk, BaseException):
        raise InputError(f"the stream gave an error: {type(chunk).__name__}: {access.told(chunk)}")
    said = access.error_told(chunk)
    if said:
        raise InputError(f"the provider gave an error in the stream: {said}")
    what = access.kind_of(chunk)
    kind = access.word(chunk, "type", "object", "event_type")
    raise InputError(f"not a chunk of a stream that is known: {what}{f' of type {kind[:60]}' if kind else ''}")


def chunks_of_text(text: str) -> list[Any]:
    """Return the chunks that a text holds as it came over the wire: events, or an object in each line.

    An empty list means that it is no such text.
    """
    chunks: list[Any] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith((":", "event:", "id:", "retry:")):
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            continue
        if not data.startswith("{"):
            return []
        try:
            chunks.append(json.loads(data))
        except (ValueError, RecursionError):
            return []
    return chunks if chunks and is_chunk(chunks[0]) and not isinstance(chunks[0], str) else []


def _merged(pieces: Pieces) -> Pieces:
    """Join neighbours of one kind, and drop what is empty."""
    merged: Pieces = []
    for layer, text in pieces:
        if not text:
            continue
        if merged and merged[-1][0] == layer:
            merged[-1] = (layer, merged[-1][1] + text)
        else:
            merged.append((layer, text))
    return merged


_OPENING = re.compile(r"<(think|thinking|thought)>|(\[THINK\])", re.IGNORECASE)
_FENCES = re.compile(r"`{3,}")
_LONGEST_TAG = len("</thinking>")
_MAY_BEGIN = re.compile(r"(?:<[/a-z]*|\[/?[A-Z]*)\Z", re.IGNORECASE)
_BEGINNINGS = ("<think>", "<thinking>", "<thought>", "[think]")


class _Router:
    """Tells thinking in tags from the answer while the text comes.

    It goes by what is safe: a tag counts at the start of the text or of a line, outside of code. The whole, which is
    read at the end, decides.
    """

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""  # of the thinking that this is in
        self._line_is_blank = True
        self._fences = 0
        self._ticks = ""  # at the end of what came: more may follow
        self._after_thinking = False

    def feed(self, text: str) -> Pieces:
        """Take more of the text."""
        pieces: Pieces = []
        text, self._held = self._held + text, ""
        while text:
            text = self._in_thinking(text, pieces) if self._closing else self._in_answer(text, pieces)
        return pieces

    def end(self) -> Pieces:
        """Give what was held back."""
        held, self._held = self._held, ""
        return [(THINKING if self._closing else ASSISTANT, held)] if held else []

    def _in_thinking(self, text: str, pieces: Pieces) -> str:
        place = text.lower().find(self._closing)
        if place < 0:
            keep = _beginning_at_end(text, (self._closing,))
            pieces.append((THINKING, text[: len(text) - keep]))
            self._held = text[len(text) - keep :]
            return ""
        pieces.append((THINKING, text[:place]))
        rest = text[place + len(self._closing) :]
        self._closing = ""
        self._line_is_blank = self._after_thinking = True
        return rest

    def _in_answer(self, text: str, pieces: Pieces) -> str:
        for match in _OPENING.finditer(text):
            if self._counts(text[: match.start()]):
                self._say(text[: match.start()], pieces)
                self._closing = f"</{match[1].lower()}>" if match[1] else "[/think]"
                return text[match.end() :]
        keep = _beginning_at_end(text, _BEGINNINGS)
        self._say(text[: len(text) - keep], pieces)
        self._held = text[len(text) - keep :]
        return ""

    def _counts(self, before: str) -> bool:
        """Whether a tag that comes after this is a tag."""
        line = before.rpartition("\n")[2]
        is_first = not line.strip() and ("\n" in before or self._line_is_blank)
        return is_first and (self._fences + len(_FENCES.findall(self._ticks + before))) % 2 == 0

    def _say(self, text: str, pieces: Pieces) -> None:
        whole = self._ticks + text
        rest = whole.rstrip("`")
        self._fences += len(_FENCES.findall(rest))
        self._ticks = whole[len(rest) :]
        line = text.rpartition("\n")[2]
        if text:
            self._line_is_blank = not line.strip() and ("\n" in text or self._line_is_blank)
        if self._after_thinking:  # the line breaks after a tag part it from the answer, and are none of it
            text = text.lstrip("\r\n")
            self._after_thinking = not text
        pieces.append((ASSISTANT, text))


def _beginning_at_end(text: str, tags: Iterable[str]) -> int:
    """Return how many characters at the end of a text may be the beginning of a tag."""
    match = _MAY_BEGIN.search(text, max(0, len(text) - _LONGEST_TAG))
    if match is None:
        return 0
    start = match[0].lower()
    return len(start) if any(tag.startswith(start) for tag in tags) else 0

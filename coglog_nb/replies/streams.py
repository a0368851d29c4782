"""A reply that comes in chunks: its text and its thinking as they arrive, and the whole reply at the end."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InputError
from . import access
from .providers.llm_library import is_response
from .registry import PROVIDERS
from .think_stream import TagParser
from .think_tags import ASSISTANT, THINKING

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from .providers.base import Provider, Stream
    from .think_tags import Pieces

_NO_STREAM = (str, bytes, bytearray, Mapping, list, tuple, set, frozenset)


def is_stream(reply: object) -> bool:
    """Whether something gives a reply in chunks: an iterator, a generator, a library's stream, async ones as well.

    Parameters
    ----------
    reply : object
        What a model's function returned. A reply itself, text, a dict and a list aren't streams.
    """
    if isinstance(reply, (*_NO_STREAM, type)) or is_response(reply):
        return False
    if hasattr(reply, "__next__") or hasattr(reply, "__anext__"):
        return True
    # A pydantic object can be iterated over, but gives its fields.
    if hasattr(reply, "model_dump") or hasattr(reply, "headers"):
        return False
    return hasattr(reply, "__iter__") or hasattr(reply, "__aiter__")


class Assembly:
    """Puts a reply together from its chunks. The first of them shows whose they are.

    The pieces that it gives are for looking at. The turn is taken from the whole: `capture` reads what `reply` returns.

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
        self._tags = TagParser()
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
            until it is clear whether they begin a tag.

        Raises
        ------
        InputError
            If the chunk is of no known kind, of another kind than those before it, or the provider's error.
        """
        if self._stream is None:
            provider = _provider_of(chunk)
            if provider is None:
                raise InputError(_not_a_chunk(chunk))
            self._stream = provider.open_stream()
        elif not self._stream.fits(chunk):
            raise InputError(_not_a_chunk(chunk))
        self._stream.feed(chunk)
        pieces: Pieces = []
        for layer, text in self._stream.parsed.added:
            if layer == THINKING:
                self._has_thinking = True
            # A provider that gives thinking apart has none in the answer: there a tag is what the answer is about.
            pieces += self._tags.feed(text) if layer == ASSISTANT and not self._has_thinking else [(layer, text)]
        self._stream.parsed.added.clear()
        return _merged(pieces)

    def end(self) -> Pieces:
        """Return the pieces that were held back, after the last chunk."""
        return _merged(self._tags.end())

    def reply(self) -> Any:
        """Return the reply so far, ready for `capture`: a text, or what was read from a provider's chunks.

        Raises
        ------
        InputError
            If no chunk has come.
        """
        if self._stream is None:
            raise InputError("not a reply but a stream that gave nothing")
        return self._stream.reply()


def _provider_of(chunk: object) -> Provider | None:
    if access.has_any_name(chunk):
        return None
    return next((each for each in PROVIDERS if each.stream is not None and each.stream.fits(chunk)), None)


def is_chunk(value: object) -> bool:
    """Whether something is a chunk of a known stream."""
    return _provider_of(value) is not None


def _not_a_chunk(value: object) -> str:
    if isinstance(value, BaseException):
        return f"the stream gave an error: {type(value).__name__}: {access.short_message(value)}"
    said = access.error_message(value)
    if said:
        return f"the provider gave an error in the stream: {said}"
    kind = access.word(value, "type", "object", "event_type")
    what = f"{access.kind_of(value)}{f' of type {kind[:60]}' if kind else ''}"
    return f"not a chunk of a known stream: {what}"


def _merged(pieces: Pieces) -> Pieces:
    """Join neighbours of one kind, and drop what is empty."""
    merged: Pieces = []
    for layer, text in pieces:
        if text and merged and merged[-1][0] == layer:
            merged[-1] = (layer, merged[-1][1] + text)
        elif text:
            merged.append((layer, text))
    return merged

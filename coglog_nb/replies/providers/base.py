"""What a provider's file holds: how to know a reply of its shape, and how to read one, whole or in chunks."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod

from ..access import get
from ..parsed_reply import ParsedReply

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any


class Provider(ABC):
    """A shape of replies.

    Attributes
    ----------
    name : str
        The provider, or the API, in words.
    advice : str
        What to ask it for if a reply holds no readable thinking.
    stream : type of Stream or None
        What reads its replies in chunks, if it streams.
    """

    name = ""
    advice = ""
    stream: type[Stream] | None = None

    @abstractmethod
    def fits(self, reply: Any) -> bool:
        """Whether a reply is this provider's."""

    @abstractmethod
    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""

    def parse(self, reply: Any) -> ParsedReply:
        """Read a reply that fits."""
        parsed = ParsedReply(self.name, self.advice)
        self.read(reply, parsed)
        return parsed

    def open_stream(self) -> Stream:
        """Begin to read a reply in chunks."""
        assert self.stream is not None  # noqa: S101 - the registry asks only those that stream
        return self.stream(ParsedReply(self.name, self.advice))


class Stream(ABC):
    """A reply that comes in chunks.

    Parameters
    ----------
    parsed : ParsedReply
        Where to put what the chunks say.
    """

    def __init__(self, parsed: ParsedReply) -> None:
        self.parsed = parsed
        self._parts = 0
        self._kind: object = None

    @staticmethod
    @abstractmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this stream's kind."""

    @abstractmethod
    def feed(self, chunk: Any) -> None:
        """Take a chunk."""

    def part_index(self, kind: object) -> int:
        """Return the index of the part that a piece belongs to: it continues the last one if that is of its kind."""
        if not self._parts or self._kind != kind:
            self._parts += 1
            self._kind = kind
        return self._parts - 1

    def first_choice(self, choices: list[Any], name: str) -> Any:
        """Return the first choice of a chunk, or None if the chunk adds only to others; each may have its index."""
        first = None
        for place, choice in enumerate(choices):
            own = get(choice, "index")
            index = own if isinstance(own, int) else place
            self.parsed.choose(f"{name}[0]", index + 1)
            if index == 0 and first is None:
                first = choice
        return first

    @property
    def has_parts(self) -> bool:
        """Whether any part has begun."""
        return self._parts > 0

    def reply(self) -> Any:
        """Return the reply so far, in a shape that `capture` takes."""
        return copy.deepcopy(self.parsed).finish()

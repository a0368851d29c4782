"""What a provider's file holds: how to know a reply of its shape, and how to read one, whole or in chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..parsed_reply import ParsedReply

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    Pieces = list[tuple[str, str]]

THINKING, ASSISTANT = "thinking", "assistant"


class Provider(ABC):
    """A shape of replies.

    Attributes
    ----------
    name : str
        What it is called.
    advice : str
        What to ask it for where a reply holds no readable thinking.
    """

    name = ""
    advice = ""

    @abstractmethod
    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""

    @abstractmethod
    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""

    def new_reply(self) -> ParsedReply:
        """Begin a reply of this provider's."""
        return ParsedReply(self.name, self.advice)


class Stream(ABC):
    """A reply that comes in chunks, put together again."""

    @staticmethod
    @abstractmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""

    @abstractmethod
    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk; returns the pieces of text that it adds, each with "thinking" or "assistant"."""

    def end(self) -> Pieces:
        """Return what was held back to see what it would become."""
        return []

    @abstractmethod
    def reply(self) -> Any:
        """Return the reply so far, in the shape that it would have had in one piece."""

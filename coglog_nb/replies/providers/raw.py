"""The raw text of a model, by itself or as `transformers` gives it: its thinking can only be in tags."""

from __future__ import annotations

from ..access import get, string, word
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply


class RawStream(Stream):
    """Pieces of text."""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is a text."""
        return isinstance(chunk, str)

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        self.parsed.say(chunk, "text")

    def reply(self) -> str:
        """Return the text so far."""
        return self.parsed.answer


class Raw(Provider):
    """A text, or what a text generation pipeline of transformers returns."""

    name = "raw text"
    advice = "ask the model to think between <think> and </think> before it answers"
    stream = RawStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is one of transformers, such as ``[{"generated_text": "Hi"}]``.

        The documentation of transformers has it under "TextGenerationPipeline".
        """
        return isinstance(get(_first(reply), "generated_text"), (str, list, tuple))

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        if isinstance(reply, str):
            parsed.say(reply, "text")
            return
        if isinstance(reply, (list, tuple)):
            parsed.choose("[0]", len(reply))
        text = get(_first(reply), "generated_text")
        if isinstance(text, (list, tuple)):  # a conversation: the model's message is its last
            text = string(text[-1], "content") if text and word(text[-1], "role") == "assistant" else ""
        parsed.say(text, "generated_text")


def _first(reply: Any) -> Any:
    """Return the first reply that a pipeline gives in a list."""
    return reply[0] if isinstance(reply, (list, tuple)) and reply else reply

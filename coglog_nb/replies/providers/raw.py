"""The raw text of a model, by itself or as `transformers` gives it: thinking can only stand in it in tags."""

from __future__ import annotations

from ..access import get, string, word
from .base import Provider

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply


class Raw(Provider):
    """A text."""

    name = "raw text"
    advice = "ask the model to think between <think> and </think> before it answers"

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        if isinstance(reply, (list, tuple)) and len(reply) == 1:
            reply = reply[0]
        return get(reply, "generated_text") is not None

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        parsed = self.new_reply()
        if isinstance(reply, str):
            parsed.say(reply, "text")
            return parsed
        if isinstance(reply, (list, tuple)):
            reply = reply[0]
        text = get(reply, "generated_text")
        if isinstance(text, (list, tuple)):  # a conversation: the model's message is its last
            text = string(text[-1], "content") if text and word(text[-1], "role") == "assistant" else ""
        parsed.say(text, "generated_text")
        return parsed

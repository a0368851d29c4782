"""Ollama: chat and generate."""

from __future__ import annotations

from ..access import get, has_list, items, string, word
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply


def _is_chat(reply: Any) -> bool:
    return word(get(reply, "message"), "role") == "assistant"


def _fits(reply: Any) -> bool:
    if has_list(reply, "choices"):
        return False
    is_marked = isinstance(get(reply, "done"), bool) or bool(string(reply, "created_at"))
    return is_marked and (_is_chat(reply) or isinstance(get(reply, "response"), str))


def _read(reply: Any, parsed: ParsedReply) -> None:
    is_chat = _is_chat(reply)
    parsed.provider = "Ollama chat" if is_chat else "Ollama generate"
    message, prefix, name = (get(reply, "message"), "message.", "content") if is_chat else (reply, "", "response")
    parsed.think(get(message, "thinking"), f"{prefix}thinking")
    parsed.say(get(message, name), f"{prefix}{name}")
    for index, _ in enumerate(items(message, "tool_calls")):
        parsed.leave_out("tool_call", f"{prefix}tool_calls[{index}]")
    parsed.cut = parsed.cut or word(reply, "done_reason") == "length"


class OllamaStream(Stream):
    """The chunks of either call: each is a small reply."""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is a reply, which says that it isn't done."""
        return _fits(chunk)

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        _read(chunk, self.parsed)


class Ollama(Provider):
    """A reply of either call."""

    name = "Ollama"
    advice = "ask for it with think=True, of a model that thinks"
    stream = OllamaStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is Ollama's, such as ``{"message": {"role": "assistant", "content": "Hi"}, "done": true}``.

        Ollama's API documentation has it under "Generate a chat completion" and "Generate a completion", where the
        text is in ``response``.
        """
        return _fits(reply)

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        _read(reply, parsed)

"""Ollama: chat and generate."""

from __future__ import annotations

from ..access import get, has_list, string, word
from ..parsed_reply import ParsedReply
from .base import ASSISTANT, THINKING, Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from .base import Pieces


def _is_chat(reply: Any) -> bool:
    message = get(reply, "message")
    return message is not None and word(message, "role") == "assistant"


def _is_ollama(reply: Any) -> bool:
    if has_list(reply, "choices"):
        return False
    is_marked = isinstance(get(reply, "done"), bool) or bool(string(reply, "created_at"))
    return is_marked and (_is_chat(reply) or isinstance(get(reply, "response"), str))


class Ollama(Provider):
    """A reply of either call."""

    name = "Ollama"
    advice = "ask for it with think=True, of a model that thinks"

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        return _is_ollama(reply)

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        is_chat = _is_chat(reply)
        parsed = ParsedReply(f"Ollama {'chat' if is_chat else 'generate'}", self.advice)
        message, where, name = (get(reply, "message"), "message.", "content") if is_chat else (reply, "", "response")
        parsed.think(get(message, "thinking"), f"{where}thinking")
        parsed.say(get(message, name), f"{where}{name}")
        for _ in get(message, "tool_calls") or ():
            parsed.leave_out("tool_call")
        parsed.cut = word(reply, "done_reason") == "length"
        return parsed


class OllamaStream(Stream):
    """The chunks of either call: each is a small reply."""

    def __init__(self) -> None:
        self._is_chat = True
        self._thinking: list[str] = []
        self._answer: list[str] = []
        self._head: dict[str, Any] = {"done": False}

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        return _is_ollama(chunk)

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        self._is_chat = _is_chat(chunk)
        for name in ("model", "done_reason"):
            if string(chunk, name):
                self._head[name] = string(chunk, name)
        self._head["done"] = bool(get(chunk, "done"))
        message, name = (get(chunk, "message"), "content") if self._is_chat else (chunk, "response")
        thinking, answer = string(message, "thinking"), string(message, name)
        self._thinking.append(thinking)
        self._answer.append(answer)
        return [(layer, text) for layer, text in ((THINKING, thinking), (ASSISTANT, answer)) if text]

    def reply(self) -> dict[str, Any]:
        """Return the reply so far."""
        thinking, answer = "".join(self._thinking), "".join(self._answer)
        if self._is_chat:
            return {**self._head, "message": {"role": "assistant", "content": answer, "thinking": thinking}}
        return {**self._head, "response": answer, "thinking": thinking}

"""Anthropic's Messages: content blocks, thinking among them."""

from __future__ import annotations

from ..access import get, has_list, items, word
from ..content_blocks import are_parts, read_content, read_part
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply

_EVENTS = (
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "ping",
)
# The events that the library adds. A part of a message may have the same type, but no snapshot of what came before.
_LIBRARY_EVENTS = ("text", "thinking", "citation", "input_json")


def _read_stop_reason(holder: Any, parsed: ParsedReply) -> None:
    reason = word(holder, "stop_reason")
    parsed.cut = parsed.cut or reason in ("max_tokens", "model_context_window_exceeded")
    if reason == "refusal" and not parsed.refusal:
        parsed.refuse("stop_reason is refusal: what the model said is taken as the answer")


class AnthropicStream(Stream):
    """The events of a stream: as they come over the wire, or as the library's `MessageStream` gives them."""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is an event, such as ``{"type": "content_block_delta", "index": 0, "delta": {...}}``.

        Anthropic's API documentation lists them under "Streaming Messages".
        """
        kind = word(chunk, "type")
        is_librarys = kind == "signature" or (kind in _LIBRARY_EVENTS and get(chunk, "snapshot") is not None)
        return is_librarys or kind in _EVENTS

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        kind = word(chunk, "type")
        place = f"content[{get(chunk, 'index') or 0}]"
        delta = get(chunk, "delta")
        if kind == "message_delta":
            _read_stop_reason(delta, self.parsed)
        elif kind == "content_block_start":
            read_part(self.parsed, get(chunk, "content_block"), place)
        elif kind == "content_block_delta":
            self.parsed.say(get(delta, "text"), f"{place}.text")
            self.parsed.think(get(delta, "thinking"), f"{place}.thinking")
            if get(delta, "signature"):
                self.parsed.withhold("a signature without its text", place)
        # The library's own events (text, thinking) repeat what came as a delta.


class Anthropic(Provider):
    """A message."""

    name = "Anthropic Messages"
    advice = (
        'ask for it with thinking={"type": "adaptive", "display": "summarized"} (older models:'
        ' {"type": "enabled", "budget_tokens": 2048, "display": "summarized"})'
    )
    stream = AnthropicStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is a message, such as ``{"type": "message", "content": [{"type": "text", "text": "Hi"}]}``.

        Anthropic's API documentation has it under "Create a Message". Its content alone is enough.
        """
        if not has_list(reply, "content") or word(reply, "role") not in ("", "assistant"):
            return False
        return word(reply, "type") == "message" or bool(word(reply, "stop_reason")) or are_parts(get(reply, "content"))

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        read_content(parsed, items(reply, "content"), "content")
        _read_stop_reason(reply, parsed)

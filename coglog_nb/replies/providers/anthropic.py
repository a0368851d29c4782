"""Anthropic's Messages: content blocks, thinking among them."""

from __future__ import annotations

from ..access import get, has_list, items, string, word
from ..content_blocks import are_parts, read_content
from .base import ASSISTANT, THINKING, Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply
    from .base import Pieces


class Anthropic(Provider):
    """A message."""

    name = "Anthropic Messages"
    advice = (
        'ask for it with thinking={"type": "adaptive", "display": "summarized"} (older models:'
        ' {"type": "enabled", "budget_tokens": 2048, "display": "summarized"})'
    )

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        if not has_list(reply, "content") or word(reply, "role") not in ("", "assistant"):
            return False
        return word(reply, "type") == "message" or bool(word(reply, "stop_reason")) or are_parts(get(reply, "content"))

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        parsed = self.new_reply()
        read_content(parsed, items(reply, "content"), "content")
        reason = word(reply, "stop_reason")
        parsed.cut = reason in ("max_tokens", "model_context_window_exceeded")
        if reason == "refusal" and not parsed.refusal:
            parsed.refuse("stop_reason is refusal: what the model said is taken as the answer")
        return parsed


class AnthropicStream(Stream):
    """The events of a stream: as they come over the wire, or as the library's `MessageStream` gives them."""

    _KINDS = (
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "ping",
        "text",
        "thinking",
        "signature",
        "citation",
        "input_json",
    )

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"type": "message", "role": "assistant", "stop_reason": None}
        self._blocks: dict[int, dict[str, Any]] = {}

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        kind = word(chunk, "type")
        if kind in ("text", "thinking", "signature", "citation", "input_json"):
            # A part of a message may be called the same; a `MessageStream` event tells what came before it as well.
            return kind == "signature" or get(chunk, "snapshot") is not None
        return kind in AnthropicStream._KINDS

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        kind = word(chunk, "type")
        index = get(chunk, "index") or 0
        if kind == "message_start":
            self._message["model"] = string(get(chunk, "message"), "model")
        elif kind == "message_delta":
            self._message["stop_reason"] = word(get(chunk, "delta"), "stop_reason") or self._message["stop_reason"]
        elif kind == "content_block_start":
            return self._start(index, get(chunk, "content_block"))
        elif kind == "content_block_delta":
            return self._add(index, get(chunk, "delta"))
        # The library's own events beside the wire's (text, thinking) repeat what came as a delta.
        return []

    def _start(self, index: int, block: Any) -> Pieces:
        kind = word(block, "type")
        kept: dict[str, Any] = {"type": kind}
        pieces: Pieces = []
        for name, layer in (("text", ASSISTANT), ("thinking", THINKING)):
            if kind == name:
                kept[name] = string(block, name)
                pieces = [(layer, kept[name])] if kept[name] else []
        if kind == "thinking":
            kept["signature"] = string(block, "signature")
        elif kind == "redacted_thinking":
            kept["data"] = string(block, "data")
        self._blocks[index] = kept
        return pieces

    def _add(self, index: int, delta: Any) -> Pieces:
        kind = word(delta, "type")
        block = self._blocks.setdefault(index, {"type": kind.removesuffix("_delta")})
        if kind == "text_delta":
            return self._append(block, "text", string(delta, "text"), ASSISTANT)
        if kind == "thinking_delta":
            return self._append(block, "thinking", string(delta, "thinking"), THINKING)
        if kind == "signature_delta":
            block["signature"] = string(delta, "signature")
        return []

    @staticmethod
    def _append(block: dict[str, Any], name: str, text: str, layer: str) -> Pieces:
        block.setdefault(name, [])
        if isinstance(block[name], str):
            block[name] = [block[name]]
        block[name].append(text)
        return [(layer, text)] if text else []

    def reply(self) -> dict[str, Any]:
        """Return the message so far."""
        blocks = [
            {name: "".join(value) if isinstance(value, list) else value for name, value in self._blocks[index].items()}
            for index in sorted(self._blocks)
        ]
        return {**self._message, "content": blocks}

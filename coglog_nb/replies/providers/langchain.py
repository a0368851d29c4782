"""LangChain's messages: the content of whichever provider is behind them, with what the library adds."""

from __future__ import annotations

from ..access import get, items, short_message, string, word
from ..content_blocks import read_content, read_part, read_reasoning
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply

_CALLS = ("tool_use", "tool_call_chunk", "input_json_delta", "function_call", "tool_call")


def _inner(reply: Any) -> Any:
    """Return the message: its serialized form has it one level down."""
    kwargs = get(reply, "kwargs")
    return kwargs if kwargs is not None and get(reply, "lc") is not None else reply


def _is_message(reply: Any) -> bool:
    message = _inner(reply)
    return (
        word(message, "type") in ("ai", "aimessagechunk")
        and isinstance(get(message, "content"), (str, list, tuple))
        and get(message, "additional_kwargs", "response_metadata", "tool_calls") is not None
    )


def _read_extra(message: Any, parsed: ParsedReply) -> None:
    """Read what is beside the content: some integrations put the thinking there, or a refusal."""
    extra = get(message, "additional_kwargs")
    if not parsed.has_thinking("content"):
        for name in ("reasoning_content", "reasoning", "thinking"):
            value = get(extra, name)
            if parsed.think(value, f"additional_kwargs.{name}"):
                break
            if value is not None and not isinstance(value, str) and name == "reasoning":
                read_reasoning(parsed, value, f"additional_kwargs.{name}")
    metadata = get(message, "response_metadata")
    reason = word(metadata, "finish_reason", "stop_reason", "stopReason", "done_reason")
    parsed.cut = parsed.cut or reason in ("length", "max_tokens", "model_length")
    if string(extra, "refusal"):
        parsed.say(get(extra, "refusal"), "additional_kwargs.refusal")
        parsed.refuse("the model declined to answer: its refusal is taken as the answer")
    elif reason in ("refusal", "content_filter", "safety") and not parsed.refusal:
        parsed.refuse(f"the provider stopped the reply ({short_message(reason)}); what was said before is the answer")


class LangChainStream(Stream):
    """The chunks of a message."""

    def __init__(self, parsed: ParsedReply) -> None:
        super().__init__(parsed)
        self._calls = 0

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is an `AIMessageChunk`, such as ``{"type": "AIMessageChunk", "content": "Hi", ...}``.

        The LangChain reference has it under "AIMessageChunk".
        """
        return word(_inner(chunk), "type") == "aimessagechunk" and _is_message(chunk)

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        message = _inner(chunk)
        content = get(message, "content")
        for part in [content] if isinstance(content, str) else content:
            kind = "text" if isinstance(part, str) else word(part, "type")
            if kind not in _CALLS:  # counted below
                read_part(self.parsed, part, f"content[{self.part_index((kind, get(part, 'index')))}]")
        _read_extra(message, self.parsed)
        for call in items(message, "tool_call_chunks"):
            if string(call, "name"):
                self.parsed.leave_out("tool_call", f"tool_calls[{self._calls}]")
                self._calls += 1


class LangChain(Provider):
    """An `AIMessage`."""

    name = "LangChain"
    advice = "ask the chat model for it: the option is its provider's (reasoning=, thinking=, include_thoughts=, ...)"
    stream = LangChainStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is an `AIMessage`, such as ``{"type": "ai", "content": "Hi", "tool_calls": []}``.

        The LangChain reference has it under "AIMessage".
        """
        return _is_message(reply)

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        message = _inner(reply)
        read_content(parsed, get(message, "content"), "content")
        _read_extra(message, parsed)
        for index, _ in enumerate(items(message, "tool_calls")):
            parsed.leave_out("tool_call", f"tool_calls[{index}]")

"""LangChain's messages: the content of whichever provider is behind them, with what the library adds."""

from __future__ import annotations

from ..access import get, has_list, items, string, told, word
from ..content_blocks import read_content, read_reasoning
from ..parsed_reply import ParsedReply
from .base import ASSISTANT, THINKING, Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from .base import Pieces


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


class LangChain(Provider):
    """An `AIMessage`."""

    name = "LangChain"
    advice = "ask the chat model for it: the option is its provider's (reasoning=, thinking=, include_thoughts=, ...)"

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        return _is_message(reply)

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        message = _inner(reply)
        parsed = self.new_reply()
        read_content(parsed, get(message, "content"), "content")
        extra = get(message, "additional_kwargs")
        if parsed.thinking_state != "given":
            for name in ("reasoning_content", "reasoning", "thinking"):
                value = get(extra, name)
                if isinstance(value, str):
                    if parsed.think(value, f"additional_kwargs.{name}"):
                        break
                elif value is not None and name == "reasoning":
                    read_reasoning(parsed, value, f"additional_kwargs.{name}")
        metadata = get(message, "response_metadata")
        reason = word(metadata, "finish_reason", "stop_reason", "stopReason", "done_reason")
        parsed.cut = reason in ("length", "max_tokens", "model_length")
        refusal = get(extra, "refusal")
        if isinstance(refusal, str) and refusal:
            parsed.say(refusal, "additional_kwargs.refusal")
            parsed.refuse("the model declined to answer: its refusal is taken as the answer")
        elif reason in ("refusal", "content_filter", "safety") and not parsed.refusal:
            parsed.refuse(f"the provider stopped the reply ({told(reason)}); what was said before is the answer")
        for _ in items(message, "tool_calls"):
            parsed.leave_out("tool_call")
        return parsed


class LangChainStream(Stream):
    """The chunks of a message."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._extra: dict[str, list[str]] = {}
        self._metadata: dict[str, str] = {}
        self._calls = 0

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        return word(_inner(chunk), "type") == "aimessagechunk" and _is_message(chunk)

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        message = _inner(chunk)
        metadata = get(message, "response_metadata")
        for name in ("finish_reason", "stop_reason", "stopReason", "done_reason"):
            if word(metadata, name):
                self._metadata[name] = word(metadata, name)
        pieces: Pieces = []
        for name in ("reasoning_content", "reasoning", "refusal"):
            text = string(get(message, "additional_kwargs"), name)
            if text:
                self._extra.setdefault(name, []).append(text)
                pieces.append((ASSISTANT if name == "refusal" else THINKING, text))
        content = get(message, "content")
        for part in [content] if isinstance(content, str) else list(content):
            pieces += self._add({"type": "text", "text": part} if isinstance(part, str) else part)
        self._calls += sum(bool(string(call, "name")) for call in items(message, "tool_call_chunks"))
        return pieces

    def _add(self, part: Any) -> Pieces:
        """Add a part: it goes on with the last one of its type, or with the one that bears its index."""
        parsed = ParsedReply("", "")
        read_content(parsed, [part], "")
        kind, index = word(part, "type"), get(part, "index")
        if kind in ("tool_use", "tool_call_chunk", "input_json_delta", "function_call", "tool_call"):
            return []  # counted as calls
        last = self._parts[-1] if self._parts else None
        if last is None or last["type"] != kind or last["index"] != index:
            last = {"type": kind, "index": index, "thinking": [], "assistant": [], "part": part}
            self._parts.append(last)
        if has_list(part, "summary") and not items(part, "summary") and not last["thinking"]:
            last["part"] = part
        thinking, answer = parsed.thinking, parsed.answer
        if not thinking and kind in ("thinking", "reasoning", "reasoning_content"):
            thinking = _blank_thinking(part)
        if parsed.hidden_by and not thinking:
            last["part"] = part
        last["thinking"].append(thinking)
        last["assistant"].append(answer)
        return [(layer, text) for layer, text in ((THINKING, thinking), (ASSISTANT, answer)) if text]

    def reply(self) -> dict[str, Any]:
        """Return the message so far."""
        content: list[Any] = []
        for part in self._parts:
            thinking, answer = "".join(part["thinking"]), "".join(part["assistant"])
            if thinking:
                content.append({"type": "reasoning", "reasoning": thinking})
            if answer:
                content.append({"type": "text", "text": answer})
            if not thinking and not answer and part["type"] != "text":
                content.append(part["part"])
        extra = {name: "".join(texts) for name, texts in self._extra.items()}
        return {
            "type": "ai",
            "content": content,
            "additional_kwargs": extra,
            "response_metadata": self._metadata,
            "tool_calls": [{}] * self._calls,
        }


def _blank_thinking(part: Any) -> str:
    """Return what a piece of thinking adds that is blank by itself: a space between two words."""
    texts = [string(part, name) for name in ("thinking", "reasoning", "text")]
    texts += [string(piece, "text") for name in ("summary", "content") for piece in items(part, name)]
    texts.append(string(get(part, "reasoning_content"), "text"))
    return "".join(texts)

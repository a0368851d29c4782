"""Amazon Bedrock's Converse."""

from __future__ import annotations

from ..access import get, items, word
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply

_EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata")


def _read_part(part: Any, parsed: ParsedReply, place: str) -> None:
    """Read a part of the content, or what an event adds to one."""
    reasoning = get(part, "reasoningContent")
    if reasoning is not None:
        text = get(get(reasoning, "reasoningText") or reasoning, "text")  # an event has it one level higher
        if not parsed.think(text, f"{place}.reasoningContent.reasoningText.text"):
            is_signed = get(reasoning, "reasoningText", "signature") is not None
            parsed.withhold("a signature without its text" if is_signed else "redactedContent", place)
    elif isinstance(get(part, "text"), str):
        parsed.say(get(part, "text"), f"{place}.text")
    else:
        parsed.leave_out("toolUse" if get(part, "toolUse") is not None else "unknown", place)


def _read_stop_reason(holder: Any, parsed: ParsedReply) -> None:
    reason = word(holder, "stopReason")
    parsed.cut = parsed.cut or reason in ("max_tokens", "model_context_window_exceeded")
    if reason in ("guardrail_intervened", "content_filtered"):
        parsed.refuse(f"the provider stopped the reply ({reason}); what it says is taken as the answer")


class BedrockStream(Stream):
    """The events of ConverseStream."""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is an event, such as ``{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {...}}}``.

        Bedrock's API reference lists them under "ConverseStream".
        """
        return isinstance(chunk, dict) and len(chunk) == 1 and next(iter(chunk)) in _EVENTS

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        _read_stop_reason(get(chunk, "messageStop"), self.parsed)
        for name, inner in (("contentBlockStart", "start"), ("contentBlockDelta", "delta")):
            event = get(chunk, name)
            if get(event, inner):
                place = f"output.message.content[{get(event, 'contentBlockIndex') or 0}]"
                _read_part(get(event, inner), self.parsed, place)


class Bedrock(Provider):
    """A reply of Converse."""

    name = "Bedrock Converse"
    advice = (
        'ask for it with additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 2048}} (Claude;'
        " other models have fields of their own)"
    )
    stream = BedrockStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is one of Converse, such as ``{"output": {"message": {"content": [{"text": "Hi"}]}}}``.

        Bedrock's API reference has it under "Converse".
        """
        return get(get(get(reply, "output"), "message"), "content") is not None

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        for index, part in enumerate(items(get(get(reply, "output"), "message"), "content")):
            _read_part(part, parsed, f"output.message.content[{index}]")
        _read_stop_reason(reply, parsed)

"""Amazon Bedrock's Converse."""

from __future__ import annotations

from ..access import get, items, string, word
from .base import ASSISTANT, THINKING, Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply
    from .base import Pieces


class Bedrock(Provider):
    """A reply of Converse."""

    name = "Bedrock Converse"
    advice = (
        'ask for it with additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 2048}} (Claude;'
        " other models have fields of their own)"
    )

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        return get(get(get(reply, "output"), "message"), "content") is not None

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        parsed = self.new_reply()
        for index, part in enumerate(items(get(get(reply, "output"), "message"), "content")):
            where = f"output.message.content[{index}]"
            reasoning = get(part, "reasoningContent")
            if reasoning is not None:
                text = get(reasoning, "reasoningText")
                if not parsed.think(get(text, "text"), f"{where}.reasoningContent.reasoningText.text"):
                    parsed.withhold("redactedContent" if text is None else "a signature without its text")
            elif isinstance(get(part, "text"), str):
                parsed.say(get(part, "text"), f"{where}.text")
            else:
                parsed.leave_out("toolUse" if get(part, "toolUse") is not None else "unknown")
        reason = word(reply, "stopReason")
        parsed.cut = reason in ("max_tokens", "model_context_window_exceeded")
        if reason in ("guardrail_intervened", "content_filtered"):
            parsed.refuse(f"the provider stopped the reply ({reason}); what it says is taken as the answer")
        return parsed


class BedrockStream(Stream):
    """The events of ConverseStream."""

    _EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata")

    def __init__(self) -> None:
        self._parts: dict[int, dict[str, Any]] = {}
        self._reason = ""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        return isinstance(chunk, dict) and len(chunk) == 1 and next(iter(chunk)) in BedrockStream._EVENTS

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        self._reason = string(get(chunk, "messageStop"), "stopReason") or self._reason
        started = get(chunk, "contentBlockStart")
        if get(get(started, "start"), "toolUse") is not None:
            self._parts[get(started, "contentBlockIndex") or 0] = {"toolUse": True}
        event = get(chunk, "contentBlockDelta")
        delta = get(event, "delta")
        if delta is None:
            return []
        part = self._parts.setdefault(get(event, "contentBlockIndex") or 0, {})
        reasoning = get(delta, "reasoningContent")
        text = string(delta, "text")
        if reasoning is not None:
            part["reasoning"] = True
            part["redacted"] = part.get("redacted", False) or get(reasoning, "redactedContent") is not None
            text = string(reasoning, "text")
        part.setdefault("texts", []).append(text)
        return [(ASSISTANT if reasoning is None else THINKING, text)] if text else []

    def reply(self) -> dict[str, Any]:
        """Return the reply so far."""
        content: list[dict[str, Any]] = []
        for index in sorted(self._parts):
            part = self._parts[index]
            text = "".join(part.get("texts", ()))
            if part.get("reasoning"):
                inner = {"redactedContent": b""} if part["redacted"] and not text else {"reasoningText": {"text": text}}
                content.append({"reasoningContent": inner})
            else:
                content.append({"toolUse": {}} if "toolUse" in part else {"text": text})
        return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": self._reason}

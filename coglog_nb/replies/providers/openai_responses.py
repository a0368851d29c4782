"""OpenAI's Responses: a list of output items, reasoning among them."""

from __future__ import annotations

from ..access import error_message, get, has_list, items, short_message, string, word
from ..content_blocks import read_content, read_part
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply


def _read_item(item: Any, parsed: ParsedReply, place: str) -> None:
    if word(item, "type") == "message":
        read_content(parsed, get(item, "content"), f"{place}.content")
    else:
        read_part(parsed, item, place)


def _error_event(event: Any) -> str:
    error = get(event, "error") or event
    return error_message({"error": {"code": word(error, "code"), "message": string(error, "message")}})


class OpenAIResponsesStream(Stream):
    """The events of a stream. The last one holds the whole response, which is taken in place of what came before."""

    def __init__(self, parsed: ParsedReply) -> None:
        super().__init__(parsed)
        parsed.failure = "incomplete: interrupted"

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is an event, such as ``{"type": "response.output_text.delta", "delta": "Hi", ...}``.

        OpenAI's API reference lists them under "Streaming events".
        """
        kind = word(chunk, "type")
        return kind.startswith("response.") or (kind == "error" and get(chunk, "sequence_number") is not None)

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        kind = word(chunk, "type")
        name = kind.removeprefix("response.")
        place = f"output[{get(chunk, 'output_index') or 0}]"
        part = get(chunk, "content_index", "summary_index") or 0
        delta = get(chunk, "delta")
        if name in ("completed", "incomplete", "failed"):
            self.parsed = OpenAIResponses().parse(get(chunk, "response"))
            self.parsed.added.clear()
        elif kind == "error":
            self.parsed.failure = _error_event(chunk)
        elif name in ("output_item.added", "output_item.done"):
            if not self.parsed.has_text(place):  # else its pieces came
                _read_item(get(chunk, "item"), self.parsed, place)
        elif name == "output_text.delta":
            self.parsed.say(delta, f"{place}.content[{part}].text")
        elif name == "refusal.delta":
            read_part(self.parsed, {"type": "refusal", "refusal": delta}, f"{place}.content[{part}]")
        elif name == "reasoning_text.delta":
            self.parsed.think(delta, f"{place}.content[{part}].text")
        elif name == "reasoning_summary_text.delta" and not self.parsed.has_thinking(f"{place}.content"):
            self.parsed.think(delta, f"{place}.summary[{part}].text")


class OpenAIResponses(Provider):
    """A response."""

    name = "OpenAI Responses"
    advice = 'ask for a summary of it with reasoning={"summary": "auto"}'
    stream = OpenAIResponsesStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is a response, such as ``{"object": "response", "output": [{"type": "message", ...}]}``.

        OpenAI's API reference has it under "The response object". Its output alone is enough.
        """
        if not has_list(reply, "output"):
            return False
        kinds = [word(item, "type") for item in items(reply, "output")]
        return word(reply, "object") == "response" or (bool(kinds) and all(kinds)) or bool(word(reply, "status"))

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        for index, item in enumerate(items(reply, "output")):
            _read_item(item, parsed, f"output[{index}]")
        status = word(reply, "status")
        if status == "incomplete":
            reason = word(get(reply, "incomplete_details"), "reason")
            if reason == "content_filter":
                parsed.refuse("the provider's content filter stopped the reply; what was said before is the answer")
            elif reason in ("", "max_output_tokens", "max_tokens"):
                parsed.cut = True
            else:
                parsed.failure = f"incomplete: {short_message(reason)}"
        elif status in ("failed", "cancelled"):
            parsed.failure = error_message(reply) or f"status is {status}"
        elif status in ("queued", "in_progress"):
            parsed.failure = f"status is {status}: it is not done yet"

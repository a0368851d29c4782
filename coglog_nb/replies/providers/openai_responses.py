"""OpenAI's Responses: a list of output items, reasoning among them."""

from __future__ import annotations

from ..access import error_told, get, has_list, items, string, told, word
from ..content_blocks import read_content, read_part
from .base import ASSISTANT, THINKING, Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply
    from .base import Pieces


class OpenAIResponses(Provider):
    """A response."""

    name = "OpenAI Responses"
    advice = 'ask for a summary of it with reasoning={"summary": "auto"}'

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        if not has_list(reply, "output"):
            return False
        kinds = [word(item, "type") for item in items(reply, "output")]
        return word(reply, "object") == "response" or (bool(kinds) and all(kinds)) or bool(word(reply, "status"))

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        parsed = self.new_reply()
        for index, item in enumerate(items(reply, "output")):
            where = f"output[{index}]"
            if word(item, "type") == "message":
                read_content(parsed, get(item, "content"), f"{where}.content")
            else:
                read_part(parsed, item, where)
        status = word(reply, "status")
        if status == "incomplete":
            reason = word(get(reply, "incomplete_details"), "reason")
            if reason == "content_filter":
                parsed.refuse("the provider's content filter stopped the reply; what was said before is the answer")
            elif reason in ("", "max_output_tokens", "max_tokens"):
                parsed.cut = True
            else:
                parsed.failure = f"incomplete: {told(reason)}"
        elif status in ("failed", "cancelled"):
            parsed.failure = error_told(reply) or f"status is {status}"
        elif status in ("queued", "in_progress"):
            parsed.failure = f"status is {status}: it is not done yet"
        return parsed


class OpenAIResponsesStream(Stream):
    """The events of a stream."""

    def __init__(self) -> None:
        self._whole: Any = None
        self._status = "in_progress"
        self._items: dict[int, dict[str, Any]] = {}

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        kind = word(chunk, "type")
        return kind.startswith("response.") or (kind == "error" and get(chunk, "sequence_number") is not None)

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        kind = word(chunk, "type")
        name = kind.removeprefix("response.")
        if name in ("completed", "incomplete", "failed"):
            self._whole = get(chunk, "response")
        elif kind == "error":
            self._whole = {"object": "response", "status": "failed", "output": self._output(), "error": _error(chunk)}
        elif name in ("output_item.added", "output_item.done"):
            self._item(get(chunk, "output_index") or 0, get(chunk, "item"), is_done=name.endswith("done"))
        elif name in ("output_text.delta", "refusal.delta"):
            kinds = ("output_text", "text") if name.startswith("output") else ("refusal", "refusal")
            return self._add(chunk, "content", kinds, ASSISTANT)
        elif name == "reasoning_summary_text.delta":
            return self._add(chunk, "summary", ("summary_text", "text"), THINKING)
        elif name == "reasoning_text.delta":
            return self._add(chunk, "content", ("reasoning_text", "text"), THINKING)
        return []

    def _item(self, index: int, item: Any, *, is_done: bool) -> None:
        kept = self._items.setdefault(index, {"parts": {}, "done": None})
        kept["type"] = word(item, "type")
        kept["encrypted"] = string(item, "encrypted_content")
        if is_done:
            kept["done"] = item

    def _add(self, chunk: Any, name: str, kinds: tuple[str, str], layer: str) -> Pieces:
        kept = self._items.setdefault(get(chunk, "output_index") or 0, {"parts": {}, "done": None, "encrypted": ""})
        kept.setdefault("type", "message" if layer == ASSISTANT else "reasoning")
        part = get(chunk, "content_index", "summary_index") or 0
        text = string(chunk, "delta")
        kept["parts"].setdefault((name, part, kinds), []).append(text)
        return [(layer, text)] if text else []

    def _output(self) -> list[Any]:
        output: list[Any] = []
        for index in sorted(self._items):
            kept = self._items[index]
            if kept["done"] is not None:
                output.append(kept["done"])
                continue
            item: dict[str, Any] = {"type": kept["type"]}
            if kept["type"] == "reasoning":
                item["summary"] = []
                if kept["encrypted"]:
                    item["encrypted_content"] = kept["encrypted"]
            for (name, _, (kind, key)), texts in sorted(kept["parts"].items()):
                item.setdefault(name, []).append({"type": kind, key: "".join(texts)})
            output.append(item)
        return output

    def reply(self) -> Any:
        """Return the response so far: the provider's own, once it has come."""
        if self._whole is not None:
            return self._whole
        return {
            "object": "response",
            "status": "incomplete",
            "incomplete_details": {"reason": "interrupted"},
            "output": self._output(),
        }


def _error(chunk: Any) -> dict[str, str]:
    error = get(chunk, "error") or chunk
    return {"type": word(error, "code"), "message": string(error, "message")}

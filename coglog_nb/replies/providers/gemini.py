"""Gemini: generateContent and Interactions."""

from __future__ import annotations

from ..access import error_told, get, has_list, items, string, told, word
from ..content_blocks import read_content
from .base import ASSISTANT, THINKING, Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply
    from .base import Pieces

# What stops a reply because of what is in it, in Google's words.
_BLOCKED = (
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "model_armor",
    "image_safety",
    "image_prohibited_content",
)
_OTHER_PARTS = (
    ("function_call", "functionCall"),
    ("executable_code", "executableCode"),
    ("code_execution_result", "codeExecutionResult"),
    ("inline_data", "inlineData"),
    ("file_data", "fileData"),
)


def _feedback(reply: Any) -> Any:
    return get(reply, "prompt_feedback", "promptFeedback")


class Gemini(Provider):
    """A reply of generateContent."""

    name = "Gemini"
    advice = "ask for a summary of it with thinking_config=ThinkingConfig(include_thoughts=True)"

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        return has_list(reply, "candidates") or bool(word(_feedback(reply), "block_reason", "blockReason"))

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        parsed = self.new_reply()
        candidates = items(reply, "candidates")
        if len(candidates) > 1:
            parsed.notes.append(f"candidates[0] of {len(candidates)} was taken")
        candidate = candidates[0] if candidates else None
        is_signed = False
        for index, part in enumerate(items(get(candidate, "content"), "parts")):
            where = f"candidates[0].content.parts[{index}]"
            is_signed = is_signed or bool(get(part, "thought_signature", "thoughtSignature"))
            if get(part, "thought") is True:
                if not parsed.think(get(part, "text"), f"{where}.text"):
                    parsed.withhold("a thought without its text")
            elif isinstance(get(part, "text"), str):
                parsed.say(get(part, "text"), f"{where}.text")
            else:
                for names in _OTHER_PARTS:
                    if get(part, *names) is not None:
                        parsed.leave_out(names[0])
        if is_signed and parsed.thinking_state == "none":
            parsed.withhold("a signature without its text")
        self._read_end(parsed, reply, candidate)
        return parsed

    @staticmethod
    def _read_end(parsed: ParsedReply, reply: Any, candidate: Any) -> None:
        reason = word(candidate, "finish_reason", "finishReason")
        parsed.cut = reason in ("max_tokens", "continuation")
        blocked = word(_feedback(reply), "block_reason", "blockReason")
        if blocked:
            parsed.refuse(f"the provider blocked the prompt ({told(blocked)})")
        elif reason in _BLOCKED:
            parsed.refuse(f"the provider stopped the reply ({reason}); what was said before is the answer")
        tokens = get(get(reply, "usage_metadata", "usageMetadata"), "thoughts_token_count", "thoughtsTokenCount")
        if isinstance(tokens, int) and tokens and parsed.thinking_state == "none":
            parsed.notes.append(f"the model thought ({tokens:,} tokens); the reply doesn't say what")


class GeminiStream(Stream):
    """The chunks of generateContent: each is a reply with the parts that it adds."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._candidate: dict[str, Any] = {}
        self._head: dict[str, Any] = {}

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        usage = get(chunk, "usage_metadata", "usageMetadata")
        return has_list(chunk, "candidates") or _feedback(chunk) is not None or usage is not None

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        blocked = word(_feedback(chunk), "block_reason", "blockReason")
        if blocked:
            self._head["promptFeedback"] = {"blockReason": blocked}
        tokens = get(get(chunk, "usage_metadata", "usageMetadata"), "thoughts_token_count", "thoughtsTokenCount")
        if isinstance(tokens, int):
            self._head["usageMetadata"] = {"thoughtsTokenCount": tokens}
        pieces: Pieces = []
        for candidate in items(chunk, "candidates")[:1]:
            reason = word(candidate, "finish_reason", "finishReason")
            if reason:
                self._candidate["finishReason"] = reason
            for part in items(get(candidate, "content"), "parts"):
                pieces += self._add(part)
        return pieces

    def _add(self, part: Any) -> Pieces:
        text, is_thought = get(part, "text"), get(part, "thought") is True
        if not isinstance(text, str):
            names = next((names for names in _OTHER_PARTS if get(part, *names) is not None), None)
            if names is not None:
                self._parts.append({names[0]: {}})
            return []
        # A new piece goes on with the part before it, if that is of the same kind.
        if not self._parts or self._parts[-1].get("thought") is not is_thought:
            self._parts.append({"texts": [], "thought": is_thought})
        self._parts[-1]["texts"].append(text)
        if get(part, "thought_signature", "thoughtSignature"):
            self._parts[-1]["thought_signature"] = True
        return [(THINKING if is_thought else ASSISTANT, text)] if text else []

    def reply(self) -> dict[str, Any]:
        """Return the reply so far."""
        parts = [
            {**{name: value for name, value in part.items() if name != "texts"}, "text": "".join(part["texts"])}
            if "texts" in part
            else part
            for part in self._parts
        ]
        return {**self._head, "candidates": [{**self._candidate, "content": {"role": "model", "parts": parts}}]}


class GeminiInteraction(Provider):
    """An interaction: a list of steps."""

    name = "Gemini Interactions"
    advice = 'ask for a summary of it with generation_config={"thinking_summaries": "auto"}'

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        return has_list(reply, "steps") and all(word(step, "type") for step in items(reply, "steps"))

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        parsed = self.new_reply()
        for index, step in enumerate(items(reply, "steps")):
            where, kind = f"steps[{index}]", word(step, "type")
            if kind == "model_output":
                read_content(parsed, get(step, "content"), f"{where}.content")
                parsed.failure = parsed.failure or error_told(step)
            elif kind == "thought":
                summary = [string(part, "text") for part in items(step, "summary")]
                read = [parsed.think(text, f"{where}.summary[{at}].text") for at, text in enumerate(summary)]
                if not any(read):
                    parsed.withhold("an empty summary")
            elif kind == "user_input":
                parsed.asked("".join(string(part, "text") for part in items(step, "content")), f"{where}.content")
            else:
                parsed.leave_out(kind)
        status = word(reply, "status")
        if status in ("incomplete", "budget_exceeded", "requires_continuation"):
            parsed.cut = True
        elif status not in ("", "completed", "requires_action", "idle"):
            parsed.failure = parsed.failure or error_told(reply) or f"status is {told(status)}"
        return parsed


class GeminiInteractionStream(Stream):
    """The events of an interaction."""

    def __init__(self) -> None:
        self._steps: dict[int, dict[str, Any]] = {}
        self._status = "in_progress"
        self._error = ""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        return word(chunk, "event_type").startswith(("interaction.", "step.", "error")) or bool(
            word(get(chunk, "data"), "event_type")
        )

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        kind = word(chunk, "event_type")
        if not kind:
            chunk = get(chunk, "data")
            kind = word(chunk, "event_type")
        if kind == "step.start":
            return self._start(get(chunk, "index") or 0, get(chunk, "step"))
        if kind == "step.delta":
            return self._add(get(chunk, "index") or 0, get(chunk, "delta"))
        if kind == "error":
            self._error, self._status = error_told(chunk) or "an error without a message", "failed"
        elif kind.startswith("interaction."):
            self._status = word(get(chunk, "interaction"), "status") or word(chunk, "status") or self._status
        return []

    def _start(self, index: int, step: Any) -> Pieces:
        kept = self._steps[index] = {"type": word(step, "type"), "thinking": [], "assistant": []}
        pieces: Pieces = []
        for name, layer in (("summary", THINKING), ("content", ASSISTANT)):
            for part in items(step, name):
                if string(part, "text") and kept["type"] in ("thought", "model_output"):
                    kept[layer].append([string(part, "text")])
                    pieces.append((layer, string(part, "text")))
        return pieces

    def _add(self, index: int, delta: Any) -> Pieces:
        kind = word(delta, "type")
        if kind not in ("text", "thought_summary"):
            return []
        layer = ASSISTANT if kind == "text" else THINKING
        step = "model_output" if kind == "text" else "thought"
        kept = self._steps.setdefault(index, {"type": step, "thinking": [], "assistant": []})
        text = string(delta, "text") or string(get(delta, "content"), "text")
        if kind == "text" and kept[layer]:
            kept[layer][-1].append(text)
        elif text:
            kept[layer].append([text])
        return [(layer, text)] if text else []

    def reply(self) -> dict[str, Any]:
        """Return the interaction so far."""
        steps = []
        for index in sorted(self._steps):
            kept = self._steps[index]
            step: dict[str, Any] = {"type": kept["type"]}
            for name, layer in (("summary", THINKING), ("content", ASSISTANT)):
                if kept[layer]:
                    step[name] = [{"type": "text", "text": "".join(texts)} for texts in kept[layer]]
            steps.append(step)
        reply: dict[str, Any] = {"status": self._status, "steps": steps}
        return {**reply, "error": self._error} if self._error else reply

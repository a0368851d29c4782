"""Gemini: generateContent and Interactions."""

from __future__ import annotations

from ..access import error_message, get, has_list, items, short_message, string, word
from ..content_blocks import read_content
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply

# Why Google stops a reply because of what is in it.
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


def _block_reason(reply: Any) -> str:
    return word(get(reply, "prompt_feedback", "promptFeedback"), "block_reason", "blockReason")


def _usage(reply: Any) -> Any:
    return get(reply, "usage_metadata", "usageMetadata")


def _read_part(part: Any, parsed: ParsedReply, place: str) -> None:
    if get(part, "thought_signature", "thoughtSignature"):
        # On whichever part: it says that the model thought.
        parsed.withhold("a signature without its text", "candidates[0]")
    if get(part, "thought") is True:
        if not parsed.think(get(part, "text"), f"{place}.text"):
            parsed.withhold("a thought without its text", place)
    elif isinstance(get(part, "text"), str):
        parsed.say(get(part, "text"), f"{place}.text")
    else:
        for names in _OTHER_PARTS:
            if get(part, *names) is not None:
                parsed.leave_out(names[0], place)


def _read_end(reply: Any, candidate: Any, parsed: ParsedReply) -> None:
    reason = word(candidate, "finish_reason", "finishReason")
    parsed.cut = parsed.cut or reason in ("max_tokens", "continuation")
    blocked = _block_reason(reply)
    if blocked:
        parsed.refuse(f"the provider blocked the prompt ({short_message(blocked)})")
    elif reason in _BLOCKED:
        parsed.refuse(f"the provider stopped the reply ({reason}); what was said before is the answer")
    tokens = get(_usage(reply), "thoughts_token_count", "thoughtsTokenCount")
    parsed.thinking_tokens = tokens if isinstance(tokens, int) else parsed.thinking_tokens


class GeminiStream(Stream):
    """The chunks of generateContent: each is a reply with the parts that it adds."""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is a reply, or only says what the prompt was blocked for or what was used."""
        feedback = get(chunk, "prompt_feedback", "promptFeedback")
        return has_list(chunk, "candidates") or feedback is not None or _usage(chunk) is not None

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        candidate = self.first_choice(items(chunk, "candidates"), "candidates")
        for part in items(get(candidate, "content"), "parts"):
            is_text = isinstance(get(part, "text"), str)
            kind = get(part, "thought") is True if is_text else object()  # only text is cut into pieces
            _read_part(part, self.parsed, f"candidates[0].content.parts[{self.part_index(kind)}]")
        _read_end(chunk, candidate, self.parsed)


class Gemini(Provider):
    """A reply of generateContent."""

    name = "Gemini"
    advice = "ask for a summary of it with thinking_config=ThinkingConfig(include_thoughts=True)"
    stream = GeminiStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply has candidates, such as ``{"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]}``.

        The Gemini API reference has it under "GenerateContentResponse". One whose prompt was blocked has none.
        """
        return has_list(reply, "candidates") or bool(_block_reason(reply))

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        candidates = items(reply, "candidates")
        parsed.choose("candidates[0]", len(candidates))
        candidate = candidates[0] if candidates else None
        for index, part in enumerate(items(get(candidate, "content"), "parts")):
            _read_part(part, parsed, f"candidates[0].content.parts[{index}]")
        _read_end(reply, candidate, parsed)


def _read_step(step: Any, parsed: ParsedReply, place: str) -> None:
    kind = word(step, "type")
    if kind == "model_output":
        read_content(parsed, get(step, "content"), f"{place}.content")
    elif kind == "thought":
        for index, part in enumerate(items(step, "summary")):
            parsed.think(get(part, "text"), f"{place}.summary[{index}].text")
        parsed.withhold("an empty summary", place)
    elif kind == "user_input":
        parsed.asked("".join(string(part, "text") for part in items(step, "content")), f"{place}.content")
    else:
        parsed.leave_out(kind, place)


def _read_status(status: str, error: str, parsed: ParsedReply) -> None:
    parsed.cut = status in ("incomplete", "budget_exceeded", "requires_continuation")
    is_whole = status in ("", "completed", "requires_action", "idle")
    parsed.failure = "" if parsed.cut or is_whole else error or f"status is {short_message(status)}"


class GeminiInteractionsStream(Stream):
    """The events of an interaction."""

    def __init__(self, parsed: ParsedReply) -> None:
        super().__init__(parsed)
        self._summaries = 0  # of the step that this is in
        _read_status("in_progress", "", parsed)

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is an event, such as ``{"event_type": "step.delta", "index": 0, "delta": {...}}``.

        The Gemini API documentation lists them under "Interactions API", "Streaming". The library may wrap each in an
        object that has it as ``data``.
        """
        kind = word(chunk, "event_type")
        return kind.startswith(("interaction.", "step.", "error")) or bool(word(get(chunk, "data"), "event_type"))

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        chunk = chunk if word(chunk, "event_type") else get(chunk, "data")
        kind = word(chunk, "event_type")
        place = f"steps[{get(chunk, 'index') or 0}]"
        if kind == "step.start":
            step = get(chunk, "step")
            self._summaries = len(items(step, "summary"))
            _read_step(step, self.parsed, place)
        elif kind == "step.delta":
            self._add(get(chunk, "delta"), place)
        elif kind == "error":
            _read_status("failed", error_message(chunk) or "an error without a message", self.parsed)
        elif kind.startswith("interaction."):
            status = word(get(chunk, "interaction"), "status") or word(chunk, "status")
            if status:
                _read_status(status, error_message(get(chunk, "interaction")), self.parsed)

    def _add(self, delta: Any, place: str) -> None:
        text = string(delta, "text") or string(get(delta, "content"), "text")
        if word(delta, "type") == "text":
            self.parsed.say(text, f"{place}.content[0].text")
        elif word(delta, "type") == "thought_summary":
            self.parsed.think(text, f"{place}.summary[{self._summaries}].text")
            self._summaries += 1


class GeminiInteractions(Provider):
    """An interaction: a list of steps."""

    name = "Gemini Interactions"
    advice = 'ask for a summary of it with generation_config={"thinking_summaries": "auto"}'
    stream = GeminiInteractionsStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is an interaction, such as ``{"steps": [{"type": "model_output", "content": [...]}]}``.

        The Gemini API documentation has it under "Interactions API".
        """
        return has_list(reply, "steps") and all(word(step, "type") for step in items(reply, "steps"))

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        steps = items(reply, "steps")
        for index, step in enumerate(steps):
            _read_step(step, parsed, f"steps[{index}]")
        _read_status(word(reply, "status"), error_message(reply), parsed)
        failures = [error_message(step) for step in steps if word(step, "type") == "model_output"]
        parsed.failure = next(filter(None, failures), parsed.failure)

"""OpenAI's Chat Completions, and the many servers that answer in its shape with fields of their own for thinking."""

from __future__ import annotations

from ..access import error_message, get, has_list, items, string, word
from ..content_blocks import read_content, read_part
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply

_MISTRAL = ("mistral", "magistral", "ministral", "codestral", "devstral", "pixtral", "open-mi", "labs-", "voxtral")

# What to ask each for so that its thinking comes back. The first provider with a sign in the reply counts.
ADVICE = {
    "Groq": 'ask for it with reasoning_format="parsed"',
    "LiteLLM": 'ask for it with reasoning_effort="low" (or the provider\'s own thinking=)',
    "OpenRouter": 'ask for it with extra_body={"reasoning": {"enabled": True, "exclude": False}}',
    "Mistral": 'use a model that thinks, or reasoning_effort="high" or prompt_mode="reasoning" where a model takes it',
    "DeepSeek": 'use a model that thinks, or extra_body={"thinking": {"type": "enabled"}}',
    "OpenAI-compatible chat": "use a model that thinks, and start the server with its reasoning parser (vLLM:"
    " --reasoning-parser NAME)",
    "OpenAI chat": "this API returns none: use OpenAI's Responses with"
    ' reasoning={"summary": "auto"} (a compatible server may have an option of its own)',
}
_RANKS = list(ADVICE)


def _signs(reply: Any, message: Any) -> dict[str, bool]:
    """Say which providers a reply, or a chunk of one, has a sign of: something that only that one puts there."""
    model = word(reply, "model")
    return {
        "Groq": get(reply, "x_groq") is not None,
        "LiteLLM": has_list(message, "thinking_blocks"),
        "OpenRouter": has_list(message, "reasoning_details") or (string(reply, "provider") != "" and "/" in model),
        "Mistral": isinstance(get(message, "content"), (list, tuple)) or model.startswith(_MISTRAL),
        "DeepSeek": model.startswith("deepseek") and "/" not in model,
        # An attribute of a library's object is there without a value, too, so only the value tells.
        "OpenAI-compatible chat": string(message, "reasoning", "reasoning_content") != "",
    }


def _tell_provider(reply: Any, message: Any, parsed: ParsedReply) -> None:
    found = next((name for name, is_there in _signs(reply, message).items() if is_there), parsed.provider)
    if _RANKS.index(found) < _RANKS.index(parsed.provider):
        parsed.provider, parsed.advice = found, ADVICE[found]


def _read_fields(message: Any, parsed: ParsedReply, place: str, *, is_chunk: bool = False) -> None:
    """Read what a message, or the delta of a chunk, has besides its content.

    The same thinking may be there under several names; it is taken once.
    """
    names = ("reasoning", "reasoning_content")
    texts = {name: string(message, name) for name in names}
    name = max(names, key=lambda name: (texts[name].strip() != "", texts[name] != ""))
    parsed.think(texts[name], f"{place}{name}")
    lists = ("reasoning_details", "thinking_blocks")
    if not parsed.has_thinking(*(f"{place}{name}" for name in (*names, "content"))):
        for index, part in enumerate(items(message, "reasoning_details")):
            _read_detail(part, parsed, f"{place}reasoning_details[{_index(index, part, is_chunk=is_chunk)}]")
        read_content(parsed, get(message, "thinking_blocks"), f"{place}thinking_blocks")
    elif any(_is_redacted(part) for name in lists for part in items(message, name)):
        parsed.withhold("redacted", f"{place}reasoning_details")
    if string(message, "refusal"):
        parsed.say(get(message, "refusal"), f"{place}refusal")
        parsed.refuse("the model declined to answer: its refusal is taken as the answer")
    for index, call in enumerate(items(message, "tool_calls")):
        parsed.leave_out("tool_call", f"{place}tool_calls[{_index(index, call, is_chunk=is_chunk)}]")


def _is_redacted(part: Any) -> bool:
    return word(part, "type") in ("redacted_thinking", "reasoning.encrypted")


def _index(index: int, part: Any, *, is_chunk: bool) -> int:
    """Return a part's index in its list. A chunk's list holds only the parts that it adds to, each with its own."""
    own = get(part, "index") if is_chunk else None
    return own if isinstance(own, int) else index


def _read_detail(part: Any, parsed: ParsedReply, place: str) -> None:
    if parsed.think(get(part, "text"), f"{place}.text") or parsed.think(get(part, "summary"), f"{place}.summary"):
        return
    if word(part, "type") == "reasoning.encrypted":
        parsed.withhold("encrypted", f"{place}.data")
    else:
        is_signed = get(part, "data", "signature")
        parsed.withhold("a signature without its text" if is_signed else "an empty summary", place)


def _read_end(reply: Any, choice: Any, parsed: ParsedReply) -> None:
    reason = word(choice, "finish_reason")
    parsed.cut = parsed.cut or reason in ("length", "max_tokens", "model_length")
    if reason == "content_filter" and not parsed.refusal:
        parsed.refuse("the provider's content filter stopped the reply; what was said before is the answer")
    parsed.failure = parsed.failure or error_message(choice) or error_message(reply)
    tokens = get(get(get(reply, "usage"), "completion_tokens_details"), "reasoning_tokens")
    parsed.thinking_tokens = tokens if isinstance(tokens, int) else parsed.thinking_tokens


def _is_chunk(reply: Any) -> bool:
    """Whether this is a chunk of a completion: each choice has what changes."""
    if word(reply, "object") == "chat.completion.chunk":
        return True
    return any(get(choice, "delta") is not None for choice in items(reply, "choices"))


class OpenAIChatStream(Stream):
    """The chunks of a completion, with the fields that compatible servers add."""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is a completion's, such as ``{"choices": [{"index": 0, "delta": {"content": "Hi"}}]}``.

        OpenAI's API reference has it under "The chat completion chunk object". Mistral's library wraps each in an
        object that has it as ``data``.
        """
        if not has_list(chunk, "choices"):
            inner = get(chunk, "data")
            return has_list(inner, "choices") and _is_chunk(inner)
        return _is_chunk(chunk) or not items(chunk, "choices")

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        if not has_list(chunk, "choices"):
            chunk = get(chunk, "data")
        choice = self.first_choice(items(chunk, "choices"), "choices")
        delta = get(choice, "delta")
        _tell_provider(chunk, delta, self.parsed)
        self._read_content(get(delta, "content"), "choices[0].message.content")
        _read_fields(delta, self.parsed, "choices[0].message.", is_chunk=True)
        _read_end(chunk, choice, self.parsed)

    def _read_content(self, content: Any, place: str) -> None:
        """Read a content, which Mistral's chunks may give as a list; a plain text after such a list continues it."""
        if isinstance(content, str) and content and self.has_parts:
            content = [{"type": "text", "text": content}]
        if not isinstance(content, (list, tuple)):
            self.parsed.say(content, place)
            return
        for part in content:
            read_part(self.parsed, part, f"{place}[{self.part_index(word(part, 'type'))}]")


class OpenAIChat(Provider):
    """A completion; also one choice of it, or its message alone."""

    name = "OpenAI chat"
    advice = ADVICE["OpenAI chat"]
    stream = OpenAIChatStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is a completion, such as ``{"choices": [{"message": {"role": "assistant", ...}}]}``.

        OpenAI's API reference has it under "The chat completion object".
        """
        if has_list(reply, "choices"):
            return bool(items(reply, "choices")) and not _is_chunk(reply)
        if word(get(reply, "message"), "role") == "assistant" and get(reply, "finish_reason") is not None:
            return True
        return word(reply, "role") == "assistant" and (
            any(isinstance(get(reply, name), str) for name in ("content", "reasoning", "reasoning_content", "refusal"))
            or has_list(reply, "content")
        )

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one."""
        choices = items(reply, "choices")
        choice = choices[0] if choices else reply
        place = "choices[0]." if choices else ""
        message = get(choice, "message")
        if message is not None:
            place += "message."
        elif not choices:
            message = reply
        _tell_provider(reply, message, parsed)
        parsed.choose("choices[0]", len(choices))
        if message is None:  # the older Completions
            parsed.say(get(choice, "text"), f"{place}text")
        else:
            read_content(parsed, get(message, "content"), f"{place}content")
            _read_fields(message, parsed, place)
        _read_end(reply, choice, parsed)

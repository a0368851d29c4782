"""The parts of a message's content: most providers give a list of them, with types that are much alike."""

from __future__ import annotations

from .access import get, items, string, word

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from .parsed_reply import ParsedReply

_TEXT = ("text", "output_text")
_KNOWN = (*_TEXT, "thinking", "redacted_thinking", "reasoning", "reasoning_content", "thought", "refusal")


def are_parts(value: Any) -> bool:
    """Whether something is a list of content parts: each has a type, and one of the types is known."""
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return all(word(part, "type") for part in value) and any(word(part, "type") in _KNOWN for part in value)


def read_content(parsed: ParsedReply, content: Any, place: str) -> None:
    """Read a message's content, which is a text or a list of parts."""
    if isinstance(content, str):
        parsed.say(content, place)
    elif isinstance(content, (list, tuple)):
        for index, part in enumerate(content):
            read_part(parsed, part, f"{place}[{index}]")


def read_part(parsed: ParsedReply, part: Any, place: str) -> None:
    """Read one part of a content, or a piece of one."""
    if isinstance(part, str):
        parsed.say(part, place)
        return
    kind = word(part, "type")
    if kind in _TEXT:
        parsed.say(get(part, "text"), f"{place}.text")
    elif kind == "thinking":
        _read_thinking(parsed, part, place)
    elif kind == "redacted_thinking":
        parsed.withhold("redacted_thinking", place)
    elif kind == "reasoning":
        read_reasoning(parsed, part, place)
    elif kind == "reasoning_content":  # LangChain's, of Bedrock
        inner = get(part, "reasoning_content")
        if not parsed.think(get(inner, "text"), f"{place}.reasoning_content.text"):
            parsed.withhold("a signature" if get(inner, "signature") else "redacted_content", place)
    elif kind == "refusal":
        parsed.say(get(part, "refusal"), f"{place}.refusal")
        parsed.refuse("the model declined to answer: its refusal is taken as the answer")
    elif kind == "non_standard":  # LangChain's wrapper for what it has no type for
        read_part(parsed, get(part, "value") or {}, f"{place}.value")
    else:
        parsed.leave_out(kind or "unknown", place)


def _read_thinking(parsed: ParsedReply, part: Any, place: str) -> None:
    thinking = get(part, "thinking")
    if isinstance(thinking, (list, tuple)):  # Mistral: a list of texts and of references
        thinking = "".join(string(piece, "text") for piece in thinking)
    if not parsed.think(thinking, f"{place}.thinking") and get(part, "signature"):
        parsed.withhold("a signature without its text", place)


def read_reasoning(parsed: ParsedReply, part: Any, place: str) -> None:
    """Read a part of type "reasoning": OpenAI's has lists, LangChain's and llm's have a text."""
    for name in ("content", "summary"):
        pieces = [string(piece, "text") for piece in items(part, name)]
        # The reasoning itself is better than its summary, which says the same.
        read = [parsed.think(piece, f"{place}.{name}[{index}].text") for index, piece in enumerate(pieces)]
        if any(read):
            return
    for name in ("reasoning", "text"):
        if parsed.think(get(part, name), f"{place}.{name}"):
            return
    extras = get(part, "extras", "provider_metadata")
    if get(part, "encrypted_content") or get(extras, "encrypted_content"):
        sign = "encrypted_content"
    elif get(part, "redacted"):
        sign = "redacted"
    elif get(part, "signature") or get(extras, "signature"):
        sign = "a signature without its text"
    else:
        sign = "an empty summary"
    parsed.withhold(sign, place)

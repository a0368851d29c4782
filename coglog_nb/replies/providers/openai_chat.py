"""OpenAI's Chat Completions, and the many servers that answer in its shape with fields of their own for thinking."""

from __future__ import annotations

from ..access import error_told, get, has_list, items, string, word
from ..content_blocks import read_content
from ..parsed_reply import ParsedReply
from .base import ASSISTANT, THINKING, Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from .base import Pieces

_MISTRAL = ("mistral", "magistral", "ministral", "codestral", "devstral", "pixtral", "open-mi", "labs-", "voxtral")

# What each is asked for so that its thinking comes back.
ADVICE = {
    "OpenAI chat": "this API returns none: use OpenAI's Responses with"
    ' reasoning={"summary": "auto"} (a compatible server may have an option of its own)',
    "DeepSeek": 'use a model that thinks, or extra_body={"thinking": {"type": "enabled"}}',
    "OpenRouter": 'ask for it with extra_body={"reasoning": {"enabled": True, "exclude": False}}',
    "LiteLLM": 'ask for it with reasoning_effort="low" (or the provider\'s own thinking=)',
    "Groq": 'ask for it with reasoning_format="parsed"',
    "Mistral": 'use a model that thinks, or reasoning_effort="high" or prompt_mode="reasoning" where a model takes it',
    "OpenAI-compatible chat": "use a model that thinks, and start the server with its reasoning parser (vLLM:"
    " --reasoning-parser NAME)",
}


def _provider(reply: Any, message: Any) -> str:
    """Tell whose reply it is, by what only that one puts there."""
    model = word(reply, "model")
    signs = {
        "Groq": get(reply, "x_groq") is not None,
        "LiteLLM": has_list(message, "thinking_blocks"),
        "OpenRouter": has_list(message, "reasoning_details") or (string(reply, "provider") != "" and "/" in model),
        "Mistral": isinstance(get(message, "content"), (list, tuple)) or model.startswith(_MISTRAL),
        "DeepSeek": model.startswith("deepseek") and "/" not in model,
        # An attribute of a library's object is there without a value, too, so only the value tells.
        "OpenAI-compatible chat": string(message, "reasoning", "reasoning_content") != "",
    }
    return next((provider for provider, is_there in signs.items() if is_there), "OpenAI chat")


class OpenAIChat(Provider):
    """A completion; also one choice of it, or its message alone."""

    name = "OpenAI chat"
    advice = ADVICE["OpenAI chat"]

    def fits(self, reply: Any) -> bool:
        """Whether a reply has this shape."""
        if has_list(reply, "choices"):
            return bool(items(reply, "choices")) and not _is_piece(reply)
        if word(get(reply, "message"), "role") == "assistant" and get(reply, "finish_reason") is not None:
            return True
        return word(reply, "role") == "assistant" and (
            any(isinstance(get(reply, name), str) for name in ("content", "reasoning", "reasoning_content", "refusal"))
            or isinstance(get(reply, "content"), (list, tuple))
        )

    def read(self, reply: Any) -> ParsedReply:
        """Read one that has."""
        choices = items(reply, "choices")
        choice = choices[0] if choices else reply
        where = "choices[0]." if choices else ""
        message = get(choice, "message")
        if message is None and not choices:
            message, where = reply, ""
        elif message is not None:
            where += "message."
        provider = _provider(reply, message)
        parsed = ParsedReply(provider, ADVICE[provider])
        if len(choices) > 1:
            parsed.notes.append(f"choices[0] of {len(choices)} was taken")
        if message is None:  # the older Completions
            parsed.say(get(choice, "text"), f"{where}text")
        else:
            read_message(parsed, message, where)
        reason = word(choice, "finish_reason")
        parsed.cut = reason in ("length", "max_tokens", "model_length")
        if reason == "content_filter" and not parsed.refusal:
            parsed.refuse("the provider's content filter stopped the reply; what was said before is the answer")
        parsed.failure = error_told(choice) or error_told(reply)
        details = get(get(reply, "usage"), "completion_tokens_details")
        tokens = get(details, "reasoning_tokens")
        if isinstance(tokens, int) and tokens and parsed.thinking_state == "none" and "<" not in parsed.answer[:1]:
            parsed.notes.append(f"the model thought ({tokens:,} tokens); this API doesn't say what")
        return parsed


def read_message(parsed: ParsedReply, message: Any, where: str) -> None:
    """Read a message: the same thinking may stand in it under more names than one, and is taken once."""
    content = get(message, "content")
    read_content(parsed, content, f"{where}content")
    names = ("reasoning", "reasoning_content")
    if not any(parsed.think(get(message, name), f"{where}{name}") for name in names):
        _read_details(parsed, message, where)
    elif any(_is_redacted(part) for part in [*items(message, "reasoning_details"), *items(message, "thinking_blocks")]):
        parsed.withhold("redacted")
    refusal = get(message, "refusal")
    if isinstance(refusal, str) and refusal:
        parsed.say(refusal, f"{where}refusal")
        parsed.refuse("the model declined to answer: its refusal is taken as the answer")
    for _ in items(message, "tool_calls"):
        parsed.leave_out("tool_call")


def _is_redacted(part: Any) -> bool:
    return word(part, "type") in ("redacted_thinking", "reasoning.encrypted")


def _read_details(parsed: ParsedReply, message: Any, where: str) -> None:
    """Read the lists that some servers give beside the text, or in its place."""
    if parsed.thinking_state == "given":  # Mistral: it stands in the content
        return
    for index, part in enumerate(items(message, "reasoning_details")):
        place = f"{where}reasoning_details[{index}]"
        kind = word(part, "type")
        read = parsed.think(get(part, "text"), f"{place}.text") or parsed.think(
            get(part, "summary"), f"{place}.summary"
        )
        if not read and (kind == "reasoning.encrypted" or get(part, "data", "signature")):
            parsed.withhold("encrypted" if kind == "reasoning.encrypted" else "a signature without its text")
        elif not read:
            parsed.withhold("an empty summary")
    read_content(parsed, get(message, "thinking_blocks"), f"{where}thinking_blocks")


def _is_piece(chunk: Any) -> bool:
    """Whether this is a piece of a completion: each choice has what changes."""
    if word(chunk, "object") == "chat.completion.chunk":
        return True
    return any(get(choice, "delta") is not None for choice in items(chunk, "choices"))


_TEXTS = (("reasoning", THINKING), ("reasoning_content", THINKING), ("content", ASSISTANT), ("refusal", ASSISTANT))


class OpenAIChatStream(Stream):
    """The chunks of a completion, with the fields that compatible servers add."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._parts: list[dict[str, Any]] = []
        self._lists: dict[str, dict[object, dict[str, Any]]] = {"reasoning_details": {}, "thinking_blocks": {}}
        self._reason: str | None = None
        self._calls: dict[object, bool] = {}
        self._error = ""

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is of this kind."""
        if not has_list(chunk, "choices"):
            # Mistral's library wraps each chunk in an event.
            inner = get(chunk, "data")
            return inner is not None and has_list(inner, "choices") and _is_piece(inner)
        return _is_piece(chunk) or not items(chunk, "choices")

    def feed(self, chunk: Any) -> Pieces:
        """Take a chunk."""
        if not has_list(chunk, "choices"):
            chunk = get(chunk, "data")
        for name in ("model", "provider", "x_groq"):
            value = get(chunk, name)
            if value is not None:
                # Of what is no text only that it is there is kept: it may hold anything.
                self._head[name] = value if isinstance(value, str) else True
        usage = get(get(get(chunk, "usage"), "completion_tokens_details"), "reasoning_tokens")
        if isinstance(usage, int):
            self._head["usage"] = {"completion_tokens_details": {"reasoning_tokens": usage}}
        self._error = self._error or error_told(chunk)
        pieces: Pieces = []
        for choice in items(chunk, "choices"):
            if get(choice, "index") not in (0, None):
                continue
            self._reason = word(choice, "finish_reason") or self._reason
            self._error = self._error or error_told(choice)
            pieces += self._delta(get(choice, "delta"))
        return pieces

    def _delta(self, delta: Any) -> Pieces:
        pieces: Pieces = []
        thought = False
        for name, layer in _TEXTS:
            text = get(delta, name)
            if name == "content" and isinstance(text, (list, tuple)):
                pieces += self._content(text)
            elif name == "content" and isinstance(text, str) and text and self._parts:
                pieces += self._content([{"type": "text", "text": text}])
            elif isinstance(text, str) and text:
                self._texts.setdefault(name, []).append(text)
                if layer == THINKING and thought:
                    continue  # some servers give it under both names
                thought = thought or layer == THINKING
                pieces.append((layer, text))
        for name, kept in self._lists.items():
            for part in items(delta, name):
                said = self._part(kept, part)
                if said and not thought:
                    pieces.insert(0, (THINKING, said))
        for call in items(delta, "tool_calls"):
            self._calls[get(call, "index") or 0] = True
        return pieces

    def _content(self, parts: list[Any] | tuple[Any, ...]) -> Pieces:
        """Take parts of a content that is a list (Mistral): a part goes on as long as its type stays the same."""
        pieces: Pieces = []
        if not self._parts and "content" in self._texts:  # it began as plain text
            self._parts.append({"type": "text", "texts": self._texts.pop("content")})
        for part in parts:
            kind = word(part, "type")
            text = string(part, "text")
            if kind == "thinking":
                text = "".join(string(piece, "text") for piece in items(part, "thinking"))
            if not self._parts or self._parts[-1]["type"] != kind:
                self._parts.append({"type": kind, "texts": []})
            self._parts[-1]["texts"].append(text)
            if text and kind in ("text", "thinking"):
                pieces.append((THINKING if kind == "thinking" else ASSISTANT, text))
        return pieces

    @staticmethod
    def _part(kept: dict[object, dict[str, Any]], part: Any) -> str:
        """Add to a part of a list; returns the text that it adds."""
        kind = word(part, "type")
        index = get(part, "index")
        key = (kind, index) if index is not None else kind
        whole = kept.setdefault(key, {"type": kind})
        said = ""
        for name in ("text", "summary", "thinking"):
            text = string(part, name)
            if text:
                whole.setdefault(name, []).append(text)
                said += text
        for name in ("data", "signature"):
            if string(part, name):
                whole[name] = string(part, name)
        return said

    def reply(self) -> dict[str, Any]:
        """Return the completion so far."""
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message.update({name: "".join(texts) for name, texts in self._texts.items()})
        if self._parts:
            message["content"] = self._whole_parts()
        message.update({name: [_joined(part) for part in kept.values()] for name, kept in self._lists.items() if kept})
        if self._calls:
            message["tool_calls"] = [{} for _ in self._calls]
        reply = {**self._head, "choices": [{"index": 0, "finish_reason": self._reason, "message": message}]}
        return {**reply, "error": self._error} if self._error else reply

    def _whole_parts(self) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = []
        for part in self._parts:
            said = "".join(part["texts"])
            if part["type"] == "thinking":
                parts.append({"type": "thinking", "thinking": [{"type": "text", "text": said}]})
            else:
                parts.append({"type": part["type"], "text": said})
        return parts


def _joined(part: dict[str, Any]) -> dict[str, Any]:
    return {name: "".join(value) if isinstance(value, list) else value for name, value in part.items()}

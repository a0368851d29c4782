"""The `llm` library: its responses, and the events that one gives while it streams."""

from __future__ import annotations

from ...errors import InputError
from ..access import get, has_list, items, kind_of, string, word
from ..content_blocks import read_part
from .base import Provider, Stream

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from ..parsed_reply import ParsedReply


def is_response(reply: Any) -> bool:
    """Whether something is a response of the library, which is an iterable as well."""
    return (
        not isinstance(reply, dict)
        and callable(getattr(reply, "text", None))
        and hasattr(reply, "prompt")
        and (hasattr(reply, "stream_events") or hasattr(reply, "astream_events"))
    )


def _is_dump(reply: Any) -> bool:
    messages = items(reply, "messages")
    return bool(messages) and all(has_list(message, "parts") and word(message, "role") for message in messages)


class LLMStream(Stream):
    """The events of a response."""

    _KINDS = ("text", "reasoning", "tool_call_name", "tool_call_args", "tool_result")

    @staticmethod
    def fits(chunk: Any) -> bool:
        """Whether a chunk is a `StreamEvent`, such as ``StreamEvent(type="text", chunk="Hi")``.

        The documentation of llm has it under "Python API", "Streaming responses".
        """
        return isinstance(get(chunk, "chunk"), str) and word(chunk, "type") in LLMStream._KINDS

    def feed(self, chunk: Any) -> None:
        """Take a chunk."""
        kind = word(chunk, "type").replace("_name", "").replace("_args", "")
        index = get(chunk, "part_index")
        metadata = get(chunk, "provider_metadata")
        part = {
            "type": kind,
            "text": get(chunk, "chunk"),
            "redacted": get(chunk, "redacted"),
            "provider_metadata": {name: _holds(metadata, name) for name in ("signature", "encrypted_content")},
        }
        read_part(self.parsed, part, f"messages[0].parts[{self.part_index(kind) if index is None else index}]")


def _holds(metadata: Any, name: str) -> bool:
    """Whether a provider's own data holds something under a name, at its top or one level down."""
    if get(metadata, name) is not None:
        return True
    return isinstance(metadata, dict) and any(get(value, name) is not None for value in metadata.values())


class LLM(Provider):
    """A response, or the dict of its `to_dict`."""

    name = "llm"
    advice = (
        "ask the model for it with the option of its plugin, and not with hide_reasoning; for some of OpenAI's models"
        " the library can get none"
    )
    stream = LLMStream

    def fits(self, reply: Any) -> bool:
        """Whether a reply is a `Response`, or the dict that its `to_dict` makes: ``{"messages": [{"parts": [...]}]}``.

        The documentation of llm has it under "Python API".
        """
        return is_response(reply) or _is_dump(reply)

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        """Put what a reply says into a parsed one: a response that was not asked yet is asked now."""
        if _is_dump(reply):
            messages = items(reply, "messages")
            prompt = get(reply, "prompt")
            asked = [message for message in items(prompt, "messages") if word(message, "role") == "user"]
            user = "".join(string(part, "text") for part in items(asked[-1], "parts")) if asked else ""
        else:
            messages = self._messages(reply)
            user = string(get(reply, "prompt"), "prompt")
        parsed.asked(user, "prompt")
        for at, message in enumerate(messages):
            for index, part in enumerate(items(message, "parts")):
                read_part(parsed, _named(part), f"messages[{at}].parts[{index}]")

    @staticmethod
    def _messages(reply: Any) -> list[Any]:
        if hasattr(reply, "stream_events"):
            if hasattr(reply, "messages"):
                messages = reply.messages()
                if not isinstance(messages, (list, tuple)):
                    raise InputError(f"not a reply: its messages() gave {kind_of(messages)}, not a list")
                return list(messages)
            # A chain: several responses, of which each may have called tools.
            return [message for response in reply.responses() for message in response.messages()]
        if not getattr(reply, "_done", False):
            raise InputError("not a reply yet: await the response's text() first, and give the response then")
        return list(reply._messages_now()) if hasattr(reply, "_messages_now") else []  # noqa: SLF001 - the public way is to await


def _named(part: Any) -> Any:
    """Name a part's type: of the library's own objects only the class and the dict tell it."""
    if word(part, "type") or not hasattr(part, "to_dict"):
        return part
    return part.to_dict()

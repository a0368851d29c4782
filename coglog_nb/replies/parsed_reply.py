"""What a reply says: thinking and answer told apart."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..errors import InputError
from ..jsontext import decode
from . import access, think_tags

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

GIVEN, WITHHELD, NONE = "given", "withheld", "none"

TAKES = (
    "it takes the reply of a provider's library (an object, the dict it dumps to, or that as JSON text), the list of a"
    " stream's chunks, or the model's raw text"
)


class Reading:
    """What a reply says.

    Parameters
    ----------
    provider : str
        The provider, or the API, in words: "OpenAI chat".
    advice : str
        What to ask that provider for where the reply holds no readable thinking.

    Attributes
    ----------
    user : str
        What the user said, where the reply knows it.
    refusal : bool
        Whether the model or the provider declined to answer.
    cut : bool
        Whether the provider says that it stopped at a limit of length.
    failure : str
        What the provider says went wrong, where it gave a part of a reply all the same.
    notes : list of str
        What was chosen or left out, a sentence each.
    """

    def __init__(self, provider: str, advice: str) -> None:
        self.provider = provider
        self.advice = advice
        self.user = ""
        self.refusal = False
        self.cut = False
        self.failure = ""
        self.notes: list[str] = []
        self._thoughts: list[str] = []
        self._answers: list[str] = []
        self._sources: dict[str, list[str]] = {}
        self._hidden: list[str] = []
        self._left_out: dict[str, int] = {}

    # ---- what a family puts in

    def think(self, text: object, source: str) -> bool:
        """Add a part of the thinking; returns whether there was anything to read in it."""
        if not isinstance(text, str) or not text.strip():
            return False
        self._thoughts.append(text)
        self._sources.setdefault("thinking", []).append(source)
        return True

    def withhold(self, what: str) -> None:
        """Remember that thinking took place which can't be read: `what` says by which sign."""
        self._hidden.append(what)

    def say(self, text: object, source: str) -> None:
        """Add a part of the answer."""
        if isinstance(text, str) and text:
            self._answers.append(text)
            self._sources.setdefault("assistant", []).append(source)

    def asked(self, text: object, source: str) -> None:
        """Add what the user said."""
        if isinstance(text, str) and text:
            self.user = text
            self._sources["user"] = [source]

    def refuse(self, note: str) -> None:
        """Remember that this is a refusal, and why it is taken for one."""
        self.refusal = True
        self.notes.append(note)

    def leave_out(self, kind: str) -> None:
        """Remember a part that is neither thinking nor answer."""
        self._left_out[kind] = self._left_out.get(kind, 0) + 1

    def finish(self) -> Reading:
        """Take thinking out of the answer's text where it stands there in tags, and put the last notes down."""
        split = think_tags.split(self.answer)
        if split.thoughts and not self._thoughts:
            source = self.source("assistant")
            for thought in split.thoughts:
                self.think(thought, f"{split.mark} in {source}")
        elif split.thoughts and "".join(split.thoughts).strip() == self.thinking.strip():
            self.notes.append("the thinking stands in the answer once more, and was taken out there")
        elif split.thoughts:
            self.notes.append(f"{split.mark} in the answer was left there: the reply has its thinking apart from it")
            split = think_tags.Split([], self.answer, "", cut=False)
        if split.answer != self.answer:
            self._answers = [split.answer]
        if split.cut:
            self.cut = True
            self.notes.append(f"{split.mark} never closes: the answer is missing")
        if self._thoughts and self._hidden:
            count = len(self._hidden)
            self.notes.append(
                f"{count} part{'' if count == 1 else 's'} of the thinking can't be read"
                f" ({', '.join(dict.fromkeys(self._hidden))}), and {'is' if count == 1 else 'are'} left out"
            )
        for kind, count in self._left_out.items():
            self.notes.append(f"{count} part{'' if count == 1 else 's'} of type {kind} left out")
        if self.cut:
            self.notes.append("the provider cut the reply at its limit of length")
        return self

    # ---- what there is

    @property
    def thinking(self) -> str:
        """The thinking that can be read; its parts are joined by a blank line."""
        return "\n\n".join(self._thoughts)

    @property
    def thinking_state(self) -> str:
        """One of "given", "withheld" (it took place and can't be read) and "none"."""
        return GIVEN if self._thoughts else WITHHELD if self._hidden else NONE

    @property
    def hidden_by(self) -> str:
        """By which signs it is known that thinking was withheld."""
        return ", ".join(dict.fromkeys(self._hidden))

    @property
    def answer(self) -> str:
        """The answer, with the block still in it; its parts are joined with nothing between."""
        return "".join(self._answers)

    @property
    def sources(self) -> dict[str, str]:
        """Where each field was found."""
        return {name: self.source(name) for name in ("user", "thinking", "assistant") if name in self._sources}

    def source(self, name: str) -> str:
        """Say where a field was found."""
        places = list(dict.fromkeys(self._sources.get(name, ())))
        shown = 3
        more = f" and {len(places) - shown} more" if len(places) > shown else ""
        return ", ".join(places[:shown]) + more

    @property
    def is_empty(self) -> bool:
        """Whether there is neither thinking nor an answer."""
        return not self._thoughts and not self._hidden and not self.answer


def read_reply(reply: object) -> Reading:
    """Tell thinking and answer apart in a reply, whoever gave it and in whatever form.

    Parameters
    ----------
    reply : object
        An object of a provider's library, the dict that it dumps to, that as JSON text or bytes, the list of a
        stream's chunks, or the raw text of a model.

    Returns
    -------
    Reading
        What it says.

    Raises
    ------
    InputError
        If it is no reply: nothing, a number, an unknown shape, a stream that was not read to its end, or the error
        that a provider gave instead.
    """
    if isinstance(reply, (bytes, bytearray)):
        reply = decode(bytes(reply))
    if isinstance(reply, str):
        return _of_text(reply)
    found = _of_value(reply)
    if found is not None:
        return found
    raise InputError(_not_a_reply(reply))


def _of_text(text: str) -> Reading:
    from .registry import RAW

    if not text.strip():
        raise InputError(f"not a reply but an empty text; {TAKES}")
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped[:1] in ("{", "["):
        try:
            value = json.loads(stripped)
        except (ValueError, RecursionError):
            value = None
        # JSON that is no provider's is what the model said: an answer that is nothing but the block, say.
        found = _of_value(value) if isinstance(value, (dict, list)) else None
        if found is not None:
            return found
    if stripped.startswith(("{", "data:", "event:", ":")):
        from .streams import chunks_of_text, read_chunks

        chunks = chunks_of_text(stripped)
        if chunks:
            return read_chunks(chunks)
    return RAW.read(text).finish()


def _of_value(value: Any) -> Reading | None:
    """Read what isn't text; None where no family knows it."""
    from .registry import FAMILIES

    for family in FAMILIES:
        if family.fits(value):
            reading = family.read(value).finish()
            if reading.is_empty and reading.failure:
                raise InputError(f"{reading.provider} gave an error and no reply: {reading.failure}")
            return reading
    _raise_error(value)
    if isinstance(value, (list, tuple)) and value:
        from .streams import is_chunk, read_chunks

        if is_chunk(value[0]):
            return read_chunks(value)
    return None


def error_told(value: object) -> str:
    """Return what a provider says went wrong, in its own words; nothing where it says nothing."""
    error = access.get(value, "error")
    if isinstance(error, str):
        return access.told(error)
    if error is None:
        return ""
    kinds = (access.get(error, name) for name in ("type", "status", "code"))
    kind = next((str(kind) for kind in kinds if isinstance(kind, (str, int)) and kind), "")
    message = access.string(error, "message", "msg", "detail")
    return access.told(": ".join(filter(None, (kind, message)))) or "an error without a message"


def _raise_error(value: object) -> None:
    """Say what a provider's error says: it is no reply."""
    if isinstance(value, BaseException):
        raise InputError(f"not a reply but an error: {type(value).__name__}: {access.told(value)}")
    said = error_told(value)
    if not said and access.word(value, "object", "type") == "error":
        said = access.told(access.string(value, "message"))
    if said:
        raise InputError(f"the provider gave an error and no reply: {said}")


def _not_a_reply(value: object) -> str:
    from .streams import is_stream

    if is_stream(value):
        return "not a reply but a stream of one: read it to its end, and give the list of its chunks"
    if hasattr(value, "__await__"):
        return "not a reply but a call that was not awaited: put `await` before it"
    if hasattr(value, "headers") and hasattr(value, "status_code"):
        return "not a reply but an HTTP response: give its .json()"
    what = access.kind_of(value)
    if isinstance(value, Mapping):
        names = [str(name)[:40] for name in list(value)[:6]]
        what = f"a dict with the keys {', '.join(names)}" if names else "an empty dict"
        if "layers" in value or {"user", "assistant"} <= set(value):
            return f"not a reply but {what}: a turn already, which write takes"
    elif isinstance(value, (list, tuple)):
        what = (
            f"a {type(value).__name__} that holds no chunks of a stream"
            if value
            else f"an empty {type(value).__name__}"
        )
    return f"not a reply but {what}; {TAKES}"

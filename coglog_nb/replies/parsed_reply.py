"""What a reply says, with thinking and answer told apart: a provider's file fills it, `captured` makes a turn of it."""

from __future__ import annotations

from . import think_tags
from .think_tags import ASSISTANT, THINKING

GIVEN, WITHHELD, NONE = "given", "withheld", "none"

_SHOWN_PLACES = 3


class ParsedReply:
    """What a reply says, as far as it has been read.

    Each text is put in with its place in the reply, such as ``content[0].text``. Texts of one place belong together:
    they are the pieces of one part, as a stream gives them.

    Parameters
    ----------
    provider : str
        The provider, or the API, in words: "OpenAI chat".
    advice : str
        What to ask that provider for if the reply holds no readable thinking.

    Attributes
    ----------
    user : str
        What the user said, if the reply holds it.
    refusal : bool
        Whether the model or the provider declined to answer.
    cut : bool
        Whether the provider says that it stopped at a limit of length.
    unclosed : str
        The mark of thinking that never closes, if there is one: then there is no answer after it.
    failure : str
        What the provider says went wrong, if it gave a part of a reply all the same.
    thinking_tokens : int
        How many tokens the model spent on thinking, if the provider says so.
    notes : list of str
        What was chosen or left out, a sentence each.
    added : list of (str, str)
        The pieces of text put in so far, in their order: "thinking" or "assistant", and the text. A stream takes them
        out as it goes.
    """

    def __init__(self, provider: str, advice: str) -> None:
        self.provider = provider
        self.advice = advice
        self.user = ""
        self.refusal = False
        self.cut = False
        self.unclosed = ""
        self.failure = ""
        self.thinking_tokens = 0
        self.notes: list[str] = []
        self.added: think_tags.Pieces = []
        self._chosen = ("", 0)  # the choice that is read, and how many there are
        self._user_place = ""
        self._thoughts: dict[str, list[str]] = {}
        self._readable: dict[str, None] = {}  # the places in `_thoughts` that hold more than blanks
        self._answers: dict[str, list[str]] = {}
        self._answer: str | None = None  # once thinking in tags is taken out of it
        self._hidden: dict[str, str] = {}
        self._left_out: dict[str, set[str]] = {}

    # ---- what a provider's file puts in

    def think(self, text: object, place: str) -> bool:
        """Add a part of the thinking, or a piece of one; returns whether there is anything to read in it."""
        if not isinstance(text, str) or not text:
            return False
        self._thoughts.setdefault(place, []).append(text)
        self.added.append((THINKING, text))
        if not text.strip():
            return False
        self._readable[place] = None
        return True

    def withhold(self, sign: str, place: str) -> None:
        """Note thinking that took place and can't be read; `sign` says what shows it.

        It doesn't count if readable thinking, or a more exact sign, is found within the same place.
        """
        self._hidden.setdefault(place, sign)

    def say(self, text: object, place: str) -> None:
        """Add a part of the answer, or a piece of one."""
        if isinstance(text, str) and text:
            self._answers.setdefault(place, []).append(text)
            self.added.append((ASSISTANT, text))

    def asked(self, text: object, place: str) -> None:
        """Add what the user said."""
        if isinstance(text, str) and text:
            self.user = text
            self._user_place = place

    def choose(self, place: str, count: int) -> None:
        """Tell that one choice of several is read: the place of it, and how many have been seen."""
        self._chosen = (place, max(count, self._chosen[1]))

    def refuse(self, note: str) -> None:
        """Mark the reply as a refusal; the note says why it counts as one."""
        self.refusal = True
        self.note(note)

    def note(self, note: str) -> None:
        """Add a note, once."""
        if note not in self.notes:
            self.notes.append(note)

    def leave_out(self, kind: str, place: str) -> None:
        """Note a part that is neither thinking nor answer."""
        self._left_out.setdefault(kind, set()).add(place)

    def finish(self) -> ParsedReply:
        """Take thinking in tags out of the answer, and add the last notes."""
        place, count = self._chosen
        if count > 1:
            self.notes.insert(0, f"{place} of {count} was taken")
        self._chosen = ("", 0)  # it is told once
        self._split_answer()
        if self.thinking_tokens and self.thinking_state == NONE:
            self.note(f"the model thought ({self.thinking_tokens:,} tokens); the reply doesn't say what")
        hidden = self._signs()
        if self.thinking_state == GIVEN and hidden:
            self.note(
                f"{_parts(len(hidden))} of the thinking can't be read ({self.hidden_by}), and"
                f" {'is' if len(hidden) == 1 else 'are'} left out"
            )
        for kind, places in self._left_out.items():
            self.note(f"{_parts(len(places))} of type {kind} left out")
        if self.cut:
            self.note("the provider cut the reply at its limit of length")
        return self

    def _split_answer(self) -> None:
        split = think_tags.split(self.answer)
        if split.note and self.thinking_state == NONE:
            self.note(split.note)
        if not split.thoughts:
            return
        is_repeated = "".join(split.thoughts).strip() == self.thinking.strip()
        if self.has_thinking() and not is_repeated:
            self.note(f"{split.mark} stays in the answer: the reply has its thinking apart from it")
            return
        if self.has_thinking():
            self.note("the answer repeated the thinking; it was taken out there")
        else:
            thoughts = "\n\n".join(filter(None, split.thoughts))
            self.think(thoughts, f"{split.mark} in {self.source('assistant')}")
        self._answer = split.answer
        if split.is_unclosed:
            self.unclosed = split.mark
            self.note(f"{split.mark} never closes: the answer is missing")

    # ---- what there is

    def has_thinking(self, *places: str) -> bool:
        """Whether there is readable thinking, within one of the places if any are given."""
        return any(not places or any(_is_within(each, place) for place in places) for each in self._readable)

    def has_text(self, place: str) -> bool:
        """Whether there is thinking or answer within a place."""
        return any(_is_within(each, place) for each in (*self._thoughts, *self._answers))

    @property
    def thinking(self) -> str:
        """The thinking that can be read; its parts are joined by a blank line."""
        return "\n\n".join("".join(self._thoughts[place]) for place in self._readable)

    @property
    def thinking_state(self) -> str:
        """One of "given", "withheld" (it took place and can't be read) and "none"."""
        return GIVEN if self._readable else WITHHELD if self._hidden else NONE

    @property
    def hidden_by(self) -> str:
        """The signs that show that thinking was withheld."""
        return ", ".join(dict.fromkeys(self._signs()))

    @property
    def answer(self) -> str:
        """The answer, with the block still in it; its parts are joined with nothing between."""
        return "".join(map("".join, self._answers.values())) if self._answer is None else self._answer

    def source(self, name: str) -> str:
        """Say where a field was found: "user", "thinking" or "assistant"."""
        if name == "user":
            return self._user_place
        places = list(self._readable if name == THINKING else self._answers)
        more = len(places) - _SHOWN_PLACES
        return ", ".join(places[:_SHOWN_PLACES]) + (f" and {more} more" if more > 0 else "")

    @property
    def is_empty(self) -> bool:
        """Whether there is neither thinking nor an answer."""
        return not self._readable and not self._hidden and not self.answer

    def __repr__(self) -> str:
        said = [f"{name}={text!r}" for name, text in ((THINKING, self.thinking), (ASSISTANT, self.answer)) if text]
        return f"<ParsedReply {self.provider}: {', '.join(said) or 'nothing'}>"

    def _signs(self) -> list[str]:
        """Return the signs of withheld thinking that count."""
        known = (*self._hidden, *self._readable)
        return [
            sign
            for place, sign in self._hidden.items()
            if not any(_is_within(each, place) for each in known if each != place)
        ]


def _is_within(place: str, outer: str) -> bool:
    """Whether a place is another one, or a part of it: ``content[0].text`` is within ``content[0]``."""
    return place == outer or place.startswith((f"{outer}.", f"{outer}["))


def _parts(count: int) -> str:
    return f"{count} part{'' if count == 1 else 's'}"

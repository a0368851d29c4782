"""What a reply says: thinking and answer told apart."""

from __future__ import annotations

from . import think_tags

GIVEN, WITHHELD, NONE = "given", "withheld", "none"


class ParsedReply:
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

    # ---- what a provider's file puts in

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

    def finish(self) -> ParsedReply:
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

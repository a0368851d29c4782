"""A reply as a turn that is not stored yet: its fields, where they came from, and what is missing."""

from __future__ import annotations

from ..entry import Entry, make
from ..errors import ValidationError
from ..fields import AXES, FACTS, NAMES
from ..redaction import without_secrets
from ..validation import surrogate_problem
from .block import find_block
from .parsed_reply import GIVEN, WITHHELD
from .reader import read_reply

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping

    from IPython.lib.pretty import RepresentationPrinter

    from ..store import CogLog
    from .parsed_reply import ParsedReply

TITLE = "Not stored"


class Captured:
    """A reply as a turn that is not stored yet.

    Attributes
    ----------
    fields : dict of str to str
        Those of the seven fields that were found, in the order of an entry.
    sources : dict of str to str
        Where each of these fields came from.
    thinking_state : str
        Whether the reply has thinking: "given", "withheld" (the model thought, but it can't be read) or "none".
    problems : tuple of str
        Why the turn can't be stored. Each problem names its field and says what to do.
    notes : tuple of str
        What was repaired, chosen or left out.
    refusal : bool
        Whether the model or the provider declined to answer.
    cut : bool
        Whether the provider stopped the reply at a length limit.
    provider : str
        The provider, or the API, in words.
    silenced_in_cell : int or None
        The execution count of the notebook cell in which it isn't shown, because the line ended with a semicolon.
    """

    silenced_in_cell: int | None = None
    show_thinking: bool | None = None
    """Whether outputs show the thinking; None is as `Entry` has it."""
    theme: str | None = None
    """The theme that its card starts with; None is as `Entry` has it."""

    def __init__(
        self,
        parsed: ParsedReply,
        fields: Mapping[str, str],
        sources: Mapping[str, str],
        problems: tuple[str, ...],
        notes: tuple[str, ...],
    ) -> None:
        self._parsed = parsed
        self._given: dict[str, str | None] = {}
        self._axes: Mapping[str, str] | None = None
        self._draft: Entry | None = None
        self.fields = {name: fields[name] for name in NAMES if name in fields}
        self.sources = {name: sources[name] for name in NAMES if name in sources}
        self.problems = problems
        self.notes = notes
        self.thinking_state = parsed.thinking_state
        self.refusal = parsed.refusal
        self.cut = parsed.cut
        self.provider = parsed.provider

    @property
    def complete(self) -> bool:
        """Whether the turn can be stored, because it has no problems."""
        return not self.problems

    def draft(self, title: str = TITLE) -> Entry:
        """Return it as an entry that is not stored, to look at: a missing field shows as missing.

        Parameters
        ----------
        title : str, optional
            The title of its card.
        """
        entry = make({name: self.fields.get(name, "") for name in NAMES}, 1, self.provider)
        entry.missing = tuple(name for name in NAMES if name not in self.fields)
        entry.title = title
        if self.show_thinking is not None:
            entry.show_thinking = self.show_thinking
        if self.theme is not None:
            entry.theme = self.theme
        return entry

    def card(self) -> Entry:
        """Return the draft that its outputs show: the same one each time, so that it has one card."""
        draft = self.draft()
        if self._draft is None or (
            dict(self._draft) != dict(draft)
            or (self._draft.show_thinking, self._draft.theme) != (draft.show_thinking, draft.theme)
        ):
            self._draft = draft
        return self._draft

    def write(self, store: CogLog, *, replace: bool = False, diff: bool = False) -> Entry:
        """Store the turn.

        Parameters
        ----------
        store : CogLog
            Where to store it.
        replace, diff : bool, optional
            See `CogLog.write`.

        Returns
        -------
        Entry
            The stored turn.

        Raises
        ------
        ValidationError
            If the turn isn't complete; `problems` lists every problem.
        DamagedLogError, LockError, StoreError
            As for `CogLog.write`.
        """
        if self.problems:
            raise ValidationError(self.problems)
        return store.write(**self.fields, replace=replace, diff=diff)

    def status(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what to show beside its card: a heading and its sentences, for problems and for notes."""
        rows = []
        if self.problems:
            rows.append(("Not complete", self.problems))
        if self.notes:
            rows.append(("Notes", self.notes))
        return rows

    def __repr__(self) -> str:
        state = "complete" if self.complete else f"{len(self.problems)} problem{'' if len(self.problems) == 1 else 's'}"
        found = ", ".join(self.fields) or "nothing"
        return f"<Captured {self.provider}: {found}; thinking {self.thinking_state}; {state}>"

    def _repr_html_(self) -> str:
        from ..html_form import static_card
        from .status_html import status_markup

        return status_markup(self.status()) + static_card(self.card().view())

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: FBT001 - IPython's signature
        from ..text_form import plain_text
        from .status_html import status_text

        del cycle  # it holds no other object
        printer.text("\n\n".join(filter(None, (status_text(self.status()), plain_text(self.card().view())))))


def capture(
    reply: object,
    *,
    user: str | None = None,
    thinking: str | None = None,
    assistant: str | None = None,
    current_focus: str | None = None,
    theory_of_mind: str | None = None,
    self_narrative: str | None = None,
    annotation: str | None = None,
) -> Captured:
    """Read a provider's reply as a turn, without storing it.

    Parameters
    ----------
    reply : object
        An object of a provider's library, its dict, its JSON as text or bytes, the list of a stream's chunks, or the
        raw text of a model. Also a `Captured` of an earlier call, to add what was missing.
    user : str, optional
        What the user said. Most replies don't hold it.
    thinking : str, optional
        The thinking, for a reply without readable thinking. It takes precedence over the reply's own.
    assistant, current_focus, theory_of_mind, self_narrative, annotation : str, optional
        What the reply doesn't have, or has wrong; each takes precedence over the reply's own. An axis may be empty.

    Returns
    -------
    Captured
        The fields that were found, and the problems of the others. Nothing is made up.

    Raises
    ------
    InputError
        If `reply` isn't a reply.
    """
    given = {
        "user": user,
        "thinking": thinking,
        "assistant": assistant,
        "current_focus": current_focus,
        "theory_of_mind": theory_of_mind,
        "self_narrative": self_narrative,
        "annotation": annotation,
    }
    given = {name: text for name, text in given.items() if text is not None}
    # `isinstance` alone would ask the object for its class, and it may raise.
    if issubclass(type(reply), Captured) and isinstance(reply, Captured):
        # SLF001: both are its own module's
        return assemble(reply._parsed, {**reply._given, **given}, axes=reply._axes)  # noqa: SLF001
    return assemble(read_reply(reply), given)


def assemble(
    parsed: ParsedReply,
    given: Mapping[str, str | None],
    *,
    axes: Mapping[str, str] | None = None,
) -> Captured:
    """Make a turn of what a reply says.

    Parameters
    ----------
    parsed : ParsedReply
        What the reply says.
    given : mapping of str to str
        The fields that the caller gives, as `capture` takes them; None is as if it weren't given.
    axes : mapping of str to str, optional
        The axes, if they come from elsewhere: then no block is looked for, and the whole answer is `assistant`.

    Returns
    -------
    Captured
        The turn, with what is missing from it.
    """
    found = _Fields(parsed)
    found.take_user(given.get("user"))
    found.take_thinking(given.get("thinking"))
    found.take_answer(axes)
    for name in ("assistant", *AXES):
        if given.get(name) is not None:
            found.take_instead(name, given[name])
    found.check()
    # The facts stay as they are; what is said about them may repeat a key, for instance from a provider's error.
    problems, notes = (tuple(map(without_secrets, texts)) for texts in (found.problems, found.notes))
    captured = Captured(parsed, found.fields, found.sources, problems, notes)
    captured._given, captured._axes = dict(given), axes  # noqa: SLF001 - its own module's
    return captured


def _without_name(problem: str, name: str) -> str:
    """Take a field out of the names that a problem begins with; an empty text if it was the only one."""
    names, colon, rest = problem.partition(":")
    left = [each for each in names.split(", ") if each != name]
    return f"{', '.join(left)}{colon}{rest}" if left else ""


class _Fields:
    """The fields of a turn, taken from a reply and from the caller, and what is wrong with them."""

    def __init__(self, parsed: ParsedReply) -> None:
        self.parsed = parsed
        self.fields: dict[str, str] = {}
        self.sources: dict[str, str] = {}
        self.problems: list[str] = []
        self.notes: list[str] = list(parsed.notes)

    def _take_given(self, name: str, value: object) -> None:
        if not isinstance(value, str):
            self.problems.append(f"{name}: {name}= is {type(value).__name__}, not str; nothing is converted")
        elif not value and name in FACTS:
            self.problems.append(f"{name}: {name}= is empty; a fact must say something")
        else:
            self.fields[name] = value if type(value) is str else str.__str__(value)
            self.sources[name] = f"{name}="

    def take_instead(self, name: str, value: object) -> None:
        """Take what the caller gives in place of what the reply has, or hasn't; then nothing is missing there."""
        self.problems = [_without_name(problem, name) for problem in self.problems]
        self.problems = [problem for problem in self.problems if problem]
        self.fields.pop(name, None)
        self._take_given(name, value)

    def take_user(self, user: object) -> None:
        if user is not None:
            self._take_given("user", user)
        elif self.parsed.user:
            self.fields["user"] = self.parsed.user
            self.sources["user"] = self.parsed.source("user")
        else:
            self.problems.append("user: the reply doesn't hold what the user said; give it with user= (--user)")

    def take_thinking(self, thinking: object) -> None:
        parsed = self.parsed
        if thinking is not None:
            self._take_given("thinking", thinking)
            if parsed.thinking and thinking != parsed.thinking:
                self.notes.append("thinking= was used, and not the reply's own thinking")
        elif parsed.thinking_state == GIVEN:
            self.fields["thinking"] = parsed.thinking
            self.sources["thinking"] = parsed.source("thinking")
        else:
            what = (
                f"withheld by {parsed.provider} ({parsed.hidden_by})"
                if parsed.thinking_state == WITHHELD
                else f"none in this reply ({parsed.provider})"
            )
            self.problems.append(f"thinking: {what}; {parsed.advice}, or give it with thinking= (--thinking)")

    def take_answer(self, axes: Mapping[str, str] | None) -> None:
        parsed = self.parsed
        answer, found, block_seen = parsed.answer, False, True
        problems: list[str] = []
        if axes is None:
            block = find_block(answer)
            answer, found, problems = block.rest, block.found, block.problems
            block_seen = block.seen
            self.fields.update(block.axes)
            self.sources.update(dict.fromkeys(block.axes, "the block at the answer's end"))
            self.notes += block.notes
        if answer:
            self.fields["assistant"] = answer
            self.sources["assistant"] = parsed.source("assistant")
        else:
            self.problems.append(f"assistant: {self._why_empty(found=found)}")
        if parsed.failure:
            self.problems.append(
                f"assistant: the provider says that the reply isn't whole ({parsed.failure}); ask again"
            )
        if axes is not None:
            self._take_axes(axes)
            return
        if parsed.cut and not found:
            problems = [
                f"{problem} (the provider cut it at its limit of length: raise that)" if not block_seen else problem
                for problem in problems
            ]
        self.problems += problems

    def _why_empty(self, *, found: bool) -> str:
        if found:
            return "the answer holds nothing but the coglog block; ask the model to answer before it"
        if self.parsed.cut:
            return "the answer is empty: the provider cut the reply before it began; raise the limit of its length"
        if self.parsed.unclosed:
            return (
                f"the answer is empty: {self.parsed.unclosed} never closes, so that all of the reply is thinking; raise"
                " the limit of its length and ask again"
            )
        return "the answer is empty; ask the model again"

    def _take_axes(self, axes: Mapping[str, str]) -> None:
        for name in AXES:
            value = axes.get(name)
            if isinstance(value, str):
                self.fields[name] = value
                self.sources[name] = "axes="
            else:
                self.problems.append(f"{name}: it is missing (an empty string is acceptable); give it")

    def check(self) -> None:
        """Refuse what UTF-8 can't hold, as the store would."""
        for name in NAMES:
            problem = surrogate_problem(name, self.fields[name]) if name in self.fields else None
            if problem:
                del self.fields[name]
                self.sources.pop(name, None)
                self.problems.append(problem)
        order = {name: place for place, name in enumerate(NAMES)}
        self.problems.sort(key=lambda problem: order.get(problem.partition(":")[0].partition(",")[0], len(order)))

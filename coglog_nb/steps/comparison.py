"""The same words before the same turn, to several models and under several system prompts: candidates for a(n+1)."""

from __future__ import annotations

import html
import queue
import threading
import time

from ..errors import CogLogError, InputError, TurnError, UsageError
from ..prompt import short_size_text
from ..replies.status_html import status_markup, status_text
from ..viewer import plain_text, printable, static_card
from .model_errors import sentence

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from IPython.lib.pretty import RepresentationPrinter

    from ..entry import Entry
    from ..replies.captured import Captured
    from ..store import CogLog
    from .models import Model
    from .step import Step

AT_ONCE = 4
"""How many calls run at a time: enough not to wait for each, few enough for a provider's limits."""

INTERRUPTED = "interrupted"

# As the static card's axes: two in a row where there is room for two, without a rule that a sanitizer would drop.
_CELL = "display:inline-block;vertical-align:top;width:48%;min-width:280px;margin:0 1% 16px 0"
_FAILED = "padding:2px 14px 8px;border:1px solid #888;border-left:4px solid #bd5d36;border-radius:3px 8px 8px 3px"

_LOOK_UP = 0.1  # seconds: how soon an interrupt is seen


class Candidate:
    """One reply that may become a(n+1).

    Attributes
    ----------
    number : int
        Its number, from 1.
    model : str
        The model's name.
    system : str
        The system prompt's name; empty where there is none.
    step : Step
        What was sent, and what came of it.
    seconds : float
        How long it took.
    error : str
        What went wrong, in a sentence; empty where nothing did.
    """

    def __init__(self, number: int, model: Model, system: str, step: Step) -> None:
        self.number = number
        self.model = model.name
        self.system = system
        self.step = step
        self.seconds = 0.0
        self.error = INTERRUPTED
        self._model = model

    @property
    def captured(self) -> Captured | None:
        """What was found in the reply; None where none came."""
        return self.step.captured

    @property
    def reply(self) -> object:
        """The reply in its provider's shape, as far as it came."""
        return self.step.reply

    @property
    def name(self) -> str:
        """What it is called: its number, the model and the system prompt."""
        return " \u00b7 ".join(filter(None, (f"{self.number}", self.model, self.system)))

    @property
    def size(self) -> str:
        """How long it took, and how much was sent and answered."""
        sent = "".join(message["content"] for message in self.step.messages)
        line = f"{self.seconds:.1f} s \u00b7 sent {short_size_text(sent)}"
        answer = self.captured.fields.get("assistant", "") if self.captured is not None else ""
        return f"{line} \u00b7 answered {short_size_text(answer)}" if answer else line

    def status(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what is to be said beside its card: a heading and its sentences."""
        if self.error:
            return [(f"{self.name} \u00b7 no reply", (self.error,))]
        return self.captured.status() if self.captured is not None else []

    def call(self, stopped: threading.Event) -> None:
        """Ask the model; what goes wrong becomes the candidate's own error."""
        began = time.perf_counter()
        try:
            self.step.run(self._model, _Listener(stopped))
        except _StoppedError:
            self.error = INTERRUPTED
        except TurnError as error:
            self.error = INTERRUPTED if stopped.is_set() else str(error)
        except CogLogError as error:
            self.error = str(error)
        except BaseException as error:  # noqa: BLE001 - a model that ends its thread (`exit()`) fails as any other
            self.error = INTERRUPTED if stopped.is_set() else sentence(self.model, error, self._model.secrets())
        else:
            self.error = INTERRUPTED if stopped.is_set() else ""
        finally:
            self.seconds = time.perf_counter() - began


class _StoppedError(BaseException):
    """Nobody waits for this reply any more; like an interrupt it is no error of the model's."""


class _Listener:
    """Takes the pieces of a reply, which is shown when it is whole, until nobody waits for it."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped = stopped

    def __call__(self, kind: str, text: str) -> None:
        del kind, text
        self.look_up()

    def look_up(self) -> None:
        """End the call, once nobody waits for it."""
        if self._stopped.is_set():
            raise _StoppedError


class Candidates:
    """The replies to one `try`, and the turn that they follow.

    Attributes
    ----------
    previous : Entry or None
        The turn that all of them were given, a(n).
    show_thinking : bool
        Whether outputs show the thinking.
    theme : str
        The theme that their cards start with.
    interrupted : bool
        Whether the cell was interrupted before all had come.
    """

    def __init__(
        self, found: Sequence[Candidate], previous: Entry | None, *, show_thinking: bool = True, theme: str = "system"
    ) -> None:
        self._found = list(found)
        self.previous = previous
        self.show_thinking = show_thinking
        self.theme = theme
        self.interrupted = False

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._found)

    def __getitem__(self, number: int) -> Candidate:
        """Return the candidate of a number, as its card shows it: from 1."""
        if not isinstance(number, int) or not 1 <= number <= len(self._found):
            raise InputError(f"no candidate {number}: there are 1 to {len(self._found)}")
        return self._found[number - 1]

    def __repr__(self) -> str:
        return f"<{len(self._found)} candidate{'' if len(self._found) == 1 else 's'}>"

    def draft(self, candidate: Candidate) -> Entry | None:
        """Return a candidate as an entry that isn't stored, to be shown as a card; None where it failed."""
        if candidate.captured is None or candidate.error:
            return None
        draft = candidate.captured.draft()
        draft.title = candidate.name
        draft["timestamp"] = candidate.size
        draft.theme = self.theme
        draft.show_thinking = draft.show_thinking and self.show_thinking
        return draft

    def text(self) -> str:
        """Return them as text, one under the other."""
        return "\n\n\n".join(self._text_of(candidate) for candidate in self._found)

    def _text_of(self, candidate: Candidate) -> str:
        draft = self.draft(candidate)
        card = plain_text(draft) if draft is not None else printable(f"{candidate.name} \u00b7 {candidate.size}")
        return "\n\n".join(filter(None, (card, printable(status_text(candidate.status())))))

    def markup(self) -> str:
        """Return them as HTML that needs no script, side by side where there is room."""
        return "".join(f'<div style="{_CELL}">{self._markup_of(candidate)}</div>' for candidate in self._found)

    def _markup_of(self, candidate: Candidate) -> str:
        draft = self.draft(candidate)
        return (static_card(draft) if draft is not None else "") + self.status_markup(candidate)

    def status_markup(self, candidate: Candidate) -> str:
        """Return as HTML what there is to say beside a candidate's card; where it failed, that is its card."""
        said = status_markup(candidate.status())
        if self.draft(candidate) is not None:
            return said
        return f'<div style="{_FAILED}">{said}<small>{html.escape(candidate.size)}</small></div>'

    def _repr_html_(self) -> str:
        return self.markup()

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: FBT001 - IPython's signature
        del cycle  # it holds no other object
        printer.text(self.text())

    def keep(self, number: int, store: CogLog, *, replace: bool = False, store_refusal: bool = False) -> Entry:
        """Store one of them as a(n+1).

        Raises
        ------
        TurnError
            If that one failed, or lacks something.
        UsageError
            If another turn than the one they follow is stored by now, unless `replace` overwrites it.
        """
        candidate = self[number]
        if candidate.error:
            raise TurnError(
                f"candidate {number} has no reply to keep: {candidate.error}",
                reply=candidate.reply,
                captured=candidate.captured,
            )
        fields = candidate.step.complete(candidate.model, store_refusal=store_refusal)
        stored = store.read()
        if not replace and stored != self.previous:
            follows = f"turn {self.previous['turn_id']}" if self.previous else "no turn"
            now = f"turn {stored['turn_id']} is stored now" if stored else "nothing is stored now"
            raise UsageError(f"the candidates follow {follows}, and {now}; --replace overwrites the stored turn")
        return store.write(**fields, replace=replace, diff=False)


def run_all(found: Candidates, on_done: Callable[[int], None], *, at_once: int = AT_ONCE) -> Candidates:
    """Ask for all candidates, a few at a time.

    Parameters
    ----------
    found : Candidates
        Those to ask for; each takes its reply or its error.
    on_done : callable
        Called with how many are done, each time another is.
    at_once : int, optional
        How many calls run at a time.

    Returns
    -------
    Candidates
        The same; after an interrupt with what had come by then.
    """
    stopped = threading.Event()
    done: queue.SimpleQueue[Candidate] = queue.SimpleQueue()
    try:
        if _start_workers(found, min(at_once, len(found)), done, stopped):
            _count_up(done, len(found), on_done)
        else:  # no threads (Pyodide): one after the other
            for count, candidate in enumerate(found, start=1):
                candidate.call(stopped)
                on_done(count)
    except KeyboardInterrupt:
        stopped.set()
        found.interrupted = True
    return found


def _start_workers(
    found: Candidates, workers: int, done: queue.SimpleQueue[Candidate], stopped: threading.Event
) -> bool:
    """Let so many threads ask for them; returns False where there are no threads."""
    waiting: queue.SimpleQueue[Candidate] = queue.SimpleQueue()
    for candidate in found:
        waiting.put(candidate)

    def work() -> None:
        while not stopped.is_set():
            try:
                candidate = waiting.get_nowait()
            except queue.Empty:
                return
            candidate.call(stopped)
            done.put(candidate)

    for number in range(workers):
        try:
            # Daemons: a call that hangs keeps no kernel from ending.
            threading.Thread(target=work, name="coglog-try", daemon=True).start()
        except RuntimeError:
            return number > 0
    return True


def _count_up(done: queue.SimpleQueue[Candidate], total: int, on_done: Callable[[int], None]) -> None:
    """Wait until all are done, and say so of each."""
    count = 0
    while count < total:
        try:
            done.get(timeout=_LOOK_UP)
        except queue.Empty:
            continue
        count += 1
        on_done(count)

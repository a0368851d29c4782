"""Several models, or several system prompts, from the same turn and the same words: candidates for a(n+1)."""

from __future__ import annotations

import queue
import threading
import time

from ..errors import CogLogError, InputError, TurnError, UsageError
from ..html_form import inline, static_card
from ..prompt import short_size_text
from ..replies.status_html import status_markup, status_text
from ..text_form import plain_text, printable
from .model_errors import error_sentence
from .next_turn import write_step

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from IPython.lib.pretty import RepresentationPrinter

    from ..entry import Entry
    from ..replies.captured import Captured
    from ..store import CogLog
    from .model_base import Model
    from .step import Step

AT_ONCE = 4
"""How many calls run at the same time: enough to save waiting, few enough for a provider's limits."""

INTERRUPTED = "interrupted"

# Two in a row where there is room for two, like the static card's axes; inline, because sanitizers drop style rules.
_CELL = "display:inline-block;vertical-align:top;width:48%;min-width:280px;margin:0 1% 16px 0"
_FAILED = "padding:2px 14px 8px;border:1px solid #888;border-left:4px solid #bd5d36;border-radius:3px 8px 8px 3px"

_POLL_SECONDS = 0.1  # how soon an interrupt is seen


class Candidate:
    """One reply that may become a(n+1).

    Attributes
    ----------
    number : int
        Its number, from 1.
    model : str
        The model's name.
    system : str
        The system prompt's name; empty if there is none.
    step : Step
        What was sent, and what has come of it so far.
    seconds : float
        How long the call took.
    error : str
        What went wrong, in a sentence; empty if nothing did.
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
        """What was found in the reply; None if there is no reply."""
        return self.step.captured

    @property
    def reply(self) -> object:
        """The reply in its provider's shape, as far as it arrived."""
        return self.step.reply

    @property
    def name(self) -> str:
        """Its number, the model and the system prompt, in one line."""
        return " \u00b7 ".join(filter(None, (f"{self.number}", self.model, self.system)))

    @property
    def size(self) -> str:
        """The call's seconds, and the sizes of what was sent and answered, in one line."""
        sent = "".join(message["content"] for message in self.step.messages)
        line = f"{self.seconds:.1f} s \u00b7 sent {short_size_text(sent)}"
        answer = self.captured.fields.get("assistant", "") if self.captured is not None else ""
        return f"{line} \u00b7 answered {short_size_text(answer)}" if answer else line

    def status(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what outputs say beside its card: headings, each with its sentences."""
        if self.error:
            return [(f"{self.name} \u00b7 no reply", (self.error,))]
        return self.captured.status() if self.captured is not None else []

    def call(self, stopped: threading.Event) -> None:
        """Ask the model. Whatever goes wrong becomes the candidate's `error`."""
        start = time.perf_counter()
        try:
            self.step.run(self._model, _StopCheck(stopped))
        except _StoppedError:
            self.error = INTERRUPTED
        except TurnError as error:
            self.error = INTERRUPTED if stopped.is_set() else str(error)
        except CogLogError as error:
            self.error = str(error)
        except BaseException as error:  # noqa: BLE001 - `exit()` in a model is a failure like any other
            self.error = INTERRUPTED if stopped.is_set() else error_sentence(self.model, error, self._model.secrets())
        else:
            self.error = INTERRUPTED if stopped.is_set() else ""
        finally:
            self.seconds = time.perf_counter() - start


class _StoppedError(BaseException):
    """Nobody waits for this reply any more. Like an interrupt, it isn't an error of the model."""


class _StopCheck:
    """Takes the pieces of a reply, and ends the call once nobody waits for it."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped = stopped

    def __call__(self, kind: str, text: str) -> None:
        del kind, text
        self.raise_if_stopped()

    def raise_if_stopped(self) -> None:
        """End the call if nobody waits for it; the wait for an asynchronous model calls this between pieces."""
        if self._stopped.is_set():
            raise _StoppedError


class Comparison:
    """The candidates of one `try`, and the turn that they follow.

    Parameters
    ----------
    candidates : sequence of Candidate
        The candidates, in the order of their numbers.
    previous, show_thinking, theme
        The attributes of the same names.

    Attributes
    ----------
    previous : Entry or None
        The turn that every model was shown, a(n).
    show_thinking : bool
        Whether outputs show the thinking.
    theme : str
        The theme that their cards start with.
    interrupted : bool
        Whether the cell was interrupted before all calls had ended.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        previous: Entry | None,
        *,
        show_thinking: bool = True,
        theme: str = "system",
    ) -> None:
        self._candidates = list(candidates)
        self.previous = previous
        self.show_thinking = show_thinking
        self.theme = theme
        self.interrupted = False

    def __len__(self) -> int:
        return len(self._candidates)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._candidates)

    def __getitem__(self, number: int) -> Candidate:
        """Return the candidate with a number, which counts from 1."""
        if not isinstance(number, int) or not 1 <= number <= len(self._candidates):
            raise InputError(f"no candidate {number}: there are 1 to {len(self._candidates)}")
        return self._candidates[number - 1]

    def __repr__(self) -> str:
        return f"<{len(self._candidates)} candidate{'' if len(self._candidates) == 1 else 's'}>"

    def draft(self, candidate: Candidate) -> Entry | None:
        """Return a candidate as an entry to be shown as a card; None if it failed. The entry isn't stored."""
        if candidate.captured is None or candidate.error:
            return None
        draft = candidate.captured.draft()
        draft.title = candidate.name
        draft["timestamp"] = candidate.size
        draft.theme = self.theme
        draft.show_thinking = draft.show_thinking and self.show_thinking
        return draft

    def text(self) -> str:
        """Return the candidates as text, one below the other."""
        return "\n\n\n".join(self._text_of(candidate) for candidate in self._candidates)

    def _text_of(self, candidate: Candidate) -> str:
        draft = self.draft(candidate)
        card = plain_text(draft.view()) if draft is not None else printable(f"{candidate.name} \u00b7 {candidate.size}")
        return "\n\n".join(filter(None, (card, printable(status_text(candidate.status())))))

    def markup(self) -> str:
        """Return the candidates as HTML without script, side by side where there is room."""
        return "".join(f'<div style="{_CELL}">{self._markup_of(candidate)}</div>' for candidate in self._candidates)

    def _markup_of(self, candidate: Candidate) -> str:
        draft = self.draft(candidate)
        return (static_card(draft.view()) if draft is not None else "") + self.status_markup(candidate)

    def status_markup(self, candidate: Candidate) -> str:
        """Return a candidate's status as HTML: what stands beside its card, or the whole card if it failed."""
        status = status_markup(candidate.status())
        if self.draft(candidate) is not None:
            return status
        return f'<div style="{_FAILED}">{status}<small>{inline(candidate.size)}</small></div>'

    def _repr_html_(self) -> str:
        return self.markup()

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: FBT001 - IPython's signature
        del cycle  # it holds no other object
        printer.text(self.text())

    def keep(self, number: int, store: CogLog, *, replace: bool = False, store_refusal: bool = False) -> Entry:
        """Store one of the candidates as a(n+1).

        Parameters
        ----------
        number : int
            The candidate's number.
        store : CogLog
            Where.
        replace : bool, optional
            Overwrite the stored turn under its own `turn_id`, whichever it is.
        store_refusal : bool, optional
            Store a refusal as the answer.

        Raises
        ------
        TurnError
            If the candidate failed or is incomplete, or the store refused it.
        UsageError
            If the turn that the candidates follow is no longer the stored one, unless `replace`.
        InputError
            If there is no candidate with this number.
        """
        candidate = self[number]
        if candidate.error:
            raise TurnError(
                f"candidate {number} has no reply to keep: {candidate.error}",
                reply=candidate.reply,
                captured=candidate.captured,
            )
        stored = store.read()
        if not replace and stored != self.previous:
            follows = f"turn {self.previous['turn_id']}" if self.previous else "no turn"
            now = f"turn {stored['turn_id']} is stored now" if stored else "nothing is stored now"
            raise UsageError(f"the candidates follow {follows}, and {now}; --replace overwrites the stored turn")
        return write_step(candidate.step, store, candidate.model, replace=replace, store_refusal=store_refusal)


def run_all(comparison: Comparison, on_done: Callable[[int], None], *, at_once: int = AT_ONCE) -> None:
    """Ask for all candidates, a few at the same time; each keeps its reply or its error.

    After an interrupt `comparison.interrupted` is True, and the candidates that had no reply by then say so.

    Parameters
    ----------
    comparison : Comparison
        The candidates to ask for.
    on_done : callable
        Called after each candidate with the number of those that are done.
    at_once : int, optional
        How many calls run at the same time.
    """
    stopped = threading.Event()
    done: queue.SimpleQueue[Candidate] = queue.SimpleQueue()
    try:
        if _start_workers(comparison, min(at_once, len(comparison)), done, stopped):
            _wait_for_all(done, len(comparison), on_done)
        else:  # no threads (Pyodide): one after the other
            for count, candidate in enumerate(comparison, start=1):
                candidate.call(stopped)
                on_done(count)
    except KeyboardInterrupt:
        stopped.set()
        comparison.interrupted = True


def _start_workers(
    comparison: Comparison, workers: int, done: queue.SimpleQueue[Candidate], stopped: threading.Event
) -> bool:
    """Start threads that ask for the candidates; returns False if there are no threads."""
    waiting: queue.SimpleQueue[Candidate] = queue.SimpleQueue()
    for candidate in comparison:
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
            # A daemon: a call that hangs must not keep the kernel from ending.
            threading.Thread(target=work, name="coglog-try", daemon=True).start()
        except RuntimeError:
            return number > 0
    return True


def _wait_for_all(done: queue.SimpleQueue[Candidate], total: int, on_done: Callable[[int], None]) -> None:
    """Wait until all candidates are done, and report each."""
    count = 0
    while count < total:
        try:
            done.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        count += 1
        on_done(count)

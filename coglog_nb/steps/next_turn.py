"""The one way of a turn: from the stored turn a(n), through a model, to a(n+1) in the store.

The Python functions, the magic and the command line all use it; they differ only in how they show what happens.
"""

from __future__ import annotations

from typing import Any

from ..entry import Entry
from ..errors import CogLogError, TurnError
from ..store import CogLog
from . import previous_turn
from .model_base import Model, OnPiece, ignore_piece
from .step import Step


class NextTurn:
    """A turn that is about to be taken with a model.

    Parameters
    ----------
    store : CogLog
        The window. Its turn is read now.
    user : str
        What the user says.
    replace : bool, optional
        Overwrite the stored turn under its own `turn_id`. The model is then shown the turn that the stored one
        followed, so that a cell that runs again asks the same question again.
    store_refusal : bool, optional
        Store a refusal as the answer.
    **settings
        The other settings of a `Step`.

    Attributes
    ----------
    step : Step
        What is sent, and what has come of it so far.
    about_previous : str
        A notice, if the model sees another turn than the one that `replace` asks for; else empty.
    about_write : str
        A notice, if another writer stored a turn while the model answered; else empty.

    Raises
    ------
    ValidationError, UsageError
        If a setting is wrong.
    DamagedLogError, StoreError
        If the stored turn can't be read.
    """

    def __init__(
        self, store: CogLog, user: str, *, replace: bool = False, store_refusal: bool = False, **settings: Any
    ) -> None:
        self._store = store
        self._replace = replace
        self._store_refusal = store_refusal
        stored = store.read()
        shown, self.about_previous = _shown_to_model(store, stored, replace=replace)
        self._expected_id = 1 if stored is None else stored["turn_id"] + (0 if replace else 1)
        self.about_write = ""
        self.step = Step(user, shown, **settings)

    def run(self, model: Model, on_piece: OnPiece = ignore_piece) -> Entry:
        """Send the messages, wait for the reply, and store it.

        Parameters
        ----------
        model : Model
            The model.
        on_piece : callable, optional
            Called with "thinking" or "assistant" and each piece of the answer as it arrives.

        Returns
        -------
        Entry
            The turn as it is stored now.

        Raises
        ------
        RefusedError
            If the model refused, unless refusals are stored.
        TurnError
            If the model failed, its reply is incomplete, or the store refused; `reply` is what the model answered.
        """
        self.step.run(model, on_piece)
        return self._write(model)

    async def arun(self, model: Model, on_piece: OnPiece = ignore_piece) -> Entry:
        """Do what `run` does without blocking the event loop."""
        await self.step.arun(model, on_piece)
        return self._write(model)

    def _write(self, model: Model) -> Entry:
        entry = write_step(self.step, self._store, model.name, replace=self._replace, store_refusal=self._store_refusal)
        if entry["turn_id"] != self._expected_id:
            previous = self.step.previous
            seen = f"turn {previous['turn_id']}" if previous is not None else "no turn"
            self.about_write = (
                f"another turn was written meanwhile: this is turn {entry['turn_id']}, and the model saw {seen}"
            )
        return entry


def write_step(
    step: Step, store: CogLog, model_name: str, *, replace: bool = False, store_refusal: bool = False
) -> Entry:
    """Store what a step captured, and remember which turn it followed.

    Raises
    ------
    RefusedError
        If the model refused, unless `store_refusal`.
    TurnError
        If a field is missing or the store refuses; the error holds the reply.
    """
    fields = step.complete(model_name, store_refusal=store_refusal)
    try:
        entry = store.write(**fields, replace=replace, diff=False)
    except CogLogError as error:
        raise TurnError(error.problems, reply=step.reply, captured=step.captured) from error
    previous_turn.remember(store, entry, step.previous)
    return entry


def _shown_to_model(store: CogLog, stored: Entry | None, *, replace: bool) -> tuple[Entry | None, str]:
    """Return the turn to show the model, and a notice if that isn't the expected turn."""
    if stored is None or not replace:
        return stored, ""
    previous, known = previous_turn.before(store, stored)
    if known:
        return previous, ""
    number = stored["turn_id"]
    return stored, f"the turn before turn {number} is no longer in memory; the model saw turn {number} instead"

"""`turn` and `aturn`, the public functions: take one step with a model, with or without blocking."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from ..entry import Entry
from ..errors import CogLogWarning
from ..store import CogLog
from .model_base import OnPiece, ignore_piece
from .models import find_model
from .next_turn import NextTurn


def turn(
    user: str,
    model: object,
    *,
    store: CogLog | None = None,
    system: str = "",
    template: str | None = None,
    thinking: str | None = None,
    ask_thinking: bool = False,
    reflect: bool = False,
    fmt: str = "markdown",
    only: str | Iterable[str] | None = None,
    schema: bool = True,
    options: Mapping[str, str] | None = None,
    replace: bool = False,
    store_refusal: bool = False,
    on_piece: OnPiece = ignore_piece,
) -> Entry:
    """Take one step of the recurrence: send a(n) to a model, and store its reply as a(n+1).

    Parameters
    ----------
    user : str
        What the user says.
    model : str, callable, or model of llm
        A model's id or alias in `llm` (``pip install 'coglog-nb[llm]'``), one of its models, or any callable
        ``messages -> reply``: it takes ``[{"role": ..., "content": ...}, ...]`` and returns a reply that `capture`
        knows, a stream of its chunks, or an awaitable of either.
    store : CogLog, optional
        The window; by default ``CogLog()``.
    system : str, optional
        The system prompt; it goes before the stored turn.
    template : str, optional
        The instruction that asks for the block of axes; it goes after the stored turn. By default `template()`.
    thinking : str, optional
        The thinking fact, for a model that gives none.
    ask_thinking : bool, optional
        Whether the model is asked to write its thinking into its answer. It is then taken out of the answer.
    reflect : bool, optional
        Whether four short questions after the answer fill the axes, for a model that doesn't write the JSON block
        reliably. The template is then left out, unless you give one.
    fmt, only, schema
        What the model is shown of the stored turn; see `context`.
    options : mapping of str to str, optional
        The model's own options, for one of llm's models.
    replace : bool, optional
        Overwrite the stored turn under its own `turn_id`. The model is then shown the turn that the stored one
        followed. If this process didn't write the stored turn, it can't know that one: it shows the stored turn
        instead and warns (`CogLogWarning`).
    store_refusal : bool, optional
        Store a refusal as the answer; axes that it doesn't give are left empty.
    on_piece : callable, optional
        Called with ``"thinking"`` or ``"assistant"`` and each piece of the answer as it arrives.

    Returns
    -------
    Entry
        The turn as it is stored now.

    Raises
    ------
    TurnError
        If the model failed, its reply is incomplete, or the store refused it; ``reply`` holds what the model answered,
        ready for `capture`.
    RefusedError
        If the model refused.
    ValidationError, UsageError, InputError
        If an argument is wrong.
    DamagedLogError, StoreError
        If the stored turn can't be read.

    Notes
    -----
    An error leaves the stored turn as it was. If another program writes a turn while the model answers, the reply is
    stored after it, with a `CogLogWarning`.
    """
    found = find_model(model, options=options)
    next_turn = NextTurn(
        CogLog() if store is None else store,
        user,
        replace=replace,
        store_refusal=store_refusal,
        system=system,
        template=template,
        thinking=thinking,
        ask_thinking=ask_thinking,
        reflect=reflect,
        fmt=fmt,
        only=only,
        schema=schema,
    )
    _warn(next_turn.about_previous)
    entry = next_turn.run(found, on_piece)
    _warn(next_turn.about_write)
    return entry


async def aturn(
    user: str,
    model: object,
    *,
    store: CogLog | None = None,
    options: Mapping[str, str] | None = None,
    on_piece: OnPiece = ignore_piece,
    **settings: Any,
) -> Entry:
    """Do what `turn` does without blocking the event loop, with the same arguments, result and errors.

    An asynchronous callable then runs in the event loop that awaits this. A model of llm that has no asynchronous form
    runs in a thread.
    """
    found = find_model(model, options=options)
    next_turn = NextTurn(CogLog() if store is None else store, user, **settings)
    _warn(next_turn.about_previous)
    entry = await next_turn.arun(found, on_piece)
    _warn(next_turn.about_write)
    return entry


def _warn(notice: str) -> None:
    if notice:
        warnings.warn(notice, CogLogWarning, stacklevel=3)

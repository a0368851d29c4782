"""`turn` and `aturn`: one step of the recurrence as a plain function, and as one to await."""

from __future__ import annotations

from ..errors import CogLogError, TurnError
from ..store import CogLog
from .models import find_model
from .step import Step

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..entry import Entry
    from .models import OnPiece


def _no_piece(kind: str, text: str) -> None:
    """Take a piece of a reply that nobody watches."""


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
    on_piece: OnPiece = _no_piece,
) -> Entry:
    """Take one step of the recurrence: put a(n) before a model, and store its reply as a(n+1).

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
        The system prompt, which goes before the stored turn.
    template : str, optional
        The instruction that asks for the block of axes, which goes after it; by default the seeds' Option C.
    thinking : str, optional
        The thinking fact, for a model that gives none.
    ask_thinking : bool, optional
        Whether the model is asked to write its thinking down in its answer, from where it is taken.
    reflect : bool, optional
        Whether four short questions after the answer, the axes' own, fill the axes: for a model that can't be trusted
        with a JSON block. The template is then left out, unless it is given.
    fmt, only, schema
        What of the stored turn is sent; see `context`.
    options : mapping of str to str, optional
        The model's own options, where it is one of llm's.
    replace : bool, optional
        Overwrite the stored turn under its own `turn_id`.
    store_refusal : bool, optional
        Store a refusal as the answer, with the axes that it doesn't give left empty.
    on_piece : callable, optional
        Called with ``"thinking"`` or ``"assistant"`` and each piece of the answer, as it comes.

    Returns
    -------
    Entry
        The turn as it is stored now.

    Raises
    ------
    TurnError
        If the model failed, or its reply lacks something; ``reply`` holds what it answered, ready for `capture`.
    RefusedError
        If it refused.
    ValidationError, UsageError, InputError
        If what was given doesn't make a call.
    StoreError
        If the stored turn can't be read. In no case is it touched then.
    """
    store = CogLog() if store is None else store
    found = find_model(model, options=options)
    step = Step(
        user,
        store.read(),
        system=system,
        template=template,
        thinking=thinking,
        ask_thinking=ask_thinking,
        reflect=reflect,
        fmt=fmt,
        only=only,
        schema=schema,
    )
    step.run(found, on_piece)
    return write_step(step, store, found.name, replace=replace, store_refusal=store_refusal)


async def aturn(
    user: str,
    model: object,
    *,
    store: CogLog | None = None,
    options: Mapping[str, str] | None = None,
    replace: bool = False,
    store_refusal: bool = False,
    on_piece: OnPiece = _no_piece,
    **how: Any,
) -> Entry:
    """Take one step of the recurrence without blocking the event loop; see `turn`, whose arguments it takes.

    A callable may be asynchronous in either; here it runs in the event loop that awaits this. A model of llm without
    an asynchronous form runs in a thread.
    """
    store = CogLog() if store is None else store
    found = find_model(model, options=options)
    step = Step(user, store.read(), **how)
    await step.arun(found, on_piece)
    return write_step(step, store, found.name, replace=replace, store_refusal=store_refusal)


def write_step(step: Step, store: CogLog, name: str, *, replace: bool = False, store_refusal: bool = False) -> Entry:
    """Store what a step captured.

    Raises
    ------
    TurnError
        If something is lacking, or the store refuses: the reply is in the error.
    """
    fields = step.complete(name, store_refusal=store_refusal)
    try:
        return store.write(**fields, replace=replace, diff=False)
    except CogLogError as error:
        raise TurnError(error.problems, reply=step.reply, captured=step.captured) from error

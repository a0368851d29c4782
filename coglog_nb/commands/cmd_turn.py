"""`turn`: one step of the recurrence with a model."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..entry import Entry
from ..errors import CogLogError, InputError, RefusedError, TurnError, UsageError
from ..store import CogLog
from .cmd_context import add_context_options, context_options
from .cmd_write import stored_outcome
from .frontend import Frontend, Outcome
from .parser import Parser

TAKES_BODY = True

MODEL_HELP = "a model's id or alias in llm, or in a notebook a callable that takes messages and gives a reply"
SYSTEM_HELP = "the system prompt: a name (%%coglog) that gives a str, or a file"


def add_arguments(parser: Parser) -> None:
    """Add the model, what goes before it, and what becomes of its reply."""
    parser.add_argument("-m", "--model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument("--system", metavar="NAME|FILE", help=SYSTEM_HELP)
    add_step_options(parser)
    parser.add_argument(
        "--replace", action="store_true", help="overwrite the stored turn under its own turn_id (a cell run again)"
    )
    parser.add_argument(
        "--store-refusal", action="store_true", help="store a refusal too, the axes it doesn't give left empty"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show the messages and their size; call nothing, store nothing"
    )


def add_step_options(parser: Parser) -> None:
    """Add the options of every command that takes the step."""
    parser.add_argument("--user", metavar="EXPR", help="what the user says, in the place of the body (%%coglog)")
    parser.add_argument(
        "--template",
        metavar="NAME|FILE",
        help="the instruction that asks for the block, in the place of `template`'s; an empty one asks for none",
    )
    add_context_options(parser)
    parser.add_argument(
        "-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of llm's model; repeatable"
    )
    parser.add_argument(
        "--ask-thinking",
        action="store_true",
        help="ask the model to write its thinking down, for one that gives none of its own accord",
    )
    parser.add_argument(
        "--thinking", metavar="EXPR", help="the thinking fact, where the model gives none (in a shell: the text itself)"
    )
    parser.add_argument(
        "--reflect",
        action="store_true",
        help="fill the axes by four short questions after the answer, for a model that can't be trusted with a block",
    )


def user_text(args: Namespace, frontend: Frontend) -> str:
    """Return what the user says."""
    if args.user is not None and not frontend.in_notebook:
        raise UsageError(
            f"--user {args.user}: a Python expression has a meaning only in a notebook; here what the user says is on"
            " stdin"
        )
    text: object = frontend.evaluate(args.user, "--user") if args.user is not None else frontend.read_text()
    if not isinstance(text, str):
        raise InputError(f"--user: {args.user} is {type(text).__name__}, not str; nothing is converted")
    if not text.strip():
        where = "the cell's body" if frontend.in_notebook else "stdin"
        raise InputError(f"missing required field: user ({where} says what the user says, and is empty)")
    return text


def step_settings(args: Namespace, frontend: Frontend) -> dict[str, Any]:
    """Return the options as a `Step` takes them, but for the system prompt."""
    thinking: object = args.thinking
    if thinking is not None and frontend.in_notebook:
        thinking = frontend.evaluate(args.thinking, "--thinking")
        if not isinstance(thinking, str):
            raise InputError(f"--thinking: {args.thinking} is {type(thinking).__name__}, not str")
    return {
        **context_options(args),
        "template": None if args.template is None else frontend.text_of(args.template, "--template"),
        "thinking": thinking,
        "ask_thinking": args.ask_thinking,
        "reflect": args.reflect,
    }


def model_options(args: Namespace) -> dict[str, str]:
    """Return the model's own options."""
    found = {}
    for word in args.option:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise UsageError(f"-o takes KEY=VALUE, not {word}")
        found[key] = value
    return found


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Take the step."""
    from ..steps.previous_turn import remember
    from ..steps.step import Step  # only what calls a model pays for what a model needs

    settings = step_settings(args, frontend)
    system = "" if args.system is None else frontend.text_of(args.system, "--system")
    frontend.theme(args)  # what is no theme is told before anything is asked for
    store = frontend.store(args)
    previous, about_before = turn_before(store, replaces=args.replace)
    text = user_text(args, frontend)
    step = Step(text, previous, system=system, **settings)
    if args.dry_run:
        from ..prompt import messages_text

        shown = step.messages_shown(hides_thinking=not frontend.shows_thinking(args))
        return Outcome(messages_text(shown, step.messages, asked_after=args.reflect))
    if args.model is None:
        raise UsageError("no model: -m MODEL names one that llm knows, or a callable; --dry-run calls none")
    model = frontend.find_model(args.model, model_options(args))
    kept = ""
    try:
        with frontend.stream(model.name, hides_thinking=not frontend.shows_thinking(args)) as on_piece:
            try:
                step.run(model, on_piece)
            finally:
                kept = frontend.remember(step.kept)
            try:
                fields = step.complete(model.name, store_refusal=args.store_refusal)
            except RefusedError as error:
                note = f"coglog: {error} (--store-refusal stores it)"
                return Outcome(value=error.captured, note=note)  # in a shell the answer was printed as it came
            entry = store.write(**fields, replace=args.replace, diff=False)
    except TurnError as error:
        problems = [*error.problems, *advice(error, args), *filter(None, [kept])]
        raise TurnError(problems, reply=error.reply, captured=error.captured) from error
    except CogLogError as error:
        if not kept:
            raise
        raise TurnError([*error.problems, kept], reply=step.reply, captured=step.captured) from error
    remember(store, entry, previous)
    after = previous["turn_id"] + 1 if previous and not args.replace else entry["turn_id"]
    if entry["turn_id"] != after:
        about_before = (
            f"coglog: another turn was written meanwhile: this is turn {entry['turn_id']}, and was made from turn"
            f" {after - 1}"
        )
    return stored_outcome(entry, args, frontend, note=about_before)


def turn_before(store: CogLog, *, replaces: bool) -> tuple[Entry | None, str]:
    """Return the turn that goes before the model, a(n), and what there is to say of it."""
    from ..steps.previous_turn import before

    stored = store.read()
    if stored is None or not replaces:
        return stored, ""
    previous, known = before(store, stored)
    if known:
        return previous, ""
    number = stored["turn_id"]
    return stored, f"coglog: the turn before turn {number} is gone: the model was given turn {number} itself"


def advice(error: TurnError, args: Namespace) -> list[str]:
    """Say which of the options would help."""
    if error.captured is None:
        return []
    from ..fields import AXES

    found = error.captured.fields
    lines = []
    if "thinking" not in found and not args.ask_thinking:
        lines.append("--ask-thinking asks the model to write its thinking down; --thinking EXPR gives it")
    if not args.reflect and not any(name in found for name in AXES):
        lines.append("--reflect asks for the axes after the answer, one by one")
    return lines

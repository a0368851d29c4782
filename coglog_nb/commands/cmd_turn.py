"""`turn`: one step of the recurrence with a model."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..errors import InputError, RefusedError, TurnError, UsageError
from .cmd_context import add_context_options, context_options
from .cmd_write import stored_outcome
from .frontend import Frontend, Outcome
from .parser import Parser

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from ..steps.next_turn import NextTurn

TAKES_BODY = True

MODEL_HELP = "a model's id or alias in llm, or in a notebook a callable that takes messages and returns a reply"
SYSTEM_HELP = "the system prompt: a name that holds a str (%%coglog), or a file"


def add_arguments(parser: Parser) -> None:
    """Add the options of `turn`."""
    parser.add_argument("-m", "--model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument("--system", metavar="NAME|FILE", help=SYSTEM_HELP)
    add_step_options(parser)
    parser.add_argument(
        "--replace", action="store_true", help="overwrite the stored turn under its own turn_id (a cell run again)"
    )
    parser.add_argument(
        "--store-refusal", action="store_true", help="store a refusal too; axes it doesn't give are left empty"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show the messages and their size; call nothing, store nothing"
    )


def add_step_options(parser: Parser) -> None:
    """Add the options that `turn` and `try` share."""
    parser.add_argument("--user", metavar="EXPR", help="what the user says, instead of the body (%%coglog)")
    parser.add_argument(
        "--template",
        metavar="NAME|FILE",
        help="your own instruction for the block, instead of the standard one; empty: send no instruction",
    )
    add_context_options(parser)
    parser.add_pair(
        "-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of llm's model; repeatable"
    )
    parser.add_argument(
        "--ask-thinking",
        action="store_true",
        help="ask the model to write down its thinking, if it returns none",
    )
    parser.add_argument(
        "--thinking",
        metavar="EXPR",
        help="the thinking, if the model returns none (in a shell: the text itself)",
    )
    parser.add_argument(
        "--reflect",
        action="store_true",
        help="fill the axes with four short questions after the answer, if the model can't write the block reliably",
    )


def user_text(args: Namespace, frontend: Frontend) -> str:
    """Return what the user says."""
    if args.user is not None and not frontend.in_notebook:
        raise UsageError(
            f"--user {args.user}: a Python expression works only in a notebook; here, what the user says comes on stdin"
        )
    text = frontend.read_text() if args.user is None else frontend.evaluate_text(args.user, "--user")
    if not text.strip():
        where = "the cell's body" if frontend.in_notebook else "stdin"
        raise InputError(f"missing required field: user ({where} is empty; it must hold what the user says)")
    return text


def step_settings(args: Namespace, frontend: Frontend) -> dict[str, Any]:
    """Return the arguments of a `Step` that the options give, except the system prompt."""
    thinking = args.thinking
    if thinking is not None and frontend.in_notebook:
        thinking = frontend.evaluate_text(thinking, "--thinking")
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
    from ..steps.next_turn import NextTurn  # only a command that calls a model pays for this import

    settings = step_settings(args, frontend)
    system = "" if args.system is None else frontend.text_of(args.system, "--system")
    store = frontend.store(args)
    next_turn = NextTurn(
        store,
        user_text(args, frontend),
        replace=args.replace,
        store_refusal=args.store_refusal,
        system=system,
        **settings,
    )
    if args.dry_run:
        return dry_run(next_turn, args, frontend)
    if args.model is None:
        raise UsageError("no model: -m MODEL names one that llm knows, or a callable; --dry-run calls none")
    model = frontend.find_model(args.model, model_options(args))
    reply_name = ""
    try:
        with frontend.stream(model.name, hides_thinking=not frontend.shows_thinking(args)) as on_piece:
            try:
                entry = next_turn.run(model, on_piece)
            except RefusedError as error:
                note = f"coglog: {error} (--store-refusal stores it)"
                return Outcome(value=error.captured, note=note)  # a shell has already printed the answer
            finally:
                reply_name = frontend.remember(next_turn.step.reply_to_keep)
    except TurnError as error:
        problems = [*error.problems, *advice(error, args), *filter(None, [reply_name])]
        raise TurnError(problems, reply=error.reply, captured=error.captured) from error
    return stored_outcome(entry, store, args, frontend, note=notes(next_turn))


def dry_run(next_turn: NextTurn, args: Namespace, frontend: Frontend) -> Outcome:
    """Show the messages that the turn would send."""
    from ..prompt import messages_text

    step = next_turn.step
    shown = step.messages_shown(hides_thinking=not frontend.shows_thinking(args))
    return Outcome(messages_text(shown, step.messages, asked_after=args.reflect), note=notes(next_turn))


def notes(next_turn: NextTurn) -> str:
    """Return the turn's notices as lines of output."""
    notices = (next_turn.about_previous, next_turn.about_write)
    return "\n".join(f"coglog: {notice}" for notice in notices if notice)


def advice(error: TurnError, args: Namespace) -> list[str]:
    """Return lines that name the options that would help."""
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

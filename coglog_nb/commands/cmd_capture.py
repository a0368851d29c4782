"""`capture`: read the seven fields out of a model's reply, to look at them or to store them."""

from __future__ import annotations

from argparse import Namespace

from ..errors import UsageError, ValidationError
from ..fields import NAMES
from ..jsontext import dump
from ..replies.captured import Captured, capture
from .cmd_write import add_field_options, field_options, store_turn
from .frontend import Frontend, Outcome
from .parser import Parser

TAKES_BODY = True


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "reply",
        nargs="?",
        metavar="NAME",
        help="a Python expression giving the reply (%%coglog); without it, the cell's body is the reply's raw text. On"
        " the command line, the reply is on stdin, as JSON or raw text",
    )
    add_field_options(parser, "; on the command line the text itself")
    parser.add_argument("--write", action="store_true", help="store the turn, if nothing is missing")
    parser.add_argument(
        "--replace", action="store_true", help="with --write: overwrite the stored turn under its own turn_id"
    )


def run(args: Namespace, frontend: Frontend) -> Outcome:
    if args.replace and not args.write:
        raise UsageError("--replace goes with --write: without it nothing is stored")
    captured = _captured(args, frontend)
    notes = [f"coglog: {note}" for note in captured.notes]
    if args.write:
        if captured.problems:
            raise ValidationError(captured.problems)
        outcome = store_turn(captured.fields, args, frontend)
        said = "\n".join(notes)
        outcome.note, outcome.aside = (said, "") if frontend.in_notebook else ("", said)
        return outcome
    captured.theme = frontend.theme(args)
    shows_thinking = frontend.shows_thinking(args)
    if not shows_thinking:
        captured.show_thinking = False
    if frontend.in_notebook:
        return Outcome(value=captured)
    fields = {name: text for name, text in captured.fields.items() if shows_thinking or name != "thinking"}
    return Outcome(dump(fields), problems=captured.problems, aside="\n".join(notes))


def _captured(args: Namespace, frontend: Frontend) -> Captured:
    if frontend.in_notebook:
        given = field_options(args, frontend)
    else:
        given = {name: text for name in NAMES if (text := getattr(args, f"field_{name}")) is not None}
    return capture(_reply(args, frontend), **given)


def _reply(args: Namespace, frontend: Frontend) -> object:
    if not frontend.in_notebook:
        if args.reply is not None:
            raise UsageError(f"unexpected argument {args.reply}: here the reply is on stdin")
        return frontend.read_text()
    body = frontend.read_text()
    if args.reply is None:
        if not body.strip():
            raise UsageError("no reply: give a Python expression as NAME, or the reply's raw text as the cell's body")
        return body
    if body.strip():
        raise UsageError("two replies: NAME gives one, and the cell's body another")
    return frontend.evaluate(args.reply, "NAME")

"""`context`: what of the stored turn goes into the next prompt."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..prompt import FORMATS, context, size_text
from .cmd_read import NOTHING
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add what goes in, and how."""
    add_context_options(parser)


def add_context_options(parser: Parser) -> None:
    """Add the options of every command that puts the stored turn before a model."""
    parser.add_argument(
        "--format", choices=FORMATS, default=FORMATS[0], metavar="FORMAT", help="markdown (the default) or json"
    )
    parser.add_text(
        "--only", metavar="WHICH", help="axes, facts, or names of fields separated by commas: what goes in of the turn"
    )
    parser.add_argument("--no-schema", action="store_true", help="leave out the _schema, which says how to read it")


def context_options(args: Namespace) -> dict[str, Any]:
    """Return those options as `context` takes them."""
    return {"fmt": args.format, "only": args.only, "schema": not args.no_schema}


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Give the context."""
    entry = frontend.store(args).read()
    if entry is not None:
        frontend.apply_display_options(entry, args)
    text = context(entry, **context_options(args))
    if entry is None:
        return Outcome(NOTHING)
    return Outcome(text.shown, value=text, aside=f"[{size_text(text)}]")

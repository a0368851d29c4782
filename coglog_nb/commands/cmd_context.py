"""`context`: print the part of the stored turn that goes into the next prompt."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..labels import NOTHING_STORED
from ..prompt import FORMATS, context, size_text
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add the options of `context`."""
    add_context_options(parser)


def add_context_options(parser: Parser) -> None:
    """Add the options that `context`, `turn` and `try` share."""
    parser.add_argument(
        "--format", choices=FORMATS, default=FORMATS[0], metavar="FORMAT", help="markdown (the default) or json"
    )
    parser.add_text(
        "--only", metavar="WHICH", help="which fields to include: axes, facts, or names separated by commas"
    )
    parser.add_argument("--no-schema", action="store_true", help="leave out the _schema, which says how to read it")


def context_options(args: Namespace) -> dict[str, Any]:
    """Return those options as arguments of `context`."""
    return {"fmt": args.format, "only": args.only, "schema": not args.no_schema}


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Return the context."""
    entry = frontend.store(args).read()
    if entry is not None:
        frontend.apply_display_options(entry, args)
    text = context(entry, **context_options(args))
    if entry is None:
        return Outcome(NOTHING_STORED)
    return Outcome(text.shown, value=text, aside=f"[{size_text(text)}]")

"""`schema`: the JSON Schema of an entry, or of what writing one takes."""

from __future__ import annotations

from argparse import Namespace

from ..json_schema import DIALECT, entry_schema, input_schema
from ..jsontext import dump
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add which of the two."""
    parser.add_argument(
        "--input", action="store_true", help="of what `write` takes, and the tools of that name, not of an entry"
    )


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Give the schema."""
    del frontend  # it is the same everywhere
    made = {"$schema": DIALECT, "title": "CogLog turn to write", **input_schema()} if args.input else entry_schema()
    return Outcome(dump(made), value=made)

"""`schema`: print the JSON Schema of an entry, or of what `write` takes."""

from __future__ import annotations

from argparse import Namespace

from ..json_schema import DIALECT, entry_schema, input_schema
from ..jsontext import dump
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--input", action="store_true", help="the schema of what `write` and coglog_write take, instead of an entry's"
    )


def run(args: Namespace, frontend: Frontend) -> Outcome:
    del frontend  # the schema is the same everywhere
    made = {"$schema": DIALECT, "title": "CogLog turn to write", **input_schema()} if args.input else entry_schema()
    return Outcome(dump(made), value=made)

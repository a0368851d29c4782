"""`keep`: stores one of the candidates of the last `try` as the next turn."""

from __future__ import annotations

import re
from argparse import Namespace

from ..commands.cmd_write import stored_outcome
from ..commands.frontend import Outcome
from ..commands.parser import Parser
from ..errors import UsageError
from .frontend import NotebookFrontend


def add_arguments(parser: Parser) -> None:
    """Add the options of `keep`."""
    parser.add_argument("number", metavar="K", help="the candidate's number, as its card shows it")
    parser.add_argument(
        "--replace",
        action="store_true",
        help="overwrite the stored turn, for example the candidate that you kept before",
    )
    parser.add_argument(
        "--store-refusal", action="store_true", help="store a refusal too; axes it doesn't give are left empty"
    )


def run(args: Namespace, frontend: NotebookFrontend) -> Outcome:
    """Store the candidate."""
    comparison = frontend.comparison
    if comparison is None:
        raise UsageError("no candidates: %%coglog try makes some")
    if not re.fullmatch(r"[0-9]{1,9}", args.number):
        raise UsageError(f"K is a candidate's number, not {args.number}")
    store = frontend.store(args)
    entry = comparison.keep(int(args.number), store, replace=args.replace, store_refusal=args.store_refusal)
    return stored_outcome(entry, store, args, frontend)

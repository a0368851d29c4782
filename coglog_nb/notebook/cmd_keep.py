"""`keep`: one of the candidates becomes the next turn."""

from __future__ import annotations

import re
from argparse import Namespace

from ..commands.cmd_write import stored_outcome
from ..commands.frontend import Outcome
from ..commands.parser import Parser
from ..errors import UsageError
from .frontend import NotebookFrontend


def add_arguments(parser: Parser) -> None:
    """Add which one."""
    parser.add_argument("number", metavar="K", help="the candidate's number, as its card shows it")
    parser.add_argument("--replace", action="store_true", help="overwrite the stored turn, such as one kept before")
    parser.add_argument(
        "--store-refusal", action="store_true", help="store a refusal too, the axes it doesn't give left empty"
    )


def run(args: Namespace, frontend: NotebookFrontend) -> Outcome:
    """Store it."""
    found = frontend.candidates
    if found is None:
        raise UsageError("no candidates: %%coglog try makes some")
    if not re.fullmatch(r"[0-9]{1,9}", args.number):
        raise UsageError(f"K is a candidate's number, not {args.number}")
    from ..steps.previous_turn import remember

    frontend.theme(args)
    store = frontend.store(args)
    entry = found.keep(int(args.number), store, replace=args.replace, store_refusal=args.store_refusal)
    remember(store, entry, found.previous)
    return stored_outcome(entry, args, frontend)

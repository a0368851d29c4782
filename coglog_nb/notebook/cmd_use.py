"""`use`: switch this notebook to a session."""

from __future__ import annotations

from argparse import Namespace

from ..commands.frontend import Outcome
from ..commands.parser import Parser
from ..paths import session_name
from .frontend import NotebookFrontend


def add_arguments(parser: Parser) -> None:
    parser.add_text("name", nargs="?", metavar="NAME", help="the session; without it, the default window")


def run(args: Namespace, frontend: NotebookFrontend) -> Outcome:
    if args.name is None:
        frontend.use(None)
        return Outcome("coglog: default window")
    name = session_name(args.name)
    frontend.store(Namespace(**{**vars(args), "session": name}))  # refuses a name that no new session may have
    frontend.use(name)
    return Outcome(f"coglog: session {name}")

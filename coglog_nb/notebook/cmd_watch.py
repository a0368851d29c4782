"""`watch`: show a card that follows the stored turn."""

from __future__ import annotations

from argparse import Namespace

from ..commands.frontend import Outcome
from ..commands.parser import Parser
from .frontend import NotebookFrontend
from .watch import start, stop_all


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--stop", action="store_true", help="stop following; the cards stay as they are")


def run(args: Namespace, frontend: NotebookFrontend) -> Outcome:
    """Show the card, or stop the cards that earlier calls showed."""
    if not args.stop:
        start(frontend.store(args), theme=frontend.theme(args), hides_thinking=args.no_thinking)
        return Outcome()
    count = stop_all()
    return Outcome(
        f"coglog: {count} card{'' if count == 1 else 's'} stopped" if count else "coglog: nothing is watched"
    )

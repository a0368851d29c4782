"""`watch`: a card that follows the stored turn."""

from __future__ import annotations

from .frontend import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .frontend import Frontend
    from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add how it ends."""
    parser.add_argument("--stop", action="store_true", help="let the cards follow no longer; they stay as they are")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Show the card, or end what an earlier call began."""
    return Outcome(frontend.stop_watching() if args.stop else frontend.watch(args))

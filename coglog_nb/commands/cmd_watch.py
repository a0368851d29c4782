"""`watch`: a card that follows the stored turn."""

from __future__ import annotations

from .face import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .face import Face
    from .grammar import Parser


def add_arguments(parser: Parser) -> None:
    """Add how it ends."""
    parser.add_argument("--stop", action="store_true", help="let the cards follow no longer; they stay as they are")


def run(args: Namespace, face: Face) -> Outcome:
    """Show the card, or end what an earlier call began."""
    return Outcome(face.stop_watching() if args.stop else face.watch(args))

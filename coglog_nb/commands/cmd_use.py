"""`use`: the notebook keeps to a session."""

from __future__ import annotations

from ..paths import session_name
from .face import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .face import Face
    from .grammar import Parser


def add_arguments(parser: Parser) -> None:
    """Add the session."""
    parser.add_text("name", nargs="?", metavar="NAME", help="the session; none for the default window")


def run(args: Namespace, face: Face) -> Outcome:
    """Keep to the session, or go back to the default window."""
    if args.name is None:
        face.use(None)
        return Outcome("coglog: default window")
    name = session_name(args.name)
    face.use(name)
    return Outcome(f"coglog: session {name}")

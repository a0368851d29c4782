"""`edit`: a form in which a turn is written."""

from __future__ import annotations

from .cmd_write import add_field_options, options_given
from .frontend import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .frontend import Frontend
    from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add what is given of the turn, and the language."""
    add_field_options(parser)
    parser.add_language()


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Show the form: facts that are given are not to be edited, axes that are given are where it starts."""
    return Outcome(frontend.edit(args, options_given(args, frontend)))

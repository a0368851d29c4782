"""`template`: the instruction that asks a model for the block."""

from __future__ import annotations

from ..prompt import size_text, template
from .frontend import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .frontend import Frontend
    from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add nothing: the common options say it all."""


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Give the template."""
    del args, frontend  # it is the same everywhere
    text = template()
    return Outcome(text, value=text, aside=f"[{size_text(text)}]")

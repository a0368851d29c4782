"""`template`: the instruction that asks a model for the block."""

from __future__ import annotations

from ..prompt import size_text, template
from .face import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .face import Face
    from .grammar import Parser


def add_arguments(parser: Parser) -> None:
    """Add nothing: the common options say it all."""


def run(args: Namespace, face: Face) -> Outcome:
    """Give the template."""
    del args, face  # it is the same everywhere
    text = template()
    return Outcome(text, value=text, aside=f"[{size_text(text)}]")

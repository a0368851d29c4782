"""`read`: the stored turn."""

from __future__ import annotations

from ..entry import without_thinking
from ..jsontext import dump
from .face import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .face import Face
    from .grammar import Parser

NOTHING = "(no coglog found)"


def add_arguments(parser: Parser) -> None:
    """Add nothing: the common options say it all."""


def run(args: Namespace, face: Face) -> Outcome:
    """Read the turn: the entry as JSON, or as a value."""
    entry = face.store(args).read()
    if entry is None:
        return Outcome(NOTHING)
    face.dress(entry, args)
    if face.in_notebook:
        return Outcome(value=entry)
    return Outcome(dump(entry if entry.show_thinking else without_thinking(entry)))

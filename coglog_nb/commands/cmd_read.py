"""`read`: the stored turn."""

from __future__ import annotations

from ..entry import without_thinking
from ..jsontext import dump
from .frontend import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .frontend import Frontend
    from .parser import Parser

NOTHING = "(no coglog found)"


def add_arguments(parser: Parser) -> None:
    """Add nothing: the common options say it all."""


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Read the turn: the entry as JSON, or as a value."""
    entry = frontend.store(args).read()
    if entry is None:
        return Outcome(NOTHING)
    frontend.apply_display_options(entry, args)
    if frontend.in_notebook:
        return Outcome(value=entry)
    return Outcome(dump(entry if entry.show_thinking else without_thinking(entry)))

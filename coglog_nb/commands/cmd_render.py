"""`render`: the viewer artifact of the turn that is stored."""

from __future__ import annotations

from ..errors import InputError
from ..viewer import render
from .frontend import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .frontend import Frontend
    from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add nothing: the common options say it all."""


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Write the artifact."""
    store = frontend.store(args)
    entry = store.read()
    if entry is None:
        raise InputError("no coglog found: there is no turn to render")
    frontend.apply_display_options(entry, args)
    path = render(entry, frontend.viewer_directory(args, store)[0], theme=entry.theme)
    return Outcome(f"coglog: viewer \u2192 {path}")

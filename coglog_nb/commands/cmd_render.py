"""`render`: the viewer artifact of the turn that is stored."""

from __future__ import annotations

from ..errors import InputError
from ..viewer import render
from .face import Outcome

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace

    from .face import Face
    from .grammar import Parser


def add_arguments(parser: Parser) -> None:
    """Add nothing: the common options say it all."""


def run(args: Namespace, face: Face) -> Outcome:
    """Write the artifact."""
    store = face.store(args)
    entry = store.read()
    if entry is None:
        raise InputError("no coglog found: there is no turn to render")
    face.dress(entry, args)
    path = render(entry, face.viewer_directory(args, store)[0], theme=entry.theme)
    return Outcome(f"coglog: viewer \u2192 {path}")

"""`render`: the viewer artifact of the turn that is stored."""

from __future__ import annotations

from argparse import Namespace

from ..errors import InputError
from ..viewer import render
from .frontend import Frontend, Outcome


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Write the artifact."""
    store = frontend.store(args)
    entry = store.read()
    if entry is None:
        raise InputError("no coglog found: there is no turn to render")
    frontend.apply_display_options(entry, args)
    path = render(entry, frontend.viewer_directory(args, store)[0], theme=entry.theme)
    return Outcome(f"coglog: viewer \u2192 {path}")

"""`render`: write the viewer artifact of the stored turn."""

from __future__ import annotations

from argparse import Namespace

from ..artifact import render
from ..errors import InputError
from .frontend import Frontend, Outcome


def run(args: Namespace, frontend: Frontend) -> Outcome:
    store = frontend.store(args)
    entry = store.read()
    if entry is None:
        raise InputError("no coglog found: there is no turn to render")
    frontend.apply_display_options(entry, args)
    path = render(entry, frontend.viewer_directory(args, store)[0], theme=entry.theme)
    return Outcome(f"coglog: viewer \u2192 {path}", done=True)

"""`read`: show the stored turn."""

from __future__ import annotations

from argparse import Namespace

from ..jsontext import dump
from ..view import without_thinking
from .frontend import Frontend, Outcome

NOTHING = "(no coglog found)"


def run(args: Namespace, frontend: Frontend) -> Outcome:
    entry = frontend.store(args).read()
    if entry is None:
        return Outcome(NOTHING)
    frontend.apply_display_options(entry, args)
    if frontend.in_notebook:
        return Outcome(value=entry)
    return Outcome(dump(entry if entry.show_thinking else without_thinking(entry)))

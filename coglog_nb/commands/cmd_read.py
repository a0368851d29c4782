"""`read`: show the stored turn."""

from __future__ import annotations

from argparse import Namespace

from ..jsontext import dump
from ..labels import NOTHING_STORED
from ..view import without_thinking
from .frontend import Frontend, Outcome


def run(args: Namespace, frontend: Frontend) -> Outcome:
    entry = frontend.store(args).read()
    if entry is None:
        return Outcome(NOTHING_STORED)
    frontend.apply_display_options(entry, args)
    if frontend.in_notebook:
        return Outcome(value=entry)
    return Outcome(dump(entry if entry.show_thinking else without_thinking(entry)))

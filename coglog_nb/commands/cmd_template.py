"""`template`: print the instruction that asks a model for the block."""

from __future__ import annotations

from argparse import Namespace

from ..prompt import size_text, template
from .frontend import Frontend, Outcome


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Return the template."""
    del args, frontend  # it is the same everywhere
    text = template()
    return Outcome(text, value=text, aside=f"[{size_text(text)}]")

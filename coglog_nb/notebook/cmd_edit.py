"""`edit`: open a form to write a turn."""

from __future__ import annotations

from argparse import Namespace

from ..commands.cmd_write import add_field_options, field_options
from ..commands.frontend import Outcome
from ..commands.parser import Parser
from .editor import start
from .frontend import NotebookFrontend


def add_arguments(parser: Parser) -> None:
    add_field_options(parser)
    parser.add_language()


def run(args: Namespace, frontend: NotebookFrontend) -> Outcome:
    """Show the form: given facts can't be edited, given axes are what it starts with."""
    store = frontend.store(args)
    text = start(
        store,
        field_options(args, frontend),
        lang=frontend.lang(args),
        theme=frontend.theme(args),
        viewer_dir=frontend.viewer_directory(args, store)[0],
        artifacts=frontend.artifacts,
        shows_thinking=not args.no_thinking,
    )
    return Outcome(text)

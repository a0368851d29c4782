"""`guide`: the seven fields in plain words, each with an example that works and one that doesn't."""

from __future__ import annotations

from argparse import Namespace

from ..errors import UsageError
from ..teaching.guide import guide
from ..teaching.handout import handout_source
from .frontend import Frontend, Outcome
from .output_file import checked_ending, write_output
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    parser.add_text("field", nargs="?", metavar="AXIS", help="the name of an axis or a fact; without one, all fields")
    parser.add_language()
    parser.add_text("--sheet", metavar="PATH", help="write a one-page handout to print, as an .html file")
    parser.add_argument("--force", action="store_true", help="with --sheet: overwrite an existing file")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    lang = frontend.lang(args)
    if args.sheet is None:
        text = guide(args.field, lang)
        return Outcome(text, value=text)
    if args.field is not None:
        raise UsageError(f"--sheet holds all the fields: leave out {args.field}")
    checked_ending(args.sheet, (".html",))
    path = write_output(args.sheet, handout_source(lang), frontend.store(args), force=args.force)
    return Outcome(f"coglog: sheet \u2192 {path}", done=True)

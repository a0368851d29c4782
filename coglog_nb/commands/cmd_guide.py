"""`guide`: the seven fields in plain words, each with an example that works and one that doesn't."""

from __future__ import annotations

from argparse import Namespace

from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add which field, in which language, and the page to print."""
    parser.add_text(
        "field", nargs="?", metavar="AXIS", help="the name of an axis, or of a fact; without one, all of them"
    )
    parser.add_language()
    parser.add_text(
        "--sheet", metavar="PATH", help="write the one page that a workshop prints to an .html file instead"
    )
    parser.add_argument("--force", action="store_true", help="overwrite a sheet that is there")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Give the guide, or write the page."""
    from ..teaching.guide import guide

    lang = frontend.lang(args)
    if args.sheet is not None:
        return _sheet(args, lang)
    text = guide(args.field, lang)
    return Outcome(text, value=text)


def _sheet(args: Namespace, lang: str) -> Outcome:
    import os

    from ..errors import StoreError, UsageError
    from ..files import replace_file
    from ..paths import absolute
    from ..teaching.handout import handout_source
    from .cmd_export import checked_ending

    if args.field is not None:
        raise UsageError(f"--sheet holds all the fields: leave out {args.field}")
    checked_ending(args.sheet, (".html",))
    path = absolute(args.sheet, "PATH")
    source = handout_source(lang)
    if os.path.lexists(path) and not args.force:
        raise StoreError(f"{path} is there already; --force overwrites it", path)
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise StoreError(f"{path} is not a regular file, and not to be written over", path)
    replace_file(target, [source.encode("utf-8")], mode=None)
    return Outcome(f"coglog: sheet \u2192 {path}")

"""`export`: the stored turn as a file to pass on; the file's ending says which kind."""

from __future__ import annotations

from argparse import Namespace

from ..artifact import artifact_source
from ..entry import Entry
from ..errors import InputError
from ..html_form import page_source
from ..jsontext import dump
from ..text_form import markdown
from ..view import without_thinking
from .frontend import Frontend, Outcome
from .output_file import checked_ending, write_output
from .parser import Parser

ENDINGS = (".json", ".jsx", ".html", ".md")


def add_arguments(parser: Parser) -> None:
    parser.add_text(
        "path",
        metavar="PATH",
        help="the file to write: .json is the entry, .jsx the viewer artifact,"
        " .html the card as a self-contained page, .md text for pasting",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    ending = checked_ending(args.path, ENDINGS)
    store = frontend.store(args)
    entry = store.read()
    if entry is None:
        raise InputError("no coglog found: there is no turn to export")
    frontend.apply_display_options(entry, args)
    path = write_output(args.path, _text(entry, ending), store, force=args.force)
    return Outcome(f"coglog: exported \u2192 {path}", done=True)


def _text(entry: Entry, ending: str) -> str:
    if ending == ".json":
        return dump(entry if entry.show_thinking else without_thinking(entry)) + "\n"
    if ending == ".md":
        return markdown(entry.view())
    make = page_source if ending == ".html" else artifact_source
    return make(entry.view(), theme=entry.theme)

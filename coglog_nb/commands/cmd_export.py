"""`export`: the stored turn as a file that travels; its ending says what kind."""

from __future__ import annotations

import os
from argparse import Namespace

from ..entry import Entry, without_thinking
from ..errors import InputError, StoreError, UsageError
from ..jsontext import dump
from ..paths import absolute
from ..suggestions import did_you_mean
from .frontend import Frontend, Outcome
from .parser import Parser

ENDINGS = (".json", ".jsx", ".html", ".md")
_OTHER_NAMES = {".markdown": ".md", ".xhtml": ".html"}


def add_arguments(parser: Parser) -> None:
    """Add where to, and whether over what is there."""
    parser.add_text(
        "path",
        metavar="PATH",
        help="the file: .json is the entry, .jsx the viewer artifact,"
        " .html the card as a page that needs nothing beside it, .md text for pasting",
    )
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there")


def checked_ending(path: str, endings: tuple[str, ...]) -> str:
    """Return a path's ending, or raise a `UsageError` that names those there are."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in endings:
        known = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        meant = did_you_mean(_OTHER_NAMES.get(ending, ending), endings)
        raise UsageError(f"unknown file ending {ending or '(none)'}: PATH ends in {known}{meant}")
    return ending


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Write the file, whole or not at all."""
    from ..files import replace_file

    ending = checked_ending(args.path, ENDINGS)
    path = absolute(args.path, "PATH")
    store = frontend.store(args)
    entry = store.read()
    if entry is None:
        raise InputError("no coglog found: there is no turn to export")
    frontend.apply_display_options(entry, args)
    text = _text(entry, ending)
    if os.path.lexists(path) and not args.force:
        raise StoreError(f"{path} is there already; --force overwrites it", path)
    target = os.path.realpath(path)
    if target.startswith(os.path.realpath(store.data_dir) + os.sep) and os.path.basename(target) == "current.json":
        raise StoreError(f"{path} is where a turn is kept, and not to be exported over", path)
    if target == os.path.realpath(store.current_file):
        raise StoreError(f"{path} leads to where the turn is kept, and is not to be exported over", path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise StoreError(f"{path} is not a regular file, and not to be exported over", path)
    # The system's usual permissions: whoever chose the place chose who may look into it.
    replace_file(target, [text.encode("utf-8")], mode=None)
    return Outcome(f"coglog: exported \u2192 {path}")


def _text(entry: Entry, ending: str) -> str:
    if ending == ".json":
        return dump(entry if entry.show_thinking else without_thinking(entry)) + "\n"
    from .. import viewer

    if ending == ".md":
        return viewer.markdown(entry)
    make = viewer.page_source if ending == ".html" else viewer.artifact_source
    return make(entry, theme=entry.theme)

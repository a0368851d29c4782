"""`import`: store the turn of an exported file in this window, with its id and time."""

from __future__ import annotations

from argparse import Namespace

from ..errors import InputError, StoreError
from ..jsontext import decode, load_object
from ..paths import absolute
from ..store import read_regular
from .frontend import Frontend, Outcome
from .output_file import checked_ending
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    parser.add_text("path", metavar="PATH", help="a .json file that holds an entry")
    parser.add_argument("--replace", action="store_true", help="overwrite the stored turn")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    checked_ending(args.path, (".json",))
    path = absolute(args.path, "PATH")
    try:
        data = read_regular(path)
    except OSError as error:
        raise StoreError.from_os("read", path, error) from error
    except ValueError as error:
        raise StoreError(f"cannot read {path}: it {error}", path) from error
    try:
        given = load_object(decode(data))
    except InputError as error:
        raise InputError(f"{path}: {problem}" for problem in error.problems) from error
    entry = frontend.store(args).import_entry(given, replace=args.replace)
    return Outcome(f"coglog: imported turn {entry['turn_id']}", done=True)

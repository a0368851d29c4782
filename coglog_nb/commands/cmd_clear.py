"""`clear`: remove the stored turn."""

from __future__ import annotations

from argparse import Namespace

from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--outputs", action="store_true", help="remove this window's viewer artifacts too")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    store = frontend.store(args)
    result = store.clear()
    if not result["cleared"]:
        lines = [f"coglog: {result['reason']}"]
    elif "moved_to" in result:
        lines = [f"coglog: cleared (damaged file kept as {result['moved_to']})"]
    else:
        lines = ["coglog: cleared"]
    if args.outputs:
        from ..artifact import remove_artifacts  # a plain clear doesn't need it

        count = remove_artifacts(frontend.viewer_directory(args, store)[0], store.session)
        lines.append(f"coglog: {count} viewer artifact{'' if count == 1 else 's'} removed")
    return Outcome("\n".join(lines), done=True)

"""`skill`: write CogLog as a skill folder, for agents that can run scripts but have nothing installed."""

from __future__ import annotations

from argparse import Namespace

from ..skill import write_skills
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    parser.add_text("directory", metavar="DIR", help="the folder to write the skills into; created if it doesn't exist")
    parser.add_argument(
        "--viz", action="store_true", help="also write coglog-viz, whose `write` writes the viewer artifact too"
    )
    parser.add_argument("--zip", action="store_true", help="also pack each skill into a .zip file, ready to upload")
    parser.add_argument("--force", action="store_true", help="overwrite a modified folder; local changes are lost")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    del frontend  # the skills are the same everywhere
    paths = write_skills(args.directory, viz=args.viz, archives=args.zip, force=args.force)
    return Outcome("\n".join(f"coglog: skill \u2192 {path}" for path in paths), done=True)

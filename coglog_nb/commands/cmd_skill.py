"""`skill`: CogLog as a skill folder, for agents that run scripts and have nothing installed."""

from __future__ import annotations

from argparse import Namespace

from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add where to, and what else."""
    parser.add_text("directory", metavar="DIR", help="the folder of skills to write into; it is made if need be")
    parser.add_argument(
        "--viz", action="store_true", help="write coglog-viz too, whose write makes the viewer artifact"
    )
    parser.add_argument("--zip", action="store_true", help="pack each into a .zip beside it, ready to upload")
    parser.add_argument(
        "--force", action="store_true", help="write anew what was changed since; the changes in it are then gone"
    )


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Write the skills."""
    del frontend  # they are the same everywhere
    from ..skill import write_skills

    paths = write_skills(args.directory, viz=args.viz, archives=args.zip, force=args.force)
    return Outcome("\n".join(f"coglog: skill \u2192 {path}" for path in paths))

"""`sessions`: list the sessions of the data directory."""

from __future__ import annotations

from argparse import Namespace

from ..errors import CogLogError
from ..labels import NOTHING_STORED
from ..paths import session_names
from ..store import CogLog
from .frontend import Frontend, Outcome


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Print a line for each session: name, turn id and time, or why it can't be read."""
    data_dir = frontend.store(args).data_dir
    names = session_names(str(data_dir))
    width = max((len(name) for name in names), default=0)
    lines = [f"{name:{width}}  {_state(str(data_dir), name)}" for name in names]
    return Outcome("\n".join(lines) or "(no sessions)")


def _state(data_dir: str, name: str) -> str:
    try:
        entry = CogLog(data_dir, session=name).read()
    except CogLogError as error:
        return f"({error})"
    return f"turn {entry['turn_id']}  {entry['timestamp']}" if entry else NOTHING_STORED

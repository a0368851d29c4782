"""`where`: show the data directory, why it is that one, and what is in its file."""

from __future__ import annotations

import os
from argparse import Namespace

from ..errors import CogLogError
from ..labels import NOTHING_STORED
from .frontend import Frontend, Outcome


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Show where the turn is. A damaged file is reported but isn't an error, because this command helps to find it."""
    store = frontend.store(args)
    viewer_dir, viewer_why = frontend.viewer_directory(args, store)
    try:
        entry = store.read()
    except CogLogError as error:
        turn, written = f"({error})", "-"
    else:
        turn = str(entry["turn_id"]) if entry else NOTHING_STORED
        written = entry["timestamp"] if entry else "-"
    file = store.current_file
    try:
        size = f"{os.stat(file).st_size:,} bytes"
    except OSError:
        size = "-"
    rows = {
        "data directory": f"{store.data_dir} ({frontend.origin(args, store)})",
        "file": str(file),
        "session": store.session or "(default)",
        "turn": turn,
        "time": written,
        "size": size,
        "viewer directory": f"{viewer_dir} ({viewer_why})",
    }
    return Outcome("\n".join(f"{name:17} {value}" for name, value in rows.items()))

"""Which turn each written turn followed, for as long as this process lives.

The store keeps one turn. When a cell runs again and overwrites what it wrote (``replace``), the turn before that one
is in no file any more, but the model must see it again: to show it the cell's own answer would be another experiment.
"""

from __future__ import annotations

from ..entry import Entry
from ..store import CogLog

# By file: the turn that this process last wrote there, and the turn that it followed.
_last_written: dict[str, tuple[Entry, Entry | None]] = {}


def remember(store: CogLog, written: Entry, previous: Entry | None) -> None:
    """Remember which turn the one that was just written followed."""
    _last_written[str(store.current_file)] = (written, previous)


def before(store: CogLog, stored: Entry) -> tuple[Entry | None, bool]:
    """Return the turn that the stored one followed, and whether that is known.

    It is known if this process wrote the stored turn, or if the stored turn is turn 1, which follows none.
    """
    written, previous = _last_written.get(str(store.current_file), (None, None))
    if written == stored:
        return previous, True
    return None, stored["turn_id"] == 1

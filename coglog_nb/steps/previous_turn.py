"""Which turn a turn followed, for as long as this process lives: what a cell that is run again has to start from.

The store keeps one turn. When a cell takes its step once more and overwrites what it wrote (``replace``), the turn
before that is in no file any more; to put the cell's own answer before the model in its place would be another
experiment.
"""

from __future__ import annotations

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from ..entry import Entry
    from ..store import CogLog

# By file: the turn that was written there last, and the one that it followed.
_followed: dict[str, tuple[Entry, Entry | None]] = {}


def remember(store: CogLog, written: Entry, previous: Entry | None) -> None:
    """Keep in mind which turn was followed by the one that was just written."""
    _followed[str(store.current_file)] = (written, previous)


def before(store: CogLog, stored: Entry) -> tuple[Entry | None, bool]:
    """Return the turn that the stored one followed, and whether that is known.

    It is known where this process wrote the stored turn, or the turn is the first there ever was.
    """
    written, previous = _followed.get(str(store.current_file), (None, None))
    if written == stored:
        return previous, True
    return None, stored["turn_id"] == 1

"""A file that the user names: what its ending says, and what it must not overwrite."""

from __future__ import annotations

import os

from ..errors import StoreError, UsageError
from ..files import replace_file
from ..paths import absolute
from ..suggestions import did_you_mean

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from ..store import CogLog

_OTHER_NAMES = {".markdown": ".md", ".xhtml": ".html"}


def checked_ending(path: str, endings: tuple[str, ...]) -> str:
    """Return a path's ending in lower case.

    Raises
    ------
    UsageError
        If the ending isn't in `endings`. The error suggests the nearest one.
    """
    ending = os.path.splitext(path)[1].lower()
    if ending not in endings:
        known = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        meant = did_you_mean(_OTHER_NAMES.get(ending, ending), endings)
        raise UsageError(f"unknown file ending {ending or '(none)'}: PATH ends in {known}{meant}")
    return ending


def write_output(path: str, text: str, store: CogLog, *, force: bool) -> str:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path : str
        The file, as the user named it.
    text : str
        What it will hold.
    store : CogLog
        The window in use; no turn in its data directory is overwritten.
    force : bool
        Whether an existing file may be overwritten.

    Returns
    -------
    str
        The file's absolute path.

    Raises
    ------
    StoreError
        If something is in the way, or the file system refuses.
    """
    path = absolute(path, "PATH")
    if os.path.lexists(path) and not force:
        if os.path.islink(path):  # the user may not have made it, so say what --force would overwrite
            raise StoreError(f"{path} is a link to {os.path.realpath(path)}; --force overwrites that file", path)
        raise StoreError(f"{path} already exists; --force overwrites it", path)
    target = os.path.realpath(path)
    in_data_dir = target.startswith(os.path.realpath(store.data_dir) + os.sep)
    if (in_data_dir and os.path.basename(target) == "current.json") or target == os.path.realpath(store.current_file):
        # It would bypass the lock.
        raise StoreError(f"{path} is where a turn is kept; choose another path", path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise StoreError(f"{path} is not a regular file; choose another path", path)
    # With the system's usual permissions: the user chose the place, and so who can read it.
    replace_file(target, [text.encode("utf-8")], mode=None)
    return path

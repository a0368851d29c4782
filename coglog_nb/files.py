"""Files that are replaced whole: no reader ever sees half of one, and no failure leaves half of one."""

from __future__ import annotations

import contextlib
import os
import stat

from .errors import StoreError

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700


def follow_link(path: str) -> str:
    """Return the file that a path leads to: itself, or what it links to.

    Raises
    ------
    StoreError
        If it is a link that leads nowhere, or in a circle.
    """
    if not os.path.islink(path):
        return path
    try:
        os.stat(path)
    except FileNotFoundError as error:
        raise StoreError(f"{path} is a link to {os.readlink(path)}, which does not exist", path) from error
    except OSError as error:
        raise StoreError.from_os("follow the link", path, error) from error
    return os.path.realpath(path)


def make_directories(path: str, *, private: bool) -> None:
    """Create a directory and whatever is missing above it.

    Parameters
    ----------
    path : str
        An absolute path.
    private : bool
        Whether the new ones are for the owner alone (0700), all of them: `os.makedirs` gives its mode to the last only.

    Raises
    ------
    StoreError
        If one can't be created, or a file or a broken link is in the way.
    """
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    for directory in reversed(missing):
        try:
            os.mkdir(directory, PRIVATE_DIRECTORY if private else 0o777)
        except FileExistsError as error:
            if not os.path.isdir(directory):  # else another writer was faster, which is just as well
                what = "a link that leads nowhere" if os.path.islink(directory) else "not a directory"
                raise StoreError(f"cannot create {directory}: it is {what}", directory) from error
        except (OSError, ValueError) as error:
            raise StoreError.from_os("create", directory, error) from error


def sync_directory(path: str) -> None:
    """Ask the system to write a directory's own entries to the device."""
    # Some systems can't open or sync a directory (Windows, some network mounts). By now the new file is in place and
    # flushed; failing here would report a stored turn as lost.
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def replace_file(
    path: str,
    data: Iterable[bytes],
    *,
    mode: int | None = PRIVATE_FILE,
    temporary: str | None = None,
    durable: bool = True,
) -> None:
    """Put a whole new file in the place of another, or of none.

    An existing file's mode and owner carry over.

    Parameters
    ----------
    path : str
        The file to replace. Not a link: the caller has followed it.
    data : iterable of bytes
        What it will hold, piece by piece.
    mode : int or None, optional
        The permissions of a file that wasn't there before; None for the system's usual ones.
    temporary : str, optional
        The file to write first, beside it. A caller that holds a lock gives a fixed name, so that what a
        killed writer left is removed here; by default the name is a new one at every call.
    durable : bool, optional
        Whether the new file is flushed to the device before it takes the name, and the directory after. What can
        be made again need not be.

    Raises
    ------
    StoreError
        If any of it fails; the old file is as it was, and no temporary file is left.
    """
    directory, name = os.path.split(path)
    if temporary is None:
        temporary = os.path.join(directory, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    # O_EXCL: a link that somebody put under this name must not be followed.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    permissions = 0o666 if mode is None else mode
    try:
        try:
            descriptor = os.open(temporary, flags, permissions)
        except FileExistsError:
            os.unlink(temporary)
            descriptor = os.open(temporary, flags, permissions)
    except (OSError, ValueError) as error:
        raise StoreError.from_os("write", path, error) from error
    try:
        with open(descriptor, "wb") as file:
            _carry_over(path, descriptor)
            file.writelines(data)
            file.flush()
            if durable:
                os.fsync(descriptor)
        os.replace(temporary, path)
    except BaseException as error:  # an interrupt, too, must leave nothing behind
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise StoreError.from_os("write", path, error) from error
        raise
    if durable:
        sync_directory(directory)


def _carry_over(path: str, descriptor: int) -> None:
    """Give an open new file the owner and the mode of the file it will replace."""
    if not hasattr(os, "fchmod"):  # Windows before Python 3.13: the mode bits mean nothing there
        return
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return
    new = os.fstat(descriptor)
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with contextlib.suppress(PermissionError):  # only root may give a file away; the content matters more
            os.fchown(descriptor, old.st_uid, old.st_gid)
    if stat.S_IMODE(old.st_mode) != stat.S_IMODE(new.st_mode):
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))

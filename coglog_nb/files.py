"""Files that are replaced whole: no reader ever sees half of one, and no failure leaves half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from .errors import StoreError

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700


def follow_link(path: str) -> str:
    """Return the file that a path leads to: itself, or the regular file that it links to.

    A link to anything else (a directory, a device) is not followed: nothing is ever done to what it leads to.

    Raises
    ------
    StoreError
        If it is a link that leads nowhere, or in a circle.
    """
    if not os.path.islink(path):
        return path
    try:
        followed = stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError as error:
        raise StoreError(f"{path} is a link to {os.readlink(path)}, which does not exist", path) from error
    except OSError as error:
        raise StoreError.from_os("follow the link", path, error) from error
    return os.path.realpath(path) if followed else path


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
        if private:
            sync_directory(os.path.dirname(directory))


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


def sync_file(descriptor: int) -> None:
    """Ask the system to write a file's content to the device."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems (FUSE mounts, mostly) don't know the request; any other refusal is news to the caller.
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP):
            raise


def _temporary_prefix(path: str) -> str:
    return f".{os.path.basename(path)}."


def sweep(path: str) -> None:
    """Remove what killed writers left beside a file. The caller holds its lock, so that no other writer is at work."""
    directory, prefix = os.path.dirname(path), _temporary_prefix(path)
    with contextlib.suppress(OSError):
        for name in os.listdir(directory):
            if name.startswith(prefix) and name.endswith(".tmp"):
                os.unlink(os.path.join(directory, name))


def replace_file(
    path: str,
    data: Iterable[bytes],
    *,
    mode: int | None = PRIVATE_FILE,
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
    durable : bool, optional
        Whether the new file is flushed to the device before it takes the name, and the directory after. What can
        be made again need not be.

    Raises
    ------
    StoreError
        If any of it fails; the old file is as it was, and no temporary file is left.
    """
    # A name of its own, even under a lock: where two writers both believe that they have it (a lock that is local to
    # each host of a network, a lock file that somebody removed), one must not put the other's half file in place.
    name = f"{_temporary_prefix(path)}{os.getpid()}-{os.urandom(4).hex()}.tmp"
    temporary = os.path.join(os.path.dirname(path), name)
    try:
        # O_EXCL: a link that somebody put under this name must not be followed.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(temporary, flags, 0o666 if mode is None else mode)
    except (OSError, ValueError) as error:
        raise StoreError.from_os("write", path, error) from error
    try:
        with open(descriptor, "wb") as file:
            carry_over(path, descriptor)
            file.writelines(data)
            file.flush()
            if durable:
                sync_file(descriptor)
        os.replace(temporary, path)
    except BaseException as error:  # an interrupt, too, must leave nothing behind
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise StoreError.from_os("write", path, error) from error
        raise
    if durable:
        sync_directory(os.path.dirname(path))


def carry_over(path: str, descriptor: int) -> None:
    """Give an open new file the owner and the mode of a file that it replaces or stands beside.

    Who could not read the old one must not read the new one: where the group can't be kept (only root, and the group's
    members, may give it), its permissions go.
    """
    if not hasattr(os, "fchown"):  # Windows: neither means anything there
        return
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return
    new = os.fstat(descriptor)
    mode = stat.S_IMODE(old.st_mode)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            try:
                os.fchown(descriptor, -1, old.st_gid)
            except PermissionError:
                mode &= ~stat.S_IRWXG
    if mode != stat.S_IMODE(new.st_mode):
        os.fchmod(descriptor, mode)

"""Replace files whole, so that no reader ever sees half a file and no failure leaves one."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time

from .descriptors import opened
from .errors import StoreError

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

_LARGE = 1 << 16  # bytes; shorter pieces are joined before they are written

_PAUSES = tuple(0.001 * 2**attempt for attempt in range(9))  # seconds; half a second in all


def follow_link(path: str) -> str:
    """Return the file that a path leads to: itself, or the regular file that it links to.

    A link to anything else (a directory, a device) isn't followed, so that nothing ever happens to its target.

    Raises
    ------
    StoreError
        If it is a dangling or circular link.
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
    """Create a directory and its missing parents.

    Parameters
    ----------
    path : str
        An absolute path.
    private : bool
        Whether all new directories are for the owner alone (0700). `os.makedirs` gives its mode only to the last one.

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
            if not os.path.isdir(directory):  # otherwise another writer was faster, which is fine
                what = "a dangling link" if os.path.islink(directory) else "not a directory"
                raise StoreError(f"cannot create {directory}: it is {what}", directory) from error
        except (OSError, ValueError) as error:
            raise StoreError.from_os("create", directory, error) from error
        if private:
            sync_directory(os.path.dirname(directory))


def sync_directory(path: str) -> None:
    """Ask the system to write a directory's own entries to the device."""
    # Some systems can't open or sync a directory (Windows, some network mounts). The new file is already in place and
    # flushed; an error here would report a stored turn as lost.
    with contextlib.suppress(OSError), opened(path, os.O_RDONLY) as descriptor:
        os.fsync(descriptor)


def sync_file(descriptor: int) -> None:
    """Ask the system to write a file's content to the device."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems (mostly FUSE mounts) don't know this request. The caller hears about any other refusal.
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP):
            raise


def patiently(call: Callable[..., Any], *arguments: str) -> Any:
    """Call a function that opens, replaces, renames or removes a file, and call it again while permission is refused.

    Windows refuses it while another process has the file open, so each reader gets in the way for a moment, and so does
    a virus scanner. After about half a second of refusals the last one is raised.
    """
    for pause in _PAUSES:
        try:
            return call(*arguments)
        except PermissionError:
            time.sleep(pause)
    return call(*arguments)


def _temporary_prefix(path: str) -> str:
    return f".{os.path.basename(path)}."


def sweep(path: str) -> None:
    """Remove what killed writers left beside a file. The caller holds its lock, so no other writer is active."""
    directory, prefix = os.path.dirname(path), _temporary_prefix(path)
    with contextlib.suppress(OSError):
        for name in os.listdir(directory):
            if name.startswith(prefix) and name.endswith(".tmp"):
                patiently(os.unlink, os.path.join(directory, name))


def replace_file(
    path: str,
    data: Iterable[bytes],
    *,
    mode: int | None = PRIVATE_FILE,
    durable: bool = True,
) -> None:
    """Create a file, or replace it whole. A replaced file's mode and owner are kept.

    Parameters
    ----------
    path : str
        The file to replace. A link isn't followed but replaced itself; nothing is taken from what it points to.
    data : iterable of bytes
        The new content, in pieces.
    mode : int or None, optional
        The permissions of a new file; None for the system's usual ones.
    durable : bool, optional
        Whether to flush the new file to the device before it gets its name, and the directory afterwards. A file that
        can be made again doesn't need it.

    Raises
    ------
    StoreError
        If any of it fails. The old file is then unchanged, and no temporary file is left.
    """
    # Each writer uses its own temporary name, even under a lock. Two writers can both believe that they hold it (if a
    # lock is local to each host of a network, or somebody removed the lock file). Then neither may install the other's
    # half file.
    name = f"{_temporary_prefix(path)}{os.getpid()}-{os.urandom(4).hex()}.tmp"
    temporary = os.path.join(os.path.dirname(path), name)
    # O_EXCL: a link that someone put under this name must not be followed.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with opened(temporary, flags, 0o666 if mode is None else mode) as descriptor:
            copy_owner_and_mode(path, descriptor)
            _write_all(descriptor, data)
            if durable:
                sync_file(descriptor)
        patiently(os.replace, temporary, path)
    except BaseException as error:  # an interrupt must leave nothing behind either
        with contextlib.suppress(OSError, ValueError):
            patiently(os.unlink, temporary)
        if isinstance(error, (OSError, ValueError)):
            raise StoreError.from_os("write", path, error) from error
        raise
    if durable:
        sync_directory(os.path.dirname(path))


def _write_all(descriptor: int, data: Iterable[bytes]) -> None:
    # Not through a file object of Python: one that an interrupt leaves behind writes what is in its buffer when it is
    # freed, and by then its descriptor may be another file's.
    small = bytearray()
    for piece in (*data, None):
        if piece is None or len(piece) + len(small) > _LARGE:
            _write(descriptor, small)
            small = bytearray()
        if piece is None or len(piece) > _LARGE:
            _write(descriptor, piece or b"")
        else:
            small += piece


def _write(descriptor: int, data: bytes | bytearray) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def copy_owner_and_mode(path: str, descriptor: int) -> None:
    """Give an open new file the owner and the mode of an existing file that it replaces or belongs to.

    Nobody who couldn't read the old file may read the new one. If the group can't be kept (only root and the group's
    members may set it), its permissions are dropped.
    """
    if not hasattr(os, "fchown"):  # Windows: neither means anything there
        return
    try:
        old = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(old.st_mode):
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

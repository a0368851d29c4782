"""The lock of a window: one writer at a time, across processes and threads.

There are three kinds of system: those with `flock` (Linux, macOS), with `msvcrt.locking` (Windows), and without locks
(Pyodide, whose `fcntl` is empty and whose only process has one thread). The store doesn't see the difference.

A `flock` belongs to an open file. A `lockf` belongs to a process, so it wouldn't keep threads apart. The kernel
releases the lock when the process dies, however it dies.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
import warnings

from .errors import LockError, StoreError
from .files import PRIVATE_FILE, copy_owner_and_mode, follow_link

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]  # Windows has no such module

# The errors of a file system without locks, such as some NFS home directories and FUSE mounts.
_NO_LOCKS = {
    errno.ENOLCK,
    errno.ENOSYS,
    errno.EOPNOTSUPP,
    getattr(errno, "ENOTSUP", errno.EOPNOTSUPP),
    errno.EINVAL,
}
# The errors while another process holds the lock; Windows says EACCES or EDEADLK.
_HELD = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}

_warned: set[str] = set()
_descriptors: set[int] = set()


def _close_after_fork() -> None:
    """Close a forked child's copies of its parent's locks. Otherwise it would hold them as long as it lives."""
    for descriptor in _descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _descriptors.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_after_fork)


def _flock() -> tuple[Callable[[int], None], Callable[[int], None]] | None:
    """Return two functions of a descriptor, one to lock without waiting and one to unlock; None without locks."""
    if hasattr(fcntl, "flock"):
        return (
            lambda descriptor: fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB),
            # Unlock explicitly, because close() isn't enough: a process forked in between holds the same open file.
            lambda descriptor: fcntl.flock(descriptor, fcntl.LOCK_UN),
        )
    if os.name == "nt":
        import msvcrt

        # One byte far after the pid: locks on Windows are mandatory, and the pid must stay readable.
        def lock(descriptor: int, how: str) -> None:
            os.lseek(descriptor, 1 << 20, os.SEEK_SET)
            msvcrt.locking(descriptor, getattr(msvcrt, how), 1)  # type: ignore[attr-defined,unused-ignore]

        return (
            lambda descriptor: lock(descriptor, "LK_NBLCK"),
            lambda descriptor: lock(descriptor, "LK_UNLCK"),
        )
    return None


def _holder(path: str) -> str:
    try:
        with open(path, "rb") as file:
            pid = int(file.read(20))
    except (OSError, ValueError):
        return "another writer"
    return "another thread of this process" if pid == os.getpid() else f"process {pid}"


@contextlib.contextmanager
def hold_window(path: str, timeout: float) -> Iterator[tuple[str, bool]]:
    """Hold the lock of a window.

    Parameters
    ----------
    path : str
        The file. If it is a link, its target is locked, so that writers using other links wait too.
    timeout : float
        How long to wait for the lock, in seconds.

    Yields
    ------
    tuple of (str, bool)
        The file to read and replace, and whether a lock is held.

    Raises
    ------
    LockError
        If the lock times out.
    StoreError
        If a link is dangling, or the lock file can't be created.
    """
    while True:
        target = follow_link(path)
        with hold(target + ".lock", timeout, target) as locked:
            # While this writer waited, a `clear` may have removed the link. The turn then belongs elsewhere.
            if follow_link(path) == target:
                yield target, locked
                return


@contextlib.contextmanager
def hold(path: str, timeout: float, guarded: str | None = None) -> Iterator[bool]:
    """Hold the lock on a lock file.

    Parameters
    ----------
    path : str
        The lock file, which is separate from the guarded file: that one is replaced, and a lock on it would be lost.
    timeout : float
        How long to wait for the lock, in seconds.
    guarded : str, optional
        The guarded file. A new lock file gets its owner and permissions, so that everybody who may write the file may
        also lock it.

    Yields
    ------
    bool
        Whether a lock is held. False if the file system has no locks; then there is one warning.

    Raises
    ------
    LockError
        If the lock times out. The message names the process that holds it, if known.
    StoreError
        If the lock file can't be created.
    """
    operations = _flock()
    if operations is None:
        yield False
        return
    take, release = operations
    owner = os.getpid()
    while True:
        descriptor = _open(path, guarded)
        _descriptors.add(descriptor)
        try:
            held = _wait(take, descriptor, path, timeout)
            if held and not _is_still(path, descriptor):
                continue  # somebody removed the lock file in the meantime, so this lock keeps nobody out
            if held:
                _write_pid(descriptor)
            try:
                yield held
            finally:
                if held and os.getpid() == owner:
                    release(descriptor)
            return
        finally:
            if os.getpid() == owner:  # a child that was forked in between has closed it
                _descriptors.discard(descriptor)
                os.close(descriptor)


def _open(path: str, guarded: str | None) -> int:
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
    try:
        try:
            return os.open(path, flags)
        except FileNotFoundError:
            pass
        except PermissionError:
            # Another user's lock file: `flock` needs only read access.
            return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        descriptor = os.open(path, flags | os.O_CREAT, PRIVATE_FILE)
    except (OSError, ValueError) as error:
        raise StoreError.from_os("lock", path, error) from error
    if guarded is not None:
        with contextlib.suppress(OSError):  # otherwise other users can't write, and the system will tell them
            copy_owner_and_mode(guarded, descriptor)
    return descriptor


def _is_still(path: str, descriptor: int) -> bool:
    if os.name == "nt":  # an open file can't be removed there
        return True
    try:
        there, ours = os.stat(path), os.fstat(descriptor)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _wait(take: Callable[[int], None], descriptor: int, path: str, timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    pause = 0.0005
    while True:
        try:
            take(descriptor)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                _warn_once(path, error)
                return False
            if error.errno not in _HELD:
                raise StoreError.from_os("lock", path, error) from error
            left = deadline - time.monotonic()
            if left <= 0:
                raise LockError(f"cannot lock {path} within {timeout:g} s: {_holder(path)} holds it", path) from error
            from random import random  # a slow import that a single writer never needs

            # A random part of a growing pause, so that writers which woke together don't keep waking together.
            time.sleep(min(left, pause * (0.5 + random())))  # noqa: S311 - not for security
            pause = min(pause * 1.5, 0.02)
        else:
            return True


def _write_pid(descriptor: int) -> None:
    # Only the message of a writer that times out needs the number. On a full disk, writing the turn reports it.
    with contextlib.suppress(OSError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, b"%-20d" % os.getpid())


def _warn_once(path: str, error: OSError) -> None:
    directory = os.path.dirname(path)
    if directory in _warned:
        return
    _warned.add(directory)
    warnings.warn(
        f"{directory}: this file system has no locks ({error.strerror}); turns are still replaced whole, but two"
        " writers at the same moment may give the same turn id",
        RuntimeWarning,
        stacklevel=2,
    )

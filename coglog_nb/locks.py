"""The lock of a window: one writer at a time, over processes and threads.

The seam between the store and the three systems there are: `flock` (Linux, macOS), `msvcrt.locking` (Windows), and none
(Pyodide, whose `fcntl` is empty and whose only process has one thread).

`flock` belongs to an open file, not to a process as `lockf`'s does, so that it keeps threads apart as well; and the
kernel lets go of it when the process dies, however it dies.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
import warnings

from .errors import LockError, StoreError
from .files import PRIVATE_FILE, carry_over, follow_link

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]  # Windows has no such module

# What systems answer where the file system has no locks: some NFS homes, FUSE mounts.
_NO_LOCKS = {
    errno.ENOLCK,
    errno.ENOSYS,
    errno.EOPNOTSUPP,
    getattr(errno, "ENOTSUP", errno.EOPNOTSUPP),
    errno.EINVAL,
}
# What they answer while somebody else has the lock; Windows says EACCES or EDEADLK.
_HELD = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}

_warned: set[str] = set()
_descriptors: set[int] = set()


def _close_after_fork() -> None:
    """Close what a forked child has of its parent's locks: it would hold them for as long as it lives."""
    for descriptor in _descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _descriptors.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_after_fork)


def _flock() -> tuple[Callable[[int], None], Callable[[int], None]] | None:
    """Return this system's two operations on a descriptor, take without waiting and let go; or None."""
    if hasattr(fcntl, "flock"):
        return (
            lambda descriptor: fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB),
            # Said aloud, not left to close(): a process forked in between holds the same open file.
            lambda descriptor: fcntl.flock(descriptor, fcntl.LOCK_UN),
        )
    if os.name == "nt":
        import msvcrt

        # One byte far behind the pid: Windows' locks are mandatory, and the pid must stay readable.
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
    """Hold the lock of the window that a `current.json` is.

    Parameters
    ----------
    path : str
        The file; where it is a link, what it leads to is locked, for all who come by another link.
    timeout : float
        How long to wait for the lock, in seconds.

    Yields
    ------
    tuple of (str, bool)
        The file to act on, and whether a lock is held.

    Raises
    ------
    LockError
        If it wasn't had in time.
    StoreError
        If a link leads nowhere, or the lock file can't be made.
    """
    while True:
        target = follow_link(path)
        with hold(target + ".lock", timeout, target) as locked:
            # While this one waited, a `clear` may have taken the link away, and the turn belongs elsewhere.
            if follow_link(path) == target:
                yield target, locked
                return


@contextlib.contextmanager
def hold(path: str, timeout: float, guarded: str | None = None) -> Iterator[bool]:
    """Hold the lock that a file stands for.

    Parameters
    ----------
    path : str
        The lock file, a neighbour of what it guards: that one is replaced, and a lock on it would go with it.
    timeout : float
        How long to wait for it, in seconds.
    guarded : str, optional
        The file that it guards: a new lock file gets its owner and permissions, so that who may write the one may lock
        the other.

    Yields
    ------
    bool
        Whether a lock is held; False where this place has none, which is warned of once.

    Raises
    ------
    LockError
        If it wasn't had in time, naming who holds it where that is known.
    StoreError
        If the lock file can't be made.
    """
    operations = _flock()
    if operations is None:
        yield False
        return
    take, let_go = operations
    owner = os.getpid()
    while True:
        descriptor = _open(path, guarded)
        _descriptors.add(descriptor)
        try:
            held = _wait(take, descriptor, path, timeout)
            if held and not _is_still(path, descriptor):
                continue  # somebody removed the lock file meanwhile: this lock keeps nobody out
            if held:
                _write_pid(descriptor)
            try:
                yield held
            finally:
                if held and os.getpid() == owner:
                    let_go(descriptor)
            return
        finally:
            if os.getpid() == owner:  # a child forked in between has closed it
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
            # Another user's lock file: `flock` is content with reading.
            return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        descriptor = os.open(path, flags | os.O_CREAT, PRIVATE_FILE)
    except (OSError, ValueError) as error:
        raise StoreError.from_os("lock", path, error) from error
    if guarded is not None:
        with contextlib.suppress(OSError):  # then others are kept out of writing, which the system will tell them
            carry_over(guarded, descriptor)
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
            from random import random  # heavy for what a writer without rivals never uses

            # A random share of a growing pause: writers that woke together must not go on waking together.
            time.sleep(min(left, pause * (0.5 + random())))  # noqa: S311 - spreads waiting, guards nothing
            pause = min(pause * 1.5, 0.02)
        else:
            return True


def _write_pid(descriptor: int) -> None:
    # Only for the message to whoever waits in vain; on a full disk the turn itself will say what is wrong.
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

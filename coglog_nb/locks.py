"""The lock of a window: one writer at a time, across processes and threads.

There are three kinds of system: those with `flock` (Linux, macOS), with `msvcrt.locking` (Windows), and without locks
(Pyodide, whose `fcntl` is empty and whose only process has one thread). The store doesn't see the difference.

A `flock` belongs to an open file. A `lockf` belongs to a process, so it wouldn't keep threads apart. The kernel
releases the lock when the process dies, however it dies. What an interrupt leaves in a living process is taken back by
the next writer, whose first step it is (descriptors.py).

In turn: writers poll, so one that has just released the lock could take it again before the others look. So those who
wait queue up at a second lock file, and only the one who holds that waits for the lock itself. It is a courtesy among
writers: the first file alone keeps them apart, also from programs that don't know the second.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
import warnings

from .descriptors import Scope
from .errors import LockError, StoreError
from .files import PRIVATE_FILE, copy_owner_and_mode, follow_link

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable

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

_PAUSE = 0.001  # seconds between two looks at the queue, on average
_SHORT_PAUSE = 0.0002  # between two looks at the lock; only one writer of a queue looks at it
_MOST_REMOVALS = 100  # how often a writer finds that its lock file was removed before it gives up

_warned: set[str] = set()


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


def _holder(descriptor: int) -> str:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        pid = int(os.read(descriptor, 20))
    except (OSError, ValueError):
        return "another writer"
    return "another thread of this process" if pid == os.getpid() else f"process {pid}"


def hold_window(path: str, timeout: float) -> contextlib.AbstractContextManager[tuple[str, bool]]:
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
    return _WindowLock(path, timeout)


def hold(
    path: str,
    timeout: float,
    guarded: str | None = None,
    *,
    temporary: bool = False,
) -> contextlib.AbstractContextManager[bool]:
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
    temporary : bool, optional
        Whether to remove the lock file at the end. A writer that waits for it notices that, and creates a new one.

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
    return _FileLock(path, timeout, guarded, temporary=temporary)


class _Lock(Scope):
    """What both kinds of lock do."""

    def __init__(self, timeout: float, *, temporary: bool = False) -> None:
        super().__init__()
        self._timeout = timeout
        self._temporary = temporary
        self._path = ""
        self._held: int | None = None  # the descriptor
        self._release: Callable[[int], None] | None = None

    def take(self, path: str, guarded: str | None, *, in_turn: bool) -> bool:
        """Take the lock. Return False where there are no locks."""
        operations = _flock()
        if operations is None:
            return False
        take, self._release = operations
        deadline = time.monotonic() + self._timeout
        for _ in range(_MOST_REMOVALS):
            descriptor = self._open_lock_file(path, guarded)
            held: bool | None = False
            if not in_turn or not os.access(_queue_of(path), os.F_OK):
                held = _try(take, descriptor, path)
            if held is False:
                turn = self._queue_up(take, path, guarded, deadline) if in_turn else None
                held = _wait(take, descriptor, path, deadline, _SHORT_PAUSE)
                if turn is not None:
                    self.close(turn)
            if held is None:
                return False
            if held is False:
                why = _why_not(path, descriptor)
                raise LockError(f"cannot lock {path} within {self._timeout:g} s: {why}", path)
            if _is_still(path, descriptor):
                self._path, self._held = path, descriptor
                _write_pid(descriptor)
                return True
            self.close(descriptor)  # somebody removed the lock file in the meantime, so this lock keeps nobody out
        raise LockError(f"cannot lock {path}: the lock file is removed again and again", path)

    def _queue_up(self, take: Callable[[int], None], path: str, guarded: str | None, deadline: float) -> int:
        """Wait to be the one who waits for the lock."""
        queue = _queue_of(path)
        descriptor = self._open_lock_file(queue, guarded)
        # Not for all of the time: a process that was stopped while it waited must not keep the others out.
        now = time.monotonic()
        _wait(take, descriptor, queue, now + (deadline - now) / 2, _PAUSE)
        return descriptor

    def _open_lock_file(self, path: str, guarded: str | None) -> int:
        flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
        try:
            try:
                return self.open(path, flags)
            except FileNotFoundError:
                pass
            except PermissionError:
                # Another user's lock file: `flock` needs only read access.
                return self.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            descriptor = self.open(path, flags | os.O_CREAT, PRIVATE_FILE)
        except (OSError, ValueError) as error:
            raise _no_lock_file(path, error) from error
        if guarded is not None:
            with contextlib.suppress(OSError):  # otherwise other users can't write, and the system will tell them
                copy_owner_and_mode(guarded, descriptor)
        return descriptor

    def give_back(self) -> None:
        """Release the lock, and close its files."""
        # In a child that was forked in between, the descriptor is closed already, and the lock is its parent's.
        if self._release is not None and self._held in self.numbers:
            if self._temporary:
                with contextlib.suppress(OSError):
                    os.unlink(self._path)
            with contextlib.suppress(OSError):
                self._release(self._held)
        self._held = None
        self.close_all()

    def leave(self, *_: object) -> None:
        """Release the lock, because the `with` statement ends."""
        self.give_back()
        super().leave()


class _FileLock(_Lock):
    def __init__(self, path: str, timeout: float, guarded: str | None, *, temporary: bool) -> None:
        super().__init__(timeout, temporary=temporary)
        self._arguments = (path, guarded)

    def __enter__(self) -> bool:
        self.begin()
        try:
            return self.take(*self._arguments, in_turn=False)
        except BaseException:
            self.leave()
            raise


class _WindowLock(_Lock):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__(timeout)
        self._link = path

    def __enter__(self) -> tuple[str, bool]:
        self.begin()
        try:
            while True:
                target = follow_link(self._link)
                locked = self.take(target + ".lock", target, in_turn=True)
                # While this writer waited, a `clear` may have removed the link. The turn then belongs elsewhere.
                if follow_link(self._link) == target:
                    return target, locked
                self.give_back()
        except BaseException:
            self.leave()
            raise


def _queue_of(path: str) -> str:
    return path.removesuffix(".lock") + ".queue.lock"


def _no_lock_file(path: str, error: Exception) -> StoreError:
    """Say why a lock file can't be opened."""
    if os.path.islink(path):
        return StoreError(f"cannot lock {path}: it is a link, and a lock file must not be one; remove the link", path)
    if isinstance(error, FileNotFoundError):
        return StoreError(f"cannot lock {path}: its directory was removed", path)
    if os.path.exists(path) and not os.path.isfile(path):
        return StoreError(f"cannot lock {path}: it is not a regular file; remove it", path)
    return StoreError.from_os("lock", path, error)


def _why_not(path: str, descriptor: int) -> str:
    if not _is_still(path, descriptor):
        return "another writer holds it, and the lock file was removed in the meantime; try again"
    return f"{_holder(descriptor)} holds it"


def _is_still(path: str, descriptor: int) -> bool:
    if os.name == "nt":  # an open file can't be removed there
        return True
    try:
        there, ours = os.lstat(path), os.fstat(descriptor)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _try(take: Callable[[int], None], descriptor: int, path: str) -> bool | None:
    """Try to take a lock. Return False if another writer holds it, None if there are no locks."""
    try:
        take(descriptor)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            _warn_once(path, error)
            return None
        if error.errno not in _HELD:
            raise StoreError.from_os("lock", path, error) from error
        return False
    return True


def _wait(take: Callable[[int], None], descriptor: int, path: str, deadline: float, pause: float) -> bool | None:
    """Take a lock as soon as it is free. Return False if it isn't by then, None if there are no locks."""
    from random import random  # a slow import that a single writer never needs

    while True:
        held = _try(take, descriptor, path)
        left = deadline - time.monotonic()
        if held is not False or left <= 0:
            return held
        # A pause that doesn't grow: whoever has waited long must not look less often than a newcomer. Its random part
        # keeps writers that woke together from waking together again.
        time.sleep(min(left, pause * (0.5 + random())))  # noqa: S311 - not for security


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

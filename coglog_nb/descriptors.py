"""Open files that no interrupt can leak.

An interrupt (Ctrl-C, a notebook's stop button) comes between any two steps of Python code: after a file is opened and
before its number is kept, at the end of a `with` block, at the first step of a `finally`. A notebook then keeps the
traceback, and with it every variable of the interrupted code, so going out of scope closes nothing.

So each descriptor is in a list that is kept here, and three things hold:

- Opening and noting is one call of C code, and so is forgetting and closing. No interrupt comes in between.
- Only the `with` statement itself holds the object that ends it. When the statement is left, however it is left, that
  object is gone, although its frame may live on in a traceback.
- Whoever opens a file next, in whatever thread, first closes what belongs to statements that are gone.
"""

from __future__ import annotations

import contextlib
import os
from functools import partial
from weakref import ref

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable

_scopes: set[Scope] = set()


def _close_after_fork() -> None:
    """Close a forked child's copies. Otherwise it would hold its parent's locks as long as it lives."""
    for scope in tuple(_scopes):
        scope.close_all()
    _scopes.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_after_fork)


class _Leave:
    """The `__exit__` of a `Scope`. Each `with` statement gets a new object, which nothing else holds."""

    def __get__(self, scope: Scope | None, owner: type[Scope]) -> Callable[..., None]:
        if scope is None:
            return owner.leave
        # A bound method wouldn't do: Python 3.14 keeps its two parts instead of it.
        leave = partial(owner.leave, scope)
        scope.statement = ref(leave)
        return leave


class Scope:
    """The descriptors of one `with` statement, which closes them when it is left.

    A subclass adds `__enter__`, which calls `begin` first.
    """

    statement: Callable[[], object] = object
    """Returns None once the `with` statement has been left."""

    def __init__(self) -> None:
        self.numbers: list[int] = []  # the open descriptors

    __exit__ = _Leave()

    def begin(self) -> None:
        """Note this scope, and close what interrupted ones left open."""
        _scopes.add(self)
        if len(_scopes) > 1:
            for scope in tuple(_scopes):
                if scope.statement() is None:
                    self._take_over(scope)

    def _take_over(self, scope: Scope) -> None:
        # First into this scope's own list, so that an interrupt during the closing leaves it there.
        with contextlib.suppress(IndexError):  # another thread was faster
            self.numbers.extend(map(scope.numbers.pop, (0,) * len(scope.numbers)))
        _scopes.discard(scope)
        self.close_all()

    def open(self, path: str, flags: int, mode: int = 0o777) -> int:
        """Open a file as `os.open` does, for as long as the scope lasts."""
        self.numbers.extend(map(os.open, (path,), (flags,), (mode,)))
        return self.numbers[-1]

    def close(self, descriptor: int) -> None:
        """Close one of the scope's files now."""
        with contextlib.suppress(OSError):  # it is closed in any case
            tuple(map(os.close, map(self.numbers.pop, (self.numbers.index(descriptor),))))

    def close_all(self) -> None:
        """Close all files of the scope."""
        while self.numbers:
            try:  # noqa: SIM105 - `suppress` is slower, and every read comes here
                tuple(map(os.close, map(self.numbers.pop, (-1,))))
            except OSError:
                pass

    def leave(self, *_: object) -> None:
        """Close all files, because the `with` statement ends."""
        self.close_all()
        _scopes.discard(self)


class opened(Scope):  # noqa: N801 - it is used as a function
    """Open a file for a `with` block.

    Parameters
    ----------
    path : str
        The file.
    flags : int
        The flags of `os.open`.
    mode : int, optional
        The permissions of a new file.

    Yields
    ------
    int
        The descriptor.

    Raises
    ------
    OSError
        If the system refuses.
    """

    def __init__(self, path: str, flags: int, mode: int = 0o777) -> None:
        self.numbers = []
        self._arguments = (path, flags, mode)

    def __enter__(self) -> int:
        self.begin()
        return self.open(*self._arguments)

"""What can go wrong, under one base: `CogLogError`. The original error stays in ``__cause__``."""

from __future__ import annotations

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class CogLogError(Exception):
    """Any error that CogLog raises on purpose.

    Attributes
    ----------
    problems : tuple of str
        Every problem found, each a sentence that stands alone; ``str(error)`` joins them with line breaks.
    """

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class CogLogWarning(UserWarning):
    """Something beside the result that the caller should know: the result itself stands."""


class ValidationError(CogLogError, ValueError):
    """A turn that can't be stored as it is; `problems` names each field that is wrong."""


class InputError(CogLogError, ValueError):
    """Input that isn't a turn at all: no JSON, no JSON object, no sections, no text."""


class UsageError(CogLogError):
    """A call with an unknown command or option, or with one that doesn't fit there.

    Attributes
    ----------
    usage : str
        The usage line of what was called; may be empty.
    """

    def __init__(self, problems: str | Iterable[str], usage: str = "") -> None:
        super().__init__(problems)
        self.usage = usage


class TurnError(CogLogError):
    """A turn with a model that did not come about; nothing was stored.

    Attributes
    ----------
    reply : object
        What the model answered, as far as it came, in its provider's own shape, ready for `capture`; None if nothing.
    captured : Captured or None
        What was found in it; None where nothing could be looked for.
    """

    def __init__(self, problems: str | Iterable[str], *, reply: object = None, captured: Any = None) -> None:
        super().__init__(problems)
        self.reply = reply
        self.captured = captured


class RefusedError(TurnError):
    """The model refused to answer; what it said instead is the ``assistant`` of `captured`."""


class StoreError(CogLogError):
    """The file system refused: says which path and why.

    Attributes
    ----------
    path : str
        The file or directory that the operation was refused on; empty where there is none.
    """

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.path = path

    @classmethod
    def from_os(cls, doing: str, path: str, error: Exception) -> StoreError:
        """Say what was being done to which path when the system refused, in the system's own words."""
        # Not str(error): it repeats the path, and quotes it in a way that hides which part is ours.
        reason = getattr(error, "strerror", None) or str(error)
        return cls(f"cannot {doing} {path}: {reason}", path)


class LockError(StoreError):
    """The lock of a window wasn't had within ``lock_timeout`` seconds."""


class DamagedLogError(CogLogError):
    """The stored file is there but holds no entry.

    Attributes
    ----------
    path : str
        The damaged file.
    reason : str
        What is wrong with it.
    """

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(
            f"damaged log {path}: {reason}; it was left as it is: repair or remove the file,"
            " or let `clear` move it aside"
        )

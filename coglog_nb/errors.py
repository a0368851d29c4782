"""All errors that CogLog raises. They share one base, `CogLogError`; the original error is in ``__cause__``."""

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
        Every problem that was found, each as a complete sentence. ``str(error)`` joins them with line breaks.
    """

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class CogLogWarning(UserWarning):
    """Something that the caller should know, although the call succeeded."""


class ValidationError(CogLogError, ValueError):
    """The turn can't be stored, or an argument is invalid. `problems` names each wrong field."""


class InputError(CogLogError, ValueError):
    """The input can't be read as a turn: it isn't JSON, a JSON object, sections or text."""


class UsageError(CogLogError):
    """A command, option or name is unknown, or doesn't fit where it is used.

    Attributes
    ----------
    usage : str
        The usage line of the command that was called; it may be empty.
    """

    def __init__(self, problems: str | Iterable[str], usage: str = "") -> None:
        super().__init__(problems)
        self.usage = usage


class TurnError(CogLogError):
    """A step with a model failed. Nothing was stored.

    Attributes
    ----------
    reply : object
        What the model answered so far, in its provider's own shape, ready for `capture`. None if nothing came.
    captured : Captured or None
        The fields that were found in the reply. None if there was nothing to read.
    """

    def __init__(self, problems: str | Iterable[str], *, reply: object = None, captured: Any = None) -> None:
        super().__init__(problems)
        self.reply = reply
        self.captured = captured


class RefusedError(TurnError):
    """The model refused to answer. Its refusal is the ``assistant`` field of `captured`."""


class StoreError(CogLogError):
    """The file system refused an operation. The message says which path and why.

    Attributes
    ----------
    path : str
        The file or directory of the refused operation; empty if there isn't one.
    """

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.path = path

    @classmethod
    def from_os(cls, doing: str, path: str, error: Exception) -> StoreError:
        """Make the error from a system error: "cannot `doing` `path`: " and the system's own reason."""
        # Not str(error): it repeats the path, in quotes.
        reason = getattr(error, "strerror", None) or str(error)
        return cls(f"cannot {doing} {path}: {reason}", path)


class LockError(StoreError):
    """Another writer held the window for longer than ``lock_timeout`` seconds."""


class DamagedLogError(CogLogError):
    """The stored file exists but holds no valid entry.

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


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, such as ``llm``, from a package index and from a checkout.

    An index may not have this package, or may have another version than the checkout that is running.
    """
    return f"pip install 'coglog-nb[{extra}]' (in the folder of a checkout: pip install '.[{extra}]')"

"""The store: one window, one file, one turn. Each write overwrites the previous turn: a(n+1) = f(a(n))."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping

from . import paths
from .clock import now
from .descriptors import opened
from .entry import Entry, axes_before, encode, make, restore
from .errors import DamagedLogError, StoreError, ValidationError
from .fields import AXES
from .jsontext import KEYS_OF_AN_ENTRY, dump
from .validation import LAST_TURN_ID, flatten, refuse_placeholder, surrogate_problem, unknown_keys, validate

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

# Not None: a field that is None was given, but isn't text.
_LEFT_OUT: Any = ...

# Which of two values would be the right one is anybody's guess.
_OUR_KEYS = KEYS_OF_AN_ENTRY | {"_schema", "written_by"}

_LONGEST_WAIT = 10**9  # seconds; a clock can still add this


class CogLog:
    """A single-window log: it holds one turn, and each write overwrites the previous one.

    Parameters
    ----------
    data_dir : str or os.PathLike, optional
        The data directory; by default ``COGLOG_DIR``, else ``~/.coglog``. A relative path is resolved now, not later.
    session : str, optional
        The name of a separate window; by default ``COGLOG_SESSION``, else the default window.
    lock_timeout : float, optional
        How long `write`, `import_entry` and `clear` wait for another writer, in seconds.

    Raises
    ------
    ValidationError
        If `session` or `lock_timeout` is invalid. A new session may not be named like a Windows device, end in a dot,
        or differ from another one only in case.
    StoreError
        If the directory can't be determined.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        *,
        session: str | None = None,
        lock_timeout: float = 10.0,
    ) -> None:
        directory, self._origin = paths.data_directory(data_dir)
        self._data_dir = directory
        self._session = paths.session_name(session)
        if self._session is not None:
            paths.check_new_session(directory, self._session)
        if (
            isinstance(lock_timeout, bool)
            or not isinstance(lock_timeout, (int, float))
            or not 0 <= lock_timeout <= _LONGEST_WAIT
        ):
            raise ValidationError(f"lock_timeout must be a number of seconds, 0 or more, not {lock_timeout!r}")
        self._lock_timeout = lock_timeout

    def __repr__(self) -> str:
        session = f", session={self._session!r}" if self._session else ""
        return f"CogLog({self._data_dir!r}{session})"

    @classmethod
    def of_default_window(cls, data_dir: str | os.PathLike[str] | None = None, *, lock_timeout: float = 10.0) -> CogLog:
        """Open the default window, whatever ``COGLOG_SESSION`` says.

        Parameters
        ----------
        data_dir : str or os.PathLike, optional
            The data directory, as for `CogLog`.
        lock_timeout : float, optional
            How long to wait for another writer, in seconds.
        """
        store = cls(data_dir, session="0", lock_timeout=lock_timeout)  # a name that is never refused
        store._session = None
        return store

    @property
    def data_dir(self) -> Path:
        """The data directory (pathlib.Path)."""
        from pathlib import Path

        return Path(self._data_dir)

    @property
    def origin(self) -> str:
        """Where the choice of the data directory comes from, in words."""
        return self._origin

    @property
    def session(self) -> str | None:
        """The session's name; None for the default window."""
        return self._session

    @property
    def current_file(self) -> Path:
        """The file that holds the turn (pathlib.Path)."""
        from pathlib import Path

        return Path(self._current_file())

    def _current_file(self) -> str:
        return os.path.join(paths.session_directory(self._data_dir, self._session), "current.json")

    def read(self) -> Entry | None:
        """Read the stored turn.

        Returns
        -------
        Entry or None
            The stored turn; None if nothing is stored.

        Raises
        ------
        DamagedLogError
            If the file exists but holds no valid entry.
        StoreError
            If the file can't be read, or is a dangling link.
        """
        return self._read(self._current_file())

    def _read(self, path: str) -> Entry | None:
        try:
            data = read_regular(path)
        except FileNotFoundError:
            # A dangling link looks like a missing file. If it counted as one, the log would start again at turn 1.
            for link in (path, self._data_dir):
                if os.path.islink(link) and not os.path.exists(link):
                    raise StoreError(f"{link} is a link to {os.readlink(link)}, which does not exist", link) from None
            return None
        except OSError as error:
            raise StoreError.from_os("read", path, error) from error
        except ValueError as error:
            raise DamagedLogError(path, str(error)) from error
        entry = _parse(path, data)
        return self._mark(entry)

    def _mark(self, entry: Entry) -> Entry:
        entry.session = self._session
        entry.data_dir = self._data_dir
        return entry

    def write(
        self,
        *,
        user: str = _LEFT_OUT,
        thinking: str = _LEFT_OUT,
        assistant: str = _LEFT_OUT,
        current_focus: str = _LEFT_OUT,
        theory_of_mind: str = _LEFT_OUT,
        self_narrative: str = _LEFT_OUT,
        annotation: str = _LEFT_OUT,
        replace: bool = False,
        diff: bool = False,
    ) -> Entry:
        """Store a turn, which replaces the previous one.

        All seven fields are required. Their text is stored verbatim.

        Parameters
        ----------
        user, thinking, assistant : str
            The facts; they may not be empty.
        current_focus, theory_of_mind, self_narrative, annotation : str
            The axes; they may be empty.
        replace : bool, optional
            Whether to keep the stored turn's `turn_id`, for correcting that turn. Otherwise the id goes up by one.
        diff : bool, optional
            Whether to compare with the turn that this call overwrites. `Entry.before` of the returned entry, and its
            card, then show the earlier text of each axis that changed. This isn't stored.

        Returns
        -------
        Entry
            The turn as it is stored now.

        Raises
        ------
        ValidationError
            If a field is invalid; `problems` lists every problem. The stored turn is unchanged.
        DamagedLogError
            If the stored file holds no valid entry. It is never overwritten.
        LockError
            If another writer holds the window for longer than ``lock_timeout`` seconds.
        StoreError
            If the file system refuses. The stored turn is unchanged.
        """
        values = validate(
            {
                "user": user,
                "thinking": thinking,
                "assistant": assistant,
                "current_focus": current_focus,
                "theory_of_mind": theory_of_mind,
                "self_narrative": self_narrative,
                "annotation": annotation,
            }
        )

        def follow(previous: Entry | None) -> Entry:
            last = previous["turn_id"] if previous else 0
            turn_id = last if replace and previous else last + 1
            if turn_id > LAST_TURN_ID:
                raise StoreError(f"the window has reached the last turn id ({LAST_TURN_ID})", self._current_file())
            return make(values, turn_id, now())

        entry, previous = self._put(follow)
        if diff and previous is not None:
            entry.before = axes_before(previous, entry)
        return entry

    def import_entry(self, entry: Mapping[str, Any], *, replace: bool = False) -> Entry:
        """Store an exported turn, with its own id and time.

        Parameters
        ----------
        entry : mapping
            The entry. It is stored whole: with its own `_schema` and with keys that this version doesn't know. An axis
            that it doesn't have stays missing.
        replace : bool, optional
            Whether to overwrite a stored turn.

        Returns
        -------
        Entry
            The turn as it is stored now.

        Raises
        ------
        ValidationError
            If `entry` is invalid, has an empty fact or text that UTF-8 can't encode, or was exported without its
            thinking.
        StoreError
            If a turn is stored and `replace` is False, or the file system refuses.
        DamagedLogError
            If the stored file holds no valid entry. It is never overwritten.
        LockError
            If another writer holds the window for longer than ``lock_timeout`` seconds.
        """
        if not isinstance(entry, Mapping):
            raise ValidationError(f"not an entry: {type(entry).__name__}")
        refuse_placeholder(entry)
        # An older entry may have no such axis. Everything else that a write refuses is an error here too.
        validate({**dict.fromkeys(AXES, ""), **flatten(entry)}, keys=unknown_keys(entry))
        try:
            whole = restore(dict(entry))
        except ValueError as error:
            raise ValidationError(f"not an entry: {error}") from error
        problem = surrogate_problem("the entry", dump(whole))
        if problem:
            raise ValidationError(problem)

        def follow(previous: Entry | None) -> Entry:
            if previous is not None and not replace:
                path = self._current_file()
                raise StoreError(f"{path} holds turn {previous['turn_id']}; replace (--replace) overwrites it", path)
            return whole

        return self._put(follow)[0]

    def _put(self, follow: Callable[[Entry | None], Entry]) -> tuple[Entry, Entry | None]:
        """Make the next turn from the stored one and store it, under the lock. Return the new turn and the old one."""
        from .files import make_directories, replace_file, sweep  # reading, which is more frequent, needs none of them
        from .locks import hold_window

        path = self._current_file()
        directory = os.path.dirname(path)
        if self._session is not None and not os.path.isdir(directory):  # one like it may have been made since
            paths.check_new_session(self._data_dir, self._session)
        make_directories(directory, private=True)
        with hold_window(path, self._lock_timeout) as (target, locked):
            previous = self._read(target)
            entry = follow(previous)
            if locked:
                sweep(target)
            replace_file(target, encode(entry))
        return self._mark(entry), previous

    def clear(self) -> dict[str, Any]:
        """Forget the stored turn.

        A damaged file is moved aside, not removed. If `current.json` is a link, the link and its target are removed,
        because a dangling link would stop the next write.

        Returns
        -------
        dict
            ``{"cleared": True}``, after damage with ``"moved_to"``, or ``{"cleared": False, "reason": ...}``.

        Raises
        ------
        LockError
            If another writer holds the window for longer than ``lock_timeout`` seconds.
        StoreError
            If the file system refuses.
        """
        from .files import sweep, sync_directory
        from .locks import hold_window

        path = self._current_file()
        nothing = {"cleared": False, "reason": "no existing coglog"}
        if not os.path.lexists(path):
            self._read(path)  # raises if the data directory is a dangling link
            return nothing
        with hold_window(path, self._lock_timeout) as (target, locked):
            if locked:
                sweep(target)  # what a killed writer left is also text of the turn
            try:
                if self._read(target) is None:
                    return nothing
            except DamagedLogError:
                moved_to = _aside(target)
                _do("move aside", target, os.rename, target, moved_to)
                if path != target:
                    _do("remove", path, os.unlink, path)
                sync_directory(os.path.dirname(target))
                return {"cleared": True, "moved_to": moved_to}
            if path != target:
                # The link first: a process killed in between would leave a dangling link, which stops every write.
                _do("remove", path, os.unlink, path)
                sync_directory(os.path.dirname(path))
            _do("remove", target, os.unlink, target)
            sync_directory(os.path.dirname(target))
            return {"cleared": True}


def _do(doing: str, path: str, call: Callable[..., object], *arguments: str) -> None:
    from .files import patiently

    try:
        patiently(call, *arguments)
    except OSError as error:
        raise StoreError.from_os(doing, path, error) from error


def read_regular(path: str) -> bytes:
    """Read a regular file.

    Raises
    ------
    OSError
        If the system refuses.
    ValueError
        If it isn't a regular file, or is too large to hold in memory, with the reason.
    """
    if os.name == "nt":  # a file that is just being replaced can't be opened for a moment
        from .files import patiently

        return bytes(patiently(_read_regular, path))
    return _read_regular(path)


def _read_regular(path: str) -> bytes:
    # If the path is a pipe, opening it without O_NONBLOCK would wait for a writer without end.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    try:
        with opened(path, flags) as descriptor:
            status = os.fstat(descriptor)
            _check_regular(status.st_mode)
            try:
                return open(descriptor, "rb", buffering=0, closefd=False).readall()
            except (MemoryError, OverflowError) as error:
                raise ValueError(f"is too large to read ({status.st_size:,} bytes)") from error
    except OSError as error:
        # A socket can't be opened at all, nor some devices, nor a directory on Windows.
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError):
            raise error from None
        _check_regular(mode)
        raise


def _check_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise ValueError("is a directory" if stat.S_ISDIR(mode) else "is not a regular file")


def _load(text: str) -> object:
    """Read the JSON of a stored file; a `ValueError` if it has one of our keys twice."""
    repeated: list[tuple[object, str]] = []

    def note_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend((found, key) for key in found if key in _OUR_KEYS and keys.count(key) > 1)
        return found

    # NaN and numbers beyond a float's range are kept as text. As numbers, they would make any JSON that holds the entry
    # invalid.
    stored = json.loads(text, parse_constant=str, parse_float=_finite, object_pairs_hook=note_repeats)
    for where, key in repeated:
        # A foreign object may hold what it likes.
        if where is stored or (isinstance(stored, dict) and where is stored.get("layers")):
            raise ValueError(f'holds the key "{key}" twice')
    return stored


def _parse(path: str, data: bytes) -> Entry:
    try:
        entry = restore(_load(data.decode("utf-8-sig")))
        # Only an escape can produce an unpaired surrogate, and files rarely hold one. CPython finds two bytes four
        # times faster from the end.
        if data.rfind(b"\\u") >= 0:
            problem = surrogate_problem("the entry", dump(entry))
            if problem:
                raise ValueError("holds an unpaired surrogate, which UTF-8 cannot encode")
    except UnicodeDecodeError as error:
        raise DamagedLogError(path, f"is not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        reason = f"is not JSON: {error}" if data.strip() else "is empty"
        raise DamagedLogError(path, reason) from error
    except RecursionError as error:
        raise DamagedLogError(path, "is nested too deeply") from error
    except MemoryError as error:
        raise DamagedLogError(path, f"is too large to read ({len(data):,} bytes)") from error
    except ValueError as error:
        # CPython's own message names sys.set_int_max_str_digits, which doesn't help here.
        reason = "holds a number with too many digits" if "int_max_str_digits" in str(error) else str(error)
        raise DamagedLogError(path, reason) from error
    return entry


def _finite(text: str) -> float | str:
    value = float(text)
    return value if abs(value) < float("inf") else text


def _aside(path: str) -> str:
    """Return a free name, with the time in it, to move a damaged file to."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    name = f"{path}.damaged-{stamp}"
    count = 1
    while os.path.lexists(name):
        count += 1
        name = f"{path}.damaged-{stamp}-{count}"
    return name

"""Find the data directory, the directories of its sessions, and the directory for viewer artifacts."""

from __future__ import annotations

import os

from .errors import StoreError, ValidationError

DIR_VARIABLE = "COGLOG_DIR"
SESSION_VARIABLE = "COGLOG_SESSION"
VIEWER_DIR_VARIABLE = "COGLOG_VIEWER_DIR"

SANDBOX_OUTPUTS = "/mnt/user-data/outputs"
"""Where the chat sandbox that CogLog was first written for looks for artifacts."""

_LONGEST_NAME = 64
_WINDOWS_DEVICES = {"CON", "PRN", "AUX", "NUL"} | {
    f"{port}{digit}" for port in ("COM", "LPT") for digit in range(1, 10)
}
_ALPHANUMERIC = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


def home_directory() -> str | None:
    """Return the user's home directory, or None if it can't be found."""
    # With HOME="" expanduser returns "/". An empty HOME isn't a home, so expanduser is called only if HOME isn't empty.
    if os.name == "posix" and not os.environ.get("HOME"):
        try:
            import pwd

            home = pwd.getpwuid(os.getuid()).pw_dir
        except (ImportError, KeyError):  # no user database (Pyodide), or a uid that isn't in it (containers)
            return None
        return home or None
    home = os.path.expanduser("~")
    return None if home == "~" else home


def absolute(path: str | os.PathLike[str], what: str) -> str:
    """Expand ``~`` and make a path absolute.

    Parameters
    ----------
    path : str or os.PathLike
        The path as it was given.
    what : str
        What the path is for, as errors name it.

    Raises
    ------
    StoreError
        If the path is empty, isn't text, holds a NUL, or starts with ``~`` and an unknown user.
    """
    text = os.fspath(path)
    if not isinstance(text, str):
        raise StoreError(f"{what} must be text, not {type(text).__name__}")
    if not text:
        raise StoreError(f"{what} is an empty string")
    if "\0" in text:
        raise StoreError(f"{what} {text!r} holds a NUL character", text)
    if text == "~" or text.startswith(("~/", "~" + os.sep)):
        home = home_directory()
        if home is None:
            raise StoreError(f"{what} {text!r}: no home directory can be found for ~", text)
        text = home + text[1:]
    elif text.startswith("~"):
        expanded = os.path.expanduser(text)
        if expanded == text:
            raise StoreError(f"{what} {text!r}: there is no such user", text)
        text = expanded
    try:
        return os.path.abspath(text)
    except OSError as error:  # the working directory has been removed
        raise StoreError(f"{what} {text!r} is relative, but the working directory no longer exists", text) from error


def data_directory(explicit: str | os.PathLike[str] | None = None) -> tuple[str, str]:
    """Find the data directory, and say why it is this one.

    Parameters
    ----------
    explicit : str or os.PathLike, optional
        A directory that the caller chose; it takes precedence over the environment and the home directory.

    Returns
    -------
    tuple of (str, str)
        The absolute path (which need not exist) and where it comes from.

    Raises
    ------
    StoreError
        If the path can't be determined.
    """
    if explicit is not None:
        return absolute(explicit, "the data directory"), "given"
    from_environment = os.environ.get(DIR_VARIABLE)
    if from_environment:
        return absolute(from_environment, DIR_VARIABLE), f"from {DIR_VARIABLE}"
    home = home_directory()
    if home is not None:
        return os.path.join(os.path.abspath(home), ".coglog"), "the default, in the home directory"
    return absolute(".coglog", "the data directory"), "in the working directory: no home directory was found"


def is_session_name(name: object) -> bool:
    """Return whether a name is a letter or digit, then up to 63 letters, digits, ``.``, ``_`` or ``-``, all ASCII."""
    if not isinstance(name, str) or not 1 <= len(name) <= _LONGEST_NAME:
        return False
    return name[0] in _ALPHANUMERIC and set(name) <= _ALPHANUMERIC | set("._-")


def session_name(explicit: str | None = None) -> str | None:
    """Find the session's name.

    Parameters
    ----------
    explicit : str, optional
        A session that the caller chose; it takes precedence over ``COGLOG_SESSION``.

    Returns
    -------
    str or None
        The name, or None for the default window.

    Raises
    ------
    ValidationError
        If it isn't a session name; see `is_session_name`.
    """
    name = explicit if explicit is not None else os.environ.get(SESSION_VARIABLE) or None
    if name is None:
        return None
    if not is_session_name(name):
        raise ValidationError(
            f"not a session name: {name!r} (a letter or digit, then up to 63 letters, digits, '.', '_' or '-')"
        )
    return name


def check_new_session(data_dir: str, name: str) -> None:
    """Check that a name would do on every system, if the session isn't there yet. One that is there goes on working.

    Parameters
    ----------
    data_dir : str
        The data directory.
    name : str
        A session name.

    Raises
    ------
    ValidationError
        If it is the name of a Windows device, ends in a dot, or differs from another session's only in case.
    """
    try:
        names = session_names(data_dir)
    except StoreError:  # whoever reads or writes the session is told
        names = []
    if name in names:
        return
    # Windows takes `con.txt` for the device too.
    if name.partition(".")[0].upper() in _WINDOWS_DEVICES:
        raise ValidationError(f"not a session name: {name!r} (Windows keeps that name for a device; choose another)")
    if name.endswith("."):
        raise ValidationError(f"not a session name: {name!r} (it ends in a dot, which Windows drops; choose another)")
    for other in names:
        if other.lower() == name.lower():
            raise ValidationError(
                f"not a session name: {name!r} (the session {other!r} differs only in case, and some systems take both"
                f" for one; use {other!r} or choose another)"
            )


def session_directory(data_dir: str, session: str | None) -> str:
    """Return the directory of a session's `current.json`.

    Raises
    ------
    StoreError
        If the directory is a link out of the data directory.
    """
    if session is None:
        return data_dir
    directory = os.path.join(data_dir, "sessions", session)
    # Both paths are resolved: the data directory itself may be a link, but a link inside it may not lead out of it.
    if os.path.realpath(directory) != os.path.join(os.path.realpath(data_dir), "sessions", session):
        raise StoreError(f"session {session!r}: {directory} is a link that leads elsewhere", directory)
    return directory


def session_names(data_dir: str) -> list[str]:
    """List the names of the sessions that have a directory, sorted.

    Raises
    ------
    StoreError
        If the directory can't be listed.
    """
    directory = os.path.join(data_dir, "sessions")
    try:
        names = os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StoreError.from_os("list", directory, error) from error
    return sorted(name for name in names if is_session_name(name))


def viewer_directory(explicit: str | os.PathLike[str] | None, data_dir: str) -> tuple[str, str]:
    """Find the directory for viewer artifacts, and say why it is this one.

    Parameters
    ----------
    explicit : str or os.PathLike or None
        A directory that the caller chose.
    data_dir : str
        The data directory, whose ``outputs`` is the last resort.

    Returns
    -------
    tuple of (str, str)
        The absolute path (which need not exist) and where it comes from.

    Raises
    ------
    StoreError
        If the path can't be determined.
    """
    if explicit is not None:
        return absolute(explicit, "the viewer directory"), "given"
    from_environment = os.environ.get(VIEWER_DIR_VARIABLE)
    if from_environment:
        return absolute(from_environment, VIEWER_DIR_VARIABLE), f"from {VIEWER_DIR_VARIABLE}"
    if os.path.isdir(SANDBOX_OUTPUTS):
        return SANDBOX_OUTPUTS, "the sandbox's outputs"
    return os.path.join(data_dir, "outputs"), "in the data directory"

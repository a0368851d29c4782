"""The viewer artifact of a turn: the viewer's source with the turn in it, as one `.jsx` file."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat

from . import paths
from .built_files import static_text
from .entry import as_entry
from .errors import StoreError
from .files import PRIVATE_FILE, make_directories, replace_file
from .validation import checked_theme

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from .entry import Entry
    from .view import View

ARTIFACTS = ("all", "last")
"""Which artifacts of a window's writes stay: all of them, or the last write's alone."""


def artifact_name(turn_id: int, session: str | None) -> str:
    """Return the file name of a turn's viewer artifact."""
    return f"coglog-{session}-turn-{turn_id}.jsx" if session else f"coglog-turn-{turn_id}.jsx"


def _js_string(value: object) -> str:
    """Write a value as a JavaScript expression that can hold nothing but data."""
    # JSON text inside a string: an object literal would lose a "__proto__" key. ASCII alone and `<` escaped: no
    # U+2028, no `</script>`, no encoding to guess at.
    text = json.dumps(json.dumps(value, ensure_ascii=False))
    return f"JSON.parse({text.replace('<', chr(92) + 'u003c')})"


def artifact_source(view: View, *, theme: str = "system") -> str:
    """Return the viewer's source with a turn instead of its sample.

    Parameters
    ----------
    view : View
        The turn; all of it is in the source.
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark".
    """
    lines = {
        "const SAMPLE =": f"const SAMPLE = {_js_string(view.for_viewer())}; // the turn shown",
        "const SESSION =": f"const SESSION = {_js_string(view.session)}; // the session",
        "const THEME =": f"const THEME = {_js_string(checked_theme(theme))}; // the starting theme",
    }
    source = [lines.pop(line.partition("=")[0] + "=", line) for line in static_text("CogLogViewer.jsx").split("\n")]
    assert not lines, "the viewer has lost a line that the turn goes into"  # noqa: S101 - a mistake in the build
    return "\n".join(source)


def render(
    entry: Mapping[str, Any],
    viewer_dir: str | os.PathLike[str] | None = None,
    *,
    theme: str = "system",
) -> Path:
    """Write a turn's viewer artifact: one React component in a `.jsx` file.

    Parameters
    ----------
    entry : Entry or mapping
        The turn, as `CogLog.read` and `CogLog.write` return it.
    viewer_dir : str or os.PathLike, optional
        Where the file goes; by default ``COGLOG_VIEWER_DIR``, else ``/mnt/user-data/outputs`` where that exists, else
        ``outputs`` in the entry's data directory.
    theme : str, optional
        The theme that it starts with: "light", "system" (the default) or "dark".

    Returns
    -------
    pathlib.Path
        The file, ``coglog-turn-N.jsx`` or ``coglog-SESSION-turn-N.jsx``. If a link has that name, the link is
        replaced; what it points to stays as it is.

    Raises
    ------
    StoreError
        If the file can't be written.
    ValidationError
        If `entry` is invalid or `theme` is unknown.
    """
    from pathlib import Path

    entry = as_entry(entry)
    source = artifact_source(entry.view(), theme=theme)
    data_dir = entry.data_dir or paths.data_directory()[0]
    directory, _ = paths.viewer_directory(viewer_dir, data_dir)
    # In the data directory it is as private as the turn; anywhere else the directory's owner decides.
    private = _is_inside(directory, data_dir)
    make_directories(directory, private=private)
    path = os.path.join(directory, artifact_name(entry["turn_id"], entry.session))
    # A link there is replaced and not followed: in a shared directory, somebody else may have made it.
    replace_file(path, [source.encode("utf-8")], mode=PRIVATE_FILE if private else None, durable=False)
    return Path(path)


def write_artifact(
    entry: Entry, viewer_dir: str | os.PathLike[str] | None, *, keep: str
) -> tuple[Path, tuple[str, ...]]:
    """Write the viewer artifact of a turn that was just stored.

    Parameters
    ----------
    entry : Entry
        The stored turn; the artifact has its theme.
    viewer_dir : str, os.PathLike or None
        Where the file goes, as for `render`.
    keep : str
        One of `ARTIFACTS`. With "last", the artifact that was this window's last until now is then removed. Older ones,
        which an earlier "all" left, stay.

    Returns
    -------
    tuple
        The file (pathlib.Path), and a message if the previous artifact can't be removed (tuple of str).

    Raises
    ------
    StoreError
        If the file can't be written; nothing is removed then.
    """
    previous = None
    if keep == "last":
        directory, _ = paths.viewer_directory(viewer_dir, entry.data_dir or paths.data_directory()[0])
        previous = _newest_artifact(directory, entry.session)
    path = render(entry, viewer_dir, theme=entry.theme)
    if previous is not None and os.path.basename(previous) != artifact_name(entry["turn_id"], entry.session):
        try:
            _remove(previous)
        except StoreError as error:
            return path, tuple(f"the previous viewer is still there: {problem}" for problem in error.problems)
    return path, ()


def _newest_artifact(directory: str, session: str | None) -> str | None:
    """Return the artifact of a window that was written last; of two of one moment, the later turn's."""
    found = []
    for path, turn_id in _artifacts_of(directory, session):
        # One that another process removes meanwhile is none.
        with contextlib.suppress(OSError):
            status = os.lstat(path)
            if not stat.S_ISDIR(status.st_mode):
                found.append((status.st_mtime_ns, turn_id, path))
    return max(found)[2] if found else None


def _is_inside(path: str, directory: str) -> bool:
    same_drive = os.path.splitdrive(path)[0] == os.path.splitdrive(directory)[0]
    return same_drive and os.path.commonpath((path, directory)) == directory


def remove_artifacts(directory: str, session: str | None) -> int:
    """Remove the viewer artifacts of one window.

    Parameters
    ----------
    directory : str
        Where they are.
    session : str or None
        The window they belong to. Artifacts of other windows stay.

    Returns
    -------
    int
        How many were removed.

    Raises
    ------
    StoreError
        If one can't be removed.
    """
    found = _artifacts_of(directory, session)
    for path, _ in found:
        _remove(path)
    return len(found)


def _artifacts_of(directory: str, session: str | None) -> list[tuple[str, int]]:
    """Return the paths of a window's artifacts, each with its turn's id."""
    prefix = f"coglog-{session}-turn-" if session else "coglog-turn-"
    pattern = re.compile(re.escape(prefix) + r"([0-9]+)\.jsx")
    try:
        names = os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StoreError.from_os("list", directory, error) from error
    matches = [match for match in map(pattern.fullmatch, names) if match]
    return [(os.path.join(directory, match[0]), int(match[1])) for match in matches]


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # another process was quicker
    except OSError as error:
        raise StoreError.from_os("remove", path, error) from error

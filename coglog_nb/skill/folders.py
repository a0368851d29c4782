"""A skill's folder on disk: recognised by its manifest, replaced whole, and never a folder of somebody else."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Mapping

from ..errors import StoreError
from ..files import make_directories
from ..locks import hold
from .contents import MANIFEST, MARK, digest, is_script

_LOCK_TIMEOUT = 10.0  # seconds, as a store waits
_MOST_NAMES = 5  # in a message


def hold_folder(parent: str) -> contextlib.AbstractContextManager[bool]:
    """Keep other runs out of a folder of skills, and leave no lock file behind.

    Yields
    ------
    bool
        Whether a lock is held. Some file systems don't have locks.

    Raises
    ------
    LockError
        If another run holds it for longer than 10 seconds.
    StoreError
        If the folder can't be written to.
    """
    return hold(os.path.join(parent, ".coglog-skill.lock"), _LOCK_TIMEOUT, temporary=True)


def check_folder(path: str, *, force: bool) -> None:
    """Check that a folder may be written: it doesn't exist, or we wrote it and nobody modified it.

    Parameters
    ----------
    path : str
        The folder.
    force : bool
        Whether a modified folder may be overwritten.

    Raises
    ------
    StoreError
        If it may not, with the reason.
    """
    if not os.path.lexists(path):
        return
    if os.path.islink(path):
        raise StoreError(f"{path} is a link, and links aren't overwritten: give another DIR or remove the link", path)
    listed = _listed(path)
    if listed is None:
        raise StoreError(f"{path} exists and was not written by `coglog skill`: give another DIR or move it away", path)
    changed = [] if force else _changes(path, listed)
    if changed:
        names = ", ".join(changed[:_MOST_NAMES]) + (", ..." if len(changed) > _MOST_NAMES else "")
        raise StoreError(
            f"{path} was modified since it was written ({names}): --force overwrites it, and these changes are lost",
            path,
        )


def check_archive(path: str, name: str) -> None:
    """Check that an archive may be written: it doesn't exist, or we wrote it.

    Raises
    ------
    StoreError
        If it may not, with the reason.
    """
    if not os.path.lexists(path):
        return
    if not _is_own_archive(path, name):
        raise StoreError(f"{path} exists and was not written by `coglog skill`: give another DIR or move it away", path)


def put_folder(parent: str, name: str, files: Mapping[str, bytes]) -> str:
    """Write a skill's folder, or replace its old version. The caller holds the lock.

    The folder is written under a hidden name, SKILL.md last, and then renamed, so that an agent which looks for skills
    finds a whole one or none. Everything else in the old version is removed.

    Parameters
    ----------
    parent : str
        The folder that it goes into.
    name : str
        The skill.
    files : mapping
        What it holds, as `files_of` returns it.

    Returns
    -------
    str
        Its path.

    Raises
    ------
    StoreError
        If the file system refuses; the old version is then unchanged.
    """
    path = os.path.join(parent, name)
    temporary = os.path.join(parent, f".{name}.{os.urandom(8).hex()}.new")
    old = temporary.removesuffix(".new") + ".old"
    try:
        for file in sorted(files, key=lambda file: (file == "SKILL.md", file)):
            _write(os.path.join(temporary, *file.split("/")), files[file], executable=is_script(file))
        if os.path.lexists(path):
            os.rename(path, old)
        os.rename(temporary, path)
    except BaseException as error:  # an interrupt must leave nothing behind either
        if not os.path.lexists(path):
            with contextlib.suppress(OSError):
                os.rename(old, path)
        _remove(temporary)
        if isinstance(error, OSError):
            raise StoreError.from_os("write", path, error) from error
        raise
    _remove(old)
    return path


def _listed(path: str) -> dict[str, str] | None:
    """Return the digests in a folder's manifest by path, or None if it isn't ours."""
    manifest = os.path.join(path, MANIFEST)
    if not _is_regular(manifest):
        return None
    try:
        with open(manifest, encoding="utf-8") as file:
            first, *lines = file.read().splitlines()
    except (OSError, ValueError):  # missing, not a folder, not text, or empty
        return None
    if not first.startswith(MARK):
        return None
    pairs = [line.split("  ", 1) for line in lines]
    return {pair[1]: pair[0] for pair in pairs if len(pair) > 1}


def _is_own_archive(path: str, name: str) -> bool:
    if not _is_regular(path):
        return False
    # Another program's file can be no archive, half an archive, one with a password, or one of an unknown kind.
    foreign = (OSError, KeyError, RuntimeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error)
    with contextlib.suppress(*foreign), zipfile.ZipFile(path) as archive, archive.open(f"{name}/{MANIFEST}") as file:
        return file.read(len(MARK)) == MARK.encode()
    return False


def _is_regular(path: str) -> bool:
    # Opening a pipe would wait for a writer without end, and a link can lead to somebody else's file.
    return os.path.isfile(path) and not os.path.islink(path)


def _changes(path: str, listed: Mapping[str, str]) -> list[str]:
    """Return the files of a folder that differ from its manifest. Missing files don't count: they come back."""
    changed = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            file = os.path.join(folder, name)
            relative = os.path.relpath(file, path).replace(os.sep, "/")
            if relative != MANIFEST and not _is(file, listed.get(relative)):
                changed.append(relative)
    return changed


def _is(path: str, expected: str | None) -> bool:
    if not _is_regular(path):
        return False
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return digest(file.read()) == expected
    return False


def _write(path: str, data: bytes, *, executable: bool) -> None:
    make_directories(os.path.dirname(path), private=False)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # The system's usual permissions will do, because a skill holds no part of a turn.
    with open(os.open(path, flags, 0o777 if executable else 0o666), "wb") as file:
        file.write(data)


def sweep_folders(parent: str, name: str) -> None:
    """Remove what killed runs left of a skill. The caller holds the lock, so no other run is active."""
    pattern = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{16}}\.(?:new|old)")
    with contextlib.suppress(OSError):
        for found in filter(pattern.fullmatch, os.listdir(parent)):
            _remove(os.path.join(parent, found))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(path, "SKILL.md"))  # first: without it, no agent takes the rest for a skill
    shutil.rmtree(path, ignore_errors=True)

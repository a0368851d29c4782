"""The skill: CogLog as a folder that an agent reads and runs, with nothing installed.

`contents` says which files a skill has, made from this package's own sources; `folders` puts them on disk, and never
over anything that isn't this package's own.
"""

from __future__ import annotations

import os

from ..files import make_directories, replace_file
from ..paths import absolute
from .contents import archive, files_of
from .folders import check_archive, check_folder, hold_folder, put_folder, sweep_folders

__all__ = ["write_skills"]


def write_skills(
    directory: str | os.PathLike[str], *, viz: bool = False, archives: bool = False, force: bool = False
) -> list[str]:
    """Write the skill folders, complete and standalone.

    Parameters
    ----------
    directory : str or os.PathLike
        The folder that they go into (``~/.claude/skills``, say); it is made where it is missing.
    viz : bool, optional
        Whether the skill ``coglog-viz`` is written too; it stands alone as well.
    archives : bool, optional
        Whether each is also packed into a ``.zip`` beside it, for where skills are uploaded.
    force : bool, optional
        Whether a folder of ours that was changed since is written anew all the same; what was changed in it, and added
        to it, is then gone.

    Returns
    -------
    list of str
        The paths of the folders, and of the archives, as they were written.

    Raises
    ------
    StoreError
        If one of the folders or archives is there and isn't ours, or was changed since and `force` is False (nothing is
        written then), or the file system refuses.
    LockError
        If another run held the folder for too long.
    """
    parent = absolute(directory, "DIR")
    names = ["coglog", "coglog-viz"] if viz else ["coglog"]
    contents = {name: files_of(name) for name in names}
    make_directories(parent, private=False)
    written = []
    with hold_folder(parent) as locked:
        # All of them before the first is written: a refusal leaves everything as it was.
        for name in names:
            check_folder(os.path.join(parent, name), force=force)
            if archives:
                check_archive(os.path.join(parent, f"{name}.zip"), name)
        for name in names:
            if locked:
                sweep_folders(parent, name)
            written.append(put_folder(parent, name, contents[name]))
            if archives:
                path = os.path.join(parent, f"{name}.zip")
                replace_file(path, [archive(name, contents[name])], mode=None, durable=False)
                written.append(path)
    return written

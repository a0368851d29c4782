"""The skill: CogLog as a folder that an agent reads and runs, with nothing installed.

`contents` makes a skill's files from this package's own sources. `folders` writes them to disk, and never overwrites a
folder that this package didn't write.
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
        The folder for the skills, such as ``~/.claude/skills``. It is created if it doesn't exist.
    viz : bool, optional
        Whether to write the skill ``coglog-viz`` too, which works without the other one.
    archives : bool, optional
        Whether to pack each skill into a ``.zip`` in the same folder as well, for upload.
    force : bool, optional
        Whether to overwrite a modified folder. Changed and added files in it are lost.

    Returns
    -------
    list of str
        The paths of the folders and archives, in the order in which they were written.

    Raises
    ------
    StoreError
        If a folder or archive exists that this function didn't write, or a folder was modified and `force` is False. In
        both cases nothing is written. Also if the file system refuses.
    LockError
        If another run holds the folder for longer than 10 seconds.
    """
    parent = absolute(directory, "DIR")
    names = ["coglog", "coglog-viz"] if viz else ["coglog"]
    contents = {name: files_of(name) for name in names}
    make_directories(parent, private=False)
    written = []
    with hold_folder(parent) as locked:
        # Check all of them before writing the first, so that a refusal changes nothing.
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

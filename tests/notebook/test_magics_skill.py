"""`%coglog skill DIR` in a notebook is the command line's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coglog_nb import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.notebook.conftest import Shell


def test_a_notebook_writes_the_same_skills(shell: Shell, tmp_path: Path) -> None:
    directory = tmp_path / "my skills"
    ran = shell.run(f"%coglog skill '{directory}' --viz --zip")
    assert ran.value is None
    names = ("coglog", "coglog.zip", "coglog-viz", "coglog-viz.zip")
    assert ran.out == "".join(f"coglog: skill → {directory / name}\n" for name in names)
    (directory / "coglog" / "MANIFEST.sha256").unlink()
    error, seen = shell.fail(f"%coglog skill '{directory}'")
    assert isinstance(error, StoreError)
    assert "was not written by `coglog skill`" in seen
    assert "Traceback" not in seen

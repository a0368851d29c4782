"""Run the Python tests under every CPython from 3.10 up that this machine really has: ``make test-all``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import nox

OLDEST = (3, 10)
PROBE = "import platform, sys; print(platform.python_implementation(), *sys.version_info[:3], sys.executable)"

nox.options.error_on_missing_interpreters = True
nox.options.reuse_venv = "yes"


def candidates() -> list[Path]:
    """List what could be an interpreter: on the PATH, and where pyenv and uv keep theirs."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or home / ".local" / "share" / "uv" / "python")
    folders += sorted(pyenv.glob("versions/*/bin")) + sorted(uv.glob("*/bin"))
    here = Path(__file__).resolve().parent
    return [
        path
        for folder in folders
        if not folder.resolve().is_relative_to(here)  # not the project's own environments
        for path in sorted(folder.glob("python3*"))
        if path.name.removeprefix("python3").removeprefix(".").isdigit() or path.name == "python3"
    ]


def interpreters() -> dict[str, str]:
    """Ask each candidate what it is (a pyenv shim can be there and fail); keep the newest of each version."""
    found: dict[tuple[int, int], tuple[int, str]] = {}
    for path in candidates():
        try:
            asked = [str(path), "-c", PROBE]
            answer = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        implementation, major, minor, micro, executable = answer.stdout.strip().split(" ", 4)
        version = (int(major), int(minor))
        if implementation != "CPython" or version < OLDEST:
            continue
        if version not in found or found[version][0] < int(micro):
            found[version] = (int(micro), executable)
    return {f"{major}.{minor}": found[major, minor][1] for major, minor in sorted(found)}


def unit(session: nox.Session) -> None:
    """Run the tests that need neither a browser nor a build of the package."""
    session.install("--editable", ".[test]", env={"SKIP_JUPYTER_BUILDER": "1"})
    session.run(
        "python",
        "-m",
        "pytest",
        "tests",
        "--ignore=tests/browser",
        "--ignore=tests/packaging",
        *session.posargs,
    )


for version, executable in interpreters().items():
    nox.session(name=f"unit-{version}", python=executable)(unit)

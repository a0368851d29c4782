"""The files of a skill: this package's own modules, a script that starts them, and texts to read.

    coglog/
      SKILL.md                 when to use it, and how
      scripts/coglog.py        the command line, and the module to import
      scripts/_coglog/         the code: files of coglog_nb, byte for byte
      references/DESIGN.md     why it is as it is
      LICENSE
      MANIFEST.sha256          the digest of each file, which marks the folder as ours

The code is copied and not merged into one file. So each file can be compared with its source, and a traceback names the
same file and line as here.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import stat
import zipfile
from collections.abc import Iterable, Mapping

from .._version import __version__
from ..errors import StoreError

MODULES = (
    "_version",
    "clock",
    "suggestions",
    "errors",
    "fields",
    "jsontext",
    "entry",
    "paths",
    "descriptors",
    "files",
    "locks",
    "store",
    "validation",
    "view",
    "labels",
    "limits",
    "built_files",
    "text_form",
    "html_form",
    "artifact",
    "prompt",
    "json_schema",
    "cli",
    "commands/__init__",
    "commands/frontend",
    "commands/output_file",
    "commands/parser",
    "commands/registry",
)
"""The modules that the commands need. What these import must be in the list too, which tests/skill/test_skill.py
checks. The Makefile checks all of them for Python 3.9."""

STATIC = ("CogLogViewer.jsx", "card.json", "export-page.html")
"""The built files that the commands need: for an artifact, for the card in an HTML export, and for its page."""

_AFTER_CLEAR = ("where", "sessions", "export", "import", "template", "context", "schema")

COMMANDS = {
    "coglog": ("read", "write", "clear", *_AFTER_CLEAR),
    "coglog-viz": ("read", "write", "clear", "render", *_AFTER_CLEAR),
}
"""The commands of each skill: those that make sense without a notebook and need only the modules above."""

MANIFEST = "MANIFEST.sha256"
MARK = "# coglog skill,"
"""How the manifest of every version begins."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def files_of(name: str) -> dict[str, bytes]:
    """Return the files of a skill.

    Parameters
    ----------
    name : str
        "coglog" or "coglog-viz".

    Returns
    -------
    dict of str to bytes
        The content of each file by its path in the skill's folder, sorted. It is the same on every machine.

    Raises
    ------
    StoreError
        If a source is missing, for example in a checkout without a built viewer.
    """
    package = private_package(name)
    code = f"scripts/{package}"
    files = {
        "SKILL.md": _source("skill", "texts", f"{name}.md"),
        f"scripts/{name}.py": _script(name),
        "references/DESIGN.md": _document("docs/DESIGN.md"),
        "LICENSE": _document("LICENSE"),
        f"{code}/__init__.py": _package_docstring(name),
    }
    modules = [*MODULES, *(f"commands/cmd_{command}" for command in COMMANDS[name])]
    for module in modules:
        files[f"{code}/{module}.py"] = _source(*f"{module}.py".split("/"))
    registry = f"{code}/commands/registry.py"
    files[registry] = fewer_commands(files[registry].decode("utf-8"), COMMANDS[name]).encode("utf-8")
    for static in STATIC:
        files[f"{code}/static/{static}"] = _source("static", static)
    files[MANIFEST] = _manifest(files)
    return dict(sorted(files.items()))


def private_package(name: str) -> str:
    """Return the name of the package with a skill's code.

    Nobody else uses this name, and each skill has its own, so that one process can import both skills.
    """
    return "_" + name.replace("-", "_")


def fewer_commands(source: str, kept: Iterable[str]) -> str:
    """Remove the commands that a skill doesn't have from the source of the registry."""
    kept = set(kept)
    lines = source.splitlines(keepends=True)
    registry = next(
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMMANDS"
    )
    assert isinstance(registry, ast.Dict)  # noqa: S101 - it is this package's own source
    for name, command in zip(registry.keys, registry.values, strict=True):
        if isinstance(name, ast.Constant) and name.value not in kept:
            first, last = name.lineno, command.end_lineno or name.lineno
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "".join(lines)


def archive(name: str, files: Mapping[str, bytes]) -> bytes:
    """Pack a skill for upload: one folder at the top, sorted, with fixed times and modes.

    Nothing is compressed, because versions of zlib compress differently.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as into:
        for path in sorted(files):
            member = zipfile.ZipInfo(f"{name}/{path}", date_time=(1980, 1, 1, 0, 0, 0))
            member.create_system = 3  # Unix, also on Windows: otherwise the modes are ignored
            member.external_attr = (stat.S_IFREG | (0o755 if is_script(path) else 0o644)) << 16
            into.writestr(member, files[path])
    return packed.getvalue()


def is_script(path: str) -> bool:
    """Return whether a path in a skill, such as ``scripts/coglog.py``, is its script; modules lie one folder deeper."""
    return path.count("/") == 1 and path.startswith("scripts/")


def _source(*parts: str) -> bytes:
    path = os.path.join(_PACKAGE, *parts)
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        hint = ": build the viewer first (in a checkout: make build)" if parts[0] == "static" else ""
        raise StoreError(f"cannot make the skill: {path} is missing{hint}", path) from error
    except OSError as error:
        raise StoreError.from_os("read", path, error) from error


def _document(path: str) -> bytes:
    """Return a document of the repository. The wheel has it in this folder (pyproject.toml, force-include)."""
    parts = ("skill", os.path.basename(path))
    if os.path.exists(os.path.join(_PACKAGE, *parts)):
        return _source(*parts)
    return _source(os.pardir, *path.split("/"))


def _script(name: str) -> bytes:
    holes = {"NAME": name, "PACKAGE": private_package(name), "MAIN": "main_viz" if name == "coglog-viz" else "main"}
    text = _source("skill", "texts", "script.txt").decode("utf-8")
    return re.sub(r"%\{([A-Z]+)\}", lambda hole: holes[hole[1]], text).encode("utf-8")


def _package_docstring(name: str) -> bytes:
    return (
        f'"""The code of the {name} skill: files of coglog-nb {__version__}, byte for byte except the list of'
        f' commands."""\n\n__version__ = "{__version__}"\n'
    ).encode()


def _manifest(files: Mapping[str, bytes]) -> bytes:
    lines = [f"{MARK} written by coglog-nb {__version__}; `sha256sum -c {MANIFEST}` checks it"]
    lines += [f"{digest(files[path])}  {path}" for path in sorted(files)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def digest(data: bytes) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal, as the manifest lists it."""
    return hashlib.sha256(data).hexdigest()

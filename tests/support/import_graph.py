"""The graph of a package's imports, computed from its sources: which module needs which, and where it goes in a circle.

An import inside a function counts, because what it needs is the same. What only a type checker reads doesn't count.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOT = "__init__"
"""The name of the package's own `__init__.py`; a subpackage has the name of its folder."""


def read_modules(folder: Path) -> dict[str, str]:
    """Read the sources of a package.

    Parameters
    ----------
    folder : pathlib.Path
        The package's folder.

    Returns
    -------
    dict of str to str
        The source of each module by its name below the package: ``"store"``, ``"replies.block"``.
    """
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if len(parts) > 1 and parts[-1] == "__init__":
            parts.pop()
        found[".".join(parts)] = path.read_text(encoding="utf-8")
    return found


def packages_of(folder: Path) -> set[str]:
    """Name a package's subpackages, and its root."""
    inner = {path.parent.relative_to(folder).as_posix().replace("/", ".") for path in folder.rglob("*/__init__.py")}
    return {ROOT, *inner} - {"."}


def has_logic(source: str) -> bool:
    """Tell whether a module holds more than its docstring and `from __future__` imports."""
    return any(
        not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
        for node in ast.parse(source).body
    )


def import_statements(source: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """Give every import statement that can run, in functions too; not those under ``if TYPE_CHECKING``."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def foreign_imports(source: str, package: str) -> set[str]:
    """Name the top-level modules outside the package that a source imports."""
    found = set()
    for node in import_statements(source):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif not node.level and node.module:
            found.add(node.module.split(".")[0])
    return found - {package}


def import_graph(sources: dict[str, str], packages: set[str], package: str) -> dict[str, set[str]]:
    """Compute which modules of a package each of its modules imports.

    Parameters
    ----------
    sources : dict of str to str
        The source of each module by its name below the package, as `read_modules` gives it.
    packages : set of str
        Those of the names that are packages, as `packages_of` gives them.
    package : str
        The package's name, for imports that spell it out.

    Returns
    -------
    dict of str to set of str
        For each module the modules it imports. Who imports ``pkg.module`` from outside ``pkg`` also runs ``pkg``'s
        ``__init__.py`` and is taken to import it where that holds logic. The root's runs with every import, so it
        counts only where a name is taken from it.
    """
    with_logic = {name for name in packages - {ROOT} if name in sources and has_logic(sources[name])}
    return {
        name: _with_packages(name, _imported(name, source, set(sources), packages, package), packages, with_logic)
        - {name}
        for name, source in sources.items()
    }


def _home(name: str, packages: set[str]) -> list[str]:
    """Split the name of the package that a module lies in, or is."""
    parts = [] if name == ROOT else name.split(".")
    return parts if name in packages else parts[:-1]


def _imported(name: str, source: str, known: set[str], packages: set[str], package: str) -> set[str]:
    """Name the modules that a source's import statements name."""
    home = _home(name, packages)
    found: set[str] = set()
    for node in import_statements(source):
        if isinstance(node, ast.Import):
            inner = [alias.name.split(".")[1:] for alias in node.names if alias.name.split(".")[0] == package]
            found |= {".".join(parts) or ROOT for parts in inner}
            continue
        written = node.module.split(".") if node.module else []
        if node.level:
            base = [*home[: len(home) - node.level + 1], *written]
        elif written[:1] == [package]:
            base = written[1:]
        else:
            continue
        for alias in node.names:  # a module, or a name in the module before it
            inside = ".".join([*base, alias.name])
            found.add(inside if inside in known else ".".join(base) or ROOT)
    return found


def _with_packages(name: str, imported: set[str], packages: set[str], with_logic: set[str]) -> set[str]:
    """Add the packages whose `__init__.py` these imports run, except those that the importing module lies in."""
    home = _home(name, packages)
    own = {".".join(home[:length]) for length in range(1, len(home) + 1)}
    split = [target.split(".") for target in imported]
    parents = {".".join(parts[:length]) for parts in split for length in range(1, len(parts))}
    return imported | ((parents & with_logic) - own)


def groups_in_circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Find the groups of modules that import each other, directly or by way of others; no two share a module."""
    reached = {name: _reached(graph, name) for name in graph}
    found = {
        frozenset(other for other in reached[name] if name in reached[other]) for name in graph if name in reached[name]
    }
    return sorted((set(group) for group in found), key=min)


def shortest_circle(graph: dict[str, set[str]], group: set[str]) -> list[str]:
    """Find a shortest way round in a group; the module it starts from is named again at the end."""
    return min((_way_back(graph, start) for start in sorted(group)), key=len)


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def _way_back(graph: dict[str, set[str]], start: str) -> list[str]:
    waiting = [[start]]
    seen = set()
    for way in waiting:  # it grows while it is walked: the nearest modules come first
        for target in sorted(graph.get(way[-1], ())):
            if target == start:
                return [*way, start]
            if target not in seen:
                seen.add(target)
                waiting.append([*way, target])
    raise AssertionError(f"{start} is in no circle")

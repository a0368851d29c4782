"""The lines that the code's structure keeps: who imports whom, and what an import costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import coglog_nb

PACKAGE = Path(coglog_nb.__file__).parent
CORE = {
    "_version",
    "clock",
    "suggestions",
    "redaction",
    "errors",
    "fields",
    "jsontext",
    "entry",
    "paths",
    "files",
    "locks",
    "store",
    "viewer",
    "prompt",
    "json_schema",
    "labels",
}
FEATURES = {"replies", "steps", "mcp_server", "tools", "skill", "teaching"}
# What a module may import beside the standard library; the core and all that is not named here, nothing.
FOREIGN = {
    "notebook": {"IPython", "anywidget", "ipywidgets", "traitlets"},
    "steps": {"llm"},
    "mcp_server": {"mcp", "anyio", "pydantic"},  # the SDK, and what it is built on
}
FACES = {"cli", "__main__"}


def layer(module: str) -> int:
    """Return a module's layer: an import may go to its own or a lower one."""
    head = module.split(".", maxsplit=1)[0]
    if head in CORE:
        return 0
    if head in FEATURES:
        return 1
    if head == "commands":
        return 2
    if head == "notebook" or head in FACES:
        return 3
    raise AssertionError(f"{module} has no place in the picture: put it there, and here")


def modules() -> dict[str, ast.Module]:
    return {
        path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", "."): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in PACKAGE.rglob("*.py")
        if path != PACKAGE / "__init__.py"
    }


def own_imports(name: str, tree: ast.Module) -> set[str]:
    package = ["coglog_nb", *name.removesuffix(".__init__").split(".")]
    if not name.endswith("__init__"):
        package.pop()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            targets = [*base, node.module] if node.module else base
            if len(targets) == 1:
                found |= {alias.name for alias in node.names}
            else:
                found.add(".".join(targets[1:]))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "coglog_nb":
            found.add((node.module or "").partition(".")[2] or "__init__")
    return found - {"__version__"}


@pytest.mark.parametrize(("name", "tree"), modules().items(), ids=modules())
def test_imports_point_one_way(name: str, tree: ast.Module) -> None:
    for target in own_imports(name, tree):
        assert layer(target) <= layer(name), f"{name} imports {target}"
        if layer(name) == layer(target) == 3 and name != "__main__":
            assert name.split(".", maxsplit=1)[0] == target.split(".")[0], (
                f"one face imports the other: {name}, {target}"
            )


@pytest.mark.parametrize(("name", "tree"), modules().items(), ids=modules())
def test_only_the_notebook_knows_notebooks_and_the_core_knows_the_standard_library_alone(
    name: str, tree: ast.Module
) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for inner in ast.walk(node):
                inner.__dict__.pop("names", None)  # what only the type checker sees is no import
    absolute = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import) and hasattr(node, "names")
        for alias in node.names
    } | {
        (node.module or "").split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level and hasattr(node, "names")
    }
    foreign = absolute - set(sys.stdlib_module_names) - {"coglog_nb"}
    assert foreign <= FOREIGN.get(name.split(".", maxsplit=1)[0], set())


def test_no_module_bears_the_name_of_a_public_function() -> None:
    public = {name for name in coglog_nb.__all__ if callable(getattr(coglog_nb, name))}
    assert public >= {"render", "show", "CogLog"}
    leaves = {name.rsplit(".", 1)[-1] for name in modules()}
    assert not leaves & (public | {"capture", "turn", "render", "show"})


def loaded_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_the_package_and_using_the_core_pulls_in_no_notebook() -> None:
    notebook = {"IPython", "anywidget", "ipywidgets", "traitlets"}
    loaded = loaded_after("import coglog_nb")
    assert not loaded & (notebook | {"json", "typing", "argparse"})
    code = (
        "import tempfile\nfrom coglog_nb import CogLog, render\n"
        "store = CogLog(tempfile.mkdtemp())\n"
        "entry = store.write(user='u', thinking='t', assistant='a', current_focus='', theory_of_mind='',"
        " self_narrative='', annotation='')\n"
        "store.read(), render(entry), repr(entry), entry._repr_html_(), store.clear()"
    )
    assert not loaded_after(code) & notebook
    assert "anywidget" in loaded_after("from coglog_nb import show")


def test_the_command_line_pulls_in_only_the_command_it_runs() -> None:
    loaded = loaded_after("from coglog_nb.cli import main\nmain(['read'])")
    assert {name for name in loaded if ".cmd_" in name} == {"coglog_nb.commands.cmd_read"}
    assert not loaded & {
        "IPython",
        "anywidget",
        "typing",
        "pathlib",
        "datetime",
        "dataclasses",
        "difflib",
    } - loaded_after("")


def test_every_public_name_is_there_and_listed() -> None:
    assert set(coglog_nb.__all__) <= set(dir(coglog_nb))
    for name in coglog_nb.__all__:
        assert getattr(coglog_nb, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = coglog_nb.nothing

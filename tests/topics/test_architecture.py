"""The structure of the package: who imports whom, what an import costs, and where each module's tests are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from import_graph import (
    ROOT,
    foreign_imports,
    groups_in_circles,
    has_logic,
    import_graph,
    packages_of,
    read_modules,
    shortest_circle,
)

import coglog_nb

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(coglog_nb.__file__).parent
TESTS = Path(__file__).parents[1]
SOURCES = read_modules(PACKAGE)
PACKAGES = packages_of(PACKAGE)
GRAPH = import_graph(SOURCES, PACKAGES, PACKAGE.name)

FLOORS = ("core", "features", "commands", "frontends", "package root")
"""The floors from the lowest up; a module imports from its own floor and from lower ones."""
# By the first part of a module's name. What lies directly in coglog_nb/ and isn't named here is the core.
FEATURES = {"json_schema", "mcp_server", "mcp_wire", "prompt", "replies", "skill", "steps", "teaching", "tools"}
FRONTENDS = {"notebook": "notebook", "cli": "command line", "__main__": "command line"}
# What a module may import that is in neither the standard library nor this package, by the first part of its name.
FOREIGN = {
    "notebook": {"IPython", "anywidget", "ipywidgets", "traitlets"},
    "steps": {"llm"},
    "mcp_server": {"mcp", "anyio"},  # the SDK, and what it is built on
    "mcp_wire": {"mcp", "anyio", "pydantic"},
}


def head(module: str) -> str:
    return module.partition(".")[0]


def floor(module: str) -> int:
    """Return the number of a module's floor in `FLOORS`."""
    if module == ROOT:
        return FLOORS.index("package root")
    if head(module) in FRONTENDS:
        return FLOORS.index("frontends")
    if head(module) == "commands":
        return FLOORS.index("commands")
    return FLOORS.index("features" if head(module) in FEATURES else "core")


def upward(graph: dict[str, set[str]]) -> Iterator[str]:
    """Describe each import that goes to a higher floor."""
    for module, targets in graph.items():
        for target in sorted(targets):
            if floor(target) > floor(module):
                yield f"{module} ({FLOORS[floor(module)]}) imports {target} ({FLOORS[floor(target)]})"


def across(graph: dict[str, set[str]]) -> Iterator[str]:
    """Describe each import from the notebook to the command line, and the other way."""
    for module, targets in graph.items():
        for target in sorted(targets):
            if FRONTENDS.get(head(module), "") != FRONTENDS.get(head(target), "") and floor(module) == floor(target):
                yield f"{module} imports {target}"


def circles(graph: dict[str, set[str]]) -> list[str]:
    """Describe each group of modules that import each other, with a shortest way round."""
    return [
        f"{' -> '.join(shortest_circle(graph, group))} ({len(group)} modules in all: {', '.join(sorted(group))})"
        for group in groups_in_circles(graph)
    ]


def test_no_module_imports_itself_by_way_of_others() -> None:
    found = circles(GRAPH)
    assert not found, "\n".join(found)


def test_imports_go_down() -> None:
    found = list(upward(GRAPH))
    assert not found, "\n".join(found)


def test_the_notebook_and_the_command_line_do_not_know_each_other() -> None:
    found = list(across(GRAPH))
    assert not found, "\n".join(found)


def test_the_core_is_flat_and_every_folder_has_its_floor() -> None:
    folders = {name for name in PACKAGES if name != ROOT and "." not in name}
    known = FEATURES | FRONTENDS.keys() | {"commands"}
    assert folders <= known, "a folder without a floor: give it one here and in CONTRIBUTING.md"
    assert known <= {head(name) for name in SOURCES}, "a floor names a module that doesn't exist"


@pytest.mark.parametrize("name", SOURCES)
def test_only_listed_modules_import_what_python_does_not_bring(name: str) -> None:
    foreign = foreign_imports(SOURCES[name], PACKAGE.name) - set(sys.stdlib_module_names)
    unknown = sorted(foreign - FOREIGN.get(head(name), set()))
    assert not unknown, f"{name} imports {', '.join(unknown)}"


# These choose a module by its name when they run, which no graph shows.
DYNAMIC = {
    ROOT: "a public name is imported when it is first used",
    "commands.registry": "a process imports only the command that it runs",
    "notebook.frontend": "so does a notebook, which has commands of its own",
    "teaching.locales": "a process imports only the texts that it shows",
}


def test_only_listed_modules_import_by_a_computed_name() -> None:
    found = {name for name, source in SOURCES.items() if re.search(r"\b(import_module|__import__)\b", source)}
    assert found <= DYNAMIC.keys()


# --- the computation itself, on planted mistakes


def planted(**sources: str) -> dict[str, set[str]]:
    """Compute the graph of modules whose names have `__` where a dot stands."""
    modules = {name.replace("__", "."): source for name, source in sources.items()}
    packages = {ROOT, *(name for name in modules if any(other.startswith(f"{name}.") for other in modules))}
    return import_graph(modules, packages, "coglog_nb")


def test_a_planted_circle_is_found_and_named() -> None:
    graph = planted(entry="from .store import CogLog", store="from . import files", files="import coglog_nb.entry")
    assert graph == {"entry": {"store"}, "store": {"files"}, "files": {"entry"}}
    assert circles(graph) == ["entry -> store -> files -> entry (3 modules in all: entry, files, store)"]
    assert circles(planted(entry="from .store import CogLog", store="import os")) == []


def test_a_planted_lazy_circle_is_found_and_one_for_types_is_none() -> None:
    lazy = "def render():\n    if True:\n        from coglog_nb import entry\n"
    assert circles(planted(entry="from .viewer import render", viewer=lazy))
    types = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from .entry import Entry\nelse:\n    from . import files"
    graph = planted(entry="from .viewer import render", viewer=types, files="")
    assert graph["viewer"] == {"files"}
    assert circles(graph) == []


def test_a_circle_through_a_packages_init_is_found() -> None:
    graph = planted(
        replies="from .block import find",
        replies__block="from ..entry import Entry",
        entry="from .replies.block import find",
    )
    assert graph["entry"] == {"replies", "replies.block"}
    assert graph["replies.block"] == {"entry"}, "a module doesn't import the package that it lies in"
    assert circles(graph) == ["entry -> replies.block -> entry (3 modules in all: entry, replies, replies.block)"]
    empty = planted(replies='"""Says what is here."""', replies__block="", entry="from .replies.block import find")
    assert empty["entry"] == {"replies.block"}


def test_planted_upward_and_sideways_imports_are_found() -> None:
    graph = planted(
        store="def write():\n    from .replies import block",
        replies__block="from ..commands import parser",
        commands__parser="from .. import __version__",
        cli="from .notebook import magics",
        notebook__magics="from ..commands import parser",
        replies="",
        commands="",
        notebook="",
    )
    assert list(upward(graph)) == [
        "store (core) imports replies.block (features)",
        "replies.block (features) imports commands.parser (commands)",
        "commands.parser (commands) imports __init__ (package root)",
    ]
    assert list(across(graph)) == ["cli imports notebook.magics"]


def test_a_planted_foreign_import_is_found() -> None:
    source = "import os.path\ndef f():\n    from IPython.display import display\nfrom .x import y\nimport coglog_nb.z"
    assert foreign_imports(source, "coglog_nb") == {"os", "IPython"}


# --- names, and what an import costs


def test_no_module_has_the_name_of_a_public_function() -> None:
    public = {name for name in coglog_nb.__all__ if callable(getattr(coglog_nb, name))}
    assert public >= {"render", "show", "CogLog"}
    leaves = {name.rsplit(".", 1)[-1] for name in SOURCES}
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


# --- where the tests are

TOPICS = ("browser", "hosts", "packaging", "support", "topics")
"""The folders of tests that don't follow the package's tree."""


# Modules whose tests have another name, with the reason.
TESTED_ELSEWHERE = {
    ROOT: "topics/test_architecture.py",  # the public names, and what importing them costs
    "__main__": "test_cli.py",  # it calls `cli.main`
    "_version": "packaging/test_packaging.py",  # one string, which the built wheel must bear
    # What all commands share is tested with the programs that have them.
    "commands.frontend": "test_cli.py",
    "commands.output_file": "commands/test_cmd_export.py",
    "notebook.frontend": "notebook/test_magics.py",
    # A few lines that hand over to what they are named after.
    "commands.cmd_mcp": "test_mcp_server.py",
    "mcp_wire": "test_mcp_server.py",  # whatever it does shows only in a server that runs
    "commands.cmd_schema": "test_json_schema.py",
    "commands.cmd_template": "commands/test_cmd_context.py",
    "notebook.cmd_edit": "notebook/test_editor.py",
    "notebook.cmd_keep": "notebook/test_comparison_widget.py",
    "notebook.cmd_try": "notebook/test_comparison_widget.py",
    "notebook.cmd_use": "notebook/test_magics.py",
    "notebook.cmd_watch": "notebook/test_watch.py",
    # A skill is tested as what it is to its reader: a folder that runs.
    "skill.contents": "skill/test_skill.py",
    "skill.folders": "skill/test_skill.py",
    # Texts in a language; one test compares the languages of all of them.
    "teaching.locales.editor": "teaching/test_locales.py",
    "teaching.locales.exercises": "teaching/test_locales.py",
    "teaching.locales.guide": "teaching/test_locales.py",
}


def own_tests(module: str) -> list[Path]:
    """Find a module's tests: test_NAME.py, and test_NAME_ASPECT.py; those of a package lie beside it or in it."""
    *folders, name = module.split(".")
    places = [TESTS.joinpath(*folders)]
    if module in PACKAGES:
        places.append(TESTS.joinpath(*folders, name))
    return [path for place in places for path in (place / f"test_{name}.py", *place.glob(f"test_{name}_*.py"))]


def test_each_module_has_its_tests_where_its_path_says() -> None:
    missing = [
        name
        for name, source in SOURCES.items()
        if has_logic(source) and name not in TESTED_ELSEWHERE and not any(path.is_file() for path in own_tests(name))
    ]
    assert not missing, f"write tests/<its path>/test_<its name>.py for {', '.join(missing)}"


def test_each_test_module_has_its_module() -> None:
    owned = {path for name in SOURCES for path in own_tests(name)}
    strangers = {path.relative_to(TESTS).as_posix() for path in set(TESTS.rglob("test_*.py")) - owned}
    strangers = {place for place in strangers if place.partition("/")[0] not in TOPICS}
    assert not strangers, f"named after no module, and not in topics/: {', '.join(sorted(strangers))}"


def test_the_exceptions_are_needed() -> None:
    for name, place in TESTED_ELSEWHERE.items():
        assert name in SOURCES
        assert (TESTS / place).is_file(), place
        assert not any(path.is_file() for path in own_tests(name)), f"{name} has tests of its own"

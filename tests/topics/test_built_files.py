"""The files that the JavaScript build makes: every list of them names the same ones."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from coglog_nb.skill import contents

ROOT = Path(__file__).parents[2]
STATIC = "coglog_nb/static/"
BUILD: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
BUILT = sorted(path.name for path in (ROOT / STATIC).iterdir())


def named_in(paths: list[str]) -> list[str]:
    assert all(path.startswith(STATIC) for path in paths), paths
    return sorted(path.removeprefix(STATIC) for path in paths)


def test_what_is_built_is_shipped_and_makes_a_build_current() -> None:
    assert named_in(BUILD["artifacts"]) == BUILT
    assert named_in(BUILD["hooks"]["jupyter-builder"]["ensured-targets"]) == BUILT


def test_the_build_hook_names_what_is_built() -> None:
    # Read, not imported: it needs hatchling.
    module = ast.parse((ROOT / "hatch_build.py").read_text(encoding="utf-8"))
    targets = next(
        ast.literal_eval(node.value)
        for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TARGETS"
    )
    assert sorted(targets) == BUILT


def test_the_makefile_names_what_is_built_and_sees_nested_sources() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    listed = re.search(r"^BUILT := \$\(addprefix coglog_nb/static/, (.*)\)$", makefile, re.MULTILINE)
    assert listed is not None
    assert sorted(listed[1].split()) == BUILT
    assert re.search(r"^JS_SOURCES := \$\(shell find js/src -type f\) ", makefile, re.MULTILINE)


def test_the_build_says_what_it_makes() -> None:
    source = (ROOT / "js" / "build.mjs").read_text(encoding="utf-8")
    head = source.partition("*/")[0]
    assert sorted(re.findall(r"^ \*   (\S+\.\w+) ", head, re.MULTILINE)) == BUILT


def test_a_skill_brings_files_that_are_built() -> None:
    assert set(contents.STATIC) <= set(BUILT)

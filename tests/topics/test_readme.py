"""The README is right: its commands run, its tables match the code, and its links work."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from coglog_nb import CogLog
from coglog_nb.cli import CommandLine
from coglog_nb.commands.parser import parser_of
from coglog_nb.commands.registry import COMMANDS
from coglog_nb.fields import FIELDS, INTERPRETATION
from coglog_nb.notebook.cell_body import fields_of_body
from coglog_nb.notebook.frontend import NotebookFrontend
from coglog_nb.notebook.magics import CogLogMagics

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def table(heading: str) -> list[list[str]]:
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in rows[2:]]


def test_the_command_table_lists_every_command_in_order() -> None:
    assert [row[0] for row in table("Commands")] == list(COMMANDS)


def test_the_axes_are_the_codes() -> None:
    axes = [[field.name, field.direction, field.question] for field in FIELDS if field.layer == INTERPRETATION]
    assert table("The four axes") == axes


def _options_of(command: str) -> set[str]:
    works_in_a_shell = CommandLine.program in COMMANDS[command].works_in
    return set(parser_of(command, CommandLine if works_in_a_shell else NotebookFrontend).takes_value)


def test_every_option_it_names_exists_and_every_common_one_is_named() -> None:
    known = {name for command in COMMANDS for name in _options_of(command)}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]+", README))
    assert named <= known
    assert {name for name in parser_of(None, CommandLine).takes_value if name.startswith("--")} - named <= {
        "--help",
        "--version",
    }


def test_every_trait_is_named() -> None:
    for trait in CogLogMagics.class_traits(config=True):
        assert f"`{trait}`" in README or f"CogLogMagics.{trait}" in README, trait


def test_every_make_target_it_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:`|^)make ([a-z-]+)", README, re.MULTILINE))
    assert {"lab", "test", "help"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_the_python_example_runs(tmp_path: Path) -> None:
    (code,) = (code for kind, code in BLOCKS if kind == "python" and "CogLog(" in code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert CogLog(tmp_path / "my-log").read()
    assert (tmp_path / "my-log" / "outputs" / "coglog-turn-1.jsx").exists()


def test_the_cell_example_is_a_turn(store: CogLog) -> None:
    (body,) = (code for _, code in BLOCKS if code.startswith("%%coglog write\n"))
    assert store.write(**fields_of_body(body.partition("\n")[2]))["turn_id"] == 1  # type: ignore[arg-type]


def test_the_idea_takes_five_lines() -> None:
    paragraph = README.split("\n\n")[1]
    assert len(re.split(r"(?<=[.)])\n", paragraph)) <= 5


@pytest.mark.parametrize("path", [*DOCUMENTS, ROOT / "Makefile", ROOT / "pyproject.toml"], ids=lambda path: path.name)
def test_no_registry_host_and_no_path_of_a_machine(path: Path) -> None:
    hosts = "|".join(["registry." + "npmjs", "python" + "hosted", "pypi" + r"\.org", "deb" + r"\.debian"])
    assert not re.search(rf"{hosts}|/(root|work|home/\w+)/", path.read_text(encoding="utf-8"))

"""What the project says about itself: packaging/identity.toml, the files filled from it, CITATION.cff, SECURITY.md."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from coglog_nb import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # comes with pytest there

ROOT = Path(__file__).parents[2]
FILES = ("pyproject.toml", "CITATION.cff", "SECURITY.md", "packaging/identity.toml")
REPOSITORY, DOCS, CONTACT = "https://code.invalid/coglog-nb", "https://docs.invalid/a?b=c", "security@mail.invalid"


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location("fill_identity", ROOT / "scripts" / "fill_identity.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fill_identity = load_script()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the files that the script reads and writes."""
    root = tmp_path / "project"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


def give(project: Path, repository: str = "", docs: str = "", contact: str = "") -> None:
    lines = f'repository = "{repository}"\ndocs = "{docs}"\ncontact = "{contact}"\n'
    (project / "packaging" / "identity.toml").write_text(lines, encoding="utf-8")


def contents(project: Path) -> dict[str, str]:
    return {name: (project / name).read_text(encoding="utf-8") for name in FILES[:3]}


def test_the_files_are_as_the_script_leaves_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert fill_identity.main(["--check"]) == 0
    assert capsys.readouterr().out == ""


def test_empty_places_leave_no_entry(project: Path) -> None:
    give(project)
    assert fill_identity.main([], project) == 0
    found = contents(project)
    assert "urls" not in tomllib.loads(found["pyproject.toml"])["project"]
    assert not {"repository-code", "url"} & yaml.safe_load(found["CITATION.cff"]).keys()
    assert fill_identity.NO_CONTACT in found["SECURITY.md"]
    assert "http" not in found["CITATION.cff"] + found["SECURITY.md"]


def test_every_place_is_filled_once_however_often_it_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    give(project, REPOSITORY, DOCS, CONTACT)
    assert fill_identity.main(["--check"], project) == 1
    assert capsys.readouterr().out.splitlines() == [f"{name} needs a change" for name in FILES[:3]]
    for _ in range(2):
        assert fill_identity.main([], project) == 0
        found = contents(project)
        parsed = tomllib.loads(found["pyproject.toml"])
        assert parsed["project"]["urls"] == {"Repository": REPOSITORY, "Documentation": DOCS}
        citation = yaml.safe_load(found["CITATION.cff"])
        assert (citation["repository-code"], citation["url"]) == (REPOSITORY, DOCS)
        assert f"<{CONTACT}>" in found["SECURITY.md"]
        assert fill_identity.NO_CONTACT not in found["SECURITY.md"]
    assert fill_identity.main(["--check"], project) == 0


def test_a_place_that_is_emptied_or_changed_leaves_nothing_of_the_old_value(project: Path) -> None:
    give(project)
    fill_identity.main([], project)
    empty = contents(project)
    give(project, REPOSITORY, DOCS, CONTACT)
    fill_identity.main([], project)
    give(project, DOCS)
    fill_identity.main([], project)
    assert tomllib.loads(contents(project)["pyproject.toml"])["project"]["urls"] == {"Repository": DOCS}
    give(project)
    fill_identity.main([], project)
    assert contents(project) == empty


@pytest.mark.parametrize("wrong", ["http://code.invalid", "code.invalid", "https://a b", "https://a<b>"])
def test_what_is_not_an_address_is_refused(project: Path, wrong: str) -> None:
    before = contents(project)
    give(project, repository=wrong)
    with pytest.raises(ValueError, match="repository must be empty or an https:// address"):
        fill_identity.main([], project)
    give(project, contact=wrong)
    with pytest.raises(ValueError, match="contact must be empty or a mail address or an https:// address"):
        fill_identity.main([], project)
    assert contents(project) == before


def test_an_unknown_place_is_refused(project: Path) -> None:
    give(project)
    with (project / "packaging" / "identity.toml").open("a", encoding="utf-8") as file:
        file.write('author = "somebody"\n')
    with pytest.raises(ValueError, match="the keys must be repository, docs, contact"):
        fill_identity.main([], project)


def test_the_citation_names_the_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert {"cff-version", "message", "title", "authors"} <= citation.keys(), "what the format requires"

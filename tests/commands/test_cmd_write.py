"""`coglog write`: what is taken from stdin, and what each wrong input is told."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry
from coglog_nb.fields import schema

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run


def test_write_then_read(run: Run, turn: dict[str, Any], home: Path) -> None:
    assert run("write", stdin=turn).out == "coglog: turn 1 written\n"
    assert run("write", stdin={**turn, "user": "日本語 🙂"}).out == "coglog: turn 2 written\n"
    result = run("read")
    assert result.code == 0
    assert "日本語 🙂" in result.out
    entry = json.loads(result.out)
    assert entry == CogLog(home / ".coglog").read()
    assert result.out == json.dumps(entry, ensure_ascii=False, indent=2) + "\n"
    assert not (home / ".coglog" / "outputs").exists(), "coglog writes no artifact"


def test_a_turn_without_its_viewer_says_both_and_fails(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("write", "--viewer-dir", str(tmp_path / "file"), stdin=turn, program="coglog-viz")
    assert result.code == 1
    assert result.out == "coglog: turn 1 written\n"
    assert result.err.startswith("coglog error: turn 1 is stored, but its viewer is not: ")
    assert str(tmp_path / "file") in result.err


def test_replace_and_check(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    assert run("write", "--replace", stdin={**turn, "user": "again"}).out == "coglog: turn 1 written\n"
    result = run("write", "--check", stdin=turn)
    assert result.code == 0
    assert (CogLog().read() or Entry())["layers"]["user"] == "again"
    assert run("write", "--check", stdin={**turn, "user": ""}).code == 1


def test_every_wrong_field_has_a_line_and_the_stored_turn_is_untouched(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    before = run("read").out
    result = run("write", stdin={"user": None, "thinking": 7, "assistant": [], "current_focus": {}, "annotation": ""})
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "coglog error: missing required field: user (it is null, not text)\n"
        "coglog error: missing required field: thinking (it is a number, not text)\n"
        "coglog error: missing required field: assistant (it is an array, not text)\n"
        "coglog error: missing required field: current_focus (empty string is acceptable) (it is an object, not text)\n"
        "coglog error: missing required field: theory_of_mind (empty string is acceptable) (not given)\n"
        "coglog error: missing required field: self_narrative (empty string is acceptable) (not given)\n"
    )
    assert run("read").out == before


def test_unknown_keys_are_named_beside_a_missing_field(run: Run, turn: dict[str, Any]) -> None:
    assert run("write", stdin={**turn, "mood": "fine"}).code == 0, "alone they are ignored"
    misspelt = {"thinkng" if name == "thinking" else name: text for name, text in turn.items()}
    assert run("write", stdin={**misspelt, "mood": "fine"}).err == (
        "coglog error: missing required field: thinking (not given)\n"
        "coglog error: unknown key 'thinkng'; did you mean thinking?\n"
        "coglog error: unknown key 'mood', which is ignored\n"
    )


INPUT = {
    "empty": b"",
    "no JSON": b"user: a",
    "cut": b'{"user": "a", "thi',
    "list": b"[1]",
    "null": b"null",
    "two objects": b"{} {}",
    "not UTF-8": b'{"user": "\xff"}',
    "UTF-16": '{"user": "a"}'.encode("utf-16"),
    "nested": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "digits": b'{"user": ' + b"9" * 5000 + b"}",
    "twice": b'{"user": "a", "user": "b"}',
    "surrogate": b'{"user": "\\ud83d", "thinking": "t", "assistant": "a", "current_focus": "", "theory_of_mind": "", '
    b'"self_narrative": "", "annotation": ""}',
}


@pytest.mark.parametrize("data", INPUT.values(), ids=INPUT)
def test_invalid_input_gets_one_clear_line(data: bytes, run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    before = run("read").out
    result = run("write", stdin=data)
    assert (result.code, result.out) == (1, "")
    assert re.fullmatch(r"coglog error: .{10,200}\n", result.err)
    assert run("read").out == before


def test_invalid_json_is_reported_with_line_and_column(run: Run) -> None:
    err = run("write", stdin='{"user": "a",\n "thinking" "b"}').err
    assert err == "coglog error: invalid JSON: Expecting ':' delimiter: line 2 column 13 (char 26)\n"


def test_a_whole_entry_is_taken_too(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    entry = json.loads(run("read").out)
    changed = {**entry, "turn_id": 77, "timestamp": "long ago", "_schema": {"mine": True}, "mood": "fine"}
    assert run("write", stdin=changed).out == "coglog: turn 2 written\n"
    stored = CogLog().read() or Entry()
    assert stored["_schema"] == schema()
    assert stored["timestamp"] != "long ago"
    assert "mood" not in stored
    assert stored["layers"] == entry["layers"]


def test_a_bom_and_crlf_are_fine(run: Run, turn: dict[str, Any]) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(turn, indent=2).replace("\n", "\r\n").encode()
    assert run("write", stdin=data).code == 0

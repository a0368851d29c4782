"""`coglog capture`: a reply on stdin, as JSON or raw text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run

AXES = {"current_focus": "fixed points", "theory_of_mind": "", "self_narrative": "", "annotation": "next \u2192"}
TEXT = f"It settles.\n\n{json.dumps(AXES)}"
REPLY: dict[str, Any] = {
    "model": "qwen3",
    "message": {"role": "assistant", "content": TEXT, "thinking": "Start from an example."},
    "done": True,
}
FIELDS = {"user": "What?", "thinking": "Start from an example.", "assistant": "It settles.", **AXES}


def test_the_fields_are_one_json_object_which_write_takes(run: Run) -> None:
    result = run("capture", "--user", "What?", stdin=REPLY)
    assert result.code == 0
    assert result.err == ""
    assert json.loads(result.out) == FIELDS
    assert "\u2192" in result.out
    assert run("write", stdin=result.out).out == "coglog: turn 1 written\n"


def test_raw_text_and_its_line_ends(run: Run) -> None:
    raw = f"<think>Start from an example.</think>\n\n{TEXT}\n"
    for stdin in (raw.encode(), b"\xef\xbb\xbf" + raw.encode(), raw.replace("\n", "\r\n").encode()):
        result = run("capture", "--user=What?", stdin=stdin)
        assert result.code == 0, result.err
        assert json.loads(result.out) == FIELDS


def test_problems_are_errors_and_what_was_found_is_there(run: Run) -> None:
    result = run("capture", stdin={**REPLY, "message": {"role": "assistant", "content": "It settles."}})
    assert result.code == 1
    assert json.loads(result.out) == {"assistant": "It settles."}
    lines = result.err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["coglog error"] * 3
    assert "user: the reply doesn't hold" in lines[0]
    assert "think=True" in lines[1]
    assert "annotation" in lines[2]


def test_notes_go_to_stderr(run: Run) -> None:
    repaired = {**REPLY, "message": {**REPLY["message"], "content": TEXT[:-1] + ",}"}}
    result = run("capture", "--user", "What?", stdin=repaired)
    assert result.code == 0
    assert json.loads(result.out) == FIELDS
    assert result.err == "coglog: the block was repaired: a trailing comma\n"


def test_write_stores_and_says_so(run: Run, home: Path) -> None:
    result = run("capture", "--user", "What?", "--write", stdin=REPLY)
    assert (result.code, result.out) == (0, "coglog: turn 1 written\n")
    assert run("capture", "--user", "Again?", "--write", "--replace", stdin=REPLY).out == "coglog: turn 1 written\n"
    stored = CogLog(home / ".coglog").read()
    assert stored is not None
    assert stored["layers"]["user"] == "Again?"
    viz = run("capture", "--user", "What?", "--write", stdin=REPLY, program="coglog-viz")
    assert viz.out.startswith("coglog: turn 2 written\ncoglog: viewer \u2192 ")


def test_an_incomplete_one_is_not_written(run: Run, home: Path) -> None:
    result = run("capture", "--write", stdin={**REPLY, "message": {"role": "assistant", "content": "It settles."}})
    assert result.code == 1
    assert result.out == ""
    assert len(result.err.splitlines()) == 3
    assert not (home / ".coglog").exists()


def test_thinking_can_be_given_and_kept_out(run: Run) -> None:
    plain = {**REPLY, "message": {"role": "assistant", "content": TEXT}}
    given = run("capture", "--user", "What?", "--thinking", "mine", stdin=plain)
    assert json.loads(given.out)["thinking"] == "mine"
    hidden = run("capture", "--user", "What?", "--no-thinking", stdin=REPLY)
    assert "thinking" not in json.loads(hidden.out)
    assert "Start from" not in hidden.out + hidden.err


@pytest.mark.parametrize(
    ("stdin", "words"),
    [
        (b"", "an empty text"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"error": {"type": "rate_limit", "message": "Slow down"}}', "rate_limit: Slow down"),
    ],
)
def test_what_is_not_a_reply(run: Run, stdin: bytes, words: str) -> None:
    result = run("capture", stdin=stdin)
    assert result.code == 1
    assert result.out == ""
    assert words in result.err


def test_misuse(run: Run) -> None:
    named = run("capture", "reply", stdin=REPLY)
    assert named.code == 2
    assert "the reply is on stdin" in named.err
    replace = run("capture", "--replace", stdin=REPLY)
    assert replace.code == 2
    assert "--replace goes with --write" in replace.err
    assert "the text itself" in " ".join(run("capture", "--help").out.split())


def test_the_axes_can_be_given_in_a_shell(run: Run, store: CogLog) -> None:
    axes = ["--current_focus", "cf", "--theory-of-mind=", "--self_narrative", "sn", "--annotation", "an"]
    result = run(
        "capture", "--coglog-dir", str(store.data_dir), "--user", "u", "--thinking", "t", *axes, "--write", stdin="Hi."
    )
    assert result.code == 0, result.err
    entry = store.read()
    assert entry is not None
    assert (entry["current_focus"], entry["theory_of_mind"], entry["annotation"]) == ("cf", "", "an")

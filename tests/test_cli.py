"""The command line, as processes where streams and exit codes matter, and in this process elsewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry, cli
from coglog_nb.commands import cmd_turn
from coglog_nb.commands.frontend import Outcome

if TYPE_CHECKING:
    from command_line import Run


def process(
    *argv: str,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    module: str = "coglog_nb",
    **settings: Any,
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", module, *argv],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **(env or {})},
        **settings,
    )


# ---- the table of the contract


def test_no_thinking(run: Run, turn: dict[str, Any], home: Path) -> None:
    run("write", "--no-thinking", stdin=turn, program="coglog-viz")
    card = (home / ".coglog" / "outputs" / "coglog-turn-1.jsx").read_text()
    out = run("read", "--no-thinking").out
    for text in (card, out):
        assert turn["thinking"] not in text
        assert "(not shown)" in text
    assert turn["thinking"] in run("read").out


# ---- bad input


def test_damage_is_one_line_and_exit_1(run: Run, turn: dict[str, Any], home: Path) -> None:
    run("write", stdin=turn)
    (home / ".coglog" / "current.json").write_text("[]")
    for argv in (("read",), ("write",)):
        result = run(*argv, stdin=turn)
        assert result.code == 1
        assert re.fullmatch(r"coglog error: damaged log .*current\.json: .*\n", result.err)


# ---- as a process


def test_the_modules_and_the_console_scripts_are_one(turn: dict[str, Any], home: Path) -> None:
    done = process("write", stdin=json.dumps(turn).encode())
    assert (done.returncode, done.stdout) == (0, b"coglog: turn 1 written\n")
    scripts = Path(sys.executable).parent
    for script in ("coglog", "coglog-viz"):
        if (scripts / script).exists():  # not in a tree that is only on the path
            shown = subprocess.run([scripts / script, "read"], capture_output=True, check=True)
            assert shown.stdout == (home / ".coglog" / "current.json").read_bytes() + b"\n"


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_stdin_and_stdout_are_utf8_whatever_the_locale(locale: dict[str, str], turn: dict[str, Any]) -> None:
    text = "日本語 🙂 \u2028 é\r\n\ttab"
    data = json.dumps({**turn, "user": text}, ensure_ascii=False).encode()
    assert process("write", stdin=data, env=locale).returncode == 0
    done = process("read", env=locale)
    assert json.loads(done.stdout.decode("utf-8"))["layers"]["user"] == text


@pytest.mark.slow
def test_50_mb_of_text(turn: dict[str, Any]) -> None:
    text = "xé" * 17_000_000
    assert process("write", stdin=json.dumps({**turn, "thinking": text}, ensure_ascii=False).encode()).returncode == 0
    assert (CogLog().read() or Entry())["layers"]["thinking"] == text


def shell(command: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", command.replace("COGLOG", f"'{sys.executable}' -m coglog_nb")],
        input=stdin,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("target", [">&-", ">/dev/full"])
def test_what_is_done_is_no_failure_if_stdout_is_closed_or_full(
    target: str, turn: dict[str, Any], tmp_path: Path
) -> None:
    def call(line: str, stdin: bytes = b"") -> tuple[int, bytes]:
        done = shell(f"COGLOG {line} {target}", stdin)
        return done.returncode, done.stderr

    def warning(said: str) -> bytes:
        why = "it is closed" if target == ">&-" else "No space left on device"
        return f"coglog warning: cannot write to stdout: {why}; but it is done: {said}\n".encode()

    assert call("write", json.dumps(turn).encode()) == (0, warning("turn 1 written"))
    assert (CogLog().read() or Entry())["turn_id"] == 1
    path = tmp_path / "turn.json"
    assert call(f"export '{path}'") == (0, warning(f"exported \u2192 {path}"))
    assert path.exists()
    assert call("clear") == (0, warning("cleared"))
    assert call(f"import '{path}'") == (0, warning("imported turn 1"))
    assert (CogLog().read() or Entry())["turn_id"] == 1
    assert call(f"guide --sheet '{tmp_path}/sheet.html'")[0] == 0
    # What is only printed is not done, and neither is what failed.
    for line in ("read", "where", "write --check"):
        code, said = call(line, json.dumps(turn).encode())
        assert code == 1
        assert re.fullmatch(rb"coglog error: cannot write to stdout: [^\n]*\n", said)
    assert call("write", b"{}")[0] == 1


@pytest.mark.parametrize("target", [">&- 2>&-", ">/dev/full 2>/dev/full"])
def test_the_exit_code_is_right_if_stderr_is_lost_too(target: str, turn: dict[str, Any]) -> None:
    assert shell(f"COGLOG write {target}", json.dumps(turn).encode()).returncode == 0
    assert shell(f"COGLOG write {target}", b"{}").returncode == 1
    assert shell(f"COGLOG read {target}", b"").returncode == 1


@pytest.mark.parametrize("target", [">&-", ">/dev/full"])
def test_a_missing_viewer_is_a_failure_whatever_stdout_is(target: str, turn: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = f"'{sys.executable}' -c 'from coglog_nb.cli import main_viz; import sys; sys.exit(main_viz())'"
    done = shell(f"{command} write --viewer-dir '{tmp_path}/file' {target}", json.dumps(turn).encode())
    assert done.returncode == 1
    assert b"coglog error: turn 1 is stored, but its viewer is not: " in done.stderr
    assert (CogLog().read() or Entry())["turn_id"] == 1


def test_a_turn_whose_answer_cannot_be_printed_is_stored(
    turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(args: object, frontend: cli.CommandLine) -> Outcome:
        del args
        with frontend.stream("a model", hides_thinking=False) as on_piece:
            on_piece("assistant", "half")
            on_piece("assistant", "an answer")
        CogLog().write(**turn)
        return Outcome("coglog: turn 1 written", done=True)

    monkeypatch.setattr(cmd_turn, "run", answer)
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert cli.main(["turn"]) == 0
    assert capsys.readouterr().err == (
        "coglog warning: cannot write to stdout: No space left on device; but it is done: turn 1 written\n"
    )
    assert CogLog().read() is not None


def test_a_reader_that_closes_early_shows_in_the_exit_code(turn: dict[str, Any]) -> None:
    process("write", stdin=json.dumps({**turn, "thinking": "x" * 2_000_000}).encode())
    # `true` has long closed the pipe: how much a pipe swallows first differs from system to system.
    done = shell("{ sleep 0.3; COGLOG read; echo $? >&2; } | true", b"")
    assert done.stderr.endswith(b"\n1\n")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_stdin_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    done = shell(f"COGLOG write 0>'{tmp_path}/file'", b"")
    assert done.returncode == 1
    assert done.stderr == b"coglog error: cannot read stdin: Bad file descriptor\n"


@pytest.mark.parametrize("name", [b"x\xff", "é".encode()])
def test_a_path_goes_out_as_the_bytes_that_it_is(name: bytes, tmp_path: Path) -> None:
    place = os.fsencode(tmp_path) + b"/" + name
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for env in ({}, plain):
        done = subprocess.run(
            [sys.executable, "-m", "coglog_nb", "where", "--coglog-dir", place],
            capture_output=True,
            check=True,
            env={**os.environ, **env},
        )
        assert place + b"/current.json" in done.stdout


def test_closed_stdin_and_stderr_give_no_traceback() -> None:
    done = shell("COGLOG write <&-", b"")
    assert done.returncode == 1
    assert b"invalid JSON: empty input" in done.stderr
    done = shell("COGLOG write 2>&-", b"{")
    assert (done.returncode, done.stdout) == (1, b"")


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CogLog, "read", interrupt)
    assert cli.main(["read"]) == 130
    assert capsys.readouterr().err == ""


def test_main_viz_is_coglog_viz(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main_viz(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: coglog-viz")

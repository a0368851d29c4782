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

from coglog_nb import CogLog, Entry, __version__, cli
from coglog_nb.commands.registry import COMMANDS, NOTEBOOK, commands_of
from coglog_nb.fields import NAMES, schema

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


def test_read_with_nothing_stored(run: Run, home: Path) -> None:
    result = run("read")
    assert (result.code, result.out, result.err) == (0, "(no coglog found)\n", "")
    assert not (home / ".coglog").exists()


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


def test_clear(run: Run, turn: dict[str, Any], home: Path) -> None:
    assert run("clear").out == "coglog: no existing coglog\n"
    run("write", stdin=turn)
    assert run("clear").out == "coglog: cleared\n"
    run("write", stdin=turn)
    (home / ".coglog" / "current.json").write_text("{")
    result = run("clear")
    assert result.code == 0
    kept = re.fullmatch(r"coglog: cleared \(damaged file kept as (.*)\)\n", result.out)
    assert kept is not None
    assert Path(kept[1]).read_text() == "{"


def test_viz_write_and_render(run: Run, turn: dict[str, Any], home: Path) -> None:
    card = home / ".coglog" / "outputs" / "coglog-turn-1.jsx"
    result = run("write", stdin=turn, program="coglog-viz")
    assert result.out == f"coglog: turn 1 written\ncoglog: viewer → {card}\n"
    card.unlink()
    assert run("render", program="coglog-viz").out == f"coglog: viewer → {card}\n"
    assert card.exists()
    assert run("read", program="coglog-viz").out == run("read").out


def test_render_is_the_viz_programs(run: Run) -> None:
    result = run("render")
    assert (result.code, result.out) == (2, "")
    assert "coglog-viz render" in result.err
    result = run("render", program="coglog-viz")
    assert result.code == 1
    assert result.err.startswith("coglog error: no coglog found")


def test_a_turn_without_its_viewer_says_both_and_fails(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("write", "--viewer-dir", str(tmp_path / "file"), stdin=turn, program="coglog-viz")
    assert result.code == 1
    assert result.out == "coglog: turn 1 written\n"
    assert result.err.startswith("coglog error: turn 1 is stored, but its viewer is not: ")
    assert str(tmp_path / "file") in result.err


def test_where(run: Run, turn: dict[str, Any], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("where").out
    assert str(home / ".coglog") in out
    assert "default" in out
    assert "(no coglog found)" in out
    run("write", stdin=turn)
    out = run("where").out
    entry = CogLog().read() or Entry()
    size = (home / ".coglog" / "current.json").stat().st_size
    for words in (
        f"{home}/.coglog/current.json",
        entry["timestamp"],
        f"{size:,} bytes",
        f"{home}/.coglog/outputs",
    ):
        assert words in out
    assert re.search(r"^turn +1$", out, re.MULTILINE)
    assert "--coglog-dir" in run("where", "--coglog-dir", "x").out
    monkeypatch.setenv("COGLOG_DIR", str(tmp_path / "e"))
    assert "from COGLOG_DIR" in run("where").out
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "current.json").write_text("[]")
    result = run("where", "--session", "default-is-damaged")
    assert result.code == 0
    result = run("where")
    assert result.code == 0
    assert "damaged" in result.out


def test_sessions(run: Run, turn: dict[str, Any], home: Path) -> None:
    assert run("sessions").out == "(no sessions)\n"
    run("write", "--session", "npc-1", stdin=turn)
    run("write", "--session", "npc-1", stdin=turn)
    run("write", "--session", "b", stdin=turn)
    run("write", "--session", "c", stdin=turn)
    run("clear", "--session", "c")
    (home / ".coglog" / "sessions" / "b" / "current.json").write_text("{}")
    lines = run("sessions").out.splitlines()
    assert [line.split()[0] for line in lines] == ["b", "c", "npc-1"]
    assert "damaged" in lines[0]
    assert "(no coglog found)" in lines[1]
    assert re.search(r"turn 2  \d{4}-", lines[2])


@pytest.mark.parametrize("argv", [(), ("--help",), ("-h",)])
@pytest.mark.parametrize("program", ["coglog", "coglog-viz"])
def test_usage(run: Run, argv: tuple[str, ...], program: str) -> None:
    result = run(*argv, program=program)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"usage: {program} [options] COMMAND\n")
    for words in ("read", "write", "clear", "where", "sessions", "--coglog-dir", "COGLOG_SESSION", *NAMES):
        assert words in result.out


@pytest.mark.parametrize("command", commands_of("coglog"))
def test_usage_of_a_command(run: Run, command: str) -> None:
    for argv in ((command, "--help"), ("-h", command)):
        result = run(*argv)
        assert result.code == 0
        assert result.out.startswith(f"usage: coglog {command} "), result.err
        assert "\x1b" not in result.out


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in commands_of("coglog")])
def test_a_command_that_does_not_work_here_says_what_to_use(run: Run, command: str) -> None:
    elsewhere = COMMANDS[command].elsewhere
    result = run(command)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"usage: coglog [options] COMMAND\ncoglog error: {elsewhere}\n"
    shown = run(command, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == f"{command}: {COMMANDS[command].summary}\n\n{elsewhere}\n"
    if COMMANDS[command].works_in == NOTEBOOK:
        assert elsewhere.startswith(f"{command} works only in a notebook")


def test_version(run: Run) -> None:
    assert run("--version").out == f"coglog-nb {__version__}\n"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("raed",), "did you mean read?"),
        (("wirte", "--replace"), "did you mean write?"),
        (("xyz",), "unknown command xyz"),
        (("READ",), "did you mean read?"),
        (("help",), "did you mean --help?"),
        (("--coglog-di", "x", "where"), "unknown option --coglog-di; did you mean --coglog-dir?"),
        (("read", "--sesion", "a"), "did you mean --session?"),
        (("--verson",), "did you mean --version?"),
        (("write", "--rep"), "unknown option --rep; did you mean --replace?"),
        (("read", "--coglog", "x"), "unknown option --coglog"),
        (("clear", "--replace"), "unknown option --replace"),
        (("read", "extra"), "unexpected argument extra"),
        (("read", "--session"), "expected one argument"),
        (("read", "--lock-timeout", "soon"), "not a number of seconds: 'soon'"),
        (("read", "--theme", "blue"), "blue"),
        (("use", "npc"), "--session NAME"),
        (("write", "turn"), "only in a notebook"),
        (("write", "--user", "x"), "only in a notebook"),
    ],
)
def test_misuse_exits_2_with_a_helpful_word(run: Run, argv: tuple[str, ...], words: str, turn: dict[str, Any]) -> None:
    result = run(*argv, stdin=turn)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert CogLog().read() is None


def test_misuse_shows_the_usage(run: Run) -> None:
    assert run("raed").err.startswith("usage: coglog [options] COMMAND\ncoglog error: unknown command raed")


def test_options_stand_before_or_after_the_command_with_or_without_equals(
    run: Run, turn: dict[str, Any], tmp_path: Path
) -> None:
    place = str(tmp_path / "log")
    assert run("--coglog-dir", place, "write", "--session=npc", stdin=turn).code == 0
    for argv in (
        ("read", "--coglog-dir", place, "--session", "npc"),
        ("--session=npc", f"--coglog-dir={place}", "read"),
        ("--session", "npc", "--coglog-dir", place, "read"),
        ("--session", "npc", "read", f"--coglog-dir={place}"),
    ):
        assert '"turn_id": 1' in run(*argv).out, argv
    assert (
        run("--replace", "write", "--coglog-dir", place, "--session", "npc", stdin=turn).out
        == "coglog: turn 1 written\n"
    )


def test_replace_and_check(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    assert run("write", "--replace", stdin={**turn, "user": "again"}).out == "coglog: turn 1 written\n"
    result = run("write", "--check", stdin=turn)
    assert result.code == 0
    assert (CogLog().read() or Entry())["layers"]["user"] == "again"
    assert run("write", "--check", stdin={**turn, "user": ""}).code == 1


def test_no_thinking(run: Run, turn: dict[str, Any], home: Path) -> None:
    run("write", "--no-thinking", stdin=turn, program="coglog-viz")
    card = (home / ".coglog" / "outputs" / "coglog-turn-1.jsx").read_text()
    out = run("read", "--no-thinking").out
    for text in (card, out):
        assert turn["thinking"] not in text
        assert "(not shown)" in text
    assert turn["thinking"] in run("read").out


def test_clear_outputs(run: Run, turn: dict[str, Any], home: Path) -> None:
    outputs = home / ".coglog" / "outputs"
    run("write", stdin=turn, program="coglog-viz")
    run("write", "--session", "npc", stdin=turn, program="coglog-viz")
    run("clear")
    assert len(list(outputs.iterdir())) == 2, "plain clear keeps them"
    assert run("clear", "--outputs").out == "coglog: no existing coglog\ncoglog: 1 viewer artifact removed\n"
    assert [path.name for path in outputs.iterdir()] == ["coglog-npc-turn-1.jsx"]


# ---- bad input


def test_every_wrong_field_has_a_line_and_the_stored_turn_is_untouched(run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    before = run("read").out
    result = run("write", stdin={"user": None, "thinking": 7, "assistant": [], "current_focus": {}, "annotation": ""})
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "coglog error: missing required field: user\n"
        "coglog error: missing required field: thinking\n"
        "coglog error: missing required field: assistant\n"
        "coglog error: missing required field: current_focus (empty string is acceptable)\n"
        "coglog error: missing required field: theory_of_mind (empty string is acceptable)\n"
        "coglog error: missing required field: self_narrative (empty string is acceptable)\n"
    )
    assert run("read").out == before


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
def test_input_that_is_no_turn_gets_one_clear_line(data: bytes, run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    before = run("read").out
    result = run("write", stdin=data)
    assert (result.code, result.out) == (1, "")
    assert re.fullmatch(r"coglog error: .{10,200}\n", result.err)
    assert run("read").out == before


def test_invalid_json_is_told_with_line_and_column(run: Run) -> None:
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


def test_damage_is_one_line_and_exit_1(run: Run, turn: dict[str, Any], home: Path) -> None:
    run("write", stdin=turn)
    (home / ".coglog" / "current.json").write_text("[]")
    for argv in (("read",), ("write",)):
        result = run(*argv, stdin=turn)
        assert result.code == 1
        assert re.fullmatch(r"coglog error: damaged log .*current\.json: .*\n", result.err)


@pytest.mark.parametrize("name", ["../x", "a/b", ""])
def test_what_is_no_session_name_is_an_error(run: Run, name: str) -> None:
    result = run("read", f"--session={name}")
    assert result.code == 1
    assert "not a session name" in result.err


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
def test_a_stdout_that_is_closed_or_full_is_told_and_the_turn_stored_once(target: str, turn: dict[str, Any]) -> None:
    done = shell(f"COGLOG write {target}", json.dumps(turn).encode())
    assert done.returncode == 1
    assert re.fullmatch(rb"coglog error: cannot write to stdout: [^\n]*\n", done.stderr)
    assert (CogLog().read() or Entry())["turn_id"] == 1


def test_a_reader_that_closes_early_is_told_by_the_exit_code(turn: dict[str, Any]) -> None:
    process("write", stdin=json.dumps({**turn, "thinking": "x" * 2_000_000}).encode())
    # `true` has long closed the pipe: how much a pipe swallows first differs from system to system.
    done = shell("{ sleep 0.3; COGLOG read; echo $? >&2; } | true", b"")
    assert done.stderr.endswith(b"\n1\n")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_stdin_that_cannot_be_read_is_told(tmp_path: Path) -> None:
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


def test_closed_stdin_and_stderr_are_no_traceback() -> None:
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

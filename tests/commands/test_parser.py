"""The grammar of a command line: usage, options, and what a misspelt word is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, __version__
from coglog_nb.commands.registry import commands_of
from coglog_nb.fields import NAMES

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run


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


def test_options_go_before_or_after_the_command_with_or_without_equals(
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

"""The list of commands: which program has which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coglog_nb.commands.registry import COMMANDS, NOTEBOOK, commands_of

if TYPE_CHECKING:
    from command_line import Run


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

"""`coglog template` and `coglog context`: text for a pipe, and its size on stderr."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog

if TYPE_CHECKING:
    from command_line import Run


pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # llm leaves closing to the collector


def test_template_and_context_are_for_piping_and_their_size_goes_to_stderr(run: Run, turn: dict[str, Any]) -> None:
    done = run("template")
    assert done.out.startswith("At the end of each response, output a coglog block:\n{")
    assert done.err == "[140 characters, about 35 tokens (an estimate)]\n"
    assert run("context").out == "(no coglog found)\n"
    entry = CogLog().write(**turn)
    done = run("context", "--format=json")
    assert json.loads(done.out) == entry
    assert "(an estimate)" in done.err
    hidden = run("context", "--no-thinking", "--format", "json")
    assert json.loads(hidden.out)["layers"]["thinking"] == "(not shown)"

"""A model's answer, shown as it arrives: in a notebook the card replaces it, in a terminal it is printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from IPython.utils.capture import capture_output

if TYPE_CHECKING:
    from tests.notebook.conftest import Shell


AXES = {"current_focus": "f", "theory_of_mind": "", "self_narrative": "s", "annotation": "the note"}


REPLY = f"<think>They know it.</think>A value.\n{json.dumps(AXES)}"


@pytest.fixture
def sent(shell: Shell) -> list[list[dict[str, str]]]:
    """A scripted model in the namespace, `model`; the list holds what it was sent."""
    found: list[list[dict[str, str]]] = []

    def model(messages: list[dict[str, str]]) -> Any:
        found.append(messages)
        yield REPLY[:30]
        yield REPLY[30:]

    shell.ip.user_ns["model"] = model
    return found


def test_an_answer_is_shown_as_it_comes_and_gone_when_the_card_is_there(shell: Shell, sent: list[Any]) -> None:
    ran = shell.run("%%coglog turn -m model\nHello")
    streams = [data["text/html"] for data in ran.outputs if "coglog-stream" in data.get("text/html", "")]
    assert len(streams) >= 3
    assert streams[0] == streams[-1] == '<div class="coglog-stream"></div>'
    assert "<summary>thinking</summary>" in streams[1]
    assert sent


def test_a_terminal_prints_thinking_and_answer_apart(shell: Shell, sent: list[Any]) -> None:
    shell.ip.display_formatter.active_types = ["text/plain"]
    ran = shell.run("entry = %coglog turn -m model --user 'Hello'")
    assert ran.out.startswith("thinking (model):\nThey know it.\n\nassistant (model):\nA value.")
    assert sent[0][-1]["content"] == "Hello"


def test_a_failed_answer_stays_in_sight(shell: Shell) -> None:

    def model(_: Any) -> Any:
        yield "<think>They know it.</think>A <b>value</b>"
        raise TimeoutError

    shell.ip.user_ns["model"] = model
    with capture_output() as captured:
        shell.ip.run_cell("%%coglog turn -m model\nHello")
    last = captured.outputs[-1].data
    assert "A &lt;b&gt;value&lt;/b&gt;" in last["text/html"]
    assert "They know it." in last["text/html"]
    assert last["text/plain"] == "model answers\n\nthinking:\nThey know it.\n\nassistant:\nA <b>value</b>"

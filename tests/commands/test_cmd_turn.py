"""`coglog template`, `context` and `turn` in a shell, with llm's models on a loopback server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from loopback import ANSWER, AXES, BLOCK, REPLY, THINKING, Answer, Loopback

from coglog_nb import CogLog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from command_line import Run

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # llm leaves closing to the collector

KEY = "not-a-real-key-1234567890"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A loopback server whose model llm knows as `loop`; llm's directory is the test's own."""
    directory = tmp_path / "llm"
    directory.mkdir()
    monkeypatch.setenv("LLM_USER_PATH", str(directory))
    with Loopback() as loopback:
        model = {
            "model_id": "loop",
            "model_name": "loop",
            "api_base": f"{loopback.url}/v1",
            "api_key_name": "loopback",
        }
        (directory / "extra-openai-models.yaml").write_text(json.dumps([model]), encoding="utf-8")
        (directory / "keys.json").write_text(json.dumps({"loopback": KEY}), encoding="utf-8")
        yield loopback


def test_a_turn_in_a_shell(run: Run, server: Loopback) -> None:
    server.will(Answer(REPLY[:30], REPLY[30:]))
    Path("tutor.md").write_text("You are a tutor.\n", encoding="utf-8")
    done = run("turn", "-m", "loop", "--system", "tutor.md", "-o", "temperature=0", stdin="What is {x}?\n")
    assert done.code == 0, done.err
    assert done.out == f"{ANSWER}\n\n{BLOCK}\ncoglog: turn 1 written\n"
    assert done.err == f"{THINKING}\n"
    entry = CogLog().read()
    assert entry is not None
    assert entry["layers"] == {"user": "What is {x}?", "thinking": THINKING, "assistant": ANSWER}
    assert {name: entry[name] for name in AXES} == AXES
    (request,) = server.requests
    assert request.body["messages"][0]["content"].startswith("You are a tutor.\n\n")
    assert request.body["temperature"] == 0


def test_coglog_viz_writes_the_viewer_too_and_no_thinking_keeps_it_out(run: Run, server: Loopback) -> None:
    server.will(Answer(REPLY))
    done = run("turn", "--model=loop", "--no-thinking", stdin="Hello", program="coglog-viz")
    assert done.out.endswith(f"coglog: viewer \u2192 {Path('~/.coglog/outputs/coglog-turn-1.jsx').expanduser()}\n")
    assert THINKING not in done.out + done.err
    assert THINKING not in Path("~/.coglog/outputs/coglog-turn-1.jsx").expanduser().read_text(encoding="utf-8")


def test_a_dry_run_in_a_shell(run: Run, server: Loopback) -> None:
    done = run("turn", "--dry-run", stdin="Hello")
    assert done.out.startswith("--- system ---\nAt the end of each response")
    assert "--- user ---\nHello\n\n[2 messages: " in done.out
    assert not server.requests


@pytest.mark.parametrize(
    ("argv", "stdin", "code", "said"),
    [
        (["turn"], "Hello", 2, "no model: -m MODEL"),
        (["turn", "-m", "lop"], "Hello", 2, "unknown model lop; did you mean loop?"),
        (
            ["turn", "-m", "loop"],
            " \n",
            1,
            "missing required field: user (stdin is empty; it must hold what the user says)",
        ),
        (["turn", "-m", "loop", "--system", "none.md"], "Hello", 1, "cannot read for --system"),
        (
            ["turn", "-m", "loop", "--user", "x"],
            "Hello",
            2,
            "works only in a notebook; here, what the user says comes on stdin",
        ),
        (["turn", "-m", "loop", "-o", "heat=1"], "Hello", 2, "loop has no option heat"),
        (["try", "-m", "loop"], "Hello", 2, "try works only in a notebook"),
        (["keep", "1"], "", 2, "keep works only in a notebook"),
    ],
)
def test_what_does_not_make_a_call_is_reported(
    run: Run, server: Loopback, argv: list[str], stdin: str, code: int, said: str
) -> None:
    done = run(*argv, stdin=stdin)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert not server.requests


def test_a_failure_is_reported_without_the_key(run: Run, server: Loopback) -> None:
    server.will(Answer(f"bad key {KEY}", status=401))
    done = run("turn", "-m", "loop", stdin="Hello")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("coglog error: loop refused the key (")
    assert KEY not in done.err
    assert CogLog().read() is None


def test_a_reply_without_a_turn_is_reported_after_the_answer(run: Run, server: Loopback) -> None:
    server.will(Answer("A value."))
    done = run("turn", "-m", "loop", stdin="Hello")
    assert (done.code, done.out) == (1, "A value.\n")
    assert "coglog error: thinking: " in done.err
    assert "--ask-thinking asks the model to write its thinking down" in done.err
    assert CogLog().read() is None


def test_thinking_is_the_text_itself_in_a_shell(run: Run, server: Loopback) -> None:
    server.will(Answer(f"A value.\n{BLOCK}"))
    assert run("turn", "-m", "loop", "--thinking", "mine", stdin="Hello").code == 0
    entry = CogLog().read()
    assert entry is not None
    assert entry["layers"]["thinking"] == "mine"

"""`%%coglog try` and `%coglog keep`: candidates for the next turn, side by side."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest
from IPython.utils.capture import capture_output

from coglog_nb import CogLog, UsageError

if TYPE_CHECKING:
    from tests.notebook.conftest import Shell

AXES = {"current_focus": "f", "theory_of_mind": "", "self_narrative": "s", "annotation": "the note"}


def reply(answer: str) -> str:
    return f"<think>They know it.</think>{answer}\n{json.dumps(AXES)}"


@pytest.fixture
def names(shell: Shell) -> dict[str, Any]:
    """Models and system prompts in the namespace."""

    def good(messages: list[dict[str, str]]) -> str:
        system = messages[0]["content"].partition("\n")[0]
        return reply(f"Under {system}")

    def bad(_: object) -> str:
        raise TimeoutError("60 s")

    def lacking(_: object) -> str:
        return "A value."

    shell.ip.user_ns.update(good=good, bad=bad, lacking=lacking, p1="be brief", p2="be <b>long</b>")
    return shell.ip.user_ns


def test_every_combination_is_asked_from_the_same_turn_and_nothing_is_stored(
    shell: Shell, names: dict[str, Any], turn: dict[str, Any]
) -> None:
    CogLog().write(**turn)
    ran = shell.run("%%coglog try -m good -m bad -m lacking --system p1 --system p2\nHello {x}")
    found = ran.value
    assert found is names["coglog_candidates"]
    assert [candidate.name for candidate in found] == [
        "1 \u00b7 good \u00b7 p1",
        "2 \u00b7 good \u00b7 p2",
        "3 \u00b7 bad \u00b7 p1",
        "4 \u00b7 bad \u00b7 p2",
        "5 \u00b7 lacking \u00b7 p1",
        "6 \u00b7 lacking \u00b7 p2",
    ]
    assert found[1].captured.fields["assistant"] == "Under be brief"
    assert found[2].captured.fields["assistant"] == "Under be <b>long</b>"
    assert found[3].error == "bad timed out (60 s)"
    assert not found[5].error
    assert not found[5].captured.complete
    assert all("CogLog turn 1" in candidate.step.messages[0]["content"] for candidate in found)
    assert {candidate.step.messages[-1]["content"] for candidate in found} == {"Hello {x}"}
    assert CogLog().read()["turn_id"] == 1  # type: ignore[index] # it is there


def test_in_a_terminal_they_are_text(shell: Shell, names: dict[str, Any]) -> None:
    assert names
    shell.ip.display_formatter.active_types = ["text/plain"]
    out = shell.run("%%coglog try -m good -m bad --system p2\nHello").out
    assert "1 \u00b7 good \u00b7 p2" in out
    assert "Under be <b>long</b>" in out
    assert "2 \u00b7 bad \u00b7 p2" in out
    assert "bad timed out (60 s)" in out
    assert out.count("sent ") == 2


def test_in_a_notebook_they_are_cards_side_by_side(shell: Shell, names: dict[str, Any]) -> None:
    assert names
    ran = shell.run("%%coglog try -m good -m bad -m lacking --system p2\nHello")
    static = next(data for data in ran.outputs if "coglog-twin" in data.get("text/html", ""))
    assert static["text/html"].count("coglog-static") == 2
    assert "Under be &lt;b&gt;long&lt;/b&gt;" in static["text/html"]
    assert "bad timed out (60 s)" in static["text/html"]
    assert "thinking" in static["text/html"]
    assert "bad timed out (60 s)" in static["text/plain"]
    live = ran.outputs[-1]
    assert list(live) == ["application/vnd.jupyter.widget-view+json"]
    bars = [data["text/plain"] for data in ran.outputs if "progress" in data.get("text/html", "")]
    assert bars[0] == "0 of 3 candidates"


def test_one_of_them_is_kept(shell: Shell, names: dict[str, Any], turn: dict[str, Any]) -> None:
    assert names
    CogLog().write(**turn)
    shell.run("%%coglog try -m good --system p1 --system p2\nHello")
    entry = shell.run("%coglog keep 2").value
    assert entry == CogLog().read()
    assert entry["turn_id"] == 2
    assert entry["layers"] == {"user": "Hello", "thinking": "They know it.", "assistant": "Under be <b>long</b>"}
    error, _ = shell.fail("%coglog keep 1")
    assert isinstance(error, UsageError)
    assert "the candidates follow turn 1, and turn 2 is stored now; --replace overwrites the stored turn" in str(error)
    entry = shell.run("%coglog keep 1 --replace").value
    assert entry["turn_id"] == 2
    assert entry["layers"]["assistant"] == "Under be brief"


def test_kept_and_asked_again_with_replace_the_turn_before_is_the_same(
    shell: Shell, names: dict[str, Any], turn: dict[str, Any]
) -> None:
    CogLog().write(**turn)
    shell.run("%%coglog try -m good\nHello")
    shell.run("%coglog keep 1")
    sent: list[Any] = []

    def spy(messages: list[dict[str, str]]) -> str:
        sent.append(messages)
        return reply("x")

    names["spy"] = spy
    shell.run("%%coglog turn -m spy --replace\nHello")
    assert "CogLog turn 1" in sent[0][0]["content"]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("0", "no candidate 0: there are 1 to 3"),
        ("4", "no candidate 4: there are 1 to 3"),
        ("x", "K is a candidate's number, not x"),
        ("\u00b2", "K is a candidate's number, not \u00b2"),
        ("9" * 5000, "K is a candidate's number, not 99"),
        ("2", "candidate 2 has no reply to keep: bad timed out"),
        ("3", "thinking"),
    ],
)
def test_what_cannot_be_kept_is_reported(shell: Shell, names: dict[str, Any], number: str, said: str) -> None:
    assert names
    shell.run("%%coglog try -m good -m bad -m lacking\nHello")
    error, seen = shell.fail(f"%coglog keep {number}")
    assert said in str(error)
    assert "Traceback" not in seen
    assert CogLog().read() is None


def test_a_refusal_is_kept_only_on_request(shell: Shell, names: dict[str, Any]) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I can't."}
    names["refuses"] = lambda _: {"choices": [{"message": message}]}
    shell.run("%%coglog try -m refuses --thinking 'mine'\nHello")
    assert "refused to answer; nothing was stored" in str(shell.fail("%coglog keep 1")[0])
    assert CogLog().read() is None
    entry = shell.run("%coglog keep 1 --store-refusal").value
    assert entry["layers"] == {"user": "Hello", "thinking": "mine", "assistant": "I can't."}
    assert {entry[name] for name in AXES} == {""}


def test_without_candidates_or_models_it_says_what_to_do(shell: Shell) -> None:
    assert "no candidates: %%coglog try makes some" in str(shell.fail("%coglog keep 1")[0])
    assert "no model: -m MODEL" in str(shell.fail("%%coglog try\nHello")[0])
    for number in ("0", "-1", "two", "\u00b2", "9" * 5000):
        assert "not a number of calls" in str(shell.fail(f"%%coglog try -m m --at-once={number}\nHello")[0])


class MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), MuteError()])
def test_however_a_model_ends_it_is_one_failed_candidate(
    shell: Shell, names: dict[str, Any], error: BaseException
) -> None:
    def ends(_: object) -> str:
        raise error

    names["ends"] = ends
    # Without this a failure would hang the test.
    watch = threading.Timer(20, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
    watch.start()
    try:
        found = shell.run("%%coglog try -m ends -m good\nHello").value
    except KeyboardInterrupt:  # which would end the whole run of the tests
        pytest.fail("it waited for a candidate that never came")
    finally:
        watch.cancel()
    assert [bool(candidate.error) for candidate in found] == [True, False]
    assert found[1].error.startswith(f"ends: {type(error).__name__}")


def test_only_a_few_calls_run_at_a_time(shell: Shell) -> None:
    def model(_: object) -> str:
        callers.add(threading.current_thread())
        together.wait(60)  # for as many calls as may run at a time
        return reply("x")

    shell.ip.user_ns["model"] = model
    for option, limit in (("", 4), ("--at-once 2", 2), ("--at-once 1", 1)):
        callers: set[threading.Thread] = set()
        together = threading.Barrier(limit)
        found = shell.run(f"%%coglog try {'-m model ' * 8} {option}\nHello")
        assert "no reply" not in found.out
        assert len(callers) == limit


def test_interrupted_it_shows_and_keeps_what_arrived(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def slow(_: object) -> Any:
        yield "<think>half"
        release.wait(60)
        yield "more"

    class InterruptedProgress:
        def __init__(self, total: int) -> None:
            assert total == 2

        def __call__(self, _: int) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr("coglog_nb.notebook.cmd_try.Progress", InterruptedProgress)
    shell.ip.user_ns.update(quick=lambda _: reply("quick"), slow=slow)
    shell.ip.display_formatter.active_types = ["text/plain"]
    with capture_output() as captured:
        result = shell.ip.run_cell("%%coglog try -m quick -m slow\nHello")
    release.set()
    assert isinstance(result.error_in_exec, KeyboardInterrupt)
    assert "Traceback" not in captured.stdout + captured.stderr
    seen = captured.outputs[-1].data["text/plain"]
    assert "1 \u00b7 quick" in seen
    assert "2 \u00b7 slow \u00b7 no reply\n  - interrupted" in seen
    found = shell.ip.user_ns["coglog_candidates"]
    assert [candidate.error for candidate in found] == ["", "interrupted"]
    assert shell.run("%coglog keep 1").value["layers"]["assistant"] == "quick"
    assert "candidate 2 has no reply to keep: interrupted" in str(shell.fail("%coglog keep 2")[0])


def test_interrupted_it_ends_asynchronous_calls_as_well(shell: Shell) -> None:
    main_thread = threading.get_ident()
    ended = threading.Event()

    async def endless(_: object) -> str:
        signal.pthread_kill(main_thread, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    shell.ip.user_ns["endless"] = endless
    error, _ = shell.fail("%%coglog try -m endless\nHello")
    assert isinstance(error, KeyboardInterrupt)
    assert ended.wait(10)


def test_the_thinking_is_in_no_output_where_it_is_kept_out(shell: Shell, names: dict[str, Any]) -> None:
    assert names
    shell.ip.display_formatter.active_types = ["text/plain"]
    out = shell.run("%%coglog try -m good --no-thinking\nHello").out
    assert "They know it." not in out
    assert "(not shown)" in out

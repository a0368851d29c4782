"""`%coglog template`, `context` and `%%coglog turn` in a shell."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, Entry, PromptText, TurnError, aturn
from coglog_nb import turn as take_turn
from coglog_nb.steps.callable_model import CallableModel

if TYPE_CHECKING:
    from command_line import Run

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


def test_the_template_is_shown_once_and_is_a_string(shell: Shell) -> None:
    ran = shell.run("%coglog template")
    assert isinstance(ran.value, PromptText)
    assert ran.out.count("output a coglog block") == 1
    assert "140 characters, about 35 tokens (an estimate)" in ran.out
    assert shell.run("text = %coglog template").out == ""
    assert shell.ip.user_ns["text"].startswith("At the end of each response")


def test_the_context_is_shown_once_and_is_a_string(shell: Shell, turn: dict[str, Any]) -> None:
    assert shell.run("%coglog context").out == "(no coglog found)\n"
    entry = CogLog().write(**turn)
    ran = shell.run("%coglog context --format json --only axes,user --no-schema")
    assert json.loads(ran.value) == {
        "turn_id": 1,
        "timestamp": entry["timestamp"],
        "layers": {"user": turn["user"]},
        **{name: turn[name] for name in AXES},
    }
    assert ran.out.count('"turn_id"') == 1
    assert "(an estimate)" in ran.out


def test_without_thinking_no_output_shows_it_and_the_model_is_given_it(
    shell: Shell, turn: dict[str, Any], sent: list[Any]
) -> None:
    CogLog().write(**turn)
    for cell in (
        "%coglog context --no-thinking",
        "%%coglog turn --dry-run --no-thinking\nHello",
        "%%coglog turn -m model --no-thinking\nHello",
    ):
        ran = shell.run(cell)
        seen = ran.out + str(ran.outputs)
        assert "Start from an example." not in seen
        assert "They know it." not in seen
        assert "(not shown)" in seen
    assert "Start from an example." in sent[0][0]["content"]


def test_a_turn_is_stored_and_returned(shell: Shell, sent: list[Any]) -> None:
    ran = shell.run("%%coglog turn -m model\nWhat is\n\na fixed {point}, ${x} $HOME?\n")
    assert isinstance(ran.value, Entry)
    assert ran.value == CogLog().read()
    assert ran.value["layers"]["user"] == "What is\n\na fixed {point}, ${x} $HOME?"
    assert ran.value["layers"]["assistant"] == "A value."
    assert sent[0][-1]["content"] == ran.value["layers"]["user"]
    assert Path("~/.coglog/outputs/coglog-turn-1.jsx").expanduser().exists()
    assert shell.ip.user_ns["coglog_reply"] == REPLY


def test_system_prompt_and_template_come_from_a_name_a_text_or_a_file(shell: Shell, sent: list[Any]) -> None:
    Path("tutor.md").write_text("from a file, {x}\n", encoding="utf-8")
    Path("license").write_text("not Python's\n", encoding="utf-8")
    shell.ip.user_ns["tutor"] = "from a name"
    for option, said in (
        ("tutor", "from a name"),
        ("tutor.md", "from a file, {x}"),
        ("./tutor.md", "from a file, {x}"),
        ('"./tutor.md"', "./tutor.md"),
        ('"You are a tutor."', "You are a tutor."),
        ("tutor.upper()", "FROM A NAME"),
        ("license", "not Python's"),
    ):
        shell.run(f'%%coglog turn -m model --system {option} --template ""\nHello')
        assert sent[-1][0]["content"].split("\n\n")[0] == said
        assert "output a coglog block" not in sent[-1][0]["content"]
    shell.run("%%coglog turn -m model --template tutor.md\nHello")
    assert sent[-1][0]["content"].endswith("\n\nfrom a file, {x}")


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--system nothing", "--system: nothing is neither a name that gives a str nor a file"),
        ("--system 1/0", "--system: 1/0 is neither a name that gives a str nor a file (ZeroDivisionError"),
        ("--system model", "--system: model is function, not str"),
        ("--template .", "is a directory"),
        ("--only axis", "only: 'axis' is not a field"),
        ("--format xml", "--format"),
        ("-o hot", "-o takes KEY=VALUE, not hot"),
        ("-o temperature=1", "options are for llm's models; model sets its own"),
        ("--user 3", "--user: 3 is int, not str"),
        ("--thinking 3", "--thinking: 3 is int, not str"),
        ("--theme blue", "--theme"),
    ],
)
def test_an_option_that_does_not_fit_is_reported_before_the_model_is_asked(
    shell: Shell, sent: list[Any], option: str, said: str
) -> None:
    error, seen = shell.fail(f"%%coglog turn -m model {option}\nHello")
    assert said in str(error)
    assert "Traceback" not in seen
    assert not sent


def test_no_model_and_no_text_are_reported(shell: Shell, sent: list[Any]) -> None:
    assert "no model: -m MODEL" in str(shell.fail("%%coglog turn\nHello")[0])
    assert "the cell's body is empty; it must hold what the user says" in str(
        shell.fail("%%coglog turn -m model\n \n")[0]
    )
    assert "the cell's body" in str(shell.fail("%coglog turn -m model")[0])
    assert not sent


def test_a_name_that_is_bound_wins_and_any_other_is_llms(shell: Shell, sent: list[Any], monkeypatch: Any) -> None:
    asked: list[str] = []

    def by_name(name: str) -> Any:
        asked.append(name)
        raise TurnError("asked llm")

    monkeypatch.setattr("coglog_nb.steps.models.llm_model_named", by_name)
    shell.ip.user_ns.update(chosen="gpt-x", models={"a": shell.ip.user_ns["model"]}, gpt=3)
    for word, name in (
        ("chosen", "gpt-x"),
        ("gpt-4o", "gpt-4o"),
        ("o1", "o1"),
        ("llama3.2:1b", "llama3.2:1b"),
        ("max", "max"),
        ('"model"', "model"),
        ("org/model", "org/model"),
    ):
        shell.fail(f"%%coglog turn -m {word}\nHello")
        assert asked.pop() == name
    assert not sent
    shell.run("%%coglog turn -m models['a']\nHello")
    assert len(sent) == 1
    assert "gpt is int: a model is an id that llm knows" in str(shell.fail("%%coglog turn -m gpt\nHello")[0])


def test_a_dry_run_shows_the_messages_and_their_size_and_calls_nothing(
    shell: Shell, sent: list[Any], turn: dict[str, Any]
) -> None:
    CogLog().write(**turn)
    ran = shell.run('%%coglog turn -m model --dry-run --system "You are a tutor." --no-schema\nHello {x}')
    assert ran.out.startswith("--- system ---\nYou are a tutor.\n\n# Your last turn (CogLog turn 1")
    assert "--- user ---\nHello {x}\n" in ran.out
    assert "[2 messages: " in ran.out
    assert "tokens (an estimate)]" in ran.out
    reflecting = shell.run("%%coglog turn --dry-run --reflect\nHello").out
    assert reflecting.count("A note to yourself") == 4
    assert not sent
    assert CogLog().read()["turn_id"] == 1  # type: ignore[index] # it is there


@pytest.mark.parametrize("way", ["turn", "aturn", "magic", "command line"])
def test_with_replace_every_way_sends_the_turn_that_the_replaced_one_followed(
    shell: Shell, sent: list[Any], run: Run, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    model = shell.ip.user_ns["model"]
    take_turn("One", model)
    second = take_turn("Two", model)
    if way == "turn":
        take_turn("Two", model, replace=True)
    elif way == "aturn":
        asyncio.run(aturn("Two", model, replace=True))
    elif way == "magic":
        shell.run("%%coglog turn -m model --replace\nTwo")
    else:
        monkeypatch.setattr("coglog_nb.steps.models.find_model", lambda *_, **__: CallableModel(model))
        assert run("turn", "-m", "any", "--replace", stdin="Two").code == 0
    assert sent[2] == sent[1]
    stored = CogLog().read()
    assert stored is not None
    assert stored["turn_id"] == second["turn_id"] == 2


def test_run_again_with_replace_it_starts_from_the_same_turn(shell: Shell, sent: list[Any]) -> None:
    shell.run("%%coglog turn -m model\nOne")
    shell.run("%%coglog turn -m model\nTwo")
    shell.run("%%coglog turn -m model --replace\nTwo again")
    shell.run("%%coglog turn -m model --replace\nTwo once more")
    assert CogLog().read()["turn_id"] == 2  # type: ignore[index] # it is there
    contexts = [messages[0]["content"].partition("\n")[0] for messages in sent[1:]]
    assert len(set(contexts)) == 1
    assert "CogLog turn 1" in contexts[0]


def test_where_the_turn_before_is_not_in_memory_replace_says_so(
    shell: Shell, sent: list[Any], turn: dict[str, Any]
) -> None:
    CogLog().write(**turn)
    ran = shell.run("%%coglog turn -m model --replace\nOne")
    assert "no longer in memory" not in ran.out
    assert len(sent[0]) == 2
    assert "Your last turn" not in sent[0][0]["content"], "turn 1 follows none"
    CogLog().write(**turn)
    CogLog().write(**turn)
    ran = shell.run("%%coglog turn -m model --replace\nThree")
    assert "coglog: the turn before turn 3 is no longer in memory; the model saw turn 3 instead" in ran.out


def test_a_turn_that_another_writer_overtook_says_so(shell: Shell, turn: dict[str, Any]) -> None:
    def model(_: Any) -> str:
        CogLog().write(**turn)
        return REPLY

    shell.ip.user_ns["model"] = model
    CogLog().write(**turn)
    out = shell.run("%%coglog turn -m model\nHello").out
    assert "another turn was written meanwhile: this is turn 3, and the model saw turn 1" in out


def test_a_reply_without_a_turn_is_reported_and_kept(shell: Shell) -> None:
    shell.ip.user_ns["model"] = lambda _: "A value."
    error, seen = shell.fail("%%coglog turn -m model\nHello")
    assert isinstance(error, TurnError)
    assert "Traceback" not in seen
    for said in (
        "coglog error: ",
        "--ask-thinking asks the model to write its thinking down",
        "--reflect asks for the axes after the answer",
        "the model's reply is in coglog_reply: %coglog capture coglog_reply",
    ):
        assert said in seen
    assert error.reply == shell.ip.user_ns["coglog_reply"] == "A value."
    assert CogLog().read() is None


def test_what_capture_would_refuse_is_not_recommended_to_it(shell: Shell) -> None:
    shell.ip.user_ns["model"] = lambda _: 3
    error, seen = shell.fail("%%coglog turn -m model\nHello")
    assert error.reply == shell.ip.user_ns["coglog_reply"] == 3  # type: ignore[attr-defined] # it is a TurnError
    assert "the model's reply is in coglog_reply" in seen
    assert "%coglog capture" not in seen


def test_a_model_that_fails_is_one_message_and_no_key(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "the-secret-itself")

    def model(_: Any) -> Any:
        yield "<think>half"
        raise ConnectionResetError("gone with the-secret-itself")

    shell.ip.user_ns["model"] = model
    error, seen = shell.fail("%%coglog turn -m model\nHello")
    assert "model can't be reached (gone with (key not shown))" in seen
    assert "the-secret-itself" not in seen
    assert isinstance(error, TurnError)
    assert shell.ip.user_ns["coglog_reply"] == "<think>half"


def test_a_refusal_is_shown_and_not_stored(shell: Shell) -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": None, "refusal": "I can't."}}]}
    shell.ip.user_ns["model"] = lambda _: reply
    ran = shell.run("%%coglog turn -m model\nHello")
    assert "model refused to answer; nothing was stored (--store-refusal stores it)" in ran.out
    assert ran.value.fields["assistant"] == "I can't."
    assert CogLog().read() is None
    entry = shell.run('%%coglog turn -m model --store-refusal --thinking "none"\nHello').value
    assert entry["layers"] == {"user": "Hello", "thinking": "none", "assistant": "I can't."}


def test_interrupting_the_cell_ends_the_call_and_stores_nothing(shell: Shell) -> None:
    closed = []

    def model(_: Any) -> Any:
        try:
            yield "<think>half"
            signal.raise_signal(signal.SIGINT)
        finally:
            closed.append(True)

    shell.ip.user_ns["model"] = model
    error, _ = shell.fail("%%coglog turn -m model\nHello")
    assert isinstance(error, KeyboardInterrupt)
    assert closed == [True]
    assert shell.ip.user_ns["coglog_reply"] == "<think>half"
    assert CogLog().read() is None


def test_reflection_asks_four_times_and_shows_only_the_answer(shell: Shell) -> None:
    replies = ["<think>t</think>A value.", "f", "(empty)", "s", "n"]
    shell.ip.user_ns["model"] = lambda _: replies.pop(0)
    shell.ip.display_formatter.active_types = ["text/plain"]
    ran = shell.run("%%coglog turn -m model --reflect\nHello")
    assert [ran.value[name] for name in AXES] == ["f", "", "s", "n"]
    assert ran.out.count("assistant (model)") == 1


def test_what_reflection_found_is_kept_with_the_answer(shell: Shell) -> None:
    answer = {"message": {"role": "assistant", "content": "A value."}, "done": True}
    replies: list[Any] = [answer, "f", "(empty)", "s", "n"]
    shell.ip.user_ns["model"] = lambda _: replies.pop(0)
    error, _ = shell.fail("%%coglog turn -m model --reflect\nHello")
    assert "thinking: none in this reply" in str(error)
    ran = shell.run("%coglog capture coglog_reply --thinking 'mine' --write")
    assert ran.value["layers"] == {"user": "Hello", "thinking": "mine", "assistant": "A value."}
    assert [ran.value[name] for name in AXES] == ["f", "", "s", "n"]


def test_a_dry_run_counts_the_questions_apart(shell: Shell) -> None:
    out = shell.run("%%coglog turn --dry-run --reflect\nHello").out
    assert out.count("--- user ---") == 5
    assert "[1 message: 5 characters, about 2 tokens (an estimate); after the answer 4 questions, each sent with" in out

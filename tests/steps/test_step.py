"""One exchange with a model: which replies are turns, what is kept of the others, and the four questions."""

from __future__ import annotations

import asyncio
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from loopback import ANSWER, AXES, BLOCK, REPLY, THINKING
from scripted import Scripted

from coglog_nb import CogLog, TurnError, ValidationError, capture, turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scripted import Messages


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ("", r"field: user \(it is empty; a fact must say something\)"),
        (None, r"field: user \(it is null, not text\)"),
        (3, r"field: user \(it is a number, not text\)"),
        ("\ud800", "user: an unpaired surrogate"),
    ],
)
def test_an_empty_user_is_refused_before_the_model_is_called(store: CogLog, user: Any, said: str) -> None:
    model = Scripted(REPLY)
    with pytest.raises(ValidationError, match=said):
        turn(user, model, store=store)
    assert not model.sent


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"thinking": ""}, "thinking: thinking= is empty"),
        ({"thinking": 3}, "thinking: thinking= is int, not str"),
        ({"thinking": "\ud800"}, "thinking: an unpaired surrogate"),
        ({"system": b"be brief"}, "system: system= is bytes, not str"),
        ({"system": "\ud800"}, "system: an unpaired surrogate"),
        ({"template": 3}, "template: template= is int, not str"),
    ],
)
def test_a_wrong_text_is_refused_before_the_model_is_called(store: CogLog, how: dict[str, Any], said: str) -> None:
    model = Scripted(REPLY)
    with pytest.raises(ValidationError, match=said):
        turn("?", model, store=store, **how)
    assert not model.sent


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("", "empty"),
        (REPLY.replace(BLOCK, ""), "no "),
        (REPLY[:-20], "cut"),
        (REPLY.replace('"annotation"', '"remark"'), "annotation"),
        (REPLY.replace('"theory_of_mind": ""', '"theory_of_mind": null'), "theory_of_mind"),
        (f"{ANSWER}\n{BLOCK}", "thinking"),
        (None, "reply"),
        (3, "reply"),
    ],
    ids=["empty", "no block", "cut", "axis missing", "null", "no thinking", "none", "number"],
)
def test_an_incomplete_reply_is_an_error_that_holds_the_reply(store: CogLog, reply: Any, said: str) -> None:
    before = turn("1", Scripted(REPLY), store=store)
    with pytest.raises(TurnError) as caught:
        turn("2", Scripted(reply), store=store)
    assert said in str(caught.value).lower()
    assert caught.value.reply == reply
    assert store.read() == before


def test_missing_thinking_can_be_given(store: CogLog) -> None:
    with pytest.raises(TurnError) as caught:
        turn("?", Scripted(f"{ANSWER}\n{BLOCK}"), store=store)
    entry = capture(caught.value.reply, user="?", thinking="mine").write(store)
    assert entry["layers"] == {"user": "?", "thinking": "mine", "assistant": ANSWER}
    assert turn("?", Scripted(f"{ANSWER}\n{BLOCK}"), store=store, thinking="mine")["layers"]["thinking"] == "mine"


def test_the_models_own_thinking_wins_over_the_callers(store: CogLog) -> None:
    assert turn("?", Scripted(REPLY), store=store, thinking="mine")["layers"]["thinking"] == THINKING


def test_a_model_that_raises_is_an_error_of_one_sentence(store: CogLog) -> None:
    with pytest.raises(TurnError, match="Scripted: ValueError: no such thing") as caught:
        turn("?", Scripted(ValueError("no such\nthing")), store=store)
    assert caught.value.reply is None
    assert isinstance(caught.value.__cause__, ValueError)
    assert store.read() is None


def test_a_stream_that_breaks_off_keeps_what_arrived(store: CogLog) -> None:
    def model(_: Messages) -> Iterator[str]:
        yield REPLY[:40]
        raise ConnectionResetError("gone")

    with pytest.raises(TurnError, match="model can't be reached") as caught:
        turn("?", model, store=store)
    assert caught.value.reply == REPLY[:40]


def test_a_model_that_was_cancelled_is_an_error(store: CogLog) -> None:
    with pytest.raises(TurnError, match="Scripted: CancelledError"):
        turn("?", Scripted(asyncio.CancelledError()), store=store)


def test_an_error_whose_str_fails_is_reported(store: CogLog) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    with pytest.raises(TurnError, match="Scripted: MuteError"):
        turn("?", Scripted(MuteError()), store=store)


def test_a_key_is_neither_in_the_message_nor_in_the_cause(store: CogLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "the-secret-itself")
    with pytest.raises(TurnError) as caught:
        turn("?", Scripted(ValueError("bad key the-secret-itself")), store=store)
    error = caught.value
    assert "key not shown" in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize("hidden", ["cause", "context", "note"])
def test_a_key_is_in_nothing_that_a_traceback_shows(
    store: CogLog, monkeypatch: pytest.MonkeyPatch, hidden: str
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "the-secret-itself")
    error, inner = ValueError("bad"), KeyError("the-secret-itself")
    if hidden == "cause":
        error.__cause__ = inner
    elif hidden == "context":
        error.__context__ = inner
    else:
        vars(error)["__notes__"] = ["sent the-secret-itself"]  # as `add_note` of Python 3.11 leaves it
    with pytest.raises(TurnError) as caught:
        turn("?", Scripted(error), store=store)
    assert "the-secret-itself" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_error_at_the_start_of_a_stream_is_reported(
    store: CogLog, monkeypatch: pytest.MonkeyPatch, *, asynchronous: bool
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "the-secret-itself")
    chunk = {"error": {"message": "no more requests for the-secret-itself", "code": 429}}

    async def later(_: Messages) -> AsyncIterator[Any]:
        yield chunk

    with pytest.raises(TurnError, match=r"no more requests for \(key not shown\)") as caught:
        turn("?", later if asynchronous else Scripted(iter([chunk])), store=store)
    assert caught.value.reply is None
    assert "the-secret-itself" not in "".join(traceback.format_exception(caught.value))


def test_reflection_fills_the_axes_from_four_questions(store: CogLog) -> None:
    model = Scripted(
        f"<think>{THINKING}</think>{ANSWER}", "the focus", "<think>hm</think> they are well ", "(Empty).", "next"
    )
    entry = turn("?", model, store=store, reflect=True)
    assert entry["layers"]["assistant"] == ANSWER
    assert [entry[name] for name in AXES] == ["the focus", "they are well", "", "next"]
    assert len(model.sent) == 5
    assert len(model.sent[0]) == 1, "no template, no context: no system message"
    last = model.sent[4]
    assert [message["role"] for message in last] == ["user", "assistant"] + ["user", "assistant"] * 3 + ["user"]
    assert last[1]["content"] == ANSWER, "the thinking is not sent back as if it had been said"
    assert "annotation (future): what should I do next?" in last[-1]["content"]
    assert "what is the user's state?" in model.sent[2][-1]["content"]


def test_a_question_that_fails_keeps_the_answer_and_the_earlier_notes(store: CogLog) -> None:
    model = Scripted(f"<think>{THINKING}</think>{ANSWER}", "the focus", TimeoutError("slow"))
    with pytest.raises(TurnError, match="timed out") as caught:
        turn("?", model, store=store, reflect=True)
    assert ANSWER in str(caught.value.reply)
    assert caught.value.captured.fields["assistant"] == ANSWER
    assert caught.value.captured.fields["current_focus"] == "the focus", "nor is what it noted before that"


def test_an_empty_note_leaves_its_axis_empty(store: CogLog) -> None:
    nothing = {"message": {"role": "assistant", "content": ""}, "done": True}
    model = Scripted(f"<think>{THINKING}</think>{ANSWER}", "", nothing, " \n", "next")
    entry = turn("?", model, store=store, reflect=True)
    assert [entry[name] for name in AXES] == ["", "", "", "next"]


@pytest.mark.parametrize(
    ("message", "finish", "said"),
    [
        ({"content": None, "refusal": "I can't."}, "stop", "theory_of_mind: the answer to its question was refused"),
        ({"content": "They are"}, "length", "theory_of_mind: the answer to its question was cut at its limit"),
        ({"content": "<think>Hm"}, "stop", "theory_of_mind: the answer to its question was not whole"),
    ],
)
def test_a_refused_or_cut_note_is_an_error(store: CogLog, message: dict[str, Any], finish: str, said: str) -> None:
    note = {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": finish}]}
    model = Scripted(f"<think>{THINKING}</think>{ANSWER}", "the focus", note)
    with pytest.raises(TurnError, match=said) as caught:
        turn("?", model, store=store, reflect=True)
    assert caught.value.captured.fields["current_focus"] == "the focus"
    assert store.read() is None

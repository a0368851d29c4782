"""One step of the recurrence with a callable: what is sent, what is stored, and what happens when it fails."""

from __future__ import annotations

import asyncio
import json
import threading
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from loopback import ANSWER, AXES, BLOCK, REPLY, THINKING

from coglog_nb import CogLog, CogLogError, RefusedError, TurnError, UsageError, ValidationError, aturn, capture, turn
from coglog_nb.errors import CogLogWarning
from coglog_nb.fields import NAMES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    Messages = list[dict[str, str]]


TURN: dict[str, Any] = {"user": "u", "thinking": "t", "assistant": "a", **AXES}


class Scripted:
    """A model that gives replies from a list, and keeps what it was sent."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.sent: list[Messages] = []

    def __call__(self, messages: Messages) -> Any:
        self.sent.append([dict(message) for message in messages])
        messages.clear()  # a model may do as it likes with what it is given
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


def test_a_reply_becomes_the_next_turn(store: CogLog) -> None:
    model = Scripted(REPLY, REPLY)
    entry = turn("What is a fixed point?", model, store=store)
    assert entry == store.read()
    assert entry["turn_id"] == 1
    assert entry["layers"] == {"user": "What is a fixed point?", "thinking": THINKING, "assistant": ANSWER}
    assert {name: entry[name] for name in AXES} == AXES
    second = turn("And then?", model, store=store, system="You are a tutor.")
    assert second["turn_id"] == 2
    (first_sent, second_sent) = model.sent
    assert [message["role"] for message in first_sent] == ["system", "user"]
    assert first_sent[0]["content"].startswith("At the end of each response, output a coglog block:")
    system = second_sent[0]["content"]
    assert system.startswith("You are a tutor.\n\n# Your last turn (CogLog turn 1")
    assert system.endswith('"annotation":"..."}')
    assert "ask for one of cos(x)" in system
    assert second_sent[1] == {"role": "user", "content": "And then?"}


def test_what_goes_in_of_the_stored_turn_is_chosen(store: CogLog) -> None:
    model = Scripted(REPLY, REPLY)
    turn("One", model, store=store)
    turn("Two", model, store=store, only="annotation", schema=False, fmt="json", template="", ask_thinking=True)
    system = model.sent[1][0]["content"]
    context, _, asked = system.partition("\n\n")
    assert set(json.loads(context)) == {"turn_id", "timestamp", "annotation"}
    assert asked == "Before each response, write your thinking process, in full, between <think> and </think>."


def test_the_pieces_of_a_stream_come_as_they_are_made(store: CogLog) -> None:
    seen: list[tuple[str, str]] = []

    def model(_: Messages) -> Iterator[str]:
        for start in range(0, len(REPLY), 5):
            yield REPLY[start : start + 5]

    entry = turn("?", model, store=store, on_piece=lambda kind, text: seen.append((kind, text)))
    assert entry["layers"]["thinking"] == THINKING
    assert entry["layers"]["assistant"] == ANSWER
    assert "".join(text for kind, text in seen if kind == "thinking") == THINKING
    assert "".join(text for kind, text in seen if kind == "assistant").strip().startswith(ANSWER)
    assert len(seen) > 10


def test_an_asynchronous_model_runs_without_and_within_an_event_loop(store: CogLog) -> None:
    loops = []

    async def whole(_: Messages) -> str:
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return REPLY

    async def streamed(_: Messages) -> AsyncIterator[str]:
        loops.append(asyncio.get_running_loop())
        for piece in (REPLY[:20], REPLY[20:]):
            await asyncio.sleep(0)
            yield piece

    assert turn("1", whole, store=store)["turn_id"] == 1
    assert turn("2", streamed, store=store)["turn_id"] == 2

    async def in_a_notebook() -> Any:
        own = asyncio.get_running_loop()
        third = turn("3", whole, store=store)  # as a cell does it, whose loop is running
        fourth = await aturn("4", whole, store=store)
        fifth = await aturn("5", streamed, store=store)
        assert loops[-1] is loops[-2] is own
        sixth = await aturn("6", Scripted(REPLY), store=store)
        return [each["turn_id"] for each in (third, fourth, fifth, sixth)]

    assert asyncio.run(in_a_notebook()) == [3, 4, 5, 6]
    assert loops[0] is loops[1] is loops[2], "a client's connections belong to one loop: it stays the same"


def test_where_there_are_no_threads_an_asynchronous_model_says_what_to_do(
    store: CogLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("coglog_nb.steps.async_bridge._loop", None)
    monkeypatch.setattr("threading.Thread.start", start)

    async def model(_: Messages) -> str:
        return REPLY

    with pytest.raises(UsageError, match=r"await coglog_nb\.aturn"):
        turn("?", model, store=store)
    assert store.read() is None


def test_cancelling_a_turn_stores_nothing(store: CogLog) -> None:
    begun = asyncio.Event()
    closed = []

    async def model(_: Messages) -> AsyncIterator[str]:
        try:
            yield REPLY[:10]
            begun.set()
            await asyncio.sleep(60)
        finally:
            closed.append(True)

    async def main() -> None:
        task = asyncio.create_task(aturn("?", model, store=store))
        await asyncio.wait_for(begun.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert closed == [True]
    assert store.read() is None


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
def test_a_reply_that_is_no_turn_is_told_and_not_lost(store: CogLog, reply: Any, said: str) -> None:
    before = turn("1", Scripted(REPLY), store=store)
    with pytest.raises(TurnError) as caught:
        turn("2", Scripted(reply), store=store)
    assert said in str(caught.value).lower()
    assert caught.value.reply == reply
    assert store.read() == before


def test_what_is_lacking_can_be_supplied(store: CogLog) -> None:
    with pytest.raises(TurnError) as caught:
        turn("?", Scripted(f"{ANSWER}\n{BLOCK}"), store=store)
    entry = capture(caught.value.reply, user="?", thinking="mine").write(store)
    assert entry["layers"] == {"user": "?", "thinking": "mine", "assistant": ANSWER}
    assert turn("?", Scripted(f"{ANSWER}\n{BLOCK}"), store=store, thinking="mine")["layers"]["thinking"] == "mine"


def test_a_model_that_raises_is_told_in_a_sentence(store: CogLog) -> None:
    with pytest.raises(TurnError, match="Scripted: ValueError: no such thing") as caught:
        turn("?", Scripted(ValueError("no such\nthing")), store=store)
    assert caught.value.reply is None
    assert isinstance(caught.value.__cause__, ValueError)
    assert store.read() is None


def test_a_stream_that_breaks_off_leaves_what_had_come(store: CogLog) -> None:
    def model(_: Messages) -> Iterator[str]:
        yield REPLY[:40]
        raise ConnectionResetError("gone")

    with pytest.raises(TurnError, match="model can't be reached") as caught:
        turn("?", model, store=store)
    assert caught.value.reply == REPLY[:40]


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
def test_an_error_that_a_stream_begins_with_is_told(
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


def test_a_model_that_was_cancelled_is_told(store: CogLog) -> None:
    with pytest.raises(TurnError, match="Scripted: CancelledError"):
        turn("?", Scripted(asyncio.CancelledError()), store=store)


def test_an_error_that_cannot_say_itself_is_told(store: CogLog) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    with pytest.raises(TurnError, match="Scripted: MuteError"):
        turn("?", Scripted(MuteError()), store=store)


def test_an_interrupt_ends_the_stream_and_stores_nothing(store: CogLog) -> None:
    closed = []

    def model(_: Messages) -> Iterator[str]:
        try:
            yield REPLY[:40]
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        turn("?", model, store=store)
    assert closed == [True]
    assert store.read() is None


class _Stream:
    """A library's stream: nothing but its own `close` ends the call."""

    def __init__(self, *chunks: str | BaseException) -> None:
        self._chunks = iter(chunks)
        self.closed = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        chunk = next(self._chunks)
        if isinstance(chunk, BaseException):
            raise chunk
        return chunk

    def close(self) -> None:
        self.closed = True


def test_a_stream_is_closed_however_it_ends(store: CogLog) -> None:
    whole, broken = _Stream(REPLY), _Stream(REPLY[:40], KeyboardInterrupt())
    turn("?", Scripted(whole), store=store)
    with pytest.raises(KeyboardInterrupt):
        turn("?", Scripted(broken), store=store)
    assert (whole.closed, broken.closed) == (True, True)


def test_an_interrupt_ends_an_asynchronous_call_too(store: CogLog) -> None:
    ended = threading.Event()

    async def model(_: Messages) -> AsyncIterator[str]:
        try:
            yield REPLY[:40]
            await asyncio.sleep(60)
        finally:
            ended.set()

    def interrupt(kind: str, text: str) -> None:
        del kind, text
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        turn("?", model, store=store, on_piece=interrupt)
    assert ended.wait(10), "the call goes on"
    assert store.read() is None


def test_the_models_own_thinking_goes_before_what_stands_in_for_it(store: CogLog) -> None:
    assert turn("?", Scripted(REPLY), store=store, thinking="mine")["layers"]["thinking"] == THINKING


def test_a_refusal_is_no_turn_unless_it_is_to_be_one(store: CogLog) -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": None, "refusal": "I can't."}}]}
    with pytest.raises(RefusedError, match="refused to answer; nothing was stored") as caught:
        turn("?", Scripted(reply), store=store, thinking="t")
    assert caught.value.captured.fields["assistant"] == "I can't."
    assert store.read() is None
    entry = turn("?", Scripted(reply), store=store, thinking="t", store_refusal=True)
    assert entry["layers"]["assistant"] == "I can't."
    assert [entry[name] for name in AXES] == [""] * 4


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


def test_where_a_question_fails_the_answer_is_not_lost(store: CogLog) -> None:
    model = Scripted(f"<think>{THINKING}</think>{ANSWER}", "the focus", TimeoutError("slow"))
    with pytest.raises(TurnError, match="timed out") as caught:
        turn("?", model, store=store, reflect=True)
    assert ANSWER in str(caught.value.reply)
    assert caught.value.captured.fields["assistant"] == ANSWER
    assert caught.value.captured.fields["current_focus"] == "the focus", "nor is what it noted before that"


def test_an_axis_that_gets_no_words_is_empty_in_whatever_shape_they_come(store: CogLog) -> None:
    nothing = {"message": {"role": "assistant", "content": ""}, "done": True}
    model = Scripted(f"<think>{THINKING}</think>{ANSWER}", "", nothing, " \n", "next")
    entry = turn("?", model, store=store, reflect=True)
    assert [entry[name] for name in AXES] == ["", "", "", "next"]


@pytest.mark.parametrize(
    ("message", "finish", "said"),
    [
        ({"content": None, "refusal": "I can't."}, "stop", "theory_of_mind: the answer to its question was refused"),
        ({"content": "They are"}, "length", "theory_of_mind: the answer to its question was cut at its limit"),
    ],
)
def test_a_refused_or_cut_note_is_no_axis(store: CogLog, message: dict[str, Any], finish: str, said: str) -> None:
    note = {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": finish}]}
    model = Scripted(f"<think>{THINKING}</think>{ANSWER}", "the focus", note)
    with pytest.raises(TurnError, match=said) as caught:
        turn("?", model, store=store, reflect=True)
    assert caught.value.captured.fields["current_focus"] == "the focus"
    assert store.read() is None


@pytest.mark.parametrize("user", ["", None, 3, "\ud800"])
def test_a_user_who_says_nothing_is_refused_before_anything_is_asked(store: CogLog, user: Any) -> None:
    model = Scripted(REPLY)
    with pytest.raises(ValidationError, match="user"):
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
def test_what_cannot_be_sent_or_stored_is_refused_before_anything_is_asked(
    store: CogLog, how: dict[str, Any], said: str
) -> None:
    model = Scripted(REPLY)
    with pytest.raises(ValidationError, match=said):
        turn("?", model, store=store, **how)
    assert not model.sent


@pytest.mark.parametrize("model", [None, 3, object()])
def test_what_is_no_model_is_refused(store: CogLog, model: Any) -> None:
    with pytest.raises(CogLogError, match="is an id that llm knows, one of llm's models, or a callable"):
        turn("?", model, store=store)


def test_options_are_for_llm(store: CogLog) -> None:
    with pytest.raises(UsageError, match="options are for llm's models"):
        turn("?", Scripted(REPLY), store=store, options={"temperature": "1"})


def test_a_store_that_refuses_does_not_lose_the_reply(store: CogLog) -> None:
    def model(_: Messages) -> str:
        store.data_dir.mkdir(parents=True, exist_ok=True)
        store.current_file.write_text("damaged", encoding="utf-8")
        return REPLY

    with pytest.raises(TurnError, match="damaged log") as caught:
        turn("?", model, store=store)
    assert caught.value.reply == REPLY
    assert set(caught.value.captured.fields) == set(NAMES)


def test_a_damaged_store_is_told_before_anything_is_asked(store: CogLog) -> None:
    store.data_dir.mkdir(parents=True)
    store.current_file.write_text("damaged", encoding="utf-8")
    model = Scripted(REPLY)
    with pytest.raises(CogLogError, match="damaged log"):
        turn("?", model, store=store)
    assert not model.sent


def test_by_default_the_window_is_the_environments(monkeypatch: pytest.MonkeyPatch, store: CogLog) -> None:
    monkeypatch.setenv("COGLOG_DIR", str(store.data_dir))
    turn("?", Scripted(REPLY))
    assert store.read() is not None


def test_text_of_any_kind_goes_out_and_comes_back_as_it_is(store: CogLog) -> None:
    hostile = "{12} {} $HOME ${x} %s \\n \u2028 </script> \U0001f600"
    model = Scripted(f"<think>{hostile}</think>{hostile}\n{json.dumps(dict.fromkeys(AXES, hostile))}", REPLY)
    entry = turn(hostile, model, store=store)
    assert set(entry["layers"].values()) == {hostile}
    assert {entry[name] for name in AXES} == {hostile}
    turn("?", model, store=store, fmt="json")
    assert json.dumps(hostile, ensure_ascii=False) in model.sent[1][0]["content"]


@pytest.mark.parametrize("take", [turn, aturn])
def test_with_replace_the_model_sees_the_turn_that_the_replaced_one_followed(store: CogLog, take: Any) -> None:
    model = Scripted(REPLY, REPLY, REPLY, REPLY)
    for user in ("One", "Two"):
        turn(user, model, store=store)
    for _ in range(2):
        again = take("Two", model, store=store, replace=True)
        entry = asyncio.run(again) if asyncio.iscoroutine(again) else again
        assert entry["turn_id"] == 2
    assert model.sent[1] == model.sent[2] == model.sent[3]
    assert "CogLog turn 1" in model.sent[1][0]["content"]


@pytest.mark.parametrize("take", [turn, aturn])
def test_where_the_turn_before_is_not_in_memory_replace_warns(store: CogLog, take: Any) -> None:
    for _ in range(2):
        store.write(**TURN)
    model = Scripted(REPLY)
    said = "the turn before turn 2 is no longer in memory; the model saw turn 2 instead"

    def take_again() -> None:
        again = take("Two", model, store=store, replace=True)
        if asyncio.iscoroutine(again):
            asyncio.run(again)

    with pytest.warns(CogLogWarning, match=said):
        take_again()
    assert "CogLog turn 2" in model.sent[0][0]["content"]

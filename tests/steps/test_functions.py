"""`turn` and `aturn` with a callable: what is sent, what is stored, with and without an event loop."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from loopback import ANSWER, AXES, REPLY, THINKING
from scripted import Scripted

from coglog_nb import CogLog, aturn, turn
from coglog_nb.errors import CogLogWarning

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scripted import Messages

TURN: dict[str, Any] = {"user": "u", "thinking": "t", "assistant": "a", **AXES}


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


def test_options_choose_what_the_model_sees_of_the_stored_turn(store: CogLog) -> None:
    model = Scripted(REPLY, REPLY)
    turn("One", model, store=store)
    turn("Two", model, store=store, only="annotation", schema=False, fmt="json", template="", ask_thinking=True)
    system = model.sent[1][0]["content"]
    context, _, asked = system.partition("\n\n")
    assert set(json.loads(context)) == {"turn_id", "timestamp", "annotation"}
    assert asked == "Before each response, write your thinking process, in full, between <think> and </think>."


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


def test_cancelling_a_turn_stores_nothing(store: CogLog) -> None:
    begun = asyncio.Event()
    closed = []

    async def model(_: Messages) -> AsyncIterator[str]:
        try:
            yield REPLY[:10]
            begun.set()
            await asyncio.Event().wait()
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


def test_the_default_store_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch, store: CogLog) -> None:
    monkeypatch.setenv("COGLOG_DIR", str(store.data_dir))
    turn("?", Scripted(REPLY))
    assert store.read() is not None


def test_any_text_is_sent_and_stored_verbatim(store: CogLog) -> None:
    hostile = "{12} {} $HOME ${x} %s \\n \u2028 </script> \U0001f600"
    model = Scripted(f"<think>{hostile}</think>{hostile}\n{json.dumps(dict.fromkeys(AXES, hostile))}", REPLY)
    entry = turn(hostile, model, store=store)
    assert set(entry["layers"].values()) == {hostile}
    assert {entry[name] for name in AXES} == {hostile}
    turn("?", model, store=store, fmt="json")
    assert json.dumps(hostile, ensure_ascii=False) in model.sent[1][0]["content"]


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

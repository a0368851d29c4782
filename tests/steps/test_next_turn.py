"""The one way of a turn: which turn the model sees, and what happens when the write fails or is overtaken."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from loopback import AXES, REPLY
from scripted import Scripted

from coglog_nb import CogLog, CogLogError, RefusedError, TurnError, aturn, turn
from coglog_nb.fields import NAMES
from coglog_nb.steps.callable_model import CallableModel
from coglog_nb.steps.next_turn import NextTurn

if TYPE_CHECKING:
    from scripted import Messages


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


def test_a_refusal_is_stored_only_with_store_refusal(store: CogLog) -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": None, "refusal": "I can't."}}]}
    with pytest.raises(RefusedError, match="refused to answer; nothing was stored") as caught:
        turn("?", Scripted(reply), store=store, thinking="t")
    assert caught.value.captured.fields["assistant"] == "I can't."
    assert store.read() is None
    entry = turn("?", Scripted(reply), store=store, thinking="t", store_refusal=True)
    assert entry["layers"]["assistant"] == "I can't."
    assert [entry[name] for name in AXES] == [""] * 4


def test_an_error_of_the_store_holds_the_reply(store: CogLog) -> None:
    def model(_: Messages) -> str:
        store.data_dir.mkdir(parents=True, exist_ok=True)
        store.current_file.write_text("damaged", encoding="utf-8")
        return REPLY

    with pytest.raises(TurnError, match="damaged log") as caught:
        turn("?", model, store=store)
    assert caught.value.reply == REPLY
    assert set(caught.value.captured.fields) == set(NAMES)


def test_a_damaged_store_is_an_error_before_the_model_is_called(store: CogLog) -> None:
    store.data_dir.mkdir(parents=True)
    store.current_file.write_text("damaged", encoding="utf-8")
    model = Scripted(REPLY)
    with pytest.raises(CogLogError, match="damaged log"):
        turn("?", model, store=store)
    assert not model.sent


@pytest.mark.parametrize(
    ("stored", "replace", "said"),
    [
        (1, False, "another turn was written meanwhile: this is turn 3, and the model saw turn 1"),
        (0, False, "another turn was written meanwhile: this is turn 2, and the model saw no turn"),
        (1, True, "another turn was written meanwhile: this is turn 2, and the model saw no turn"),
    ],
)
def test_a_turn_that_another_writer_stored_meanwhile_is_noticed(
    store: CogLog, stored: int, replace: bool, said: str
) -> None:
    fields: dict[str, Any] = {"user": "u", "thinking": "t", "assistant": "a", **AXES}

    def model(_: Messages) -> str:
        store.write(**fields)
        return REPLY

    for _ in range(stored):
        store.write(**fields)
    next_turn = NextTurn(store, "?", replace=replace)
    entry = next_turn.run(CallableModel(model))
    assert entry == store.read()
    assert (next_turn.about_previous, next_turn.about_write) == ("", said)


def test_a_turn_that_nobody_overtakes_has_no_notice(store: CogLog) -> None:
    for replace in (False, True, False):
        next_turn = NextTurn(store, "?", replace=replace)
        next_turn.run(CallableModel(Scripted(REPLY)))
        assert (next_turn.about_previous, next_turn.about_write) == ("", "")


def test_without_the_turn_before_the_stored_turn_is_sent_and_a_notice_says_so(store: CogLog) -> None:
    fields: dict[str, Any] = {"user": "u", "thinking": "t", "assistant": "a", **AXES}
    for _ in range(2):
        entry = store.write(**fields)
    next_turn = NextTurn(store, "?", replace=True)
    assert next_turn.step.previous == entry
    assert next_turn.about_previous == "the turn before turn 2 is no longer in memory; the model saw turn 2 instead"

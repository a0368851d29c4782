"""Candidates for the next turn: how they are asked for, and how one is kept."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from loopback import ANSWER, REPLY
from scripted import Scripted

from coglog_nb import CogLog, InputError, TurnError, UsageError
from coglog_nb.steps.callable_model import CallableModel
from coglog_nb.steps.comparison import Candidate, Comparison, run_all
from coglog_nb.steps.next_turn import NextTurn
from coglog_nb.steps.step import Step

if TYPE_CHECKING:
    from collections.abc import Callable


def compare(store: CogLog, *models: Callable[..., Any]) -> Comparison:
    """Return the candidates of some models; nothing is asked yet."""
    previous = store.read()
    return Comparison(
        [
            Candidate(number, CallableModel(model, f"m{number}"), "", Step("Hello", previous))
            for number, model in enumerate(models, start=1)
        ],
        previous,
    )


def test_every_model_is_asked_and_one_that_fails_is_a_failed_candidate(store: CogLog) -> None:
    comparison = compare(store, Scripted(REPLY), Scripted(TimeoutError("60 s")), Scripted(ANSWER))
    counts: list[int] = []
    run_all(comparison, counts.append)
    assert counts == [1, 2, 3]
    assert [candidate.error for candidate in comparison] == ["", "m2 timed out (60 s)", ""]
    assert [candidate.name for candidate in comparison] == ["1 \u00b7 m1", "2 \u00b7 m2", "3 \u00b7 m3"]
    assert comparison.draft(comparison[2]) is None
    assert store.read() is None


def test_no_more_calls_run_at_the_same_time_than_asked_for(store: CogLog) -> None:
    callers: set[threading.Thread] = set()
    together = threading.Barrier(2)

    def model(_: object) -> str:
        callers.add(threading.current_thread())
        together.wait(60)  # for as many calls as may run at the same time
        return REPLY

    comparison = compare(store, *[model] * 6)
    run_all(comparison, lambda _: None, at_once=2)
    assert len(callers) == 2
    assert not any(candidate.error for candidate in comparison)


def test_an_interrupt_keeps_the_replies_that_arrived(store: CogLog) -> None:
    release = threading.Event()

    def slow(_: object) -> Any:
        yield "<think>half"
        release.wait(60)
        yield "more"

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    comparison = compare(store, Scripted(REPLY), slow)
    run_all(comparison, interrupt)
    release.set()
    assert comparison.interrupted
    assert [candidate.error for candidate in comparison] == ["", "interrupted"]
    assert comparison.keep(1, store)["turn_id"] == 1
    with pytest.raises(TurnError, match="candidate 2 has no reply to keep: interrupted"):
        comparison.keep(2, store, replace=True)


def test_without_threads_the_models_are_asked_one_after_the_other(
    store: CogLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", start)
    comparison = compare(store, Scripted(REPLY), Scripted(REPLY))
    run_all(comparison, lambda _: None)
    assert [candidate.error for candidate in comparison] == ["", ""]


def test_a_kept_candidate_is_stored_and_the_turn_it_follows_is_remembered(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    model = Scripted(REPLY, REPLY)
    comparison = compare(store, model)
    run_all(comparison, lambda _: None)
    assert comparison.keep(1, store)["turn_id"] == 2
    NextTurn(store, "Hello", replace=True).run(CallableModel(model))
    assert model.sent[0] == model.sent[1]


def test_a_candidate_of_an_older_turn_is_kept_only_with_replace(store: CogLog, turn: dict[str, Any]) -> None:
    comparison = compare(store, Scripted(REPLY))
    run_all(comparison, lambda _: None)
    store.write(**turn)
    with pytest.raises(UsageError, match="the candidates follow no turn, and turn 1 is stored now"):
        comparison.keep(1, store)
    assert comparison.keep(1, store, replace=True)["layers"]["assistant"] == ANSWER


@pytest.mark.parametrize("number", [0, 2, "1"])
def test_a_number_without_a_candidate_is_an_error(store: CogLog, number: Any) -> None:
    with pytest.raises(InputError, match=r"no candidate .*: there are 1 to 1"):
        compare(store, Scripted())[number]

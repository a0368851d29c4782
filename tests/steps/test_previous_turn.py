"""Which turn a stored turn followed: known for what this process wrote, and for turn 1."""

from __future__ import annotations

from typing import Any

from coglog_nb import CogLog
from coglog_nb.steps import previous_turn


def test_the_turn_that_the_written_one_followed_is_known(store: CogLog, turn: dict[str, Any]) -> None:
    first = store.write(**turn)
    second = store.write(**turn)
    previous_turn.remember(store, second, first)
    stored = store.read()
    assert stored is not None
    assert previous_turn.before(store, stored) == (first, True)


def test_after_another_write_it_is_unknown(store: CogLog, turn: dict[str, Any]) -> None:
    first = store.write(**turn)
    previous_turn.remember(store, store.write(**turn), first)
    assert previous_turn.before(store, store.write(**turn)) == (None, False)


def test_turn_1_follows_none(store: CogLog, turn: dict[str, Any]) -> None:
    assert previous_turn.before(store, store.write(**turn)) == (None, True)


def test_each_window_has_its_own(store: CogLog, turn: dict[str, Any]) -> None:
    other = CogLog(store.data_dir, session="other")
    for window in (store, other):
        window.write(**turn)
    entry = store.write(**turn)
    previous_turn.remember(store, entry, None)
    assert previous_turn.before(other, entry) == (None, False)

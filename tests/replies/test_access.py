"""Looking into replies that are objects, dicts or parsed JSON, and a provider's own words in a message."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from coglog_nb.redaction import NOT_SHOWN
from coglog_nb.replies.access import error_message, get, has_list, items, kind_of, short_message, string, word


class Reason(Enum):
    LONG = "MAX_TOKENS"


class Failing:
    text = "here"

    @property
    def content(self) -> str:
        raise RuntimeError("not read yet")


@pytest.mark.parametrize("make", [dict, SimpleNamespace])
def test_an_object_and_a_dict_are_read_alike(make: Any) -> None:
    reply = make(text="Hi", parts=("a", "b"), none=None, empty=[], reason="Stop")
    assert get(reply, "none", "absent", "text") == "Hi"
    assert get(reply, "none") is None
    assert string(reply, "text") == "Hi"
    assert string(reply, "parts") == ""
    assert items(reply, "parts") == ["a", "b"]
    assert items(reply, "text") == []
    assert has_list(reply, "empty")
    assert not has_list(reply, "none")
    assert word(reply, "reason") == "stop"


def test_plain_values_hold_nothing() -> None:
    for value in (None, "text", 3, [1], ("count",)):
        assert get(value, "count", "real", "text") is None


def test_a_keyword_may_be_an_enum() -> None:
    assert word({"reason": Reason.LONG}, "reason") == "max_tokens"
    assert word({"reason": 3}, "reason") == ""


def test_a_property_that_raises_counts_as_absent() -> None:
    assert get(Failing(), "content", "text") == "here"


def test_a_type_in_pythons_words() -> None:
    assert kind_of(None) == "None"
    assert kind_of([]) == "list"
    assert kind_of(Reason.LONG) == f"{__name__}.Reason"


def test_a_message_is_one_line_not_long_and_without_keys() -> None:
    assert short_message("two\nlines") == "two lines"
    assert len(short_message("x" * 1000)) < 320
    assert short_message("no: sk-proj-abcdef123456") == f"no: {NOT_SHOWN}"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"error": {"type": "overloaded", "message": "Later"}}, "overloaded: Later"),
        ({"error": {"code": 429, "msg": "Later"}}, "429: Later"),
        ({"error": {"detail": "Later"}}, "Later"),
        ({"error": "Later"}, "Later"),
        ({"error": {}}, "an error without a message"),
        ({"error": None}, ""),
        ({}, ""),
    ],
)
def test_an_error_in_the_providers_words(value: dict[str, Any], said: str) -> None:
    assert error_message(value) == said

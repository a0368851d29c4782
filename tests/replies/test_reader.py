"""The forms in which a reply may be given, and what isn't a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from coglog_nb import InputError, capture


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (None, "not a reply but None"),
        (3, "not a reply but int"),
        (object(), "not a reply but object"),
        ("", "an empty text"),
        (b"", "an empty text"),
        (" \n", "an empty text"),
        (b"\xff\xfe", "not UTF-8"),
        ({}, "an empty dict"),
        ({"mood": 1}, "a dict with the keys mood"),
        ([], "an empty list"),
        ([1, 2], "a list that holds no chunks"),
        ({"choices": []}, "a dict with the keys choices"),
        ({"user": "a", "assistant": "b"}, "a turn already"),
        (RuntimeError("boom"), "RuntimeError: boom"),
    ],
)
def test_what_is_not_a_reply(reply: Any, words: str) -> None:
    with pytest.raises(InputError) as raised:
        capture(reply)
    (problem,) = raised.value.problems
    assert words in problem
    assert "\n" not in problem


def test_what_is_not_yet_a_reply() -> None:
    async def call() -> str:
        return ""

    waiting = call()
    with pytest.raises(InputError, match="await"):
        capture(waiting)
    waiting.close()

    class HTTP:
        headers: dict[str, str] = {}  # noqa: RUF012 - as a response has them
        status_code = 200

    with pytest.raises(InputError, match=r"\.json\(\)"):
        capture(HTTP())


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "You exceeded your quota", "type": "insufficient_quota", "code": None}},
        {"type": "error", "error": {"type": "rate_limit_error", "message": "You exceeded your quota"}},
        {"error": "You exceeded your quota"},
        {"error": {"code": 429, "message": "You exceeded your quota", "status": "RESOURCE_EXHAUSTED"}},
        {"object": "error", "message": "You exceeded your quota", "type": "invalid_request_error"},
    ],
)
def test_a_providers_error_is_reported_in_its_words(error: dict[str, Any]) -> None:
    for form in (error, json.dumps(error)):
        with pytest.raises(InputError, match=r"the provider gave an error and no reply: .*You exceeded your quota"):
            capture(form)


def test_a_key_in_an_error_is_not_shown() -> None:
    error = {"error": {"message": "Incorrect API key provided: sk-proj-abcdef123456. Bearer abc.def", "type": "auth"}}
    with pytest.raises(InputError) as raised:
        capture(error)
    assert "abcdef" not in str(raised.value)
    assert "abc.def" not in str(raised.value)
    assert "Incorrect API key provided" in str(raised.value)

"""The forms in which a reply may be given, and what isn't a reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, MagicMock, Mock, NonCallableMagicMock

import llm
import pytest

from coglog_nb import InputError, capture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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


class _Raising:
    """Raises in one of the ways in which an object can be looked into."""

    def __init__(self, error: Exception) -> None:
        object.__setattr__(self, "error", error)


class _NoAttributes(_Raising):
    def __getattr__(self, name: str) -> Any:
        raise object.__getattribute__(self, "error")


class _NothingAtAll(_Raising):
    def __getattribute__(self, name: str) -> Any:
        raise object.__getattribute__(self, "error")


class _NoWordsError(ValueError):
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class _NoGet(dict[str, Any]):
    def get(self, *_: Any) -> Any:
        raise RuntimeError("no get")


class _NoIteration(list[Any]):
    def __iter__(self) -> Any:
        raise RuntimeError("no iteration")


class _NoLength(dict[str, Any]):
    def __len__(self) -> int:
        raise RuntimeError("no length")


class _NoTruth(dict[str, Any]):
    def __bool__(self) -> bool:
        raise RuntimeError("no truth")


class _NoItems(dict[str, Any]):
    def __getitem__(self, name: str) -> Any:
        raise RuntimeError("no items")


class _NoKeys(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:
        raise KeyError(name)

    def __iter__(self) -> Any:
        raise RuntimeError("no keys")

    def __len__(self) -> int:
        return 1


class _NoClass:
    @property  # type: ignore[misc]  # what a proxy may do
    def __class__(self) -> Any:
        raise RuntimeError("no class")


class _NoProperties:
    @property
    def choices(self) -> Any:
        raise RuntimeError("no choices")

    content = output = candidates = choices


class _HugeWords:
    def __repr__(self) -> str:
        return "x" * 50_000_000


class _EveryName:
    def __getattr__(self, name: str) -> Any:
        return _EveryName()


@pytest.mark.parametrize(
    "make",
    [
        Mock,
        MagicMock,
        AsyncMock,
        NonCallableMagicMock,
        lambda: MagicMock(spec=llm.Response),
        lambda: Mock(spec=llm.Response),
        _EveryName,
        lambda: _NoAttributes(RuntimeError("no")),
        lambda: _NoAttributes(_NoWordsError()),
        lambda: _NoAttributes(RecursionError()),
        lambda: _NothingAtAll(RuntimeError("no")),
        _NoWordsError,
        lambda: _NoGet(choices=[]),
        lambda: _NoIteration([1]),
        lambda: _NoLength(a=1),
        lambda: _NoTruth(a=1),
        lambda: _NoItems(choices=[1]),
        _NoKeys,
        _NoClass,
        _NoProperties,
        _HugeWords,
        lambda: ValueError(_HugeWords()),
        lambda: [Mock()],
        lambda: [MagicMock(), MagicMock()],
        lambda: [_NoAttributes(RuntimeError("no"))],
        lambda: {"error": _NoWordsError()},
        lambda: {"error": {"message": "x" * 5_000_000}},
    ],
)
def test_an_object_that_can_not_be_looked_into_is_an_input_error(make: Callable[[], Any]) -> None:
    with pytest.raises(InputError) as raised:
        capture(make())
    (problem,) = raised.value.problems
    assert len(problem) < 800
    assert "\n" not in problem


def test_objects_within_a_reply_that_can_not_be_looked_into_are_no_other_error() -> None:
    for part in (
        Mock(),
        MagicMock(),
        _NoAttributes(RuntimeError("no")),
        _NothingAtAll(RuntimeError("no")),
        _NoGet(type="text"),
    ):
        for reply in ({"choices": [part]}, {"choices": [{"message": part}]}, {"type": "message", "content": [part]}):
            try:
                captured = capture(reply)
            except InputError:
                continue
            assert "assistant" not in captured.fields


KEY = "plain words of a key"


@pytest.mark.parametrize(
    "reply",
    [
        {"error": {"message": f"Incorrect key: {KEY}", "type": "auth"}},
        {"error": f"no {KEY}"},
        {"type": "error", "error": {"type": KEY, "message": "no"}},
        {"object": "error", "message": f"no {KEY}"},
        {KEY: 1},
        RuntimeError(f"no {KEY}"),
        [{"choices": [{"index": 0, "delta": {"content": "a"}}]}, {"error": {"message": f"no {KEY}"}}],
        [{"choices": [{"index": 0, "delta": {"content": "a"}}]}, RuntimeError(f"no {KEY}")],
        {"choices": [], "error": {"message": f"no {KEY}"}},
        {"status": "failed", "output": [], "error": {"message": f"no {KEY}"}},
    ],
)
def test_a_stored_key_is_in_no_message(reply: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    (tmp_path / "keys.json").write_text(json.dumps({"a": KEY}))
    with pytest.raises(InputError) as raised:
        capture(reply)
    assert KEY not in str(raised.value)


def test_a_key_is_in_no_note_and_no_problem_but_stays_in_the_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    said = f"It is {KEY}, token=abcdef123456."
    choice = {"message": {"role": "assistant", "content": said}, "error": {"message": f"no {KEY}"}}
    captured = capture({"choices": [choice]}, user=said, thinking=said)
    assert {captured.fields[name] for name in ("user", "thinking", "assistant")} == {said}
    assert KEY not in "".join(captured.problems)
    other = capture({"type": "message", "content": [{"type": "text", "text": said}, {"type": KEY}]})
    assert other.fields["assistant"] == said
    assert other.notes == ("1 part of type (key not shown) left out",)

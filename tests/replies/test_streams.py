"""Replies that come in chunks: what is one, texts with tags split over chunks, and what is refused."""

from __future__ import annotations

import json
from collections import UserList
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, USER, fed, pieces, seen, whole_turn

from coglog_nb import InputError, capture
from coglog_nb.replies.streams import Assembly, is_stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

TAGGED = f"<think>\n{THINKING}\n</think>\n\n{TEXT}"


def generator() -> Iterator[str]:
    yield "a"


async def async_generator() -> AsyncIterator[str]:
    yield "a"


class OnlyIterable:
    def __iter__(self) -> Iterator[str]:
        return iter("a")


class OnlyAsyncIterable:
    def __aiter__(self) -> AsyncIterator[str]:
        return async_generator()


@pytest.mark.parametrize(
    "stream", [generator(), async_generator(), iter([]), map(str, []), OnlyIterable(), OnlyAsyncIterable()]
)
def test_streams(stream: Any) -> None:
    assert is_stream(stream)


@pytest.mark.parametrize("reply", ["a", b"a", {"a": 1}, [1], (1,), {1}, None, 3, SimpleNamespace(content="a"), str])
def test_what_is_not_a_stream(reply: Any) -> None:
    assert not is_stream(reply)


def test_an_object_that_can_be_iterated_over_and_is_a_reply() -> None:
    class Model(UserList[str]):
        def model_dump(self) -> dict[str, str]:
            return {}

    assert not is_stream(Model())


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
def test_tags_split_over_chunks(size: int) -> None:
    captured, said = fed(pieces(TAGGED, size))
    whole_turn(captured)
    assert said["thinking"].strip() == THINKING
    assert said["assistant"] == TEXT
    assert seen(captured) == seen(capture(TAGGED, user=USER))


def test_pieces_come_as_soon_as_they_are_safe() -> None:
    assembly = Assembly()
    assert assembly.feed("<th") == []
    assert assembly.feed("ink>Hm") == [("thinking", "Hm")]
    assert assembly.feed(" <") == [("thinking", " ")]
    assert assembly.feed("/think>\n") == []
    assert assembly.feed("\nYes") == [("assistant", "Yes")]
    assert assembly.feed("") == []
    assert assembly.end() == []


@pytest.mark.parametrize(
    "text",
    [
        "a < b",
        "a <",
        "Use `<think>` here.",
        "```\n<think>\n```\nthat",
        "x <thinker> y",
        "no <think> in a line",
        "[THINK",
    ],
)
def test_text_that_is_not_a_tag_is_the_answer(text: str) -> None:
    for size in (1, 3, 1000):
        assembly = Assembly()
        got = [piece for chunk in pieces(text, size) for piece in assembly.feed(chunk)] + assembly.end()
        assert {layer for layer, _ in got} == {"assistant"}
        assert "".join(said for _, said in got) == text


def test_mistrals_tags() -> None:
    captured, said = fed(pieces(f"[THINK]{THINKING}[/THINK]{TEXT}", 3))
    whole_turn(captured)
    assert said == {"thinking": THINKING, "assistant": TEXT}


@given(
    thinking=st.text("ab <>/`{\n", max_size=30),
    answer=st.text("ab <>/`{\n", max_size=30),
    cuts=st.lists(st.integers(0, 400), max_size=12),
    shape=st.sampled_from(["text", "chat", "ollama", "anthropic"]),
)
@example(thinking="<", answer="</think>", cuts=[1, 2, 3], shape="text")
def test_any_chunking_gives_the_turn_of_the_whole(thinking: str, answer: str, cuts: list[int], shape: str) -> None:
    text = f"<think>{thinking}</think>{answer}\n\n{BLOCK}"
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    chunks = [text[start:end] for start, end in pairwise(edges)]
    shapes: dict[str, tuple[Any, Callable[[str], Any]]] = {
        "text": (text, lambda piece: piece),
        "chat": (
            {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]},
            lambda piece: {"choices": [{"index": 0, "delta": {"content": piece}}]},
        ),
        "ollama": (
            {"message": {"role": "assistant", "content": text}, "done": True},
            lambda piece: {"message": {"role": "assistant", "content": piece}, "done": False},
        ),
        "anthropic": (
            {"type": "message", "content": [{"type": "text", "text": text}]},
            lambda piece: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}},
        ),
    }
    whole, make = shapes[shape]
    captured, said = fed([make(chunk) for chunk in chunks])
    assert seen(captured) == seen(capture(whole, user=USER))
    assert len(said["thinking"]) + len(said["assistant"]) <= len(text)


def test_after_thinking_apart_a_tag_is_text() -> None:
    chunks: list[dict[str, Any]] = [
        {"message": {"role": "assistant", "content": "", "thinking": THINKING}, "done": False},
        {"message": {"role": "assistant", "content": f"<think>is a tag</think>\n\n{BLOCK}"}, "done": True},
    ]
    captured, said = fed(chunks)
    assert said["thinking"] == THINKING == captured.fields["thinking"]
    assert captured.fields["assistant"] == "<think>is a tag</think>"


def test_an_unknown_chunk_and_one_of_another_kind() -> None:
    for chunk in (3, None, {"a": 1}, {"type": "surprise"}, SimpleNamespace(delta="a")):
        with pytest.raises(InputError, match="not a chunk"):
            Assembly().feed(chunk)
    assembly = Assembly()
    assembly.feed("a")
    with pytest.raises(InputError, match="not a chunk"):
        assembly.feed({"choices": [{"index": 0, "delta": {"content": "b"}}]})
    assert assembly.reply() == "a", "what came before is still there"


def test_an_error_among_the_chunks_is_reported() -> None:
    for error in (
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"error": {"code": 429, "message": "Overloaded"}},
        {"error": "Overloaded"},
    ):
        with pytest.raises(InputError, match="Overloaded"):
            Assembly().feed(error)


def test_nothing_came() -> None:
    with pytest.raises(InputError, match="gave nothing"):
        Assembly().reply()


def test_a_stream_is_not_a_reply_but_its_chunks_are() -> None:
    with pytest.raises(InputError, match="read it to its end"):
        capture(iter(pieces(TAGGED)))
    whole_turn(capture(pieces(TAGGED), user=USER))


def test_many_small_chunks() -> None:
    answer = "word " * 40_000
    captured, said = fed([*pieces(f"<think>{THINKING}</think>", 4), *pieces(answer, 5), "\n\n" + BLOCK])
    assert captured.fields == {"user": USER, "thinking": THINKING, "assistant": answer, **AXES}
    assert len(said["assistant"]) == len(answer) + 2 + len(BLOCK)


def test_text_that_only_looks_like_events_is_text() -> None:
    for text in ("data: are what I need", '{"a": 1}\n{"b": 2}', f"{json.dumps({'note': 1})}\n{ANSWER}"):
        assert capture(text).provider == "raw text"


def choice(index: int | None, text: str) -> dict[str, Any]:
    return {"delta": {"content": text}, **({} if index is None else {"index": index})}


def candidate(index: int | None, text: str) -> dict[str, Any]:
    return {"content": {"parts": [{"text": text}]}, **({} if index is None else {"index": index})}


@pytest.mark.parametrize(("name", "make"), [("choices", choice), ("candidates", candidate)])
@pytest.mark.parametrize(
    "chunks", [[[0], [1], [0], [1]], [[1, 0], [0, 1]], [[1], [0], [0]], [[None, None], [None, None]]]
)
def test_a_stream_with_a_second_choice_says_which_it_took(
    name: str, make: Callable[[int | None, str], dict[str, Any]], chunks: list[list[int | None]]
) -> None:
    texts = {0: [ANSWER, f"\n\n{BLOCK}"], 1: ["Another", " one."]}
    stream = []
    for indices in chunks:
        said = [texts[place if index is None else index].pop(0) for place, index in enumerate(indices)]
        stream.append({name: [make(index, text) for index, text in zip(indices, said, strict=True)]})
    captured, said_live = fed(stream)
    assert captured.notes == (f"{name}[0] of 2 was taken",)
    assert captured.fields["assistant"] == ANSWER
    assert "Another" not in said_live["assistant"]
    assert seen(capture(stream, user=USER)) == seen(captured)


def test_a_stream_with_one_choice_says_nothing_of_it() -> None:
    assert fed([{"choices": [choice(0, TEXT)]}, {"choices": []}])[0].notes == ()

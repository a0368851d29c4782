"""A reply as it came over the wire, whole or cut anywhere: what the provider wrapped it in is never the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, USER, whole_turn

from coglog_nb import Captured, InputError, capture

CHAT = [
    {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]}
    for text in (f"<think>{THINKING}</think>", ANSWER, f"\n\n{BLOCK}")
]
MESSAGES = [
    {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": THINKING}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": TEXT}},
    {"type": "message_stop"},
]
OLLAMA = [
    {
        "model": "m",
        "created_at": "t",
        "message": {"role": "assistant", "content": "", "thinking": THINKING},
        "done": False,
    },
    {"model": "m", "created_at": "t", "message": {"role": "assistant", "content": TEXT}, "done": True},
]
GEMINI = [
    {"candidates": [{"content": {"parts": [{"text": THINKING, "thought": True}]}}]},
    {"candidates": [{"content": {"parts": [{"text": TEXT}]}}]},
]


def events(chunks: list[Any], *, named: bool = False, end: str = "\n") -> str:
    heads = [f"event: {chunk['type']}{end}" if named else "" for chunk in chunks]
    return "".join(f"{head}data: {json.dumps(chunk)}{end}{end}" for head, chunk in zip(heads, chunks, strict=True))


def lines(chunks: list[Any]) -> str:
    return "".join(f"{json.dumps(chunk, ensure_ascii=False)}\n" for chunk in chunks)


WIRES = {
    "chat": events(CHAT) + "data: [DONE]\n\n",
    "messages": events(MESSAGES, named=True, end="\r\n"),
    "ollama": lines(OLLAMA),
    "gemini events": events(GEMINI),
    "gemini list": json.dumps(GEMINI),
    "chat list": json.dumps(CHAT),
    "chat whole": json.dumps(
        {"id": "x", "object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": TEXT}}]}
    ),
    "message whole": json.dumps({"id": "m", "type": "message", "content": [{"type": "text", "text": TEXT}]}),
}


def without_wire(captured: Captured) -> None:
    """Make sure that what a captured reply says is the beginning of what the model said."""
    assert THINKING.startswith(captured.fields.get("thinking", ""))
    said = captured.fields.get("assistant", "")
    # A part of the block may be there, or of the thinking with its tag.
    assert f"<think>{THINKING}</think>{TEXT}".startswith(said) or TEXT.startswith(said)


@pytest.mark.parametrize("name", WIRES)
def test_a_stream_cut_at_any_byte_never_makes_the_wires_text_a_fact(name: str) -> None:
    wire = WIRES[name]
    data = wire.encode()
    for place in range(8, len(data), 1 if len(data) < 700 else 3):
        try:
            captured = capture(data[:place], user=USER)
        except InputError:
            continue
        without_wire(captured)


def test_a_cut_last_frame_is_noted_and_the_block_before_it_is_found() -> None:
    for wire in (
        events(CHAT) + 'data: {"id":"x","obj',
        events(CHAT) + "data: [DO",
        events(CHAT) + "dat",
        events(CHAT) + "data:",
        events(MESSAGES, named=True) + "event: ping",
        lines(OLLAMA) + '{"model":"m","cre',
        json.dumps(GEMINI)[:-1] + ', {"candi',
        events(CHAT).encode() + b'data: {"id": "\xe3\x81',
    ):
        captured = capture(wire, user=USER)
        whole_turn(captured)
        assert any("the stream was cut" in note for note in captured.notes), wire[-30:]
        assert not captured.cut, "no provider says that it stopped at a limit"


def test_a_whole_stream_is_not_called_cut() -> None:
    for name, wire in WIRES.items():
        assert not any("cut" in note for note in capture(wire, user=USER, thinking="t").notes), name


def test_json_that_was_cut_behind_the_answer_gives_the_answer() -> None:
    wire = WIRES["chat whole"][:-1] + ', "usage": {"prompt_tok'
    captured = capture(wire, user=USER, thinking=THINKING)
    assert captured.fields["assistant"] == ANSWER
    assert {name: captured.fields[name] for name in AXES} == AXES
    assert "the reply was cut: its JSON ends in the middle" in captured.notes


def test_json_that_was_cut_in_the_answer_gives_what_came() -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": 'Say "\U0001f642" and C:\\new.'}}]}
    wire = json.dumps(reply)
    start = wire.index("Say")
    for place in range(start + 1, wire.index('."')):
        said = capture(wire[:place]).fields["assistant"]
        assert reply["choices"][0]["message"]["content"].startswith(said)


@pytest.mark.parametrize(
    "wire",
    [
        'data: {"id":"x","obj',
        'event: message_start\ndata: {"type":"mess',
        ': ping\n\ndata: {"choices":[{"del',
        '{"id":"chatcmpl-1","obj',
        '{"candidates": [{"con',
        '[{"candidates": [{"con',
        '{"error": {"message": "Over',
        'data: {"kind": "of nobody"}\n\ndata: {"kind": "of nobody"}\n\n',
    ],
)
def test_a_beginning_without_a_whole_frame_is_refused(wire: str) -> None:
    with pytest.raises(InputError, match=r"not a reply but|and no reply: Over") as raised:
        capture(wire, user=USER)
    assert len(raised.value.problems) == 1


@pytest.mark.parametrize(
    "text",
    [
        "data: are what I need",
        '{"a": 1}\n{"b": 2}',
        '{"current_focus": "a", "the',
        '{"c',
        "{x} is a set",
        '{"name": "Ann", "a',
        "[1, 2",
    ],
)
def test_what_a_model_says_is_not_taken_for_the_wire(text: str) -> None:
    assert capture(text).fields["assistant"] == text


def test_separators_within_a_line_do_not_end_it() -> None:
    chunks = [{"message": {"role": "assistant", "content": f"a\u2028b\x85c{end}"}, "done": True} for end in ("", ".")]
    assert capture(lines(chunks)).fields["assistant"] == "a\u2028b\x85ca\u2028b\x85c."


def test_much_cut_json_comes_to_an_end() -> None:
    for text in ("[" * 300_000, '{"a":' * 100_000, '{"a": [' + "1," * 300_000, '{"' + "\\" * 300_001):
        capture(text)

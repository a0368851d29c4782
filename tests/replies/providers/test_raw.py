"""Raw text, in which thinking is in tags or in a separate channel."""

from __future__ import annotations

import json

from recorded import AXES, BLOCK, TEXT, THINKING, USER, by_field, same, whole_turn

from coglog_nb import capture


def test_a_draft_of_the_block_in_the_thinking_is_not_the_block() -> None:
    draft = json.dumps({**AXES, "annotation": "a draft"})
    captured = capture(f"<think>{draft}</think>\n\nYes.\n\n{BLOCK}", user=USER)
    assert captured.fields["annotation"] == AXES["annotation"]
    assert captured.fields["thinking"] == draft
    alone = capture(f"<think>{draft}</think>\n\nYes.", user=USER)
    assert "annotation" not in alone.fields
    assert "no coglog block" in by_field(alone, "annotation")


def test_an_answer_in_json_that_is_not_a_providers_reply() -> None:
    captured = same(BLOCK)
    assert captured.provider == "raw text"
    assert "nothing but the coglog block" in by_field(captured, "assistant")
    assert captured.fields["annotation"] == AXES["annotation"]


def test_what_transformers_gives() -> None:
    whole_turn(same([{"generated_text": f"<think>{THINKING}</think>{TEXT}"}]))
    talk = [{"role": "user", "content": USER}, {"role": "assistant", "content": f"<think>{THINKING}</think>{TEXT}"}]
    whole_turn(same([{"generated_text": talk}], {"generated_text": talk}))


def test_bytes_and_a_byte_order_mark() -> None:
    text = f"<think>{THINKING}</think>{TEXT}"
    whole_turn(same(text, "\ufeff" + text, text.encode(), b"\xef\xbb\xbf" + text.encode(), bytearray(text.encode())))


def test_the_first_of_several_that_transformers_gives() -> None:
    captured = same([{"generated_text": f"<think>{THINKING}</think>{TEXT}"}, {"generated_text": "Another one."}])
    whole_turn(captured)
    assert captured.notes == ("[0] of 2 was taken",)

"""A captured reply: its fields, what is missing, the draft, and storing it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, TURN, USER, by_field, seen, whole_turn

import coglog_nb
from coglog_nb import CogLog, Entry, ValidationError, capture
from coglog_nb.replies.captured import assemble
from coglog_nb.replies.reader import read_reply

WHOLE = {"message": {"role": "assistant", "content": TEXT, "thinking": THINKING}, "done": True}
PLAIN = {"message": {"role": "assistant", "content": ANSWER}, "done": True}


def test_it_is_public() -> None:
    assert coglog_nb.capture is capture
    assert {"capture", "Captured"} <= set(coglog_nb.__all__)


def test_a_complete_one() -> None:
    captured = capture(WHOLE, user=USER)
    whole_turn(captured)
    assert list(captured.fields) == list(TURN)
    assert captured.sources == {
        "user": "user=",
        "thinking": "message.thinking",
        "assistant": "message.content",
        **dict.fromkeys(AXES, "the block at the answer's end"),
    }
    assert captured.notes == ()


def test_every_problem_names_its_field_and_what_to_do_in_the_fields_order() -> None:
    captured = capture(PLAIN)
    assert [problem.split(":")[0] for problem in captured.problems] == ["user", "thinking", ", ".join(AXES)]
    assert "user=" in by_field(captured, "user")
    assert "think=True" in by_field(captured, "thinking")
    assert "thinking=" in by_field(captured, "thinking")
    assert "template" in by_field(captured, "annotation")
    assert not captured.complete
    assert captured.fields == {"assistant": ANSWER}


def test_what_is_given_later() -> None:
    first = capture({**WHOLE, "message": {"role": "assistant", "content": TEXT}})
    second = capture(first, user=USER)
    assert [problem.split(":")[0] for problem in second.problems] == ["thinking"]
    third = capture(second, thinking=THINKING)
    assert third.complete
    assert third.fields == TURN
    assert third.thinking_state == "none"
    assert capture(third, user="another").fields["user"] == "another"
    assert first.problems, "the first one is as it was"


def test_what_is_given_is_checked() -> None:
    wrong: Any = 3
    captured = capture(WHOLE, user=wrong)
    assert by_field(captured, "user") == "user: user= is int, not str; nothing is converted"
    assert "empty" in by_field(capture(WHOLE, user=""), "user")
    assert "empty" in by_field(capture(WHOLE, user=USER, thinking=""), "thinking")

    class Loud(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "LOUD"

    assert capture(WHOLE, user=Loud("quiet")).fields["user"] == "quiet"


def test_a_surrogate_is_a_problem_of_its_field() -> None:
    captured = capture(WHOLE, user="a\ud83d")
    assert by_field(captured, "user").startswith("user: an unpaired surrogate (U+D83D) at position 1")
    assert "user" not in captured.fields
    cut = BLOCK.replace("\\ud83d\\ude42", "\\ud83d")
    captured = capture({**WHOLE, "message": {"role": "assistant", "content": f"Hi\n{cut}"}}, user=USER, thinking="t")
    assert by_field(captured, "annotation").startswith("annotation: an unpaired surrogate")


def test_axes_from_elsewhere() -> None:
    captured = assemble(read_reply(WHOLE), {"user": USER}, axes={**AXES, "annotation": "mine"})
    assert captured.complete
    assert captured.fields["annotation"] == "mine"
    assert captured.fields["assistant"] == TEXT, "no block is looked for"
    lacking: Any = {"current_focus": "a", "theory_of_mind": None}
    captured = assemble(read_reply(WHOLE), {"user": USER}, axes=lacking)
    assert [problem.split(":")[0] for problem in captured.problems] == list(AXES)[1:]
    assert capture(captured, user="x").problems == captured.problems, "the axes stay with it"


def test_write(store: CogLog) -> None:
    entry = capture(WHOLE, user=USER).write(store)
    assert isinstance(entry, Entry)
    assert entry["turn_id"] == 1
    stored = store.read()
    assert stored == entry
    assert stored is not None
    assert {**stored["layers"], **{name: stored[name] for name in AXES}} == TURN
    assert capture(WHOLE, user="again").write(store, replace=True)["turn_id"] == 1
    again = capture(WHOLE, user="more").write(store, diff=True)
    assert again["turn_id"] == 2
    assert again.before == {}


def test_an_incomplete_one_is_not_stored_and_says_all(store: CogLog) -> None:
    captured = capture(PLAIN)
    with pytest.raises(ValidationError) as raised:
        captured.write(store)
    assert raised.value.problems == captured.problems
    assert store.read() is None


def test_the_draft() -> None:
    draft = capture(PLAIN).draft()
    assert isinstance(draft, Entry)
    assert draft.title == "Not stored"
    assert draft["timestamp"] == "Ollama chat"
    assert draft.missing == ("user", "thinking", *AXES)
    assert capture(WHOLE, user=USER).draft("Candidate 2").title == "Candidate 2"
    assert capture(WHOLE, user=USER).draft().missing == ()


def test_nothing_is_shared_with_the_reply() -> None:
    reply = copy.deepcopy(WHOLE)
    captured = capture(reply, user=USER)
    reply["message"]["content"] = "changed"  # type: ignore[index]  # a dict in a dict
    assert captured.fields["assistant"] == ANSWER
    assert capture(captured, user=USER).fields["assistant"] == ANSWER


def test_repr_and_equality_of_two_captures() -> None:
    assert repr(capture(WHOLE, user=USER)).startswith("<Captured Ollama chat: user, thinking, assistant")
    assert "2 problems" not in repr(capture(WHOLE, user=USER))
    assert seen(capture(WHOLE, user=USER)) == seen(capture(json.dumps(WHOLE), user=USER))


REPLY = "<think>Start.</think>It settles.\n\n" + '{"current_focus": "cf"}'


def test_what_a_reply_misses_can_be_given_by_the_caller() -> None:
    first = capture(REPLY)
    assert not first.complete
    captured = capture(first, user="u", theory_of_mind="", self_narrative="sn", annotation="an")
    assert captured.problems == ()
    assert captured.fields["theory_of_mind"] == ""
    assert captured.sources["annotation"] == "annotation="
    assert capture(captured, current_focus="mine").fields["current_focus"] == "mine"


def test_axes_given_by_the_caller_replace_a_block_that_is_not_there() -> None:
    captured = capture("Hi.", user="u", thinking="t", current_focus="a")
    (problem,) = captured.problems
    assert problem.startswith("theory_of_mind, self_narrative, annotation: there is no coglog block")
    whole = capture(captured, theory_of_mind="", self_narrative="", annotation="")
    assert whole.complete


def test_an_empty_fact_and_what_is_not_text_are_refused() -> None:
    captured = capture("Hi.", user="u", thinking="t", assistant="", annotation=3)  # type: ignore[arg-type]
    assert "assistant: assistant= is empty; a fact must say something" in captured.problems
    assert any(problem.startswith("annotation: annotation= is int, not str") for problem in captured.problems)

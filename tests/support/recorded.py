"""What the tests of replies share: one turn, and the ways to ask whether every form of a reply gives it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from coglog_nb import Captured, capture
from coglog_nb.replies.streams import Assembly

if TYPE_CHECKING:
    from collections.abc import Iterable

USER = "What is a fixed point?"
THINKING = "They quote the definition.\nStart from an example."
ANSWER = "Press cos again and again: it settles at 0.739085.\n\n```python\nx = {}\n```"
AXES = {
    "current_focus": 'one fixed point they can feel, {"in": "braces"} and ```fences```',
    "theory_of_mind": "knows the formula, can't picture it\nyet",
    "self_narrative": "",
    "annotation": "ask where it is on the graph \u2192 \U0001f642",
}
BLOCK = json.dumps(AXES)
TEXT = f"{ANSWER}\n\n{BLOCK}"
TURN = {"user": USER, "thinking": THINKING, "assistant": ANSWER, **AXES}


def seen(captured: Captured) -> dict[str, Any]:
    """Return everything that a captured reply says, to compare it with another."""
    names = ("fields", "sources", "thinking_state", "problems", "notes", "complete", "refusal", "cut", "provider")
    return {name: getattr(captured, name) for name in names}


def same(*forms: Any, user: str | None = USER, thinking: str | None = None) -> Captured:
    """Capture a reply in several forms; each must give the same."""
    captured = [capture(form, user=user, thinking=thinking) for form in forms]
    for form, other in zip(forms, captured, strict=True):
        assert seen(other) == seen(captured[0]), type(form)
    return captured[0]


def forms_of(data: Any, typed: Any) -> list[Any]:
    """Return a reply as plain data, as JSON text, as an object of its library, and as that dumps itself."""
    return [data, json.dumps(data), json.dumps(data).encode(), typed, typed.model_dump(), typed.model_dump_json()]


def whole_turn(captured: Captured) -> None:
    """Make sure that a captured reply is the turn, whole."""
    assert captured.problems == ()
    assert captured.fields == TURN
    assert captured.complete
    assert captured.thinking_state == "given"


def fed(chunks: Iterable[Any]) -> tuple[Captured, dict[str, str]]:
    """Feed a stream; returns what its whole captures to, and the text that came, by kind."""
    assembly = Assembly()
    said = {"thinking": "", "assistant": ""}
    for chunk in chunks:
        for layer, text in assembly.feed(chunk):
            said[layer] += text
    for layer, text in assembly.end():
        said[layer] += text
    return capture(assembly.reply(), user=USER), said


def pieces(text: str, size: int = 7) -> list[str]:
    """Cut a text into pieces."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def by_field(captured: Captured, name: str) -> str:
    """Return the one problem that names a field."""
    (problem,) = (problem for problem in captured.problems if name in problem.partition(":")[0].split(", "))
    return problem


def completion(model: str, **message: Any) -> dict[str, Any]:
    """Return a chat completion with the turn's text, or what takes its place."""
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1764460800,
        "model": model,
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT, **message}}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def chunk(model: str, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Return a chunk of one."""
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 1764460800,
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }

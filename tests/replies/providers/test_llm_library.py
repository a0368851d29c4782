"""The llm library's responses and events, with a model of the test's own: the library's real machinery, no network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from recorded import TEXT, THINKING, USER, by_field, fed, pieces, same, seen, whole_turn

from coglog_nb import InputError, capture
from coglog_nb.replies.streams import is_stream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator
    from pathlib import Path

    import llm


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library makes a folder in the home directory otherwise."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))


def events(*, redacted: bool = False) -> list[Any]:
    from llm.parts import StreamEvent

    thought = (
        [StreamEvent(type="reasoning", chunk="", redacted=True)]
        if redacted
        else [StreamEvent(type="reasoning", chunk=piece) for piece in pieces(THINKING)]
    )
    return [*thought, *(StreamEvent(type="text", chunk=piece) for piece in pieces(TEXT))]


def stream_of(response: Any) -> Iterator[Any]:
    """Return a response's events: the method has no types."""
    stream: Iterator[Any] = response.stream_events()
    return stream


def model(said: list[Any]) -> llm.Model:
    import llm

    class Scripted(llm.Model):
        model_id = "scripted"
        can_stream = True

        def execute(self, *_: Any, **__: Any) -> Iterator[Any]:
            yield from said

    return Scripted()


def test_a_response_knows_the_user_too() -> None:
    response = model(events()).prompt(USER, system="You are a tutor.")
    captured = capture(response)
    whole_turn(captured)
    assert captured.provider == "llm"
    assert captured.sources["user"] == "prompt"
    assert captured.sources["thinking"] == "messages[0].parts[0].text"
    assert seen(capture(response.to_dict())) == seen(captured)


def test_what_the_caller_gives_goes_first() -> None:
    captured = capture(model(events()).prompt("context and question"), user=USER, thinking="mine")
    assert captured.fields["user"] == USER
    assert captured.fields["thinking"] == "mine"
    assert any("thinking=" in note for note in captured.notes)


def test_redacted_reasoning_is_withheld() -> None:
    response = model(events(redacted=True)).prompt(USER)
    captured = same(response, response.to_dict())
    assert captured.thinking_state == "withheld"
    assert "hide_reasoning" in by_field(captured, "thinking")


def test_an_older_plugin_gives_text_alone() -> None:
    whole_turn(capture(model(pieces(f"<think>{THINKING}</think>\n\n{TEXT}")).prompt(USER)))


def test_events_give_the_turn_of_the_response() -> None:
    response = model(events()).prompt(USER)
    captured, said = fed(stream_of(response))
    whole_turn(captured)
    assert said == {"thinking": THINKING, "assistant": TEXT}
    assert captured.fields == capture(response).fields
    assert fed(events(redacted=True))[0].thinking_state == "withheld"


def test_a_response_is_a_reply_and_its_events_are_a_stream() -> None:
    response = model(events()).prompt(USER)
    assert not is_stream(response)
    assert is_stream(stream_of(response))
    whole_turn(capture(list(stream_of(response)), user=USER))


def test_an_async_response_has_to_be_awaited() -> None:
    import llm

    class Scripted(llm.AsyncModel):
        model_id = "scripted-async"
        can_stream = True

        async def execute(self, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
            for event in events():
                yield event

    async def ask() -> llm.AsyncResponse:
        response = Scripted().prompt(USER)
        with pytest.raises(InputError, match="await"):
            capture(response)
        await response.text()
        return response

    whole_turn(capture(asyncio.run(ask())))

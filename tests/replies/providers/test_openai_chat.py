"""Chat Completions: OpenAI's, and those of DeepSeek, vLLM and OpenRouter, which the library keeps extra fields of."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, USER, by_field, fed, forms_of, pieces, same, seen, whole_turn

from coglog_nb import capture


def completion(model: str = "gpt-4.1", finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1764460800,
        "model": model,
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "logprobs": None,
                "message": {"role": "assistant", "content": TEXT, **message},
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
    }


def forms(model: str = "gpt-4.1", finish: str = "stop", **message: Any) -> list[Any]:
    data = completion(model, finish, **message)
    return forms_of(data, ChatCompletion.model_validate(data))


def test_openai_returns_no_thinking_and_it_is_said_what_does() -> None:
    captured = same(*forms())
    assert captured.provider == "OpenAI chat"
    assert captured.thinking_state == "none"
    assert "Responses" in by_field(captured, "thinking")
    assert captured.fields == {"user": USER, "assistant": ANSWER, **AXES}
    whole = same(*forms(), thinking=THINKING)
    assert whole.complete
    assert whole.sources["thinking"] == "thinking="
    assert whole.thinking_state == "none"


def test_hidden_reasoning_is_noted_by_its_tokens() -> None:
    data = completion("gpt-5")
    data["usage"]["completion_tokens_details"] = {"reasoning_tokens": 1200}
    captured = same(*forms_of(data, ChatCompletion.model_validate(data)))
    assert captured.thinking_state == "none"
    assert any("1,200 tokens" in note for note in captured.notes)


def test_null_content() -> None:
    captured = same(*forms(content=None))
    assert "empty" in by_field(captured, "assistant")


def test_a_refusal_is_the_answer() -> None:
    captured = same(*forms(content=None, refusal="I can't help with that."))
    assert captured.refusal
    assert captured.fields["assistant"] == "I can't help with that."
    assert any("declined" in note for note in captured.notes)
    assert not captured.complete


def test_a_content_filter() -> None:
    assert same(*forms(finish="content_filter", content="")).refusal


def test_cut_at_the_limit() -> None:
    captured = same(*forms(finish="length", content=ANSWER))
    assert captured.cut
    problem = by_field(captured, "annotation")
    assert "no coglog block" in problem
    assert "limit of length" in problem


@pytest.mark.parametrize(
    ("model", "message", "provider", "source"),
    [
        ("deepseek-reasoner", {"reasoning_content": THINKING}, "DeepSeek", "reasoning_content"),
        ("Qwen/Qwen3-8B", {"reasoning_content": THINKING}, "OpenAI-compatible chat", "reasoning_content"),
        ("Qwen/Qwen3-8B", {"reasoning": THINKING}, "OpenAI-compatible chat", "reasoning"),
        # vLLM has given it under either name, and under both.
        ("Qwen/Qwen3-8B", {"reasoning": THINKING, "reasoning_content": "old"}, "OpenAI-compatible chat", "reasoning"),
        (
            "deepseek/deepseek-r1",
            {
                "reasoning": THINKING,
                "reasoning_details": [{"type": "reasoning.text", "text": THINKING, "signature": None}],
            },
            "OpenRouter",
            "reasoning",
        ),
        (
            "anthropic/claude-sonnet-4.5",
            {"reasoning": None, "reasoning_details": [{"type": "reasoning.summary", "summary": THINKING}]},
            "OpenRouter",
            "reasoning_details[0].summary",
        ),
        (
            "anthropic/claude-sonnet-4.5",
            {"reasoning_details": [{"type": "reasoning.text", "text": THINKING, "signature": "c2lnbmVk"}]},
            "OpenRouter",
            "reasoning_details[0].text",
        ),
    ],
)
def test_fields_of_compatible_servers(model: str, message: dict[str, Any], provider: str, source: str) -> None:
    captured = same(*forms(model, **message))
    whole_turn(captured)
    assert captured.provider == provider
    assert captured.sources["thinking"] == f"choices[0].message.{source}"
    assert "c2lnbmVk" not in str(seen(captured))


def test_encrypted_details_are_withheld() -> None:
    hidden = [{"type": "reasoning.encrypted", "data": "c2VjcmV0"}]
    captured = same(*forms("openai/gpt-5", reasoning_details=hidden))
    assert captured.thinking_state == "withheld"
    assert "exclude" in by_field(captured, "thinking")
    beside = same(*forms("openai/gpt-5", reasoning=THINKING, reasoning_details=hidden))
    whole_turn(beside)
    assert any("redacted" in note for note in beside.notes)


def test_tags_in_the_content() -> None:
    captured = same(*forms("qwen3", content=f"<think>\n{THINKING}\n</think>\n\n{TEXT}"))
    whole_turn(captured)
    assert captured.sources["thinking"] == "<think> in choices[0].message.content"


def test_thinking_that_stands_in_the_content_once_more_is_taken_out() -> None:
    captured = same(*forms("m", reasoning_content=THINKING, content=f"<think>\n{THINKING}\n</think>\n\n{TEXT}"))
    whole_turn(captured)
    assert any("repeated the thinking" in note for note in captured.notes)


def test_one_choice_of_several_is_taken_and_said() -> None:
    data = completion()
    data["choices"].append({**data["choices"][0], "index": 1, "message": {"role": "assistant", "content": "another"}})
    captured = same(*forms_of(data, ChatCompletion.model_validate(data)))
    assert "choices[0] of 2 was taken" in captured.notes


def test_a_choice_and_a_message_alone() -> None:
    typed = ChatCompletion.model_validate(completion(reasoning=THINKING))
    whole_turn(same(typed.choices[0], typed.choices[0].model_dump()))
    whole_turn(same(typed.choices[0].message, typed.choices[0].message.model_dump()))


def test_the_older_completions() -> None:
    data = {
        "object": "text_completion",
        "choices": [{"text": f"<think>{THINKING}</think>{TEXT}", "finish_reason": "stop"}],
    }
    whole_turn(same(data))


def chunk(delta: dict[str, Any], finish: str | None = None, model: str = "m") -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1764460800,
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}],
    }


def chunks(*names: str) -> list[dict[str, Any]]:
    return [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"content": None, **dict.fromkeys(names, piece)}) for piece in pieces(THINKING) if names),
        *(chunk({"content": piece}) for piece in pieces(TEXT)),
        chunk({}, "stop"),
        {**chunk({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
    ]


@pytest.mark.parametrize("names", [(), ("reasoning",), ("reasoning_content",), ("reasoning", "reasoning_content")])
def test_chunks_give_the_turn_of_the_completion(names: tuple[str, ...]) -> None:
    expected = capture(completion("m", **dict.fromkeys(names, THINKING)), user=USER)
    data = chunks(*names)
    typed = [ChatCompletionChunk.model_validate(each) for each in data]
    for stream in (data, typed, [each.model_dump() for each in typed]):
        captured, said = fed(stream)
        assert seen(captured) == seen(expected)
        assert said == {"thinking": THINKING if names else "", "assistant": TEXT}
        assert seen(capture(stream, user=USER)) == seen(expected)


def test_details_in_chunks() -> None:
    data = [
        *(
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": piece, "index": 0}]}, model="a/b")
            for piece in pieces(THINKING)
        ),
        *(chunk({"content": piece}, model="a/b") for piece in pieces(TEXT)),
        chunk({}, "stop", model="a/b"),
    ]
    captured, said = fed([ChatCompletionChunk.model_validate(each) for each in data])
    whole_turn(captured)
    assert said["thinking"] == THINKING


def test_a_refusal_and_tags_in_chunks() -> None:
    captured, said = fed(
        [chunk({"role": "assistant"}), *(chunk({"refusal": piece}) for piece in pieces("I can't do it."))]
    )
    assert captured.refusal
    assert captured.fields["assistant"] == said["assistant"] == "I can't do it."
    captured, said = fed([chunk({"content": piece}) for piece in pieces(f"<think>\n{THINKING}\n</think>\n\n{TEXT}", 3)])
    whole_turn(captured)
    assert said["thinking"].strip() == THINKING
    assert said["assistant"] == TEXT


def test_a_stream_as_it_came_over_the_wire() -> None:
    import json

    lines = "".join(f"data: {json.dumps(each)}\n\n" for each in chunks("reasoning"))
    whole_turn(capture(f": keep-alive\n\n{lines}data: [DONE]\n\n", user=USER))


def test_only_the_first_of_several_choices_streams() -> None:
    other = chunk({"content": "another"})
    other["choices"][0]["index"] = 1
    captured, said = fed([other, *(chunk({"content": piece}) for piece in pieces(TEXT))])
    assert said["assistant"] == TEXT
    assert captured.fields["assistant"] == ANSWER


def test_nothing_else_of_a_reply_is_shown() -> None:
    data = completion(reasoning=THINKING)
    data["headers"] = {"authorization": "Bearer sk-very-secret-key"}
    data["choices"][0]["message"]["provider_specific_fields"] = {"api_key": "sk-very-secret-key"}
    captured = capture(data, user=USER)
    assert "secret" not in f"{captured!r}{captured._repr_html_()}{seen(captured)}"
    assert BLOCK not in captured.fields["assistant"]

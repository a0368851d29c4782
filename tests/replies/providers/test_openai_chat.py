"""Chat Completions: OpenAI's, and those of DeepSeek, vLLM, OpenRouter, Groq, LiteLLM and Mistral."""

from __future__ import annotations

import os
from typing import Any

import pytest
import recorded
from groq.types.chat import ChatCompletion as GroqCompletion
from groq.types.chat import ChatCompletionChunk as GroqChunk
from mistralai.client.models import ChatCompletionResponse, CompletionChunk, CompletionEvent
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from recorded import ANSWER, AXES, BLOCK, TEXT, THINKING, USER, by_field, fed, forms_of, pieces, same, seen, whole_turn

from coglog_nb import capture

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it would ask a server for its list of prices

from litellm.types.utils import ModelResponse, ModelResponseStream


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


def test_openai_returns_no_thinking_and_a_note_says_what_does() -> None:
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


def test_thinking_repeated_in_the_content_is_taken_out() -> None:
    captured = same(*forms("m", reasoning_content=THINKING, content=f"<think>\n{THINKING}\n</think>\n\n{TEXT}"))
    whole_turn(captured)
    assert any("repeated the thinking" in note for note in captured.notes)


def test_one_choice_of_several_is_taken_and_noted() -> None:
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


# --- Groq: reasoning apart from the answer, or in tags


def test_groq_parsed_and_raw() -> None:
    parsed = {**recorded.completion("qwen/qwen3-32b", reasoning=THINKING), "x_groq": {"id": "req_1"}}
    captured = same(*forms_of(parsed, GroqCompletion.model_validate(parsed)))
    whole_turn(captured)
    assert captured.provider == "Groq"
    raw = {
        **recorded.completion("qwen/qwen3-32b", content=f"<think>\n{THINKING}\n</think>\n{TEXT}"),
        "x_groq": {"id": "1"},
    }
    whole_turn(same(*forms_of(raw, GroqCompletion.model_validate(raw))))


def test_groq_hidden() -> None:
    hidden = {**recorded.completion("qwen/qwen3-32b"), "x_groq": {"id": "req_1"}}
    captured = same(*forms_of(hidden, GroqCompletion.model_validate(hidden)))
    assert captured.thinking_state == "none"
    assert 'reasoning_format="parsed"' in by_field(captured, "thinking")


def test_groq_chunks() -> None:
    data: list[dict[str, Any]] = [
        {**recorded.chunk("qwen", {"role": "assistant", "content": ""}), "x_groq": {"id": "req_1"}},
        *(recorded.chunk("qwen", {"reasoning": piece}) for piece in pieces(THINKING)),
        *(recorded.chunk("qwen", {"content": piece}) for piece in pieces(TEXT)),
        {**recorded.chunk("qwen", {}, "stop"), "x_groq": {"id": "req_1", "usage": None}},
    ]
    for stream in (data, [GroqChunk.model_validate(each) for each in data]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert captured.provider == "Groq"
        assert said == {"thinking": THINKING, "assistant": TEXT}


# --- LiteLLM: one text may be in two places

# Of pydantic, about types that the library itself defines so.
litellm_warnings = pytest.mark.filterwarnings(
    "ignore:Item .* on TypedDict class 'ChatCompletion.*' is using the `ReadOnly` qualifier:UserWarning"
)

BLOCKS = ({"type": "thinking", "thinking": THINKING, "signature": "c2lnbmVk"},)


@litellm_warnings
@pytest.mark.parametrize("with_text", [True, False])
def test_litellm_the_same_text_is_not_taken_twice(with_text: bool) -> None:
    message: dict[str, Any] = {"thinking_blocks": list(BLOCKS)}
    if with_text:
        message["reasoning_content"] = THINKING
    data = recorded.completion("claude-sonnet-4-5", **message)
    captured = same(*forms_of(data, ModelResponse(**data)))
    whole_turn(captured)
    assert captured.provider == "LiteLLM"


@litellm_warnings
def test_litellm_redacted_blocks_are_withheld() -> None:
    data = recorded.completion("claude-sonnet-4-5", thinking_blocks=[{"type": "redacted_thinking", "data": "c2VjcmV0"}])
    captured = same(*forms_of(data, ModelResponse(**data)))
    assert captured.thinking_state == "withheld"
    assert "reasoning_effort" in by_field(captured, "thinking")


@litellm_warnings
def test_litellm_chunks() -> None:
    data = [
        *(
            recorded.chunk(
                "claude",
                {
                    "role": "assistant",
                    "content": "",
                    "reasoning_content": piece,
                    "thinking_blocks": [{"type": "thinking", "thinking": piece}],
                },
            )
            for piece in pieces(THINKING)
        ),
        *(recorded.chunk("claude", {"content": piece}) for piece in pieces(TEXT)),
        recorded.chunk("claude", {}, "stop"),
    ]
    for stream in (data, [ModelResponseStream(**each) for each in data]):
        captured, said = fed(stream)
        whole_turn(captured)
        assert said == {"thinking": THINKING, "assistant": TEXT}


# --- Mistral: a content that is a text, or a list of parts

PARTS = (
    {"type": "thinking", "thinking": [{"type": "text", "text": THINKING}]},
    {"type": "text", "text": TEXT},
)


def test_mistral_a_list_and_a_string() -> None:
    parts = recorded.completion("magistral-medium-latest", content=list(PARTS))
    captured = same(*forms_of(parts, ChatCompletionResponse.model_validate(parts)))
    whole_turn(captured)
    assert captured.provider == "Mistral"
    assert captured.sources["thinking"] == "choices[0].message.content[0].thinking"
    plain = recorded.completion("mistral-medium-latest")
    captured = same(*forms_of(plain, ChatCompletionResponse.model_validate(plain)))
    assert captured.thinking_state == "none"
    assert "reasoning" in by_field(captured, "thinking")


def test_mistral_several_pieces_of_one_thought() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": piece} for piece in pieces(THINKING, 20)]},
        {"type": "text", "text": TEXT[:20]},
        {"type": "text", "text": TEXT[20:]},
    ]
    whole_turn(capture(recorded.completion("magistral-small", content=content), user=USER))


def test_mistral_its_own_tags() -> None:
    whole_turn(same(recorded.completion("magistral-small", content=f"[THINK]{THINKING}[/THINK]{TEXT}")))


@pytest.mark.parametrize("text_as_list", [True, False])
def test_mistral_chunks(text_as_list: bool) -> None:
    def said_as(piece: str) -> Any:
        return [{"type": "text", "text": piece}] if text_as_list else piece

    model = "magistral-medium-latest"
    data: list[dict[str, Any]] = [
        recorded.chunk(model, {"role": "assistant", "content": ""}),
        *(
            recorded.chunk(model, {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]})
            for piece in pieces(THINKING)
        ),
        *(recorded.chunk(model, {"content": said_as(piece)}) for piece in pieces(TEXT)),
        recorded.chunk(model, {"content": ""}, "stop"),
    ]
    events = [CompletionEvent(data=CompletionChunk.model_validate(each)) for each in data]
    expected = capture(recorded.completion(model, content=list(PARTS)), user=USER)
    for stream in (data, [{"data": each} for each in data], events):
        captured, said = fed(stream)
        whole_turn(captured)
        assert seen(captured) == seen(expected)
        assert said == {"thinking": THINKING, "assistant": TEXT}

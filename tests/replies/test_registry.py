"""The list of providers: each is known by its replies, and can be told from the others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb.replies import providers
from coglog_nb.replies.registry import PROVIDERS, RAW

if TYPE_CHECKING:
    from coglog_nb.replies.providers.base import Provider

REPLIES: dict[str, Any] = {
    "llm": {"messages": [{"role": "assistant", "parts": [{"type": "text", "text": "Hi"}]}]},
    "LangChain": {"type": "ai", "content": "Hi", "tool_calls": []},
    "Bedrock Converse": {"output": {"message": {"content": [{"text": "Hi"}]}}},
    "OpenAI Responses": {"object": "response", "output": []},
    "Gemini Interactions": {"steps": [{"type": "model_output", "content": [{"type": "text", "text": "Hi"}]}]},
    "Gemini": {"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]},
    "Ollama": {"message": {"role": "assistant", "content": "Hi"}, "done": True},
    "Anthropic Messages": {"type": "message", "content": [{"type": "text", "text": "Hi"}]},
    "OpenAI chat": {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]},
    "raw text": [{"generated_text": "Hi"}],
}


def test_every_provider_in_the_folder_is_listed() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(providers.__file__).parent.glob("*.py")]
    defined = set(re.findall(r"^class (\w+)\(Provider\)", "\n".join(sources), re.MULTILINE))
    assert defined == {type(provider).__name__ for provider in PROVIDERS}
    assert RAW in PROVIDERS


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_each_has_a_name_an_advice_and_a_stream(provider: Provider) -> None:
    assert provider.name
    assert provider.advice
    assert provider.stream is not None
    assert (provider.stream.fits.__doc__ or "").startswith("Whether a chunk ")


@pytest.mark.parametrize("name", REPLIES)
def test_the_first_that_fits_is_the_right_one(name: str) -> None:
    assert next(each.name for each in PROVIDERS if each.fits(REPLIES[name])) == name
    assert REPLIES.keys() == {each.name for each in PROVIDERS}

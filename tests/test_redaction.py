"""Keys and tokens are taken out of messages, and nothing else is."""

from __future__ import annotations

import pytest

from coglog_nb.redaction import NOT_SHOWN, without_secrets


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: SECRETVALUE-1234.",
        "bad sk-proj-abcdefghijklmnop1234",
        "bad sk-ant-api03-abcdefghijklmnop",
        "header Bearer abcdef.123456",
        "gsk_abcdefghijklmnop and hf_abcdefghijklmnop",
        "AIzaSyAbcdefghijklmnop",
        "Authorization: Basic abcdefghijklmnop==",
        "GET https://host/v1/models?key=abcdefghijkl&alt=sse",
        "sent {'api_key': 'abcdefgh', 'model': 'm'}",
        'sent {"apiKey":"abcdefgh"}',
        "x-goog-api-key: abcdefgh",
        "Client(api_key='abcdefgh')",
        "bad nvapi-abcdefgh, r8_abcdefgh and xai-abcdefgh",
        "bad key-abcdef1234 and api_abcdef1234",
        "bad sk-abcdef1.",
        "header Bearer abc.abcdef",
    ],
)
def test_text_that_looks_like_a_key_is_taken_out(text: str) -> None:
    said = without_secrets(text)
    assert NOT_SHOWN in said
    for secret in ("SECRETVALUE", "abcdef"):
        assert secret not in said


def test_keys_of_the_environment_and_of_the_caller_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "plain-word-secret")
    monkeypatch.setenv("SHORT_TOKEN", "no")
    said = without_secrets("no: plain-word-secret, another-secret", ["another-secret"])
    assert said == f"no: {NOT_SHOWN}, {NOT_SHOWN}"


def test_ordinary_words_stay() -> None:
    text = (
        "skipping_validation_because_the_keyword_arguments_are_there, task-specific-instruction-tuning,"
        " no api key was given, set api_key or the access token, key=value, keyboard: qwerty,"
        " a bearer token, bearer token. sk-learn, hf_hub, key-value-pairs, api_version, pk-core"
    )
    assert without_secrets(text) == text

"""Keys and tokens are taken out of messages, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coglog_nb.redaction import NOT_SHOWN, without_secrets

if TYPE_CHECKING:
    from pathlib import Path


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
        "bad pplx-abcdefghijkl and fw_abcdefghijkl",
        "bad ghp_abcdefghijkl, glpat-abcdefgh1 and xoxb-abcdefgh1",
        "bad eyJhbGciOiJIUzI1NiJ9.eyJabcdef.abcdef-sig",
        "GET https://user:abcdef@host/v1 and https://abcdef@host",
        "postgres://ann:abcdef@db:5432/x",
        "sent token=abcdef, hf_token: abcdef",
        "GET /v1?access_token=abcdef&x=1",
        "password: abcdef",
        'sent {"password": "abcdef and abcdef", "client_secret":"abcdef"}',
        "Authorization: abcdef",
        "Authorization: Bearer abcdef",
        "authorization: Token abcdef",
        "{'Authorization': 'Bearer abcdef'}",
        "Proxy-Authorization: Basic abcdef==",
        "api-key: abcdef",
        "Ocp-Apim-Subscription-Key: abcdef",
        "X-Auth-Token: abcdef",
        "Cookie: session=abcdef; other=abcdef",
        "Your API key is abcdef1",
        "run --api-key abcdef --token abcdef",
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


def test_the_words_for_a_key_are_never_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "plain-word-secret")
    for text in (
        "Incorrect API key provided: plain-word-secret (no such key)",
        "api_key='plain-word-secret'",
        "Authorization: Bearer plain-word-secret",
        "api key: plain-word-secret.",
        "plain-word-secretplain-word-secret",
        "https://plain-word-secret@host/?key=plain-word-secret",
        "refused the key (sk-abcdefghijkl1234)",
    ):
        said = without_secrets(text)
        assert "secret" not in said
        assert said.count("(key not shown)") == said.count("not shown")
        assert f"{NOT_SHOWN}{NOT_SHOWN}" not in said
        assert without_secrets(said) == said
    said = without_secrets("Incorrect API key provided: plain-word-secret (no such key)")
    assert said == f"Incorrect API key provided: {NOT_SHOWN} (no such key)"


@pytest.mark.parametrize("name", ["HF_TOKEN_READ", "OPENAI_API_KEY_2", "DB_PASSWORD", "MY_SECRET1"])
def test_an_environment_variable_of_a_key_may_have_a_suffix(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "plain words of a key")
    assert without_secrets("no: plain words of a key!") == f"no: {NOT_SHOWN}!"


def test_the_keys_that_llm_stores_are_taken_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    assert without_secrets("no: plain words of a key") == "no: plain words of a key"
    (tmp_path / "keys.json").write_text('{"// Note": "This file is secret", "a": "plain words of a key", "b": 3}')
    assert without_secrets("This file is secret: plain words of a key") == f"This file is secret: {NOT_SHOWN}"
    (tmp_path / "keys.json").write_text("{damaged")
    assert without_secrets("no: plain words of a key") == "no: plain words of a key"


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 4096 is too large; total_tokens=12345",
        "Unexpected token: identifier",
        "the token is not valid",
        "see https://host/v1/chat and mail ann@host",
        "tokenizer: gpt2-medium, key: annotation",
    ],
)
def test_sentences_without_a_key_stay(text: str) -> None:
    assert without_secrets(text) == text


def test_a_long_message_comes_to_an_end() -> None:
    for text in ("a-" * 100_000, "https://" * 30_000, "token " * 50_000, "eyJ" * 60_000, "sk-" * 60_000, "@" * 200_000):
        without_secrets(text)


def test_ordinary_words_stay() -> None:
    text = (
        "skipping_validation_because_the_keyword_arguments_are_there, task-specific-instruction-tuning,"
        " no api key was given, set api_key or the access token, key=value, keyboard: qwerty,"
        " a bearer token, bearer token. sk-learn, hf_hub, key-value-pairs, api_version, pk-core"
    )
    assert without_secrets(text) == text

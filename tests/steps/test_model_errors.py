"""What is said of a model's failure: one sentence, of the right kind, without a key in it."""

from __future__ import annotations

import pytest

from coglog_nb.redaction import NOT_SHOWN, without_secrets
from coglog_nb.steps.model_errors import error_sentence


class _StatusError(Exception):
    def __init__(self, status: int, text: str = "no") -> None:
        super().__init__(text)
        self.status_code = status


class APITimeoutError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (_StatusError(401), "m refused the key (no)"),
        (_StatusError(404), "m does not know this model, or is at another address (no)"),
        (
            _StatusError(429),
            "m has had too many requests, or the quota is used up: wait and run the cell again (no)",
        ),
        (_StatusError(503), "m failed on its side (HTTP 503) (no)"),
        (_StatusError(418), "m: _StatusError: no"),
        (APITimeoutError(), "m timed out"),
        (TimeoutError("read"), "m timed out (read)"),
        (ConnectionRefusedError("refused"), "m can't be reached (refused)"),
        (ValueError("two\nlines"), "m: ValueError: two lines"),
        (ValueError(), "m: ValueError"),
        (
            RuntimeError("Event loop is closed"),
            "m belongs to another event loop: await coglog_nb.aturn(...) runs it in this one (Event loop is closed)",
        ),
    ],
)
def test_a_failure_is_one_sentence_of_its_kind(error: Exception, said: str) -> None:
    assert error_sentence("m", error) == said


def test_a_long_message_is_cut() -> None:
    assert len(error_sentence("m", ValueError("x" * 10_000))) < 600


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
    ],
)
def test_what_looks_like_a_key_is_not_shown(text: str) -> None:
    said = without_secrets(text)
    assert NOT_SHOWN in said
    for secret in ("SECRETVALUE", "abcdef"):
        assert secret not in said


def test_a_key_of_the_environment_or_of_the_caller_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "plain-word-secret")
    monkeypatch.setenv("SHORT_TOKEN", "no")
    said = without_secrets("no: plain-word-secret, another-secret", ["another-secret"])
    assert said == f"no: {NOT_SHOWN}, {NOT_SHOWN}"


def test_words_are_no_keys() -> None:
    text = (
        "skipping_validation_because_the_keyword_arguments_are_there, task-specific-instruction-tuning,"
        " no api key was given, set api_key or the access token, key=value, keyboard: qwerty"
    )
    assert without_secrets(text) == text

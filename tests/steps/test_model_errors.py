"""A failed call in one sentence: which kind of failure it was."""

from __future__ import annotations

import pytest

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
        (_StatusError(429), "m has had too many requests, or the quota is used up: wait and run the cell again (no)"),
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

"""The nearest known name to a misspelt one."""

from __future__ import annotations

import pytest

from coglog_nb.suggestions import closest, did_you_mean


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("raed", ["read", "write"], "read"),
        ("--rep", ["--help", "--replace"], "--replace"),
        ("ANNOTATE", ["annotation", "user"], "annotation"),
        ("qwen", ["Qwen2-7B"], "Qwen2-7B"),
        ("xyz", ["read", "write"], None),
        ("--", ["--help"], None),
        ("", ["read"], None),
    ],
)
def test_the_closest_name_is_found(word: str, known: list[str], found: str | None) -> None:
    assert closest(word, known) == found
    assert did_you_mean(word, known) == (f"; did you mean {found}?" if found else "")

"""The nearest known name to a misspelt one."""

from __future__ import annotations

import pytest

from coglog_nb.fields import NAMES
from coglog_nb.suggestions import closest, closest_field, did_you_mean


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


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("thinkng", "thinking"),
        ("User", "user"),
        ("Theory of mind", "theory_of_mind"),
        ("theoryOfMind", "theory_of_mind"),
        ("self-narrative", "self_narrative"),
        ("focus", "current_focus"),
        ("\uff35\uff53\uff45\uff52", "user"),
        ("annot", "annotation"),
        ("a", None),
        ("", None),
        ("mood", None),
        ("thinking" * 50, None),
    ],
)
def test_the_field_that_a_key_or_label_means_is_found(word: str, found: str | None) -> None:
    assert closest_field(word, NAMES) == found


def test_only_the_given_fields_are_suggested() -> None:
    assert closest_field("thinkng", ["user", "assistant"]) is None

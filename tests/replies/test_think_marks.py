"""The tables of marks: which tag belongs to which, and what may become one."""

from __future__ import annotations

import pytest

from coglog_nb.replies.think_marks import (
    MARKS,
    MARKS_AT_THE_START,
    certain_end,
    kind_of,
    may_begin_a_tag,
    opening_at_the_start,
    tags,
    unknown_mark,
)


@pytest.mark.parametrize(("opening", "closing"), MARKS.items())
def test_a_line_in_the_table_is_enough(opening: str, closing: str) -> None:
    assert [kind_of(tag[0]) for tag in tags().finditer(f"a{opening}b{closing}c")] == [(opening, False), (opening, True)]


def test_the_marks_of_the_start_are_found_only_where_one_begins_the_text() -> None:
    for opening, closing in MARKS_AT_THE_START.items():
        text = f"{opening}b{closing}"
        assert tags().search(text) is None
        assert opening_at_the_start(f" \n{text}") == opening
        assert opening_at_the_start(f"a{text}") == ""
        assert [tag[0] for tag in tags(opening).finditer(text)] == [opening, closing]


def test_a_tag_in_another_case_and_with_attributes_is_of_its_kind() -> None:
    assert kind_of('<Think a="b">') == ("<think>", False)
    assert kind_of("</SEED:think >") == ("<seed:think>", True)
    assert kind_of("&lt;/Think&gt;") == ("&lt;think&gt;", True)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a", 1),
        ("a<", 1),
        ("a<thin", 1),
        ('a<think x="', 1),
        ("a</think ", 1),
        ("a<b", 3),
        ("a<think x> y", 12),
        ("[T", 0),
    ],
)
def test_only_what_may_become_a_tag_is_uncertain(text: str, end: int) -> None:
    assert certain_end(text) == end


def test_at_the_start_more_may_become_a_tag() -> None:
    for text in ("analys", "<|start|>assis", "&lt;th", "<reasoning "):
        assert may_begin_a_tag(text, at_the_start=True)
        assert not may_begin_a_tag(text)


def test_unknown_marks() -> None:
    assert unknown_mark(" <ponder a='b'>x</ponder>") == "<ponder a='b'>"
    assert unknown_mark("<|thought|>x") == "<|thought|>"
    for text in ("<ponder>x", "<p>x</p>", "x <ponder>y</ponder>", "[1] x [/1]", ""):
        assert unknown_mark(text) == ""

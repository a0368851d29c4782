"""JSON as models write it: what is repaired and noted, what is cut, and work that grows no faster than the text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from recorded import AXES, BLOCK

from coglog_nb.fields import AXES as NAMES
from coglog_nb.replies.block import find_block
from coglog_nb.replies.lenient_json import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("written", "repaired"),
    [
        (BLOCK[:-1] + ",}", "a trailing comma"),
        (BLOCK[:-1] + ", // the end\n}", "a comment, a trailing comma"),
        ("{ /* mine */" + BLOCK[1:], "a comment"),
        (BLOCK.replace("picture it\\nyet", "picture it\nyet"), "a real newline in a string"),
        ('{"extra": [1, 2,],' + BLOCK[1:], "a trailing comma"),
    ],
)
def test_what_is_repaired_is_noted(written: str, repaired: str) -> None:
    block = find_block(f"Hi.\n\n{written}")
    assert block.axes == AXES
    assert block.rest == "Hi."
    assert f"the block was repaired: {repaired}" in block.notes


def test_a_comment_in_a_string_is_text() -> None:
    axes = {**AXES, "annotation": "see http://x.example /* not this */ // nor this"}
    block = find_block(json.dumps(axes))
    assert block.axes == axes
    assert block.notes == []


@pytest.mark.parametrize("end", range(1, len(BLOCK)))
def test_cut_anywhere_it_is_refused_as_cut_and_nothing_of_it_taken(end: int) -> None:
    for before, after in (("", ""), ("Hi.\n\n", ""), ("Hi.\n\n```json\n", ""), ('Hi.\n\n{"coglog": ', "")):
        block = find_block(before + BLOCK[:end] + after)
        (problem,) = block.problems
        assert "never closes" in problem
        assert all(name in problem for name in NAMES)
        assert block.axes == {}
        assert block.rest == before + BLOCK[:end]
        assert not block.found


LONG = 200_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda size: "{" * size,
        lambda size: '"' * size,
        lambda size: "`" * size,
        lambda size: "``` \n" * (size // 5),
        lambda size: '{"a":' * (size // 5),
        lambda size: '{"a' * (size // 3),
        lambda size: '{"a":[' * (size // 6),
        lambda size: '{"a":"{' * (size // 7),
        lambda size: '{"annotation":' * (size // 14),
        lambda size: '{"annotation":/*' * (size // 16),
        lambda size: '{"annotation"://\n"' * (size // 18),
        lambda size: '{//"\n"annotation":"' * (size // 20),
        lambda size: "{annotation:" * (size // 12),
        lambda size: '{"annotation\\d":' * (size // 17),
        lambda size: "{ " * (size // 2),
        lambda size: "{" + " " * size,
        lambda size: "\\" * size + '{"annotation": "' + "\\" * size,
        lambda size: (BLOCK + "\n") * (size // len(BLOCK)),
    ],
)
def test_the_work_is_linear_in_the_text(make: Callable[[int], str]) -> None:
    def work(size: int) -> int:
        text = make(size)
        scanner = Scanner(text, NAMES, ("coglog",))
        list(scanner.objects())
        return scanner.work

    assert work(LONG) <= 13 * LONG
    assert work(LONG) <= 12 * work(LONG // 10) + 1_000
    find_block(make(LONG))  # and it comes to an end


def test_a_long_answer() -> None:
    words = "Some words of a very long answer. " * 30_000
    block = find_block(f"{words}\n\n{BLOCK}")
    assert block.axes == AXES
    assert block.rest == words

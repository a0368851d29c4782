"""Thinking in a text that comes in pieces: the same as in the whole, however it is cut, and as soon as it is safe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import BLOCK, TEXT, THINKING

from coglog_nb.replies.think_marks import MARKS, MARKS_AT_THE_START
from coglog_nb.replies.think_stream import TagParser
from coglog_nb.replies.think_tags import split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from coglog_nb.replies.think_tags import Pieces


def merged(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join neighbours of one kind."""
    found: list[tuple[str, str]] = []
    for layer, text in pieces:
        if found and found[-1][0] == layer:
            found[-1] = (layer, found[-1][1] + text)
        elif text:
            found.append((layer, text))
    return found


def streamed(*chunks: str) -> list[tuple[str, str]]:
    """Feed a text in chunks; returns the pieces that came."""
    parser = TagParser()
    pieces: Pieces = []
    for chunk in chunks:
        pieces += parser.feed(chunk)
    return merged(pieces + parser.end())


ALL_MARKS = [*MARKS.items(), *MARKS_AT_THE_START.items(), ('<think type="deep">', "</THINK >")]
CHANNELS = (
    f"<|channel|>analysis<|message|>{THINKING}<|end|><|start|>assistant<|channel|>final<|message|>{TEXT}<|return|>"
)
TEXTS = [
    *(f"{opening}\n{THINKING}\n{closing}\n\n{TEXT}" for opening, closing in ALL_MARKS),
    *(f" \n{opening}a{opening}b{closing}c{closing}Yes." for opening, closing in ALL_MARKS),
    *(f"Use `{opening}` and {closing} for it." for opening, closing in MARKS_AT_THE_START.items()),
    CHANNELS,
    f"<|start|>assistant{CHANNELS}",
    "analysis of it",
    "analysis",
    "<think>never closes",
    "<reasoning>never closes",
    "<think>It is `</think>` that ends it.</think>Yes.",
    "<think>\n```\n</think>\n```\nThat ends it.</think>Yes.",
    "<think>\n```py\nx = 1\n</think>\nYes.\n```\ny\n```",
    f"<think>{BLOCK[:-9]}</think>\n\nYes.",
    "<think>Hm.</think>Yes.\n\n<think>Again.</think>\n\nSo.",
    "The <think> tag begins it.",
    "```html\n<think>x</think>\n```\nThat is the tag.",
    "<think></think>\r\n\r\nYes.",
    "a < b, [x], &lt;, \u25c1",
    "",
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:30])
def test_a_cut_at_each_character_changes_nothing(text: str) -> None:
    whole = merged(split(text).pieces)
    assert streamed(text) == whole
    assert streamed(*text) == whole
    for place in range(1, len(text)):
        assert streamed(text[:place], text[place:]) == whole, text[:place]


TOKENS = ("<think>", "</think>", "[THINK]", "<thi", "```", "~~", "`", "\n", "\n\n", " ", "a", "{", '{"', '"', "}")


@given(parts=st.lists(st.sampled_from(TOKENS)), size=st.integers(1, 9))
def test_after_thinking_has_begun_nothing_is_given_that_the_whole_has_not(parts: list[str], size: int) -> None:
    text = "<think>" + "".join(parts)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    assert streamed(*chunks) == merged(split(text).pieces)


def given_by(text: str) -> list[tuple[str, str]]:
    """Return what is given while a text comes, before its end."""
    parser = TagParser()
    return merged([piece for character in text for piece in parser.feed(character)])


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("<think>Hm, `x`.\n```\ny\n```\n</think>Yes.", "Hm, `x`.\n```\ny\n```\n|Yes."),
        ("[THINK]Hm[/THINK]\n\nYes.", "Hm|Yes."),
        ("<|channel>thought\nHm<channel|>Yes.", "\nHm|Yes."),
        ("<think>Hm <", "Hm |"),
    ],
)
def test_thinking_at_the_start_and_the_answer_come_at_once(text: str, pieces: str) -> None:
    thinking, _, answer = pieces.partition("|")
    assert given_by(text) == [("thinking", thinking), *([("assistant", answer)] if answer else [])]


@pytest.mark.parametrize(
    "beginning",
    ["Use `<think>`.", "```\n<think>\n```", "<reasoning>a</reasoning>", "<think>a", "analysisHm.assistantfinal"],
)
def test_what_is_held_back_comes_once_it_is_clear(beginning: str) -> None:
    closing = "</think>b" if beginning == "<think>a" else "\nb"
    said = dict(given_by(f"{beginning}{closing}\n\n" + "Some words.\n\n" * 60))
    assert said["assistant"].count("Some words.") > 20


def test_a_closing_tag_alone_is_text_until_the_end() -> None:
    assert streamed("Hm.", "</think>", "Yes.") == [("assistant", "Hm.</think>Yes.")]


@pytest.mark.parametrize(
    "text",
    [
        "x <think>" * 20_000,
        "```\n" * 40_000,
        "<think>`" * 20_000,
        "<think>a</think>" * 10_000,
        "`<think>`\n\n" * 10_000,
        "<" * 200_000,
    ],
    ids=lambda text: text[:9],
)
@pytest.mark.parametrize("size", [50, 1_000_000])
def test_many_tags_come_to_an_end(text: str, size: int) -> None:
    pieces = streamed(*(text[start : start + size] for start in range(0, len(text), size)))
    assert sum(len(said) for _, said in pieces) <= len(text)

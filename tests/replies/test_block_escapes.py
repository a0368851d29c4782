"""Single backslashes in a block: TeX and paths are text, newlines and tabs stay what JSON says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coglog_nb import capture
from coglog_nb.replies.block import find_block
from coglog_nb.replies.block_escapes import read_string


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"$\frac{1}{2}$ \times", "$\\frac{1}{2}$ \times"),
        (r"\frac \beta \boxed", r"\frac \beta \boxed"),
        (r"\f \b 1", "\f \b 1"),
        (r"\alpha \' \U \$ \_ \{", r"\alpha \' \U \$ \_ \{"),
        (r"\upsilon \u00e9 \ud83d\ude00", r"\upsilon " + "é \U0001f600"),
        (r"$a \neq b$ and $\nu$ and $$\tau = \rho$$", r"$a \neq b$ and $\nu$ and $$\tau = \rho$$"),
        (r"\(\nu\) \[ \tau \rho \]", r"\(\nu\) \[ \tau \rho \]"),
        (r"\\(\nu\\)", r"\(\nu\)"),
        (r"C:\new\tables", r"C:\new\tables"),
        (r"see d:\readme.txt\nthen", "see d:\\readme.txt\\nthen"),
        (r"C:\\new\\tables", r"C:\new\tables"),
        (r"\\host\new\tables", r"\\host\new\tables"),
        (r"\\\\host\\new", r"\\host\new"),
        (r"\\\\host\new", r"\\host\new"),
        (r"\ne depois", "\ne depois"),
        (r"\tan example", "\tan example"),
        (r"one\nNext", "one\nNext"),
        (r"it costs $5\nand $6 more", "it costs $5\nand $6 more"),
        (r"$HOME\n$PATH", "$HOME\n$PATH"),
        (r"$x\n\nthen $y", "$x\n\nthen $y"),
        (r"\\alpha\nNext", "\\alpha\nNext"),
        (r"Q:\nWhy", "Q:\nWhy"),
        (r"Plan C:\nFirst", "Plan C:\nFirst"),
        (r"one\nC:\new", "one\nC:\\new"),
        (r"C:\Program Files\new", r"C:\Program Files\new"),
        (r"\\server\share\new\tables ok\nnext", "\\\\server\\share\\new\\tables ok\nnext"),
        (r"\[\nx = \frac{1}{2}\n\]", "\\[\nx = \\frac{1}{2}\n\\]"),
        (r"$ \theta $ and $2 \times 3$", r"$ \theta $ and $2 \times 3$"),
        (r"it costs $5\nthen US$ 6", "it costs $5\nthen US$ 6"),
        (r"Price\t$5\tYes\t$6\tNo", "Price\t$5\tYes\t$6\tNo"),
        (r"a \"b\" \/ \\ \r\n", 'a "b" / \\ \r\n'),
    ],
)
def test_each_escape_is_read_as_it_was_meant(source: str, text: str) -> None:
    assert read_string(f'"{source}"')[0] == text


def test_a_note_says_what_was_kept_and_what_may_have_been_meant() -> None:
    answer = r'Hi. {"current_focus":"\frac","theory_of_mind":"\tan example","self_narrative":"","annotation":"\nNext"}'
    block = find_block(answer)
    assert block.axes["current_focus"] == r"\frac"
    assert block.axes["theory_of_mind"] == "\tan example"
    kept, doubtful = block.notes
    assert r"\frac" in kept
    assert r"\tan" in doubtful
    assert "Next" not in doubtful


def test_a_raw_tab_is_repaired_with_a_note() -> None:
    block = find_block('{"current_focus":"a\tb","theory_of_mind":"","self_narrative":"","annotation":""}')
    assert block.axes["current_focus"] == "a\tb"
    assert block.notes == ["the block was repaired: a real tab in a string"]


def test_only_a_block_is_read_so(turn: dict[str, str], store: object) -> None:
    whole = {"current_focus": r"\frac", "theory_of_mind": "", "self_narrative": "", "annotation": ""}
    captured = capture("Hi. " + json.dumps(whole), user="u", thinking="t")
    assert captured.fields["current_focus"] == r"\frac"
    written = store.write(**{**turn, "annotation": "\x0crac \tan"})  # type: ignore[attr-defined]
    assert written["annotation"] == "\x0crac \tan"


@pytest.mark.parametrize(
    "text",
    [
        "C:\\out\nNext",
        "C:\\out.txt\nnext",
        "\\\\host\\share\nNext",
        "\\alpha\nnext",
        "a regex \\d\nthen \\s+\tmore",
        "$$\nx = \\frac{1}{2}\n$$",
        "\\[\nu = 1\n\\]",
    ],
)
def test_what_was_escaped_is_what_json_says(text: str) -> None:
    for ascii_only in (True, False):
        value, kept, _ = read_string(json.dumps(text, ensure_ascii=ascii_only))
        assert (value, kept) == (text, [])


# Without the characters that can begin a formula or a path, and without what is a control character before a letter.
HONEST = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="$\\:\b\f"))


@given(HONEST)
def test_an_honest_text_comes_back_exactly(text: str) -> None:
    for ascii_only in (True, False):
        value, kept, _ = read_string(json.dumps(text, ensure_ascii=ascii_only))
        assert (value, kept) == (text, [])


@pytest.mark.parametrize("piece", [r"\(", r"\[", "$ ", "$x ", r"\\a", "C:\\\\", r"\n\n$", "a:"])
def test_unclosed_formulas_and_paths_are_looked_at_once(piece: str) -> None:
    source = '"' + piece * 100_000 + '"'
    assert isinstance(read_string(source)[0], str)

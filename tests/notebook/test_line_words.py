r"""The words of a magic's line: as IPython users expect, with expressions, quoted paths and comments."""

from __future__ import annotations

import pytest
from IPython.utils.process import arg_split

from coglog_nb import UsageError
from coglog_nb.notebook.line_words import split_line, without_comment


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  read  ",
        "write msg['content'] --user x.y[0]",
        r"read --coglog-dir C:\temp --session npc-1",
        r"read --coglog-dir C:\temp\ --session npc-1",
        r"read --coglog-dir \\host\share\ --session npc-1",
        r'read --coglog-dir "C:\my files\" --session "x"',
        "export it's.md don't.md",
        "write base --user 'two words' --annotation \"more than two\"",
        "turn -m gpt-4o-mini -o temperature=0.5",
        "export a(1.md b[.md",
        "write\u00a0x a\u3000b",
    ],
)
def test_most_lines_are_split_as_ipython_does(line: str) -> None:
    assert split_line(line) == arg_split(line, posix=False)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('--opt="two words" x', ['--opt="two words"', "x"]),
        ("--user='two words'", ["--user='two words'"]),
        ("--user f'{t} {a}'", ["--user", "f'{t} {a}'"]),
        ('--user=rf"{t} {a}" x', ['--user=rf"{t} {a}"', "x"]),
        ("--user 'a b'+'c d'", ["--user", "'a b'+'c d'"]),
        ("--user (a + b) x", ["--user", "(a + b)", "x"]),
        ("--user d['two words'][1, 2].get('x y', {1: 2})", ["--user", "d['two words'][1, 2].get('x y', {1: 2})"]),
        ("--user ' '.join(x for x in y)", ["--user", "' '.join(x for x in y)"]),
        ("--user (')' + a) x", ["--user", "(')' + a)", "x"]),
        (r"--user 'it\'s here' x", ["--user", r"'it\'s here'", "x"]),
        ('--user """it\'s "so" here""" x', ["--user", '"""it\'s "so" here"""', "x"]),
        ("--user '' x", ["--user", "''", "x"]),
        (r"export /a/two\ words/x.md --force", ["export", "/a/two words/x.md", "--force"]),
        (r"export --viewer-dir=a\ b", ["export", "--viewer-dir=a b"]),
        (r"--user a\tb 'c\nd'", ["--user", r"a\tb", r"'c\nd'"]),
    ],
)
def test_what_is_in_quotes_or_brackets_is_one_word(line: str, words: list[str]) -> None:
    assert split_line(line) == words


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("read # a comment", "read"),
        ("read; # it's a comment;", "read;"),
        ("# only a comment", ""),
        ("read\t#comment", "read"),
        ("write x --user '# text' # comment", "write x --user '# text'"),
        ("write x --user (a # b) # c", "write x --user (a # b)"),
        ("export a#b.md", "export a#b.md"),
        (r"export a\ #b.md", r"export a\ #b.md"),
        ("read  ", "read"),
    ],
)
def test_a_comment_at_the_end_is_dropped(line: str, left: str) -> None:
    assert without_comment(line) == left


@pytest.mark.parametrize(
    ("line", "named"),
    [("write --user 'open x", "'open x"), ('x --opt="two words', '"two words'), ("x f'{a} b", "'{a} b")],
)
def test_a_quotation_that_is_not_closed_is_named(line: str, named: str) -> None:
    with pytest.raises(UsageError, match="No closing quotation") as caught:
        split_line(line)
    assert f": {named};" in str(caught.value)

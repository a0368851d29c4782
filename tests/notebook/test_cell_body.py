from __future__ import annotations

import re

import pytest

from coglog_nb import InputError
from coglog_nb.fields import NAMES
from coglog_nb.notebook.cell_body import fields_of_body, parse_sections
from coglog_nb.validation import flatten


def test_labels_open_sections_in_any_order() -> None:
    assert parse_sections("annotation: next\nuser: hello\n") == {"annotation": "next", "user": "hello"}


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_a_label(name: str) -> None:
    assert parse_sections(f"{name}: x") == {name: "x"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("user: a", "a"),
        ("user:a", "a"),
        ("user:  a", " a"),
        ("user:\ta", "\ta"),
        ("user:", ""),
        ("user:\n\n  \n a \n\n b\n \n\n", " a \n\n b"),
        ("user: a\n\n\n", "a"),
        ("user: a  ", "a  "),
        ("user: a\n  indented: b\n", "a\n  indented: b"),
        ("user: a\nUser: b", "a\nUser: b"),
        ("user: a\n user: b", "a\n user: b"),
        ("user: a\nuser : b", "a\nuser : b"),
        ("user: a\nusers: b", "a\nusers: b"),
        ("user: a\n\\user: b", "a\nuser: b"),
        ("user: a\n\\\\user: b", "a\n\\user: b"),
        ("user: a\n\\n user:", "a\n\\n user:"),
        ("user: user: a", "user: a"),
        ("user: {12} {} $HOME %s", "{12} {} $HOME %s"),
        ("user: a\u2028annotation: b", "a\u2028annotation: b"),
        ("user: a\x0cannotation: b\r", "a\x0cannotation: b\r"),
    ],
)
def test_what_is_kept_and_what_is_dropped(body: str, text: str) -> None:
    assert parse_sections(body) == {"user": text}


def test_blank_lines_before_the_first_label_are_fine() -> None:
    assert parse_sections("\n  \nuser: a") == {"user": "a"}


def test_a_label_twice_names_both_lines() -> None:
    with pytest.raises(InputError, match=r"user: is repeated, in lines 2 and 5 of the cell.*JSON.*--assistant NAME"):
        parse_sections("user: a\nthinking: b\nthat\nuser: c")


def test_text_before_the_first_label_names_its_line() -> None:
    with pytest.raises(InputError, match=r"line 3 of the cell.*'hello there'.*JSON.*--assistant NAME"):
        parse_sections("\nhello there\nuser: a")


def test_a_body_that_starts_with_a_brace_is_json() -> None:
    assert fields_of_body('\n {"user": "two\nlines", "mood": 1}') == {"user": "two\nlines", "mood": 1}
    assert flatten(fields_of_body('{"layers": {"user": "a"}}')) == {"user": "a"}
    with pytest.raises(InputError, match=re.escape("invalid JSON: Expecting ',' delimiter: line 3 column 1")):
        fields_of_body('{"user": "a"\n"thinking": "b"}')

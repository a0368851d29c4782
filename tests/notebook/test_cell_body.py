from __future__ import annotations

import re

import pytest

from coglog_nb import InputError
from coglog_nb.fields import NAMES
from coglog_nb.notebook.cell_body import causes_of_missing, cell_of, fields_of_body, parse_sections
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
        ("user\uff1aa", "a"),
        ("user\uff1a a", "a"),
        ("user: a\n\\user\uff1a b", "a\nuser\uff1a b"),
        ("user: a\n user\uff1a b", "a\n user\uff1a b"),
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


# ---- a label or a body that is written differently


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("User: a", "line 2 of the cell begins with `User:`; did you mean `user:`, in lower case?"),
        (
            "\nTHINKING\uff1aa",
            "line 3 of the cell begins with `THINKING\uff1a`; did you mean `thinking:`, in lower case?",
        ),
        ("  user: a", "line 2 of the cell begins with `  user:`; did you mean `user:`, at the start of the line?"),
        ("thinkng: a", "line 2 of the cell begins with `thinkng:`; did you mean `thinking:`?"),
        ("**user:** a", "line 2 of the cell begins with `**user:**`; did you mean `user:`?"),
        ("## User\na", "line 2 of the cell begins with `## User`; did you mean `user:`, in lower case?"),
        ("Theory of mind: a", "line 2 of the cell begins with `Theory of mind:`; did you mean `theory_of_mind:`?"),
        ("\u601d\u8003\uff1aa", "line 2 of the cell begins with `\u601d\u8003\uff1a`; did you mean `thinking:`?"),
        ("```json\n{}\n```\n", "line 2 of the cell opens a code block ('```json'); remove lines 2 and 4"),
        ("\n~~~\nuser: a", "line 3 of the cell opens a code block ('~~~'); remove that line"),
        (
            'Here it is:\n```\n{"user": "a"}\n```',
            (
                "line 2 of the cell is text before the JSON object in line 4 ('Here it is:'); remove what stands before"
                " and after the object"
            ),
        ),
    ],
)
def test_a_body_that_starts_otherwise_gets_one_cause_and_one_remedy(body: str, cause: str) -> None:
    with pytest.raises(InputError) as caught:
        fields_of_body(body)
    assert caught.value.problems == (cause,)


def test_the_line_that_was_meant_as_a_missing_label_is_found() -> None:
    body = "user: a\nthink: of it\nThinking: b\n  annotation: c\n\\self_narrative: d\ncurrent_focus: e\n"
    assert causes_of_missing(body, ("thinking", "self_narrative", "annotation")) == {
        "thinking": "line 4 of the cell begins with `Thinking:`; did you mean `thinking:`, in lower case?",
        "annotation": "line 5 of the cell begins with `  annotation:`; did you mean `annotation:`, at the start of the"
        " line?",
    }
    assert causes_of_missing(body, ("thinking",)).keys() == {"thinking"}
    assert causes_of_missing('{"Thinking": "b"}', ("thinking",)) == {}
    assert causes_of_missing("user: a\nsome text: b\nhttps://x\n", ("thinking", "annotation")) == {}


def test_a_body_with_all_seven_is_text_as_it_is() -> None:
    text = "x\nThinking: y\n```json\n{}\n```\n  user: z"
    body = "\n".join(f"{name}: {text}" for name in NAMES)
    assert parse_sections(body) == dict.fromkeys(NAMES, text)


@pytest.mark.parametrize("colon", [":", "\uff1a"])
@pytest.mark.parametrize("name", NAMES)
def test_a_written_cell_escapes_what_looks_like_a_label(name: str, colon: str) -> None:
    values = dict.fromkeys(NAMES, f"a\n{name}{colon} b\n\\{name}{colon}c")
    first, _, body = cell_of(values).partition("\n")
    assert first == "%%coglog write"
    assert not body.startswith("{")
    assert parse_sections(body) == values

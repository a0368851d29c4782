from __future__ import annotations

import json

import pytest

from coglog_nb import InputError
from coglog_nb.jsontext import decode, dump, load_object


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1 column 1"),
        ("  \n", "line 1 column 1"),
        ('{"user": "a",\n "thinking" 3}', "line 2 column 13"),
        ('{"user": "a"} {"user": "b"}', "Extra data: line 1 column 15"),
        ('{"user": "a', "line 1 column 10"),
        ('{"user": "two\nlines"}', "line 1 column 14"),
        ("{'user': 1}", "line 1 column 2"),
    ],
)
def test_what_is_not_json_is_reported_with_line_and_column(text: str, words: str) -> None:
    with pytest.raises(InputError, match=f"^invalid JSON: .*{words}"):
        load_object(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("[]", "an array"), ("null", "null"), ("7", "a number"), ('"a"', "a string"), ("true", "a boolean")],
)
def test_what_is_not_an_object_is_named(text: str, kind: str) -> None:
    with pytest.raises(InputError, match=f"not a JSON object but {kind}"):
        load_object(text)


def test_deep_nesting_and_huge_integers_are_refused() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        load_object("[" * 100_000)
    with pytest.raises(InputError, match="too many digits"):
        load_object('{"a": ' + "9" * 5000 + "}")


@pytest.mark.parametrize("key", ["user", "annotation", "layers"])
def test_a_field_given_twice_is_refused(key: str) -> None:
    with pytest.raises(InputError, match=f'duplicate key "{key}"'):
        load_object(f'{{"{key}": "a", "{key}": "b"}}')
    with pytest.raises(InputError, match='duplicate key "user"'):
        load_object('{"layers": {"user": "a", "user": "b"}}')


def test_an_unknown_key_given_twice_is_ignored_as_it_would_be_once() -> None:
    assert load_object('{"mood": 1, "mood": 2, "user": "a"}')["user"] == "a"


def test_a_byte_order_mark_and_crlf_are_fine() -> None:
    assert load_object("\ufeff{}\r\n") == {}
    assert load_object(decode(b'\xef\xbb\xbf{"user":\r\n"a"}')) == {"user": "a"}


def test_real_newlines_in_strings_only_where_they_are_asked_for() -> None:
    assert load_object('{"user": "two\nlines"}', strict=False) == {"user": "two\nlines"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1", "utf-32"])
def test_bytes_that_are_not_utf8_are_refused(encoding: str) -> None:
    data = '{"user": "é"}'.encode(encoding)
    with pytest.raises(InputError, match=r"^invalid (input: not UTF-8 at byte|JSON)"):
        load_object(decode(data))


def test_utf16_is_called_by_its_name() -> None:
    with pytest.raises(InputError, match="UTF-16"):
        decode('{"user": "a"}'.encode("utf-16"))


def test_dump_keeps_what_is_not_ascii() -> None:
    text = dump({"user": "日本語 🙂 </script> \u2028"})
    assert "日本語 🙂 </script> \u2028" in text
    assert json.loads(text) == {"user": "日本語 🙂 </script> \u2028"}

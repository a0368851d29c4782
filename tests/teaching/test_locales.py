"""The words of the widgets: every language has all of them."""

from __future__ import annotations

import pkgutil
import re
import string

import pytest

import coglog_nb.teaching.locales
from coglog_nb import UsageError
from coglog_nb.fields import FIELDS, NAMES
from coglog_nb.teaching.locales import LANGUAGES, field_table, words
from coglog_nb.viewer import field_table as contract_table

PARTS = sorted(module.name for module in pkgutil.iter_modules(coglog_nb.teaching.locales.__path__))
JAPANESE = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("part", PARTS)
def test_no_language_lacks_a_text(part: str) -> None:
    english = words(part)
    assert english
    for lang in LANGUAGES:
        there = words(part, lang)
        assert set(there) == set(english), set(there) ^ set(english)
        for key, text in there.items():
            assert text.strip(), key
            assert placeholders(text) == placeholders(english[key]), key


@pytest.mark.parametrize("part", PARTS)
def test_each_language_is_written_in_its_own_letters(part: str) -> None:
    for key, text in words(part, "ja").items():
        assert JAPANESE.search(text), key
        assert "\ufffd" not in text
    for key, text in words(part, "en").items():
        # A name of a language in its own letters would be no mistake; nothing else is in Japanese letters.
        assert not JAPANESE.search(text), key


def test_the_english_words_of_the_fields_are_the_contracts() -> None:
    assert field_table() == contract_table()
    japanese = field_table("ja")
    assert [field["name"] for field in japanese] == list(NAMES)
    assert [field["layer"] for field in japanese] == [field.layer for field in FIELDS]
    for own, contract in zip(japanese, contract_table(), strict=True):
        assert bool(own["direction"]) == bool(contract["direction"])


def test_a_caller_who_changes_the_words_changes_them_for_nobody_else() -> None:
    words("fields")["user.label"] = "?"
    assert words("fields")["user.label"] == "User"


def test_an_unknown_language_is_told_which_there_are() -> None:
    with pytest.raises(UsageError, match="no such language: 'fr'; there are en and ja"):
        words("fields", "fr")

from __future__ import annotations

import pytest

from coglog_nb import CogLog, UsageError
from coglog_nb.built_files import static_text
from coglog_nb.fields import FIELDS, NAMES
from coglog_nb.labels import LANGUAGES, WORDS, checked_language, field_table
from coglog_nb.text_form import difference_text, markdown, plain_text


def test_every_language_has_every_text() -> None:
    assert tuple(WORDS) == LANGUAGES
    for lang in LANGUAGES:
        assert WORDS[lang].keys() == WORDS["en"].keys()
        assert all(WORDS[lang].values())


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="'fr'; there are en and ja"):
        checked_language("fr")
    with pytest.raises(UsageError, match="'fr'"):
        field_table("fr")


def test_the_english_table_of_fields_is_the_contracts() -> None:
    keys = ("name", "label", "layer", "direction", "question")
    assert field_table() == [{key: getattr(field, key) for key in keys} for field in FIELDS]
    assert [field["name"] for field in field_table("ja")] == list(NAMES)


@pytest.mark.parametrize("key", ["fact", "interpretation", "session", "empty", "missing", "hidden", "before"])
def test_the_built_card_says_the_same_words(key: str) -> None:
    assert WORDS["en"][f"card.{key}"] in static_text("card.json")


def test_an_entry_is_written_as_text_in_its_language(store: CogLog, turn: dict[str, str]) -> None:
    store.write(**turn)  # type: ignore[arg-type]
    entry = store.write(**{**turn, "annotation": "", "current_focus": "other"}, diff=True)  # type: ignore[arg-type]
    entry.lang = "ja"
    entry.show_thinking = False
    words = WORDS["ja"]
    for text in (plain_text(entry.view()), markdown(entry.view())):
        for key in ("fact", "interpretation", "empty", "hidden"):
            assert words[f"card.{key}"] in text
        assert "Fact layer" not in text
        assert words["card.turn"].format(turn_id=2) in text
    assert words["card.now"] in difference_text(entry.view())

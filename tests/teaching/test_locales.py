"""The texts of the guide and the widgets: every language has all of them, and each of them is shown."""

from __future__ import annotations

import pkgutil
import re
import string
from pathlib import Path

import pytest

import coglog_nb.teaching.locales
from coglog_nb import UsageError
from coglog_nb.fields import FIELDS, NAMES
from coglog_nb.labels import LANGUAGES, field_table
from coglog_nb.teaching.locales import texts_of

PARTS = sorted(module.name for module in pkgutil.iter_modules(coglog_nb.teaching.locales.__path__))
JAPANESE = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("part", PARTS)
def test_every_language_has_every_text(part: str) -> None:
    english = texts_of(part)
    assert english
    for lang in LANGUAGES:
        there = texts_of(part, lang)
        assert set(there) == set(english), set(there) ^ set(english)
        for key, text in there.items():
            assert text.strip(), key
            assert placeholders(text) == placeholders(english[key]), key


@pytest.mark.parametrize("part", PARTS)
def test_each_language_uses_its_own_script(part: str) -> None:
    for key, text in texts_of(part, "ja").items():
        assert JAPANESE.search(text), key
        assert "\ufffd" not in text
    for key, text in texts_of(part, "en").items():
        # Only the name of a language could be in Japanese letters here.
        assert not JAPANESE.search(text), key


def test_the_english_words_of_the_fields_are_the_contracts() -> None:
    contract = field_table()
    assert contract == [
        {key: getattr(field, key) for key in ("name", "label", "layer", "direction", "question")} for field in FIELDS
    ]
    japanese = field_table("ja")
    assert [field["name"] for field in japanese] == list(NAMES)
    assert [field["layer"] for field in japanese] == [field.layer for field in FIELDS]
    for own, english in zip(japanese, contract, strict=True):
        assert bool(own["direction"]) == bool(english["direction"])


def test_each_caller_gets_a_table_of_its_own() -> None:
    texts_of("editor")["write"] = "?"
    assert texts_of("editor")["write"] == "Write"


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no such language: 'fr'; there are en and ja"):
        texts_of("guide", "fr")


ROOT = Path(__file__).parents[2]
COMPONENTS = sorted((ROOT / "js" / "src" / "exercise").rglob("*.js*"))
SHOWN = re.compile(r"""(?:\bsay\(|texts\[)([^)\]]*)""")


def test_every_text_of_an_exercise_is_used_and_every_used_one_exists() -> None:
    known = texts_of("exercises")
    assert COMPONENTS
    for component in COMPONENTS:
        for call in SHOWN.findall(component.read_text(encoding="utf-8")):
            for key in re.findall(r'"([a-z.]+)"', call.split(", {")[0]):
                assert key in known, (component.name, key)
    sources = [
        path
        for path in (ROOT / "coglog_nb").rglob("*.py")
        if path.name not in {"exercises.py", "guide.py", "handout.py"}
    ]
    everything = "".join(path.read_text(encoding="utf-8") for path in [*sources, *COMPONENTS])
    # Of the keys that are put together only the beginnings are known.
    together = ("theme.", "fit.", "list.", "summary.", "characters.")
    for key in known:
        assert f'"{key}"' in everything or f"'{key}'" in everything or key.startswith(together), key

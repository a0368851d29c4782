from __future__ import annotations

import re
from pathlib import Path

import pytest

from coglog_nb import fields

SCHEMA = {
    "version": "0.9.1",
    "fact_layer": {
        "user": "non-empty string required — user's original utterance",
        "thinking": "non-empty string required — AI's full thinking process",
        "assistant": "non-empty string required — AI's original output",
    },
    "interpretation_layer": {
        "current_focus": "string required, empty OK — present: what am I working on?",
        "theory_of_mind": "string required, empty OK — other: what is the user's state?",
        "self_narrative": "string required, empty OK — self: who am I in this moment?",
        "annotation": "string required, empty OK — future: what should I do next?",
    },
    "constraints": {
        "window_size": "1 turn (overwritten each write)",
        "interpretation_empty": "choosing not to write is itself a metacognitive act",
    },
}


def test_schema_is_the_protocols_schema_key_by_key_in_order() -> None:
    assert repr(fields.schema()) == repr(SCHEMA)


def test_schema_is_new_at_every_call() -> None:
    changed = fields.schema()
    changed["version"] = "mine"
    changed["fact_layer"]["user"] = "mine"  # type: ignore[index]
    assert fields.schema() == SCHEMA


def test_fields_are_in_the_contracts_order() -> None:
    assert fields.FACTS == ("user", "thinking", "assistant")
    assert fields.AXES == ("current_focus", "theory_of_mind", "self_narrative", "annotation")
    assert [field.direction for field in fields.FIELDS[3:]] == ["present", "other", "self", "future"]


def test_no_other_module_lists_the_fields() -> None:
    """A second list would drift from the first. (The signature of `write` names all seven, with their types.)."""
    package = Path(fields.__file__).parent
    listing = re.compile(r"[\"']?theory_of_mind[\"']?,\s*[\"']?self_narrative[\"']?,\s*[\"']?annotation")
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if listing.search(re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
    }
    assert found <= {"fields.py"}


@pytest.mark.parametrize("field", fields.FIELDS, ids=lambda field: field.name)
def test_every_field_has_a_label_and_a_question(field: fields.Field) -> None:
    assert field.label
    assert field.question
    assert field.name in repr(field)

"""JSON Schema (2020-12) of the entry and of what writing one takes, made from the fields; tools are defined with it.

What it can't say is said in words: a `turn_id` of ``1.0`` is an integer to JSON Schema and none to the store, and text
that UTF-8 cannot encode is refused wherever it stands.
"""

from __future__ import annotations

from .fields import AXES, FACT, FACTS, FIELDS, NAMES, VERSION, schema
from .validation import LAST_TURN_ID

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def text_schemas(*, lengths: bool = True) -> dict[str, dict[str, Any]]:
    """Return the schema of each of the seven texts, by name, in the contract's order.

    Parameters
    ----------
    lengths : bool, optional
        Whether a fact's schema says that it isn't empty in a keyword too, and not only in its description.
    """
    return {
        field.name: {
            "type": "string",
            "title": field.label,
            "description": field.rule,
            **({"minLength": 1} if lengths and field.layer == FACT else {}),
        }
        for field in FIELDS
    }


def input_schema(*, lengths: bool = True) -> dict[str, Any]:
    """Return the JSON Schema of what writing a turn takes: the seven fields, all of them required.

    It allows no other key, so that a model invents none. The store ignores what it doesn't know.

    Parameters
    ----------
    lengths : bool, optional
        As `text_schemas` takes it.
    """
    return {
        "type": "object",
        "properties": text_schemas(lengths=lengths),
        "required": list(NAMES),
        "additionalProperties": False,
    }


def entry_schema() -> dict[str, Any]:
    """Return the JSON Schema of an entry, as every write of this version stores it.

    Readers take more than that: an entry of an older version may lack an axis, or its `_schema`. Its file is then not
    valid, while what `CogLog.read` makes of it is: the axis is ``""`` there. Keys that nobody here knows are allowed,
    because readers keep them.
    """
    texts = text_schemas()
    return {
        "$schema": DIALECT,
        "title": "CogLog entry",
        "description": (
            f"One turn of a CogLog {VERSION}: what was said and thought, and how the one who said it reads that."
            " An entry of an older version may lack an axis; it reads as an empty string."
        ),
        "type": "object",
        "properties": {
            "_schema": {"$ref": "#/$defs/_schema"},
            "turn_id": {
                "type": "integer",
                "minimum": 1,
                "maximum": LAST_TURN_ID,
                "description": "the previous turn's id plus 1; 1 where nothing was stored",
            },
            "timestamp": {
                "type": "string",
                # No "format": readers take any text here, and some validators hold a format to be a rule.
                "description": "when the turn was written, in UTC",
                "examples": ["2026-02-26T00:00:00+00:00"],
            },
            "layers": {
                "type": "object",
                "description": "the fact layer: verbatim and not empty",
                "properties": {name: {"$ref": f"#/$defs/{name}"} for name in FACTS},
                "required": list(FACTS),
            },
            **{name: {"$ref": f"#/$defs/{name}"} for name in AXES},
        },
        "required": ["_schema", "turn_id", "timestamp", "layers", *AXES],
        "$defs": {
            "_schema": {
                "type": "object",
                "description": (
                    "the entry's own reading instructions, made by the tool on every write; another version's differ"
                ),
                "examples": [schema()],
            },
            **texts,
        },
    }

"""The JSON Schemas (2020-12) of an entry and of what writing one takes, made from the fields. The tools use them.

They can't express two rules of the store: a `turn_id` of ``1.0`` is an integer in JSON Schema but not in the store, and
the store refuses text that UTF-8 can't encode.
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
        Whether a fact's schema has the keyword ``minLength``; its description says in any case that it isn't empty.
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

    It allows no other key, so that a model doesn't invent any. The store ignores unknown keys.

    Parameters
    ----------
    lengths : bool, optional
        As for `text_schemas`.
    """
    return {
        "type": "object",
        "properties": text_schemas(lengths=lengths),
        "required": list(NAMES),
        "additionalProperties": False,
    }


def entry_schema() -> dict[str, Any]:
    """Return the JSON Schema of an entry, as every write of this version stores it.

    `CogLog.read` accepts more: an entry of an older version may have no `_schema`, and not all axes. Its file is then
    invalid, but the entry that `CogLog.read` returns is valid, because it adds them. Unknown keys are allowed, because
    `CogLog.read` keeps them.
    """
    texts = text_schemas()
    return {
        "$schema": DIALECT,
        "title": "CogLog entry",
        "description": (
            f"One turn of a CogLog {VERSION}: what was said and thought, and how its author reads it."
            " An entry of an older version may not have every axis; a missing one reads as an empty string."
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
                # No "format": any text is accepted here, and some validators enforce a format.
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

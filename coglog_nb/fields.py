"""The seven fields of a turn: their names, labels, order and questions, and the `_schema` made of them.

Everything that lists fields (validation, help, completion, card, text) takes them from here.
"""

from __future__ import annotations

VERSION = "0.9.1"
"""The version of the entry's format, as `_schema` gives it."""

NOT_SHOWN = "(not shown)"
"""Replaces the thinking in outputs that don't show it."""

FACT = "fact"
INTERPRETATION = "interpretation"


class Field:
    """One of the seven fields of a turn.

    Attributes
    ----------
    name : str
        The key in the entry.
    label : str
        The name in words.
    layer : str
        ``"fact"`` or ``"interpretation"``.
    direction : str
        Where an axis looks (``"present"``, ``"other"``, ``"self"``, ``"future"``); empty for a fact.
    question : str
        The question that the field's text answers.
    rule : str
        What `_schema` says about the field.
    """

    __slots__ = ("direction", "label", "layer", "name", "question", "rule")

    def __init__(self, name: str, label: str, *, question: str, direction: str = "") -> None:
        self.name = name
        self.label = label
        self.layer = INTERPRETATION if direction else FACT
        self.direction = direction
        self.question = question
        # Both forms of a rule are the contract's: a fact's says what it holds, an axis's its direction and question.
        self.rule = (
            f"string required, empty OK \u2014 {direction}: {question}"
            if direction
            else f"non-empty string required \u2014 {question}"
        )

    def __repr__(self) -> str:
        return f"Field({self.name!r})"


FIELDS = (
    Field("user", "User", question="user's original utterance"),
    Field("thinking", "Thinking", question="AI's full thinking process"),
    Field("assistant", "Assistant", question="AI's original output"),
    Field("current_focus", "Current focus", direction="present", question="what am I working on?"),
    Field("theory_of_mind", "Theory of mind", direction="other", question="what is the user's state?"),
    Field("self_narrative", "Self-narrative", direction="self", question="who am I in this moment?"),
    Field("annotation", "Annotation", direction="future", question="what should I do next?"),
)
FACTS = tuple(field.name for field in FIELDS if field.layer == FACT)
AXES = tuple(field.name for field in FIELDS if field.layer == INTERPRETATION)
NAMES = FACTS + AXES


def schema() -> dict[str, object]:
    """Make the `_schema` of an entry: the data's own reading instructions.

    Returns
    -------
    dict
        A new object at every call, so that changing one entry never reaches another.
    """
    return {
        "version": VERSION,
        "fact_layer": {field.name: field.rule for field in FIELDS if field.layer == FACT},
        "interpretation_layer": {field.name: field.rule for field in FIELDS if field.layer == INTERPRETATION},
        "constraints": {
            "window_size": "1 turn (overwritten each write)",
            "interpretation_empty": "choosing not to write is itself a metacognitive act",
        },
    }

"""What a model is sent: the stored turn as context, the template that asks for the block, and the whole messages.

One step sends a system message (the user's own system prompt, the context and the template) and what the user says.
Nothing here calls a model.
"""

from __future__ import annotations

from .entry import as_entry
from .errors import UsageError, ValidationError
from .fields import AXES, FACT, FACTS, FIELDS, INTERPRETATION, NAMES, NOT_SHOWN
from .jsontext import dump
from .text_form import fenced, in_line
from .view import without_thinking

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from IPython.lib.pretty import RepresentationPrinter

    from .fields import Field

FORMATS = ("markdown", "json")

GROUPS = {"axes": AXES, "facts": FACTS}
"""What `only` accepts besides the names of fields."""

TEMPLATE = (
    "At the end of each response, output a coglog block:\n{%s}" % ",".join(f'"{name}":"..."' for name in AXES)  # noqa: UP031 - braces are text here
)

ASK_THINKING = "Before each response, write your thinking process, in full, between <think> and </think>."
"""Goes before the template, for a model that doesn't return its thinking by itself."""

LEFT_EMPTY = "(empty)"
"""A model's answer for an axis that it leaves empty on purpose."""


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model makes of a text.

    Each provider counts differently, and a tokenizer is a download, so this is a rule of thumb: one token for four
    ASCII characters and one for each other character, rounded up.

    Parameters
    ----------
    text : str
        Any text.
    """
    plain = len(text) if text.isascii() else sum(character.isascii() for character in text)
    return -(-plain // 4) + len(text) - plain


def size_text(text: str) -> str:
    """Return a text's size in characters and tokens, with a note that the tokens are an estimate."""
    return f"{short_size_text(text)} (an estimate)"


def short_size_text(text: str) -> str:
    """Return a text's size in characters and about how many tokens."""
    characters, tokens = len(text), estimate_tokens(text)
    return (
        f"{characters:,} character{'' if characters == 1 else 's'}, about {tokens:,} token{'' if tokens == 1 else 's'}"
    )


class PromptText(str):
    """A text for a model: a `str` that shows itself as it is, with its size.

    Attributes
    ----------
    shown : str
        The text as outputs may show it: without the thinking if that is hidden.
    characters : int
        Its length.
    tokens_estimate : int
        About how many tokens it takes; see `estimate_tokens`.
    """

    __slots__ = ("shown",)

    shown: str

    def __new__(cls, text: str, shown: str | None = None) -> PromptText:  # noqa: D102, PYI034 - Self is Python 3.11's
        made = super().__new__(cls, text)
        made.shown = text if shown is None else shown
        return made

    @property
    def characters(self) -> int:
        """Its length."""
        return len(self)

    @property
    def tokens_estimate(self) -> int:
        """About how many tokens it takes."""
        return estimate_tokens(self)

    def __repr__(self) -> str:
        return repr(self.shown)

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: FBT001 - IPython's signature
        del cycle  # a text holds no other object
        printer.text(f"{self.shown}\n\n[{size_text(self)}]")


def template() -> PromptText:
    """Return the instruction that makes a model end its answer with a coglog block.

    Returns
    -------
    PromptText
        A `str` that shows itself with its size.
    """
    return PromptText(TEMPLATE)


def field_names(only: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the fields that a choice names, in the contract's order.

    Parameters
    ----------
    only : str or iterable of str, optional
        ``"axes"``, ``"facts"``, names of fields, or several of these, as a list or separated by commas; None is all.

    Raises
    ------
    ValidationError
        If a name is unknown, or there is none.
    """
    if only is None:
        return NAMES
    words = only.split(",") if isinstance(only, str) else only
    chosen: set[str] = set()
    for word in words:
        name = word.strip() if isinstance(word, str) else word
        if name in GROUPS:
            chosen.update(GROUPS[name])
        elif name in NAMES:
            chosen.add(name)
        elif name:
            raise ValidationError(f"only: {name!r} is not a field; it takes {', '.join((*GROUPS, *NAMES))}")
    if not chosen:
        raise ValidationError(f"only: names no field; it takes {', '.join((*GROUPS, *NAMES))}")
    return tuple(name for name in NAMES if name in chosen)


def context(
    entry: Mapping[str, Any] | None,
    *,
    fmt: str = "markdown",
    only: str | Iterable[str] | None = None,
    schema: bool = True,
) -> PromptText:
    """Return the stored turn as text for the next prompt.

    Parameters
    ----------
    entry : Entry or mapping, optional
        The turn, as `CogLog.read` returns it. None (nothing is stored) gives an empty text.
    fmt : str, optional
        ``"markdown"`` or ``"json"``.
    only : str or iterable of str, optional
        The fields to include: ``"axes"``, ``"facts"``, names, or several of them; by default all seven. The others
        are not mentioned, not even in the `_schema`: a model may invent a field that it reads about.
    schema : bool, optional
        Whether to include the entry's `_schema`, which says how to read it.

    Returns
    -------
    PromptText
        A `str` that shows itself with its size.

    Raises
    ------
    ValidationError
        If `entry` is invalid, or `only` names an unknown field or none.
    UsageError
        If `fmt` is unknown.
    """
    if fmt not in FORMATS:
        raise UsageError(f"no such format: {fmt!r}; there are {' and '.join(FORMATS)}")
    names = field_names(only)
    if entry is None:
        return PromptText("")
    entry = as_entry(entry)
    write = _json if fmt == "json" else _markdown
    text = write(entry, names, entry.missing, schema=schema)
    if entry.show_thinking or "thinking" not in names:
        return PromptText(text)
    return PromptText(text, write(without_thinking(entry), names, entry.missing, schema=schema))


def _schema_of(entry: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return an entry's own `_schema` without the fields that are left out."""
    kept = {}
    for key, value in entry["_schema"].items():
        if key in ("fact_layer", "interpretation_layer") and isinstance(value, dict):
            rules = {name: rule for name, rule in value.items() if name in names or name not in NAMES}
            if rules:
                kept[key] = rules
        elif key == "constraints" and isinstance(value, dict) and not set(names) & set(AXES):
            kept[key] = {name: rule for name, rule in value.items() if name != "interpretation_empty"}
        else:
            kept[key] = value
    return kept


def _json(entry: Mapping[str, Any], names: tuple[str, ...], missing: tuple[str, ...], *, schema: bool) -> str:
    whole: dict[str, Any] = {"_schema": _schema_of(entry, names)} if schema else {}
    whole.update(turn_id=entry["turn_id"], timestamp=entry["timestamp"])
    facts = {name: entry["layers"][name] for name in FACTS if name in names}
    if facts:
        whole["layers"] = facts
    # An axis that an older entry doesn't have is left out: it wasn't left empty on purpose.
    whole.update({name: entry[name] for name in AXES if name in names and name not in missing})
    return dump(whole)


def _markdown(entry: Mapping[str, Any], names: tuple[str, ...], missing: tuple[str, ...], *, schema: bool) -> str:
    blocks = [f"# Your last turn (CogLog turn {entry['turn_id']}, {in_line(entry['timestamp'])})"]
    if schema:
        blocks += ["How to read it:", fenced(dump(_schema_of(entry, names)), "json")]
    for layer, title in ((FACT, "Fact layer"), (INTERPRETATION, "Interpretation layer")):
        fields = [field for field in FIELDS if field.layer == layer and field.name in names]
        if fields:
            blocks.append(f"## {title}")
        for field in fields:
            if field.name in missing:
                continue
            text = entry["layers"][field.name] if layer == FACT else entry[field.name]
            hidden = field.name == "thinking" and text == NOT_SHOWN
            blocks.append(f"### {field.name}" + (f" ({field.direction})" if field.direction else ""))
            blocks.append(text if hidden else fenced(text) if text else "(empty)")
    return "\n\n".join(blocks)


def axis_question(field: Field) -> str:
    """Return the question that asks a model for one axis, after its answer."""
    return (
        f"A note to yourself, not for the user. {field.name} ({field.direction}): {field.question}"
        f" Answer with the note alone, a sentence or two, or with {LEFT_EMPTY} to leave it unwritten on purpose."
    )


def messages(
    user: str,
    previous: Mapping[str, Any] | None = None,
    *,
    system: str = "",
    template: str = TEMPLATE,
    ask_thinking: bool = False,
    fmt: str = "markdown",
    only: str | Iterable[str] | None = None,
    schema: bool = True,
    shown: bool = False,
) -> list[dict[str, str]]:
    """Return the messages for a model: one system message, and what the user says.

    Parameters
    ----------
    user : str
        What the user says.
    previous : Entry or mapping, optional
        The stored turn; None if nothing is stored.
    system : str, optional
        The system prompt that goes before the turn.
    template : str, optional
        The instruction that goes after it, by default the one that `template` returns; empty for none.
    ask_thinking : bool, optional
        Whether to ask the model to write down its thinking, between tags that `capture` knows.
    fmt, only, schema
        As for `context`.
    shown : bool, optional
        Whether the messages are for an output and not for a model. The turn's thinking is then left out if it is
        hidden (`Entry.show_thinking`).

    Returns
    -------
    list of dict
        ``{"role": ..., "content": ...}`` as every chat library takes them; no system message if it would be empty.

    Raises
    ------
    ValidationError, UsageError
        As for `context`.
    """
    given = context(previous, fmt=fmt, only=only, schema=schema)
    before = given.shown if shown else given
    whole = "\n\n".join(str(part) for part in (system, before, ASK_THINKING if ask_thinking else "", template) if part)
    return [*([{"role": "system", "content": whole}] if whole else []), {"role": "user", "content": user}]


def messages_text(shown: list[dict[str, str]], sent: list[dict[str, str]], *, asked_after: bool = False) -> str:
    """Return messages as text for an output, with the size of what is sent.

    Parameters
    ----------
    shown, sent : list of dict
        The messages as outputs may hold them, and as a model gets them; see `messages`.
    asked_after : bool, optional
        Whether the messages that are shown but not sent are questions that follow the answer, one by one.
    """
    blocks = [f"--- {message['role']} ---\n{message['content']}" for message in shown]
    count = f"{len(sent)} message{'' if len(sent) == 1 else 's'}"
    size = f"{count}: {size_text(''.join(message['content'] for message in sent))}"
    if asked_after:
        size += f"; after the answer {len(shown) - len(sent)} questions, each sent with everything before it"
    return "\n\n".join([*blocks, f"[{size}]"])

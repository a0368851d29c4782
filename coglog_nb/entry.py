"""The entry: one turn as it is stored, and the two-tier validation of what is to become one."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import ValidationError
from .fields import AXES, FACTS, NAMES, schema
from .jsontext import dump, kind, quote

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from IPython.lib.pretty import RepresentationPrinter

    _Dict = dict[str, Any]
else:
    _Dict = dict

LAST_TURN_ID = 2**53 - 1
"""The largest turn id: beyond it JavaScript (the viewer, other tools) no longer tells two integers apart."""

THEMES = ("light", "system", "dark")

NOT_SHOWN = "(not shown)"
"""What stands in the place of a text that is kept out of an output."""


class Entry(_Dict):
    """One turn as it is stored: a `dict` with the contract's keys that shows itself as a card.

    Attributes
    ----------
    session : str or None
        The session it was read from or written to; None for the default window.
    data_dir : str or None
        The data directory it belongs to; None where it was made by hand.
    missing : tuple of str
        The axes that the stored file lacks (older versions); they read as ``""``. In a draft, facts as well.
    show_thinking : bool
        Whether outputs show the thinking. The value itself is there in either case.
    theme : str
        The theme that its card starts with: "light", "system" or "dark".
    silent_in : int or None
        The notebook cell, by its execution count, in which it doesn't show itself: the line ended with a semicolon.
    before : dict of str to str, or None
        Where the turn was compared with the one before it (``diff``): each axis that differs, and what stood there.
        None where it was not, or there was none. It is not part of what is stored.
    title : str or None
        What its card is called where it isn't a stored turn (a draft, say); None for ``Turn N``.
    """

    session: str | None = None
    data_dir: str | None = None
    missing: tuple[str, ...] = ()
    show_thinking: bool = True
    theme: str = "system"
    silent_in: int | None = None
    before: dict[str, str] | None = None
    title: str | None = None

    def name(self) -> str:
        """Return what its card is called."""
        return self.title or f"Turn {self['turn_id']}"

    def __repr__(self) -> str:
        """Show it as a dict does, less the thinking where that is kept out of outputs."""
        if self.show_thinking or self.problem() is not None:
            return super().__repr__()
        return repr(without_thinking(self))

    def _repr_html_(self) -> str | None:
        from .viewer import static_card

        # None tells the notebook to show the text alone: an entry that was changed into something else is still a dict.
        return static_card(self) if self.problem() is None else None

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: FBT001 - IPython's signature
        from .viewer import plain_text

        if cycle:
            printer.text("{...}")
        else:
            printer.text(plain_text(self) if self.problem() is None else repr(self))

    def problem(self) -> str | None:
        """Say what keeps this from being an entry, or return None: it is a dict, and anybody may have changed it."""
        try:
            check(self)
            for key in ("_schema", *AXES):  # a file may lack them, `restore` fills them in
                if key not in self:
                    return f"has no {key}"
            dump({"_schema": self["_schema"]})
        except (TypeError, ValueError) as error:
            return str(error)
        return None


def checked_theme(theme: str) -> str:
    """Return the theme, or raise a `ValidationError` that names the three there are."""
    if theme not in THEMES:
        raise ValidationError(f"theme must be one of {', '.join(THEMES)}, not {theme!r}")
    return theme


def known_part(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Copy what the contract knows of an entry into a plain dict: other tools' keys are kept, but shown nowhere."""
    layers = entry["layers"]
    keys = ("_schema", "turn_id", "timestamp", "layers", *AXES)
    return {key: {name: layers[name] for name in FACTS} if key == "layers" else entry[key] for key in keys}


def without_thinking(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Copy an entry into a plain dict whose thinking says that it isn't shown.

    Keys that the contract doesn't know stay out: they may repeat the thinking under another name.
    """
    known = known_part(entry)
    return {**known, "layers": {**known["layers"], "thinking": NOT_SHOWN}}


def refuse_placeholder(given: Mapping[str, object]) -> None:
    """Refuse an entry that was put out without its thinking: taken back in, the placeholder would become the fact.

    Raises
    ------
    ValidationError
        If the thinking of a whole entry is the placeholder.
    """
    layers = given.get("layers")
    if isinstance(layers, Mapping) and layers.get("thinking") == NOT_SHOWN:
        raise ValidationError(
            f"thinking: this entry was put out with --no-thinking and holds {NOT_SHOWN!r} in its place"
        )


def values_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the seven texts of an entry by field name, in the contract's order."""
    layers = entry["layers"]
    return {name: layers[name] if name in FACTS else entry[name] for name in NAMES}


def axes_before(previous: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, str]:
    """Compare two turns: each axis in which they differ, in the contract's order, and what the earlier one says."""
    # An axis that an older entry lacks says nothing, not even that it was left empty.
    lacking = previous.missing if isinstance(previous, Entry) else ()
    return {name: previous[name] for name in AXES if previous[name] != entry[name] and name not in lacking}


def flatten(given: Mapping[str, object]) -> dict[str, object]:
    """Take the seven fields out of what a caller gives: the fields by name, or a whole entry.

    Parameters
    ----------
    given : mapping
        The fields by name; facts may also stand in ``layers``, as they do in an entry. Unknown keys are ignored.

    Returns
    -------
    dict
        Those of the seven that are there, as they are.
    """
    layers = given.get("layers")
    facts = layers if isinstance(layers, Mapping) else {}
    # Where both give a fact, the layers have it: there it stands in every entry.
    found = {name: given[name] for name in NAMES if name in given}
    found.update({name: facts[name] for name in FACTS if name in facts})
    return found


def surrogate_problem(name: str, text: str) -> str | None:
    """Say where a text holds what UTF-8 cannot encode, or return None."""
    if text.isascii():
        return None
    try:
        # UTF-16 has no form for an unpaired surrogate either, and is four times quicker to make of a long text.
        text.encode("utf-16-le")
    except UnicodeEncodeError as error:
        return (
            f"{name}: an unpaired surrogate (U+{ord(text[error.start]):04X}) at position {error.start},"
            " which UTF-8 cannot encode"
        )
    return None


def validate(given: Mapping[str, object]) -> dict[str, str]:
    """Check the seven fields: facts not empty, axes may be, all of them text that UTF-8 can encode.

    Parameters
    ----------
    given : mapping
        The fields by name.

    Returns
    -------
    dict of str to str
        The seven texts in the contract's order.

    Raises
    ------
    ValidationError
        With every problem there is, in the fields' order.
    """
    problems = []
    checked = {}
    for name in NAMES:
        value = given.get(name)
        if not isinstance(value, str):
            suffix = " (empty string is acceptable)" if name in AXES else ""
            problems.append(f"missing required field: {name}{suffix}")
        elif not value and name in FACTS:
            problems.append(f"missing required field: {name}")
        else:
            problem = surrogate_problem(name, value)
            if problem:
                problems.append(problem)
            # A subclass of str could print as something else than it holds; the stored text is what it holds.
            checked[name] = value if type(value) is str else str.__str__(value)
    if problems:
        raise ValidationError(problems)
    return checked


def make(values: Mapping[str, str], turn_id: int, timestamp: str) -> Entry:
    """Put an entry together from seven checked texts, with a `_schema` of its own."""
    return Entry(
        {
            "_schema": schema(),
            "turn_id": turn_id,
            "timestamp": timestamp,
            "layers": {name: values[name] for name in FACTS},
            **{name: values[name] for name in AXES},
        }
    )


def encode(entry: Entry) -> list[bytes]:
    """Write an entry the way `current.json` holds it, in pieces to be written one after the other.

    The pieces are what `dump` gives, in UTF-8; but `json.dumps` with an indent runs in Python, and copies a long text
    several times over, so an entry as `make` makes it is written field by field.
    """
    if entry.missing or len(entry) > len(AXES) + 4 or len(entry["layers"]) > len(FACTS):
        return [dump({key: value for key, value in entry.items() if key not in entry.missing}).encode("utf-8")]
    head = dump({key: entry[key] for key in ("_schema", "turn_id", "timestamp")})
    pieces = [head[: -len("\n}")].encode("utf-8"), b',\n  "layers": {']
    for name in FACTS:
        pieces += [b"," if name != FACTS[0] else b"", b'\n    "%s": ' % name.encode(), quote(entry["layers"][name])]
    pieces.append(b"\n  }")
    for name in AXES:
        pieces += [b',\n  "%s": ' % name.encode(), quote(entry[name])]
    return [*pieces, b"\n}"]


def _check_turn_id(stored: dict[str, Any]) -> None:
    if "turn_id" not in stored:
        raise ValueError("has no turn_id")
    turn_id = stored["turn_id"]
    if type(turn_id) is not int:  # not isinstance: true is an int to Python, and no turn
        raise ValueError(f"turn_id is {turn_id!r:.20}, not an integer")
    if not 1 <= turn_id <= LAST_TURN_ID:
        raise ValueError(f"turn_id is out of range (1 to {LAST_TURN_ID})")


def check(stored: object) -> None:
    """Check that something has the shape of a stored entry.

    Raises
    ------
    ValueError
        If it hasn't, with the reason.
    """
    if not isinstance(stored, dict):
        raise ValueError(f"holds {kind(stored)}, not an object")
    _check_turn_id(stored)
    if not isinstance(stored.get("timestamp"), str):
        raise ValueError("timestamp is not a string")
    layers = stored.get("layers")
    if not isinstance(layers, dict):
        raise ValueError("layers is not an object" if "layers" in stored else "has no layers")
    for name in FACTS:
        if not isinstance(layers.get(name), str):
            raise ValueError(f"{name} is not a string" if name in layers else f"has no {name}")
    for name in AXES:
        if name in stored and not isinstance(stored[name], str):
            raise ValueError(f"{name} is not a string")


def restore(stored: object) -> Entry:
    """Make an entry of what a file holds.

    Keys that this version doesn't know are kept behind the known ones. An axis that is not there reads as ``""`` and
    is named in `Entry.missing`; a `_schema` that is not there is today's.

    Parameters
    ----------
    stored : object
        The parsed JSON.

    Raises
    ------
    ValueError
        If it holds no entry, with the reason.
    """
    check(stored)
    assert isinstance(stored, dict)  # noqa: S101 - as was just checked
    layers = stored["layers"]
    own = stored.get("_schema")
    entry = Entry(
        {
            "_schema": own if isinstance(own, dict) else schema(),
            "turn_id": stored["turn_id"],
            "timestamp": stored["timestamp"],
            "layers": {**{name: layers[name] for name in FACTS}, **layers},
            **{name: stored.get(name, "") for name in AXES},
        }
    )
    for key, value in stored.items():
        entry.setdefault(key, value)
    entry.missing = tuple(name for name in AXES if name not in stored)
    return entry

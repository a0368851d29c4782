"""The entry: one turn as it is stored."""

from __future__ import annotations

from .errors import ValidationError
from .fields import AXES, FACTS, schema
from .jsontext import dump, quote
from .validation import check_depth, check_stored, entry_problem
from .view import View, without_thinking

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from IPython.lib.pretty import RepresentationPrinter

    _Dict = dict[str, Any]
else:
    _Dict = dict


class Entry(_Dict):
    """One turn as it is stored: a `dict` with the contract's keys that shows itself as a card.

    Attributes
    ----------
    session : str or None
        The session it was read from or written to; None for the default window.
    data_dir : str or None
        The data directory it belongs to; None for an entry that was never stored.
    missing : tuple of str
        The axes that the stored file doesn't have (older versions); they read as ``""``. In a draft, facts as well.
    show_thinking : bool
        Whether outputs show the thinking. The value itself is there in either case.
    theme : str
        The theme that its card starts with: "light", "system" or "dark".
    lang : str
        The language of its text form's labels, "en" or "ja"; the HTML card is in English.
    silenced_in_cell : int or None
        The notebook cell, by its execution count, in which it doesn't show itself: the line ended with a semicolon.
    before : dict of str to str, or None
        If the turn was compared with the one before it (``diff``): each axis that differs, with its earlier text.
        None if it wasn't, or there was none. It is not stored.
    title : str or None
        The heading of its card if it isn't a stored turn (a draft, say); None for ``Turn N``.
    """

    session: str | None = None
    data_dir: str | None = None
    missing: tuple[str, ...] = ()
    show_thinking: bool = True
    theme: str = "system"
    lang: str = "en"
    silenced_in_cell: int | None = None
    before: dict[str, str] | None = None
    title: str | None = None

    def __getitem__(self, key: str) -> Any:
        """Return a value of the entry; a fact is also found by its own name (``prev["user"]``)."""
        # What is stored stays as it is: `in`, iteration and `dict(prev)` don't know these three names.
        layers = super().get("layers") if key in FACTS else None
        return layers[key] if isinstance(layers, dict) and key in layers else super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value as ``entry[key]`` does, or the default."""
        try:
            return self[key]
        except KeyError:
            return default

    def _ipython_key_completions_(self) -> list[str]:
        return [*dict.fromkeys((*self, *FACTS))]

    def view(self) -> View:
        """Return what outputs show of it. It isn't checked here: `as_entry` or `problem` comes first."""
        return View(
            self,
            show_thinking=self.show_thinking,
            missing=self.missing,
            before=self.before,
            title=self.title,
            session=self.session,
            lang=self.lang,
        )

    def problem(self) -> str | None:
        """Say what keeps this from being an entry, or return None: a dict can be changed by anybody."""
        return entry_problem(self)

    def __repr__(self) -> str:
        """Show it as a dict does, but without a hidden thinking."""
        if self.show_thinking or self.problem() is not None:
            return super().__repr__()
        return repr(without_thinking(self))

    # The two forms are imported where they are used: a command that shows no card doesn't pay for them.

    def _repr_html_(self) -> str | None:
        from .html_form import static_card

        # None tells the notebook to show the text alone: an entry that was changed into something else is still a dict.
        return static_card(self.view()) if self.problem() is None else None

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: FBT001 - IPython's signature
        from .text_form import plain_text

        if cycle:
            printer.text("{...}")
        else:
            printer.text(plain_text(self.view()) if self.problem() is None else repr(self))


def make(values: Mapping[str, str], turn_id: int, timestamp: str) -> Entry:
    """Make an entry of seven checked texts, with a `_schema` of its own."""
    return Entry(
        {
            "_schema": schema(),
            "turn_id": turn_id,
            "timestamp": timestamp,
            "layers": {name: values[name] for name in FACTS},
            **{name: values[name] for name in AXES},
        }
    )


def restore(stored: object) -> Entry:
    """Make an entry of what a file holds.

    Keys that this version doesn't know are kept, after the known ones. An axis that is not there reads as ``""`` and
    is named in `Entry.missing`; a `_schema` that is not there is today's.

    Parameters
    ----------
    stored : object
        The parsed JSON.

    Raises
    ------
    ValueError
        If it isn't an entry, with the reason.
    """
    if isinstance(stored, dict):
        check_depth(stored)
    check_stored(stored)
    assert isinstance(stored, dict)  # noqa: S101 - it was just checked
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


def as_entry(value: Mapping[str, Any]) -> Entry:
    """Check an entry that a caller gives, and return it as an `Entry`.

    Parameters
    ----------
    value : Entry or mapping
        An entry, or a mapping of the same shape (one that went through JSON, say).

    Raises
    ------
    ValidationError
        If it doesn't have what a card shows.
    """
    if isinstance(value, Entry):
        problem = value.problem()
        if problem is not None:
            raise ValidationError(f"not an entry: {problem}")
        return value
    try:
        return restore(value)
    except ValueError as error:
        raise ValidationError(f"not an entry: {error}") from error


def axes_before(previous: Entry, entry: Entry) -> dict[str, str]:
    """Return each axis that differs between two turns, in the contract's order, with its text in the earlier one."""
    # An axis that an older entry doesn't have says nothing, not even that it was left empty.
    return {name: previous[name] for name in AXES if previous[name] != entry[name] and name not in previous.missing}


def encode(entry: Entry) -> list[bytes]:
    """Write an entry the way `current.json` holds it, in pieces to be written one after the other.

    Joined, the pieces are what `dump` returns, in UTF-8. But `json.dumps` with an indent runs in Python and copies a
    long text several times, so an entry made by `make` is written field by field.
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

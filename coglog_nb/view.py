"""What outputs show of a turn: the contract's keys, without the thinking where it is hidden."""

from __future__ import annotations

from .fields import AXES, FACTS, NAMES, NOT_SHOWN, VERSION
from .labels import WORDS, field_table

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def known_part(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the contract's keys of an entry into a plain dict. Other tools' keys are stored, but never shown."""
    layers = entry["layers"]
    keys = ("_schema", "turn_id", "timestamp", "layers", *AXES)
    return {key: {name: layers[name] for name in FACTS} if key == "layers" else entry[key] for key in keys}


def without_thinking(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the contract's keys of an entry into a plain dict, with a placeholder for the thinking.

    Unknown keys are left out: they may repeat the thinking under another name.
    """
    known = known_part(entry)
    return {**known, "layers": {**known["layers"], "thinking": NOT_SHOWN}}


def values_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the seven texts of an entry by field name, in the contract's order."""
    layers = entry["layers"]
    return {name: layers[name] if name in FACTS else entry[name] for name in NAMES}


class View:
    """A turn as outputs show it. `Entry.view` makes it; nothing that takes one checks it again.

    Attributes
    ----------
    data : dict
        The contract's keys of the entry; a hidden thinking is replaced by a placeholder.
    hidden : list of str
        The fields that outputs don't show.
    missing : list of str
        The fields that the entry doesn't have.
    before : dict of str to str, or None
        What the changed axes said one turn earlier, where the turn is compared with it.
    title : str or None
        As `Entry.title`.
    session : str or None
        The session's name; None for the default window.
    lang : str
        The language of the text form's labels, "en" or "ja"; the HTML card is in English.
    """

    __slots__ = ("before", "data", "hidden", "lang", "missing", "session", "title")

    def __init__(
        self,
        entry: Mapping[str, Any],
        *,
        show_thinking: bool = True,
        missing: tuple[str, ...] = (),
        before: dict[str, str] | None = None,
        title: str | None = None,
        session: str | None = None,
        lang: str = "en",
    ) -> None:
        self.data = known_part(entry) if show_thinking else without_thinking(entry)
        self.hidden = [] if show_thinking else ["thinking"]
        self.missing = list(missing)
        self.before = before
        self.title = title
        self.session = session
        self.lang = lang

    @property
    def name(self) -> str:
        """The heading of the card."""
        return self.title or WORDS[self.lang]["card.turn"].format(turn_id=self.data["turn_id"])

    @property
    def version(self) -> str:
        """The version that the entry's own `_schema` gives."""
        own = self.data["_schema"]
        version = own.get("version") if isinstance(own, dict) else None
        return version if isinstance(version, str) else VERSION

    @property
    def values(self) -> dict[str, str]:
        """The seven texts by field name."""
        return values_of(self.data)

    def state(self, name: str) -> str:
        """Return "hidden", "missing", "empty" or "text" for a field."""
        if name in self.hidden:
            return "hidden"
        if name in self.missing:
            return "missing"
        return "text" if self.values[name] else "empty"

    def for_viewer(self) -> dict[str, Any]:
        """Return what the viewer takes where nothing else gives it the fields (an artifact, a page)."""
        turn = {"entry": self.data, "fields": field_table(), "missing": self.missing, "hidden": self.hidden}
        return {**turn, "title": self.title} if self.title else turn

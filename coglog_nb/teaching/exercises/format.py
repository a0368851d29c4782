"""The format of an exercise: what its file must contain, and a message for every problem in a file.

`schema.json` says the same as a JSON Schema, for editors. This module doesn't read it: its own check needs no library,
and its messages are sentences that say what is wrong and where.
"""

from __future__ import annotations

import json
import os
import re

from ...errors import InputError, StoreError
from ...fields import AXES, FACTS
from ...jsontext import decode, kind, load_object
from ...suggestions import closest

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

FORMAT = "coglog-exercise/1"
NONE = "none"
CHOICES = (*AXES, NONE)
"""Where a learner can place a statement: on an axis, or on none of them."""

MOST_STATEMENTS = 60
MOST_LINES = 60
LONGEST_TITLE = 200
LONGEST_QUOTE = 60
WORKED_ANSWERS = 2
LARGEST_FILE = 1_000_000

_COMMON = {"$schema", "format", "kind", "title", "use", "language"}
_KEYS = {"place": _COMMON | {"dialogue", "statements"}, "blank": _COMMON | {"facts", "answers"}}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Exercise:
    """An exercise whose file was checked.

    Attributes
    ----------
    name : str
        Its built-in name, or its path as the caller gave it.
    data : dict
        The contents of its file.
    """

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self.name = name
        self.data = data

    def __repr__(self) -> str:
        return f"Exercise({self.name!r})"

    @property
    def kind(self) -> str:
        """``"place"`` (place statements on the axes) or ``"blank"`` (write the axes of a turn)."""
        return str(self.data["kind"])

    @property
    def title(self) -> str:
        """The heading, in the exercise's language."""
        return str(self.data["title"])

    @property
    def use(self) -> str:
        """The subject of the dialogue: coding, tutoring, ..."""
        return str(self.data["use"])

    @property
    def statements(self) -> list[dict[str, Any]]:
        """The statements to place; empty for a ``"blank"`` exercise."""
        return list(self.data.get("statements", ()))


def fit_of(statement: dict[str, Any], choice: str) -> str:
    """Return how a choice fits a statement: ``"best"``, ``"second"`` or ``"other"``."""
    if choice == statement["best"]:
        return "best"
    return "second" if choice in statement.get("second", ()) else "other"


def read_file(path: str, name: str) -> Exercise:
    """Read an exercise from a file.

    Parameters
    ----------
    path : str
        The file.
    name : str
        The exercise's name: a built-in one, or the path as the caller gave it.

    Raises
    ------
    StoreError
        If the file can't be read.
    InputError
        If the file isn't JSON or isn't an exercise; with every problem.
    """
    try:
        size = os.stat(path).st_size
        if size > LARGEST_FILE:
            raise InputError(f"{path} is too large for an exercise: it has {size:,} bytes, more than {LARGEST_FILE:,}")
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise StoreError.from_os("read", path, error) from error
    try:
        value = load_object(decode(data))
    except InputError as error:
        raise InputError(f"{path}: {problem}" for problem in error.problems) from error
    found = problems(value)
    if found:
        raise InputError(f"{path}: {problem}" for problem in found)
    return Exercise(name, value)


def problems(value: object) -> list[str]:
    """Return every problem of a value that should be an exercise, each a sentence that says where it is."""
    check = _Check()
    check.exercise(value)
    return check.found


class _Check:
    """Collects the problems of one exercise."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def say(self, place: str, problem: str) -> None:
        self.found.append(f"{place}: {problem}" if place else problem)

    def exercise(self, value: object) -> None:
        if not isinstance(value, dict):
            self.say("", f"an exercise is a JSON object, not {kind(value)}")
            return
        if value.get("format") != FORMAT:
            self.say("", f'"format" must be "{FORMAT}"{_is(value, "format")}')
        which = value.get("kind")
        if not isinstance(which, str) or which not in _KEYS:
            self.say("", f'"kind" must be {_either(_KEYS)}{_is(value, "kind")}')
        known = _KEYS.get(str(which), _KEYS["place"] | _KEYS["blank"])
        self.unknown("", value, known)
        for key in ("title", "use"):
            if self.text("", value, key) and len(value[key]) > LONGEST_TITLE:
                self.say("", f'"{key}" has {len(value[key])} characters, more than {LONGEST_TITLE}')
        language = value.get("language", "en")
        if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
            self.say("", '"language" must be a language tag such as "en" or "pt-BR"' + _is(value, "language"))
        if which == "place":
            self.each(value, "dialogue", MOST_LINES, "line", self.line)
            self.each(value, "statements", MOST_STATEMENTS, "statement", self.statement)
        elif which == "blank":
            self.blank(value)

    def blank(self, value: dict[str, Any]) -> None:
        facts = self.part("", value, "facts", FACTS)
        for name in FACTS if facts is not None else ():
            self.text("facts", facts, name)
        answers = value.get("answers")
        if isinstance(answers, list) and len(answers) != WORKED_ANSWERS:
            self.say("", f'"answers" must contain two worked answers to compare with, not {len(answers)}')
        elif answers != []:
            self.each(value, "answers", WORKED_ANSWERS, "answer", self.answer)

    def each(self, value: dict[str, Any], key: str, most: int, word: str, check: Any) -> bool:
        """Check each object in an array; returns whether the array exists."""
        items = value.get(key)
        if not isinstance(items, list):
            self.say("", f'"{key}" must be an array' + (f", not {kind(items)}" if key in value else ", and is missing"))
            return False
        if not items:
            self.say("", f'"{key}" must not be empty')
        elif len(items) > most:
            self.say("", f'"{key}" has {len(items)} entries, more than {most}')
        for number, item in enumerate(items[:most], start=1):
            place = f"{word} {number}"
            if isinstance(item, dict):
                check(place, item)
            else:
                self.say(place, f"must be an object, not {kind(item)}")
        return True

    def line(self, place: str, item: dict[str, Any]) -> None:
        self.unknown(place, item, {"speaker", "text"})
        if item.get("speaker") not in FACTS:
            self.say(place, f'"speaker" must be {_either(FACTS)}{_is(item, "speaker")}')
        self.text(place, item, "text")

    def statement(self, place: str, item: dict[str, Any]) -> None:
        self.unknown(place, item, {"text", "best", "second", "reasons"})
        self.text(place, item, "text")
        best = item.get("best")
        if best not in CHOICES:
            self.say(place, f'"best" must be {_either(CHOICES)}{_is(item, "best", CHOICES)}')
        second = item.get("second", [])
        if isinstance(second, list):
            for choice in second:
                if choice not in CHOICES:
                    self.say(
                        place, f'"second" may contain {_either(CHOICES)}{_is({"second": choice}, "second", CHOICES)}'
                    )
                elif choice == best:
                    self.say(place, f'"second" contains {_quoted(choice)}, which is already the best')
            if len({json.dumps(choice) for choice in second}) < len(second):
                self.say(place, '"second" contains a choice twice')
        else:
            self.say(place, f'"second" must be an array, not {kind(second)}')
        reasons = self.part(place, item, "reasons", CHOICES)
        for choice in CHOICES if reasons is not None else ():
            self.text(f"{place}, reasons", reasons, choice)

    def answer(self, place: str, item: dict[str, Any]) -> None:
        self.unknown(place, item, {"title", "axes"})
        self.text(place, item, "title")
        axes = self.part(place, item, "axes", AXES)
        for axis in AXES if axes is not None else ():
            one = self.part(f"{place}, axes", axes, axis, ("text", "why"))
            if one is not None:
                self.text(f"{place}, {axis}", one, "text", may_be_empty=True)
                self.text(f"{place}, {axis}", one, "why")

    def part(self, place: str, value: Any, key: str, known: Iterable[str]) -> dict[str, Any] | None:
        """Return the object under a key, or None if there is no object."""
        if key not in value:
            self.say(place, f'"{key}" is missing')
            return None
        inner = value[key]
        if not isinstance(inner, dict):
            self.say(place, f'"{key}" must be an object, not {kind(inner)}')
            return None
        self.unknown(f"{place}, {key}" if place else key, inner, set(known))
        return inner

    def text(self, place: str, value: Any, key: str, *, may_be_empty: bool = False) -> bool:
        """Check a text; returns whether it is valid."""
        if key not in value:
            self.say(place, f'"{key}" is missing')
            return False
        text = value[key]
        if not isinstance(text, str):
            self.say(place, f'"{key}" must be a string, not {kind(text)}')
            return False
        if not may_be_empty and not text.strip():
            self.say(place, f'"{key}" must say something')
            return False
        if _SURROGATE.search(text):
            self.say(place, f'"{key}" contains an unpaired surrogate, which can be neither stored nor shown')
            return False
        return True

    def unknown(self, place: str, value: dict[str, Any], known: set[str]) -> None:
        for key in value:
            if key not in known:
                self.say(place, f"unknown key {_quoted(key)}{_meant(key, known)}")


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    text = _SURROGATE.sub("\ufffd", text)
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "\u2026"


def _either(words: Iterable[str]) -> str:
    *most, last = map(_quoted, words)
    return f"{', '.join(most)} or {last}"


def _is(value: dict[str, Any], key: str, known: Iterable[str] = ()) -> str:
    """Return what the key has instead, or that it is missing."""
    if key not in value:
        return ", and is missing"
    there = value[key]
    return f", not {_quoted(there)}{_meant(there, known)}"


def _meant(word: object, known: Iterable[str]) -> str:
    near = closest(word, known) if isinstance(word, str) else None
    return f"; did you mean {_quoted(near)}?" if near else ""

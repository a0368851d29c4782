"""A turn to look at: the `.jsx` artifact, the static card, the `.html` page, and text for a terminal or for pasting.

The artifact, the static card and the page are made from `js/src/CogLogViewer.jsx`, which the build leaves in `static/`;
only plain text and Markdown are written here.
"""

from __future__ import annotations

import html
import json
import os
import re

from . import paths
from .entry import NOT_SHOWN, Entry, checked_theme, known_part, restore, values_of, without_thinking
from .errors import StoreError, ValidationError
from .fields import AXES, FACT, FIELDS, VERSION
from .files import PRIVATE_FILE, make_directories, replace_file

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

FIELD_LIMIT = 20_000
"""How many bytes (UTF-8) of one field an output may hold beside the live card, which holds all of it."""

LINE_LIMIT = 200
"""How many characters of a time or a version are shown."""

_cache: dict[str, Any] = {}


def static_text(name: str) -> str:
    """Read a file that the build made.

    Raises
    ------
    StoreError
        If it isn't there: a checkout in which the viewer was never built.
    """
    if name not in _cache:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static", name)
        try:
            with open(path, encoding="utf-8", newline="") as file:
                _cache[name] = file.read()
        except FileNotFoundError as error:
            raise StoreError(f"{path} is missing: build the viewer first (in a checkout: make build)", path) from error
    text: str = _cache[name]
    return text


def field_table() -> list[dict[str, str]]:
    """Return what the viewer is told of the seven fields."""
    keys = ("name", "label", "layer", "direction", "question")
    return [{key: getattr(field, key) for key in keys} for field in FIELDS]


def as_entry(value: Mapping[str, Any]) -> Entry:
    """Take an entry, or a mapping of the same shape (one that went through JSON, say), as an `Entry`.

    Raises
    ------
    ValidationError
        If it lacks what a card shows.
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


def shown(entry: Entry) -> tuple[dict[str, Any], list[str]]:
    """Return an entry as outputs may hold it, and the names of the fields that are kept out."""
    if entry.show_thinking:
        return known_part(entry), []
    return without_thinking(entry), ["thinking"]


def turn_data(entry: Entry) -> dict[str, Any]:
    """Return what a viewer that stands alone is given: the entry, the fields, and what is not to be seen of it."""
    data, hidden = shown(entry)
    turn = {"entry": data, "fields": field_table(), "missing": list(entry.missing), "hidden": hidden}
    return {**turn, "title": entry.title} if entry.title else turn


# ---- the artifact


def artifact_name(turn_id: int, session: str | None) -> str:
    """Return the file name of a turn's viewer artifact."""
    return f"coglog-{session}-turn-{turn_id}.jsx" if session else f"coglog-turn-{turn_id}.jsx"


def _js_string(value: object) -> str:
    """Write a value as a JavaScript expression that can hold nothing but data."""
    # JSON text inside a string: an object literal would lose a "__proto__" key. ASCII alone and `<` escaped: no
    # U+2028, no `</script>`, no encoding to guess at.
    text = json.dumps(json.dumps(value, ensure_ascii=False))
    return f"JSON.parse({text.replace('<', chr(92) + 'u003c')})"


def artifact_source(entry: Entry, *, theme: str = "system") -> str:
    """Return the viewer's source with a turn in the place of its sample.

    Parameters
    ----------
    entry : Entry
        The turn.
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark".
    """
    lines = {
        "const SAMPLE =": f"const SAMPLE = {_js_string(turn_data(entry))}; // the turn shown",
        "const SESSION =": f"const SESSION = {_js_string(entry.session)}; // the session",
        "const THEME =": f"const THEME = {_js_string(checked_theme(theme))}; // the starting theme",
    }
    source = []
    for line in static_text("CogLogViewer.jsx").split("\n"):
        start = next((start for start in lines if line.startswith(start)), None)
        source.append(line if start is None else lines.pop(start))
    assert not lines, "the viewer has lost a line that the turn goes into"  # noqa: S101 - the build's mistake
    return "\n".join(source)


def render(
    entry: Mapping[str, Any],
    viewer_dir: str | os.PathLike[str] | None = None,
    *,
    theme: str = "system",
) -> Path:
    """Write a turn's viewer artifact: one React component in a `.jsx` file.

    Parameters
    ----------
    entry : Entry or mapping
        The turn, as `CogLog.read` and `CogLog.write` return it.
    viewer_dir : str or os.PathLike, optional
        Where the file goes; by default ``COGLOG_VIEWER_DIR``, else ``/mnt/user-data/outputs`` where that exists, else
        ``outputs`` in the entry's data directory.
    theme : str, optional
        The theme that it starts with: "light", "system" (the default) or "dark".

    Returns
    -------
    pathlib.Path
        The file, ``coglog-turn-N.jsx`` or ``coglog-SESSION-turn-N.jsx``.

    Raises
    ------
    StoreError
        If the file can't be written.
    ValidationError
        If it is no entry, or the theme is none.
    """
    from pathlib import Path

    entry = as_entry(entry)
    source = artifact_source(entry, theme=theme)
    data_dir = entry.data_dir or paths.data_directory()[0]
    directory, _ = paths.viewer_directory(viewer_dir, data_dir)
    # In the data directory it is as private as the turn; anywhere else the directory's owner decides.
    private = os.path.commonpath((directory, data_dir)) == data_dir if _comparable(directory, data_dir) else False
    make_directories(directory, private=private)
    path = os.path.join(directory, artifact_name(entry["turn_id"], entry.session))
    if os.path.islink(path):
        path = os.path.realpath(path)
    replace_file(path, [source.encode("utf-8")], mode=PRIVATE_FILE if private else None, durable=False)
    return Path(path)


def _comparable(one: str, other: str) -> bool:
    return os.path.splitdrive(one)[0] == os.path.splitdrive(other)[0]


def remove_artifacts(directory: str, session: str | None) -> int:
    """Remove the viewer artifacts of one window.

    Parameters
    ----------
    directory : str
        Where they are.
    session : str or None
        The window they belong to; no other's are touched.

    Returns
    -------
    int
        How many there were.

    Raises
    ------
    StoreError
        If one can't be removed.
    """
    prefix = f"coglog-{session}-turn-" if session else "coglog-turn-"
    pattern = re.compile(re.escape(prefix) + r"[0-9]+\.jsx")
    try:
        names = [name for name in os.listdir(directory) if pattern.fullmatch(name)]
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise StoreError.from_os("list", directory, error) from error
    for name in names:
        path = os.path.join(directory, name)
        try:
            os.unlink(path)
        except OSError as error:
            raise StoreError.from_os("remove", path, error) from error
    return len(names)


# ---- the static card


_BLANK_LINE = re.compile(r"^([ \t]*)\n", re.MULTILINE)


def _fill(template: str, holes: Mapping[str, str]) -> str:
    """Fill the holes of a fragment in one pass: what goes in is never searched for holes."""
    pieces = re.split(r"%\{([a-z_:]+)\}", template)
    pieces[1::2] = [holes[name] for name in pieces[1::2]]
    return "".join(pieces)


def preformatted(text: str) -> str:
    """Escape a text for the inside of a ``<pre>``."""
    # The parser drops one newline at the start, makes a newline of a bare \r, and drops NUL.
    escaped = html.escape(text, quote=False).replace("\r", "&#13;").replace("\0", "\u2400")
    whole = "\n" + escaped if escaped.startswith("\n") else escaped
    # Where HTML stands in Markdown (a notebook converted to it), a blank line would end the card, and what comes after
    # would be read as Markdown.
    return _BLANK_LINE.sub(r"\1&#10;", whole)


def cut(text: str) -> tuple[str, int]:
    """Cut a text to what an output may hold.

    Returns
    -------
    tuple of (str, int)
        The text or its beginning, and how many characters are left out.
    """
    if len(text) * 4 <= FIELD_LIMIT:  # most texts: no character takes more than four bytes
        return text, 0
    kept = text.encode("utf-8", "surrogatepass")[:FIELD_LIMIT].decode("utf-8", "ignore")
    return (kept, len(text) - len(kept)) if len(kept) < len(text) else (text, 0)


def _noted(text: str) -> str:
    """Cut a text and say in it how much is left out."""
    kept, left_out = cut(text)
    return f"{kept}\n[{left_out:,} of {len(text):,} characters left out]" if left_out else text


def _short(text: str) -> str:
    """Cut what is a line by nature, and only by somebody's mistake is more."""
    return text if len(text) <= LINE_LIMIT else text[:LINE_LIMIT] + "\u2026"


def static_card(entry: Mapping[str, Any]) -> str:
    """Return a turn as HTML that needs no script: what a notebook shows where no widget runs.

    Parameters
    ----------
    entry : Entry or mapping
        The turn. Not more than 20 KB of one field are in the card, which then says how much is left out.
    """
    entry = as_entry(entry)
    card = _card()
    _, hidden = shown(entry)
    holes = {
        "version": html.escape(_version(entry)),
        "title": html.escape(_short(entry.name())),
        "timestamp": html.escape(_short(entry["timestamp"])),
        "session": _fill(card["session"], {"session": html.escape(entry.session)}) if entry.session else "",
        "schema": preformatted(_noted(json.dumps(entry["_schema"], ensure_ascii=False, indent=2))),
    }
    before = entry.before or {}
    for name, text in values_of(entry).items():
        state = "text"
        inner = {"before": _static_before(card, before[name]) if name in before else ""}
        if name in hidden:
            state = "hidden"
        elif name in entry.missing:
            state = "missing"
        elif not text and name in AXES:
            state = "empty"
        else:
            inner["text"], inner["cut"] = _static_text(card, text)
        holes[f"part:{name}"] = _fill(card["parts"][name][state], inner)
    return _fill(card["shell"], holes)


def _static_text(card: dict[str, Any], text: str) -> tuple[str, str]:
    """Return a text for a ``<pre>``, and the notice for behind it where it is cut."""
    kept, left_out = cut(text)
    notice = _fill(card["cut"], {"left_out": f"{left_out:,}", "total": f"{len(text):,}"}) if left_out else ""
    return preformatted(kept), notice


def _static_before(card: dict[str, Any], text: str) -> str:
    inner, notice = _static_text(card, text or EMPTY)
    return _fill(card["before"], {"text": inner}) + notice


def _card() -> dict[str, Any]:
    if "card" not in _cache:
        _cache["card"] = json.loads(static_text("card.json"))
    card: dict[str, Any] = _cache["card"]
    return card


def _version(entry: Mapping[str, Any]) -> str:
    """Return the version that an entry's own `_schema` gives."""
    own = entry.get("_schema")
    version = own.get("version") if isinstance(own, dict) else None
    return _short(version) if isinstance(version, str) else VERSION


# ---- the page

# What could end a script element or begin a comment in it, and what JavaScript once took for the end of a line.
_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def page_source(entry: Entry, *, theme: str = "system") -> str:
    """Return a turn as one HTML file with the interactive card, which needs nothing beside it.

    Parameters
    ----------
    entry : Entry
        The turn; all of it is in the page.
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark".
    """
    data = {"turn": turn_data(entry), "session": entry.session, "theme": checked_theme(theme)}
    title = f"CogLog \u00b7 {entry.name()}" + (f" \u00b7 session {entry.session}" if entry.session else "")
    holes = {
        "title": html.escape(title),
        "data": json.dumps(data, ensure_ascii=False).translate(_IN_SCRIPT),
        "static": static_card(entry),
    }
    # Only these three: the page holds the viewer's code, in which anything may look like a hole.
    pieces = re.split(r"%\{(title|data|static)\}", static_text("export-page.html"))
    assert sorted(pieces[1::2]) == sorted(holes), "the page has lost a hole"  # noqa: S101 - the build's mistake
    pieces[1::2] = [holes[name] for name in pieces[1::2]]
    return "".join(pieces)


# ---- text

EMPTY = "(empty)"
MISSING = "(missing) not in this entry"

# A terminal acts on control characters: they show as their pictures, but for the two that lay text out.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_PICTURES |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # printing a surrogate hangs a kernel


def printable(text: str) -> str:
    """Return a text that a terminal only prints: control characters but line breaks and tabs show as their pictures."""
    return text.translate(_PICTURES)


def plain_text(entry: Mapping[str, Any]) -> str:
    """Return a turn as text that reads well alone: in a terminal, in a diff, read aloud.

    Parameters
    ----------
    entry : Entry or mapping
        The turn. Not more than 20 KB of one field are in the text, which then says how much is left out.
    """
    entry = as_entry(entry)
    _, hidden = shown(entry)
    values = values_of(entry)

    def part(name: str) -> str:
        if name in hidden:
            return NOT_SHOWN
        return MISSING if name in entry.missing else _brief(values[name])

    return _layout(entry, part)


def _brief(text: str) -> str:
    return _noted(text) or EMPTY


def _labelled(label: str, text: str, indent: str) -> list[str]:
    """Put a text behind its label, or under it where it has more lines than one."""
    if "\n" not in text:
        return [f"{indent}{label}: {text}"]
    return [f"{indent}{label}:", *(f"{indent}  {line}".rstrip(" ") for line in text.split("\n"))]


def difference_text(entry: Entry) -> str:
    """Return as text what changed since the turn that an entry was compared with (`Entry.before`)."""
    lines = []
    for field in FIELDS:
        if entry.before is not None and field.name in entry.before:
            lines.append(f"{field.name} ({field.direction}) changed")
            lines += _labelled("a turn ago", _brief(entry.before[field.name]), "  ")
            lines += _labelled("now", _brief(entry[field.name]), "  ")
    return printable("\n".join(lines))


def _layout(entry: Entry, part: Callable[[str], str]) -> str:
    head = [f"CogLog {_version(entry)}"]
    if entry.session:
        head.append(f"session {entry.session}")
    head += [_short(entry.name()), _short(entry["timestamp"])]
    lines = [" \u00b7 ".join(head)]
    layer = ""
    for field in FIELDS:
        if field.layer != layer:
            layer = field.layer
            lines += ["", "Fact layer" if layer == FACT else "Interpretation layer"]
        lines.append(f"  {field.name}" + (f" ({field.direction})" if field.direction else ""))
        lines += [f"    {line}".rstrip(" ") for line in part(field.name).split("\n")]
        if entry.before is not None and field.name in entry.before:
            lines += _labelled("a turn ago", _brief(entry.before[field.name]), "    ")
    return printable("\n".join(lines))


# ---- Markdown


def markdown(entry: Entry) -> str:
    """Return a turn as Markdown for pasting, with all of its text."""
    _, hidden = shown(entry)
    values = values_of(entry)
    head = [f"# CogLog \u00b7 {in_line(entry.title) if entry.title else entry.name()}", in_line(entry["timestamp"])]
    if entry.session:
        head.append(f"session {in_line(entry.session)}")
    blocks = [" \u00b7 ".join(head)]
    layer = ""
    for field in FIELDS:
        if field.layer != layer:
            layer = field.layer
            blocks.append("## Fact layer" if layer == FACT else "## Interpretation layer")
        blocks.append(f"### {field.name}" + (f" ({field.direction})" if field.direction else ""))
        if field.name in hidden:
            blocks.append(NOT_SHOWN)
        elif field.name in entry.missing:
            blocks.append(MISSING)
        else:
            blocks.append(fenced(values[field.name]) if values[field.name] else EMPTY)
    return "\n\n".join(blocks) + "\n"


def _longest_run(text: str) -> int:
    """Return how many backticks stand in a row at most."""
    return max(map(len, re.findall("`+", text)), default=0)


def fenced(text: str, language: str = "text") -> str:
    """Write a text as a block that nothing in it can end."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def in_line(text: str) -> str:
    """Write a text into a line: as it is if it holds nothing that Markdown could read, else as code."""
    if re.fullmatch(r"[0-9A-Z:+. -]+", text):
        return text
    line = re.sub(r"\s", " ", text).translate(_PICTURES)
    ticks = "`" * (_longest_run(line) + 1)
    return f"{ticks} {line} {ticks}" if line[:1] == "`" or line[-1:] == "`" else f"{ticks}{line}{ticks}"

"""The guide to the seven fields: as text for a terminal, as HTML for a notebook, and as one page to print (`sheet`).

Its words are in `coglog_nb.teaching.locales.guide`.
"""

from __future__ import annotations

import html
import re
import unicodedata

from ..errors import UsageError
from ..fields import AXES, FACTS, NAMES
from .locales import field_table, words

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterator

    from IPython.lib.pretty import RepresentationPrinter

ACCENTS = {
    "user": "#c17d11",
    "thinking": "#87882b",
    "assistant": "#bd5d36",
    "current_focus": "#c17d11",
    "theory_of_mind": "#13918a",
    "self_narrative": "#9b6bc9",
    "annotation": "#4f963f",
}
"""The colours of the card (`js/src/CogLogViewer.jsx`): 3:1 on a white page and on a near-black one."""

WIDTH = 88
"""How many columns a line of the text takes at most."""

# What no line may begin with, and what none may end with, in Japanese.
_CLOSING = "、。，．・：；？！」』）〉》】ーぁぃぅぇぉっゃゅょァィゥェォッャュョ"  # noqa: RUF001 - Japanese marks
_OPENING = "「『（〈《【"  # noqa: RUF001 - Japanese marks
_UNIT = re.compile(rf"[{_OPENING}]*(?:[^\s\u3000-\u9fff\uff00-\uffef]+|[\u3000-\u9fff\uff00-\uffef])[{_CLOSING}]*|\s+")


class MarkedText(str):
    """A text that a notebook shows as HTML.

    Attributes
    ----------
    markup : str
        The HTML.
    """

    __slots__ = ("markup",)

    markup: str

    def __new__(cls, text: str, markup: str) -> MarkedText:  # noqa: D102, PYI034 - Self is Python 3.11's
        made = super().__new__(cls, text)
        made.markup = markup
        return made

    def _repr_html_(self) -> str:
        return self.markup

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: FBT001 - IPython's signature
        del cycle  # a text holds no other object
        printer.text(str(self))


class Section:
    """A part of a guide.

    Attributes
    ----------
    title : str
        Its heading; may be empty.
    texts : tuple of str
        What it says.
    field : str
        The field that it is about; empty where it is about several.
    is_chapter : bool
        Whether its heading stands over the headings after it.
    asks : str
        The field's direction and question.
    examples : list of tuple of str
        For each example its kind, the example, and why it is of that kind.
    """

    def __init__(self, title: str, *texts: str, field: str = "", is_chapter: bool = False) -> None:
        self.title = title
        self.texts = texts
        self.field = field
        self.is_chapter = is_chapter
        self.asks = ""
        self.examples: list[tuple[str, str, str]] = []


def guide(field: str | None = None, lang: str = "en") -> MarkedText:
    """Return the guide to the fields of a turn, or to one of them.

    Parameters
    ----------
    field : str, optional
        A field's name; by default all seven, and the rules.
    lang : str, optional
        ``"en"`` or ``"ja"``.

    Returns
    -------
    MarkedText
        A `str` that shows itself as HTML in a notebook.

    Raises
    ------
    UsageError
        If there is no such field or language.
    """
    own = words("guide", lang)
    if field is None:
        title, sections = own["title"], list(_whole(lang))
    else:
        name = checked_field(field)
        title, sections = own["title.field"].format(name=name), list(_one(name, lang))
    return MarkedText(_text(title, sections, own), _markup(title, sections, own, lang))


def checked_field(word: str) -> str:
    """Return the name of a field, however its words are joined.

    Raises
    ------
    UsageError
        If there is none of that name, with what may have been meant.
    """
    name = word.strip().lower().replace("-", "_").replace(" ", "_")
    if name in NAMES:
        return name
    from difflib import get_close_matches

    close = [known for known in NAMES if name and known.startswith(name)] or get_close_matches(name, NAMES, n=1)
    meant = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(NAMES)}"
    raise UsageError(f"no such field: {word}{meant}")


def field_section(name: str, lang: str) -> Section:
    """Return what a guide says of one field: its words, its question, and its two examples."""
    own = words("guide", lang)
    field = next(field for field in field_table(lang) if field["name"] == name)
    plain = field["label"].lower().replace("-", "_").replace(" ", "_")
    section = Section(name if plain == name else f"{name} ({field['label']})", own[f"{name}.says"], field=name)
    section.asks = own["colon"].join(filter(None, (field["direction"], field["question"])))
    section.examples = [(own[kind], own[f"{name}.{kind}"], own[f"{name}.{kind}.why"]) for kind in ("good", "weak")]
    return section


def mix_ups(lang: str, name: str | None = None) -> list[Section]:
    """Return what gets mixed up, or what gets mixed up with one field."""
    own = words("guide", lang)
    found = []
    for key, text in own.items():
        if key.startswith("mix.") and key != "mix.against":
            _, one, other = key.split(".")
            if name in (None, one, other):
                found.append(Section(own["mix.against"].format(one=one, other=own.get(f"name.{other}", other)), text))
    return found


def _whole(lang: str) -> Iterator[Section]:
    own = words("guide", lang)
    yield Section("", own["intro"], own["scene"])
    for title, names in ((own["facts"], FACTS), (own["axes"], AXES)):
        yield Section(title, is_chapter=True)
        for name in names:
            yield field_section(name, lang)
    yield Section(own["mix"], is_chapter=True)
    yield from mix_ups(lang)
    for topic in ("empty", "one", "rules"):
        yield Section(own[f"{topic}.title"], own[topic], is_chapter=True)
    yield Section("", own["more"])


def _one(name: str, lang: str) -> Iterator[Section]:
    own = words("guide", lang)
    yield field_section(name, lang)
    yield Section("", own["scene"])
    yield Section(own["mix"], is_chapter=True)
    yield from mix_ups(lang, name)
    if name in AXES:
        yield Section(own["empty.title"], own["empty"], is_chapter=True)


# ---- text


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Japanese letter takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "FW" else 1 for letter in text)


def wrap(text: str, indent: str = "") -> list[str]:
    """Break a text into lines, between words, or in Japanese where a line may end."""
    lines, line = [], ""
    for unit in _UNIT.findall(text):
        if line and columns(indent + line + unit.rstrip()) > WIDTH:
            lines.append(line)
            line = ""
        if line or not unit.isspace():
            line += unit
    return [f"{indent}{one.rstrip()}" for one in [*lines, line] if one.strip()]


def _text(title: str, sections: list[Section], own: dict[str, str]) -> str:
    lines = [title, "=" * columns(title)]
    for section in sections:
        lines.append("")
        if section.title:
            lines.append(section.title)
        if section.is_chapter:
            lines.append("-" * columns(section.title))
        indent = "  " if section.title and not section.is_chapter else ""
        if section.asks:
            lines += wrap(section.asks, indent)
        for text in section.texts:
            lines += wrap(text, indent)
        width = max((columns(kind) for kind, _, _ in section.examples), default=0)
        for kind, example, why in section.examples:
            head = f"{indent}{kind}{' ' * (width - columns(kind))}  "
            body = wrap(own["quoted"].format(text=example), " " * columns(head))
            lines += [head + body[0].lstrip(" "), *body[1:], *wrap(why, " " * columns(head))]
    return "\n".join(lines)


# ---- HTML

# A notebook's sanitizer drops style elements and the meaning of classes: what is to survive stands in the elements. The
# colours are the page's own, because nothing here knows whether it is light or dark.
_FIELD = "margin:14px 0;padding:2px 14px 6px;border:0 solid {color};border-{side}-width:4px"


def _markup(title: str, sections: list[Section], own: dict[str, str], lang: str) -> str:
    parts = [
        f'<div class="coglog-guide" lang="{lang}" style="max-width:46em;line-height:1.6">',
        _heading(title, 3, "font-size:18px"),
    ]
    level = 4
    for section in sections:
        style = "margin:12px 0"
        if section.field:
            style = _FIELD.format(color=ACCENTS[section.field], side="left" if section.field in FACTS else "top")
        parts.append(f'<div style="{style}">')
        if section.is_chapter:
            parts.append(_heading(section.title, 4, "font-size:16px;margin:20px 0 0"))
            level = 5
        elif section.title:
            parts.append(_heading(section.title, level, ""))
        if section.asks:
            parts.append(f"<div><i>{html.escape(section.asks)}</i></div>")
        parts += [f'<p style="margin:4px 0">{html.escape(text)}</p>' for text in section.texts]
        for kind, example, why in section.examples:
            quoted = html.escape(own["quoted"].format(text=example))
            parts.append(
                f'<div style="margin:8px 0 0"><b>{html.escape(kind)}</b> {quoted}'
                f"<br><small>{html.escape(why)}</small></div>"
            )
        parts.append("</div>")
    return "".join([*parts, "</div>"])


def _heading(title: str, level: int, style: str) -> str:
    # No h element: JupyterLab would put it into the notebook's table of contents.
    look = f' style="{style}"' if style else ""
    return f'<div role="heading" aria-level="{level}"{look}><b>{html.escape(title)}</b></div>'

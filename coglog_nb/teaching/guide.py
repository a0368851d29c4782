"""The guide to the seven fields, as text for a terminal and as HTML for a notebook.

Its texts are in `coglog_nb.teaching.locales.guide`; `handout` makes a page to print from them.
"""

from __future__ import annotations

from ..errors import UsageError
from ..fields import AXES, FACTS, NAMES
from ..html_form import inline
from ..labels import field_table
from ..suggestions import did_you_mean
from .layout import ACCENTS, MarkedText, columns, wrap
from .locales import texts_of

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterator


class Section:
    """A part of a guide.

    Attributes
    ----------
    title : str
        The heading; may be empty.
    texts : tuple of str
        The paragraphs.
    field : str
        The field that the section is about; empty for several fields.
    is_chapter : bool
        Whether the sections after it are its subsections.
    asks : str
        The field's direction and question.
    examples : list of tuple of str
        For each example: its kind, its text, and the reason.
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
        A field's name; by default, all seven fields and the rules.
    lang : str, optional
        ``"en"`` or ``"ja"``.

    Returns
    -------
    MarkedText
        A `str` that a notebook shows as HTML.

    Raises
    ------
    UsageError
        If the field or the language is unknown.
    """
    texts = texts_of("guide", lang)
    if field is None:
        title, sections = texts["title"], list(_whole(lang))
    else:
        name = checked_field(field)
        title, sections = texts["title.field"].format(name=name), list(_one(name, lang))
    return MarkedText(_text(title, sections, texts), _markup(title, sections, texts, lang))


def checked_field(word: str) -> str:
    """Return the name of a field; its words may be joined by ``_``, ``-`` or a space.

    Raises
    ------
    UsageError
        If no field has that name. The message suggests the nearest one.
    """
    name = word.strip().lower().replace("-", "_").replace(" ", "_")
    if name in NAMES:
        return name
    hint = did_you_mean(name, NAMES) or f"; there are {', '.join(NAMES)}"
    raise UsageError(f"no such field: {word}{hint}")


def field_section(name: str, lang: str) -> Section:
    """Return the section on one field: its text, its question, and its two examples."""
    texts = texts_of("guide", lang)
    field = next(field for field in field_table(lang) if field["name"] == name)
    plain = field["label"].lower().replace("-", "_").replace(" ", "_")
    section = Section(name if plain == name else f"{name} ({field['label']})", texts[f"{name}.says"], field=name)
    section.asks = texts["colon"].join(filter(None, (field["direction"], field["question"])))
    section.examples = [
        (texts[kind], texts[f"{name}.{kind}"], texts[f"{name}.{kind}.why"]) for kind in ("good", "weak")
    ]
    return section


def mix_ups(lang: str, name: str | None = None) -> list[Section]:
    """Return a section for each pair that gets mixed up; with a name, only the pairs with that field."""
    texts = texts_of("guide", lang)
    found = []
    for key, text in texts.items():
        if key.startswith("mix.") and key != "mix.against":
            _, one, other = key.split(".")
            if name in (None, one, other):
                found.append(
                    Section(texts["mix.against"].format(one=one, other=texts.get(f"name.{other}", other)), text)
                )
    return found


def _whole(lang: str) -> Iterator[Section]:
    texts = texts_of("guide", lang)
    yield Section("", texts["intro"], texts["scene"])
    for title, names in ((texts["facts"], FACTS), (texts["axes"], AXES)):
        yield Section(title, is_chapter=True)
        for name in names:
            yield field_section(name, lang)
    yield Section(texts["mix"], is_chapter=True)
    yield from mix_ups(lang)
    for topic in ("empty", "one", "rules"):
        yield Section(texts[f"{topic}.title"], texts[topic], is_chapter=True)
    yield Section("", texts["more"])


def _one(name: str, lang: str) -> Iterator[Section]:
    texts = texts_of("guide", lang)
    yield field_section(name, lang)
    yield Section("", texts["scene"])
    yield Section(texts["mix"], is_chapter=True)
    yield from mix_ups(lang, name)
    if name in AXES:
        yield Section(texts["empty.title"], texts["empty"], is_chapter=True)


# ---- text


def _text(title: str, sections: list[Section], texts: dict[str, str]) -> str:
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
            body = wrap(texts["quoted"].format(text=example), " " * columns(head))
            lines += [head + body[0].lstrip(" "), *body[1:], *wrap(why, " " * columns(head))]
    return "\n".join(lines)


# ---- HTML

# A notebook's sanitizer drops style elements, so every style is on its element. The text has the page's own colour,
# because the page may be light or dark.
_FIELD = "margin:14px 0;padding:2px 14px 6px;border:0 solid {color};border-{side}-width:4px"


def _markup(title: str, sections: list[Section], texts: dict[str, str], lang: str) -> str:
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
            parts.append(f"<div><i>{inline(section.asks)}</i></div>")
        parts += [f'<p style="margin:4px 0">{inline(text)}</p>' for text in section.texts]
        for kind, example, why in section.examples:
            quoted = inline(texts["quoted"].format(text=example))
            parts.append(
                f'<div style="margin:8px 0 0"><b>{inline(kind)}</b> {quoted}<br><small>{inline(why)}</small></div>'
            )
        parts.append("</div>")
    return "".join([*parts, "</div>"])


def _heading(title: str, level: int, style: str) -> str:
    # No h element: JupyterLab would put it into the notebook's table of contents.
    look = f' style="{style}"' if style else ""
    return f'<div role="heading" aria-level="{level}"{look}><b>{inline(title)}</b></div>'

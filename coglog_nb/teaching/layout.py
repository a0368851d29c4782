"""How the guide and the exercises show their texts: in columns in a terminal, and as HTML in a notebook."""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
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
"""The colours of the card (`js/src/CogLogViewer.jsx`): at least 3:1 on a white page and on a near-black one."""

WIDTH = 88
"""The longest line of a text, in columns."""

# Japanese punctuation that can't begin a line, and brackets that can't end one.
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


def columns(text: str) -> int:
    """Return the width of a text in a terminal's columns; a Japanese letter is two columns wide."""
    return sum(2 if unicodedata.east_asian_width(letter) in "FW" else 1 for letter in text)


def wrap(text: str, indent: str = "") -> list[str]:
    """Break a text into lines: between words, and in Japanese where a line may end."""
    lines, line = [], ""
    for unit in _UNIT.findall(text):
        if line and columns(indent + line + unit.rstrip()) > WIDTH:
            lines.append(line)
            line = ""
        if line or not unit.isspace():
            line += unit
    return [f"{indent}{one.rstrip()}" for one in [*lines, line] if one.strip()]

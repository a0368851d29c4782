"""The guide on one page to print: A4 or Letter, in colour or black and white."""

from __future__ import annotations

import html

from ..fields import AXES, FACTS
from .guide import Section, field_section, mix_ups
from .layout import ACCENTS
from .locales import texts_of

# The page must also fit in the widest font that a system may use instead (DejaVu Sans).
_FONTS = (
    'Arial, Helvetica, "Liberation Sans", "Noto Sans CJK JP", "Hiragino Sans", "Yu Gothic", "Noto Sans JP", sans-serif'
)

# Sizes are in points. The page fits the height of the shorter paper (Letter is shorter than A4). Headings, not colours
# alone, tell the boxes apart, because the page may be printed in black.
_STYLE = """
@page { margin: 10mm 12mm }
* { box-sizing: border-box }
html { color-scheme: light; background: #fff; color: #1d1813 }
body { margin: 0 auto; max-width: 192mm; font: 7.6pt/1.34 FONTS }
:lang(ja) body { font-size: 7.4pt; line-height: 1.36 }
h1 { margin: 0; font-size: 15pt; line-height: 1.2 }
h2 { margin: 7pt 0 3pt; font-size: 10pt; line-height: 1.2 }
h2 small { margin-left: 5pt; font-size: 8pt; font-weight: normal }
h3 { margin: 0; font-size: 8.6pt }
p { margin: 2pt 0 }
.name { font-family: ui-monospace, Menlo, Consolas, "Liberation Mono", monospace }
.label { color: #564a3d; font-size: 8pt; font-weight: normal }
.facts, .mix { display: grid; grid-template-columns: repeat(3, 1fr); gap: 12pt }
.axes { display: grid; grid-template-columns: 1fr 1fr; gap: 5pt 12pt }
.rules { display: grid; grid-template-columns: 1.3fr 1.1fr .9fr; gap: 12pt }
.rules h2 { margin-bottom: 1pt }
.fact { padding: 1pt 0 1pt 6pt; border-left: 3pt solid }
.axis { padding: 3pt 0 0; border-top: 3pt solid }
.asks { font-style: italic }
:lang(ja) .asks { font-style: normal; font-weight: bold }
.lines { display: grid; grid-template-columns: 1fr 1fr; gap: 0 12pt }
.lines div { height: 32pt; border-bottom: .6pt solid #6d5f4e }
section, .fact, .axis { break-inside: avoid }
@media screen { body { padding: 10mm 12mm; max-width: 216mm } }
@media screen and (max-width: 600px) { .facts, .axes, .mix, .rules, .lines { grid-template-columns: 1fr } }
@media print { html { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
""".replace("FONTS", _FONTS)


def handout_source(lang: str = "en") -> str:
    """Return the page as one self-contained HTML file.

    Parameters
    ----------
    lang : str, optional
        ``"en"`` or ``"ja"``.

    Raises
    ------
    UsageError
        If the language is unknown.
    """
    texts = {key: html.escape(text) for key, text in texts_of("guide", lang).items()}
    mixed = mix_ups(lang)[:3]
    rules = "".join(
        f"<div><h2>{texts[f'{one}.title']}</h2><p>{texts[one]}</p></div>" for one in ("empty", "one", "rules")
    )
    lines = "".join(f'<div class="name label">{name}</div>' for name in AXES)
    return (
        f'<!doctype html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{texts['handout.title']}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{texts['handout.title']}</h1>\n<p>{texts['handout.scene']}</p>\n"
        f"<section><h2>{texts['facts']}<small>{texts['handout.facts']}</small></h2>"
        f'<div class="facts">{"".join(_fact(field_section(name, lang), texts) for name in FACTS)}</div></section>\n'
        f"<section><h2>{texts['axes']}<small>{texts['handout.axes']}</small></h2>"
        f'<div class="axes">{"".join(_axis(field_section(name, lang), texts) for name in AXES)}</div></section>\n'
        f'<section><h2>{texts["mix"]}</h2><div class="mix">{"".join(map(_mixed, mixed))}</div></section>\n'
        f'<section class="rules">{rules}</section>\n'
        f"<section><h2>{texts['handout.try']}<small>{texts['handout.hint']}</small></h2>"
        f'<div class="lines">{lines}</div></section>\n'
        "</main>\n</body>\n</html>\n"
    )


def _head(section: Section) -> str:
    name, _, label = section.title.partition(" ")
    label = f' <span class="label">{html.escape(label)}</span>' if label else ""
    return f'<h3><span class="name">{name}</span>{label}</h3><p class="asks">{html.escape(section.asks)}</p>'


def _example(section: Section, texts: dict[str, str], which: int) -> str:
    kind, example, why = section.examples[which]
    quoted = texts["quoted"].format(text=html.escape(example))
    return f"<p><b>{html.escape(kind)}</b> {quoted} {html.escape(why)}</p>"


def _fact(section: Section, texts: dict[str, str]) -> str:
    kind, example, _ = section.examples[0]
    quoted = texts["quoted"].format(text=html.escape(example))
    return (
        f'<div class="fact" style="border-color:{ACCENTS[section.field]}">{_head(section)}'
        f"<p><b>{html.escape(kind)}</b> {quoted}</p></div>"
    )


def _axis(section: Section, texts: dict[str, str]) -> str:
    return (
        f'<div class="axis" style="border-color:{ACCENTS[section.field]}">{_head(section)}'
        f"<p>{html.escape(section.texts[0])}</p>{_example(section, texts, 0)}{_example(section, texts, 1)}</div>"
    )


def _mixed(section: Section) -> str:
    return f"<div><h3>{html.escape(section.title)}</h3><p>{html.escape(section.texts[0])}</p></div>"

"""An exercise without a widget: text for a terminal, HTML for a saved notebook. Also the list, and the results."""

from __future__ import annotations

import html
import textwrap

from ...fields import AXES
from ...html_form import inline
from ...labels import field_table
from ...text_form import printable
from ..layout import ACCENTS, WIDTH, MarkedText, columns, wrap
from ..locales import texts_of
from .format import CHOICES, NONE, fit_of

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from .format import Exercise

LONGEST_CELL = 60

_TITLE = 3
"""The level of an exercise's heading, the same as the card's."""

_WRAP = "white-space:pre-wrap;overflow-wrap:anywhere"


# ---- text


def plain_text(exercise: Exercise, lang: str, command: str) -> str:
    """Return an exercise to read in a terminal.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    lang : str
        The language of the texts around it.
    command : str
        The command that opens the exercise, without ``--answers``.
    """
    texts = texts_of("exercises", lang)
    lines = _head(exercise, texts)
    if exercise.kind == "place":
        lines += ["", texts["dialogue"]]
        for line in exercise.data["dialogue"]:
            lines += [f"  {line['speaker']}", *_wrapped(line["text"], "    ")]
        lines += ["", *_wrapped(texts["place.task"], ""), ""]
        width = max(map(len, CHOICES))
        lines += [
            f"  {number}  {choice:{width}}  {question}" for number, (choice, question) in enumerate(_choices(lang), 1)
        ]
        lines += ["", texts["statements"]]
        for number, statement in enumerate(exercise.statements, 1):
            lines += _wrapped(statement["text"], "      ", f"  {number:2}. ")
    else:
        lines += ["", texts["facts"], *_facts(exercise), "", *_wrapped(texts["blank.task"], ""), ""]
        width = max(map(len, AXES))
        lines += [f"  {axis:{width}}  {question}" for axis, question in _choices(lang)[:-1]]
    lines += ["", texts["answers.command"].format(command=f"{command} --answers")]
    return _clean(lines)


def answers_text(exercise: Exercise, lang: str) -> str:
    """Return an exercise's answers with their reasons, to read in a terminal."""
    texts = texts_of("exercises", lang)
    lines = _head(exercise, texts)
    if exercise.kind == "blank":
        lines += ["", texts["facts"], *_facts(exercise)]
        for number, answer in enumerate(exercise.data["answers"], 1):
            lines += ["", texts["answer"].format(number=number, title=answer["title"])]
            for axis in AXES:
                one = answer["axes"][axis]
                lines += [f"  {axis}", *_wrapped(one["text"] or texts["empty"], "    ")]
                lines += _wrapped(one["why"], "      ", f"    {texts['why']}: ")
        return _clean(lines)
    lines += ["", texts["answers"]]
    for number, statement in enumerate(exercise.statements, 1):
        lines += ["", *_wrapped(statement["text"], "      ", f"  {number:2}. ")]
        for choice in _by_fit(statement):
            said = f"{choice} ({texts['fit.' + fit_of(statement, choice)].lower()}): {statement['reasons'][choice]}"
            lines += _wrapped(said, "        ", "      ")
    return _clean(lines)


def list_text(exercises: Iterable[Exercise], lang: str, command: str) -> str:
    """Return a table of exercises: name, subject, work and title."""
    texts = texts_of("exercises", lang)
    rows = [[texts[f"list.{key}"] for key in ("name", "use", "work", "title")]]
    for exercise in exercises:
        count = len(exercise.statements)
        work = texts["list.statements"].format(count=count) if exercise.kind == "place" else texts["list.axes"]
        rows.append([exercise.name, exercise.use, work, exercise.title])
    return "\n".join([*_table(rows), "", texts["list.command"].format(command=f"{command} NAME")])


def _head(exercise: Exercise, texts: dict[str, str]) -> list[str]:
    return [f"CogLog {texts['brand']} \u00b7 {exercise.use} \u00b7 {exercise.title}"]


def _facts(exercise: Exercise) -> Iterator[str]:
    for name, text in exercise.data["facts"].items():
        yield f"  {name}"
        yield from _wrapped(text, "    ")


def _choices(lang: str) -> list[tuple[str, str]]:
    """Return each choice with its direction and question."""
    texts = texts_of("exercises", lang)
    table = {field["name"]: f"{field['direction']}: {field['question']}" for field in field_table(lang)}
    return [(axis, table[axis]) for axis in AXES] + [(NONE, texts["none.question"])]


def _by_fit(statement: dict[str, Any]) -> list[str]:
    """Return the choices, the best first and those that fit better elsewhere last."""
    order = ("best", "second", "other")
    return sorted(CHOICES, key=lambda choice: order.index(fit_of(statement, choice)))


def _wrapped(text: str, indent: str, first: str | None = None) -> list[str]:
    """Break a text into lines; its own line breaks stay."""
    lines: list[str] = []
    for line in text.split("\n"):
        start = indent if lines or first is None else first
        # textwrap counts letters and breaks at spaces only, so it can't wrap Japanese.
        if line.strip() and columns(start + line) > len(start + line):
            lead = start.lstrip()
            head, *rest = wrap(lead + line, indent)
            lines += [start.removesuffix(lead) + head.removeprefix(indent), *rest]
            continue
        lines += textwrap.wrap(line, WIDTH, initial_indent=start, subsequent_indent=indent) or [start.rstrip()]
    return lines


def _clean(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for line in printable("\n".join(lines)).split("\n"))


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


# ---- HTML


def static_html(exercise: Exercise, lang: str) -> str:
    """Return an exercise as HTML without scripts or style sheets, with its answers folded at the end."""
    texts = texts_of("exercises", lang)
    data = exercise.data
    tag = html.escape(data.get("language", "en"))
    parts = [
        f"<div><b>CogLog</b> {inline(texts['brand'])} \u00b7 {inline(exercise.use)}</div>",
        _heading(exercise.title, level=_TITLE, lang=tag),
    ]
    if exercise.kind == "place":
        parts.append(_heading(texts["dialogue"]))
        parts += [_block(line["speaker"], line["text"], tag) for line in data["dialogue"]]
        parts += [_heading(texts["place.question"]), f"<p>{inline(texts['place.task'])}</p>", _choice_list(lang)]
        items = "".join(f"<li>{inline(statement['text'])}</li>" for statement in exercise.statements)
        parts += [_heading(texts["statements"]), f'<ol lang="{tag}">{items}</ol>']
        parts.append(_folded(texts["answers"], "".join(_answers(exercise, texts, tag))))
    else:
        parts.append(_heading(texts["facts"]))
        parts += [_block(name, text, tag) for name, text in data["facts"].items()]
        parts += [f"<p>{inline(texts['blank.task'])}</p>", _choice_list(lang, AXES)]
        parts.append(_folded(texts["answers.worked"], "".join(_worked(exercise, texts, tag))))
    parts.append(f"<p><small>{inline(texts['static.says'])}</small></p>")
    return f'<div class="coglog-exercise-static" style="overflow-wrap:break-word" lang="{lang}">{"".join(parts)}</div>'


def _heading(text: str, *, level: int = _TITLE + 1, lang: str = "") -> str:
    look = "font-size:18px;margin:2px 0 6px" if level == _TITLE else "margin:12px 0 4px"
    language = f' lang="{lang}"' if lang else ""
    return f'<div role="heading" aria-level="{level}"{language} style="{look}"><b>{inline(text)}</b></div>'


def _block(name: str, text: str, tag: str) -> str:
    style = f"margin:0 0 8px;padding:2px 10px;border-left:4px solid {ACCENTS[name]}"
    return f'<div style="{style}"><b>{name}</b><div lang="{tag}" style="{_WRAP}">{inline(text)}</div></div>'


def _choice_list(lang: str, names: Sequence[str] = CHOICES) -> str:
    items = "".join(
        f"<li><code>{choice}</code> {inline(question)}</li>" for choice, question in _choices(lang) if choice in names
    )
    return f"<ul>{items}</ul>"


def _folded(title: str, inner: str) -> str:
    return f"<details><summary><b>{inline(title)}</b></summary>{inner}</details>"


def _answers(exercise: Exercise, texts: dict[str, str], tag: str) -> Iterator[str]:
    yield "<ol>"
    for statement in exercise.statements:
        yield f'<li><span lang="{tag}">{inline(statement["text"])}</span><ul>'
        for choice in _by_fit(statement):
            fit = fit_of(statement, choice)
            name = f"<b>{choice}</b> ({inline(texts['fit.' + fit].lower())})" if fit != "other" else choice
            yield f'<li>{name}: <span lang="{tag}">{inline(statement["reasons"][choice])}</span></li>'
        yield "</ul></li>"
    yield "</ol>"


def _worked(exercise: Exercise, texts: dict[str, str], tag: str) -> Iterator[str]:
    for number, answer in enumerate(exercise.data["answers"], 1):
        yield _heading(texts["answer"].format(number=number, title=answer["title"]))
        for axis in AXES:
            one = answer["axes"][axis]
            text = (
                f'<span lang="{tag}">{inline(one["text"])}</span>'
                if one["text"]
                else f"<i>{inline(texts['empty'])}</i>"
            )
            style = f"margin:0 0 8px;padding:4px 0;border-top:4px solid {ACCENTS[axis]}"
            yield (
                f'<div style="{style}"><b>{axis}</b><div style="{_WRAP}">{text}</div>'
                f'<small lang="{tag}">{inline(one["why"])}</small></div>'
            )


# ---- results


def summary(runs: Iterable[dict[str, Any]], lang: str) -> MarkedText:
    """Return the table of results, the latest first.

    Parameters
    ----------
    runs : iterable of dict
        As `results.all_runs` returns them.
    lang : str
        The language of the headings.
    """
    texts = texts_of("exercises", lang)
    found = sorted(runs, key=lambda run: str(run["changed"]))[::-1]
    if not found:
        return MarkedText(texts["summary.none"], f"<p>{inline(texts['summary.none'])}</p>")
    keys = ["when", "exercise", "done", "best", "second", "other", "first"]
    if any(run["session"] for run in found):
        keys.insert(2, "session")
    rows = [[_cell(run, key) for key in keys] for run in found]
    heads = [texts[f"summary.{key}"] for key in keys]
    cells = [
        "".join(f'<td style="text-align:left">{inline(cell)}</td>' for cell in row).join(("<tr>", "</tr>"))
        for row in rows
    ]
    markup = (
        f'<table lang="{lang}"><caption style="text-align:left"><b>{inline(texts["summary"])}</b></caption><thead><tr>'
        + "".join(f'<th scope="col" style="text-align:left">{inline(head)}</th>' for head in heads)
        + f"</tr></thead><tbody>{''.join(cells)}</tbody></table>"
    )
    return MarkedText(_clean([texts["summary"], "", *_table([heads, *rows])]), markup)


def _cell(run: dict[str, Any], key: str) -> str:
    if key == "when":
        return str(run["changed"])[:16].replace("T", " ")
    if key in {"exercise", "session"}:
        text = str(run[key])
        return text if len(text) <= LONGEST_CELL else "\u2026" + text[1 - LONGEST_CELL :]
    answers = run["answers"]
    if key == "done":
        done = sum(bool(answer) for answer in answers) if run["kind"] == "place" else len(run["axes"])
        return f"{done}/{run['total']}"
    if run["kind"] != "place":
        return "-"
    if key == "first":
        return str(sum(answer["first_fit"] == "best" for answer in answers))
    return str(sum(answer["fit"] == key for answer in answers))

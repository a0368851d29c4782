"""The marks that models put around thinking in their text. A new one is a line in a table here."""

from __future__ import annotations

import re
from functools import cache

# What opens thinking, and what closes it. An element (`<name>`) is read in any case and may have attributes.
MARKS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "\u25c1think\u25b7": "\u25c1/think\u25b7",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>thought": "<channel|>",
}
# People also write about these: they count only as the first thing in a reply, and if they close.
MARKS_AT_THE_START = {
    "<reasoning>": "</reasoning>",
    "<scratchpad>": "</scratchpad>",
    "&lt;think&gt;": "&lt;/think&gt;",
    "&lt;thinking&gt;": "&lt;/thinking&gt;",
    "&lt;thought&gt;": "&lt;/thought&gt;",
    "analysis": "assistantfinal",  # gpt-oss's channels, without their special tokens
}
CHANNELS = re.compile(r"\s*(?:<\|start\|>assistant)?<\|channel\|>")
CHANNEL_STARTS = ("<|start|>assistant<|channel|>", "<|channel|>")

_ALL = {**MARKS, **MARKS_AT_THE_START}
_KINDS = {**{opening: (opening, False) for opening in _ALL}, **{_ALL[opening]: (opening, True) for opening in _ALL}}

_ELEMENT = re.compile(r"</?[a-z:]+>")
_NAME_OF_ELEMENT = re.compile(r"</?[A-Za-z:]+")
_ATTRIBUTES = r"(?:\s{1,9}[\w:-]{1,40}\s{0,9}=\s{0,9}(?:\"[^\"]{0,200}\"|'[^']{0,200}'|[^\s\"'<>]{1,200}))*\s{0,9}"
_LONGEST_TAG = 300

# How a reply may begin with a mark that isn't in the tables.
_UNKNOWN = re.compile(
    r"\s*(?:(?P<element><(?P<name>[A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,200})?>)|(?P<token><\|[^\s<>]{1,40}>|<[^\s<>]{1,40}\|>"
    r"|\u25c1\w{1,40}\u25b7)|\[(?P<upper>[A-Z_]{2,40})\]|&lt;(?P<escaped>\w{1,40})&gt;)"
)
# Elements with which an honest answer begins.
_ANSWERS = (
    "a abbr answer article aside b blockquote body br button canvas center code coglog dd details dialog div dl dt em"
    " figure final footer form function_call h1 h2 h3 h4 h5 h6 head header hr html i iframe img input kbd label li link"
    " main mark math meta nav ol option output p pre response result s samp script section select small span strong"
    " style sub summary sup svg table tbody td template textarea th thead title tool_call tr u ul var video"
)


def kind_of(tag: str) -> tuple[str, bool]:
    """Return the opening mark, as the tables have it, to which a tag in a text belongs, and whether the tag closes."""
    if tag in _KINDS:
        return _KINDS[tag]
    name = _NAME_OF_ELEMENT.match(tag)
    return _KINDS[f"{name[0].lower()}>" if name else tag.lower()]


def _as_pattern(mark: str) -> str:
    if _ELEMENT.fullmatch(mark):
        spaces = r"\s{0,9}" if mark.startswith("</") else _ATTRIBUTES
        return f"<(?i:{re.escape(mark[1:-1])}){spaces}>"
    return f"&(?i:{re.escape(mark[1:])})" if mark.startswith("&") else re.escape(mark)


def _alternatives(marks: dict[str, str]) -> str:
    # No groups: each alternative begins with a literal character, so that a search skips quickly to the next of them.
    return "|".join(_as_pattern(mark) for pair in marks.items() for mark in pair)


def _of(opening: str) -> dict[str, str]:
    return {opening: MARKS_AT_THE_START[opening]} if opening else {}


@cache
def tags(at_the_start: str = "") -> re.Pattern[str]:
    """Return what finds the tags of a text, with those of the mark that counts because the text begins with it."""
    return re.compile(_alternatives({**MARKS, **_of(at_the_start)}))


@cache
def tokens(at_the_start: str = "") -> re.Pattern[str]:
    """Return what finds the tags of a text, and the runs of backticks and tildes."""
    return re.compile(rf"``*|~~~~*|{_alternatives({**MARKS, **_of(at_the_start)})}")


@cache
def tags_of(opening: str) -> re.Pattern[str]:
    """Return what finds the tags of one mark."""
    return re.compile(_alternatives({opening: MARKS[opening]}))


_OPENINGS = re.compile("|".join(map(_as_pattern, MARKS)))
_OPENINGS_AT_THE_START = re.compile("|".join(map(_as_pattern, MARKS_AT_THE_START)))


def opening_at(text: str, place: int) -> re.Match[str] | None:
    """Return the tag at a place that opens thinking wherever it is."""
    return _OPENINGS.match(text, place)


def opening_at_the_start(text: str) -> str:
    """Return the mark with which a text begins if it is one that counts only there; else an empty text."""
    found = _OPENINGS_AT_THE_START.match(text, len(text) - len(text.lstrip()))
    return kind_of(found[0])[0] if found else ""


_LITERALS = tuple(dict.fromkeys((*MARKS, *MARKS.values())))
_LITERALS_AT_THE_START = (*MARKS, *MARKS_AT_THE_START, *CHANNEL_STARTS)
_FIRST_CHARACTERS = re.compile("[" + re.escape("".join(sorted({mark[0] for mark in _LITERALS}))) + "]")


def may_begin_a_tag(text: str, *, at_the_start: bool = False) -> bool:
    """Whether a text that goes on may turn out to be a tag."""
    is_element = ">" not in text or '"' in text or "'" in text
    literals = _LITERALS_AT_THE_START if at_the_start else _LITERALS
    lower = text.lower()
    for literal in literals:
        is_any_case = literal[0] in "<&" and literal.islower()
        if len(literal) > len(text):
            if literal.startswith(lower if is_any_case else text):
                return True
        elif is_element and is_any_case and lower.startswith(literal[:-1]) and text[len(literal) - 1].isspace():
            return len(text) < _LONGEST_TAG
    return False


def certain_end(text: str) -> int:
    """Return where the end of a text begins that may be the beginning of a tag."""
    for found in _FIRST_CHARACTERS.finditer(text, max(0, len(text) - _LONGEST_TAG)):
        if may_begin_a_tag(text[found.start() :]):
            return found.start()
    return len(text)


def unknown_mark(text: str) -> str:
    """Return the tag with which a text begins if it looks like a mark of something and isn't in the tables."""
    found = _UNKNOWN.match(text)
    if found is None:
        return ""
    if found["token"]:
        return found["token"]
    closing = (
        f"</{found['name']}>"
        if found["name"]
        else f"[/{found['upper']}]"
        if found["upper"]
        else f"&lt;/{found['escaped']}&gt;"
    )
    if (found["name"] or "").lower() in _ANSWERS.split() or closing not in text[found.end() :]:
        return ""
    return found[0].strip()

"""The coglog block at the end of an answer: a JSON object with the four axes, as the template asks for.

The object is taken out of the answer, with what only surrounds it (a code fence, backticks, a tag, a comment,
brackets, the mark of a quotation, a model's end tokens), and the line break and one blank line before it. Everything
else stays as it is, including what follows.

Other spellings of a block are read too, with a note: keys as labels (``Current focus``, in Japanese too), typographic
quotes throughout, a call of the tool `coglog_write`, and four lines ``key: text``.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right

from ..fields import AXES
from ..labels import LANGUAGES, WORDS
from .lenient_json import BROKEN, CLOSED, CUT, Found, NotString, Scanner

WRAPPER = "coglog"
TOOL_CALL = ("arguments", "parameters", "input")
"""The keys under which a tool call has the object."""
WRAPPERS = (WRAPPER, *TOOL_CALL)
ALL_AXES = ", ".join(AXES)

# The beginning of a block that isn't JSON: bare keys, single or typographic quotes.
_NO_JSON = re.compile(rf"\{{(?=\s*['\u2018\u201c]?(?:{'|'.join(AXES)}|{WRAPPER})['\u2019\u201d]?\s*:)")
_CUT_AT_ONCE = re.compile(r'\{\s*"?[a-z_]*\s*\Z')
# The marks are taken all or none: tried one by one, a line of nothing but marks would cost its length squared.
_FENCE_LINE = re.compile(r"^[ \t]*(?=(`{3,}|~{3,}))\1([^`\r\n]*)\r?$", re.MULTILINE)
_BLANK = re.compile(r"[ \t]*")
_SPACES = re.compile(r"\s*")
_LINE_END = re.compile(r"[ \t]*\r?\n")
# The end of the line before the block, and one blank line.
_GAP = re.compile(r"(?:\r?\n(?:[ \t]*\r?\n)?)?[ \t]*\Z")
_SEPARATORS = re.compile(r"[\s\\_-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SPELLINGS = {
    name: {name, *(_SEPARATORS.sub("_", WORDS[lang][f"{name}.label"]).lower() for lang in LANGUAGES)} for name in AXES
}
_NAME_OF = {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings}
_NAME_OF.update(coglog=WRAPPER, cog_log=WRAPPER)
_ANY_SPELLING = {
    name: re.compile("|".join(re.escape(spelling).replace("_", r"[\s\\_-]*") for spelling in spellings), re.IGNORECASE)
    for name, spellings in _SPELLINGS.items()
}
_TYPOGRAPHIC = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02", '"'))
_TYPOGRAPHIC_KEY = re.compile(r"\{\s*[\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02]")

_FLAT_LINE = re.compile(
    r"^[ \t>*+-]*(?P<key>[^\W\d][^:\uff1a\n*]{0,40}?)[*_]*[ \t]*[:\uff1a][*_]*[ \t]*(?P<text>.*?)[ \t\r]*$",
    re.MULTILINE,
)
_LABEL_LINE = re.compile(r"(?:^|\n)[ \t>#*_]*coglog(?: block)?[ \t]*[:*_]*[ \t]*\n\s*\Z", re.IGNORECASE)

# What may surround a block: how it begins, and for what it begins with, how it ends.
_OPENING_TAG = re.compile(r"<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>\s*\Z")
_OPENING_MARK = re.compile(r"(\[|<!--)(?:(?<=-)\s*coglog(?: block)?[ \t]*:?)?\s*\Z", re.IGNORECASE)
_CLOSING_MARK = {"[": re.compile(r"\s*\](?!\()"), "<!--": re.compile(r"\s*-->")}
_OPEN_TO_THE_END = ("coglog", "tool_call")
_QUOTE_MARK = re.compile(r"^[ \t]*(?:>[ \t]*)+\Z", re.MULTILINE)
_EMPTY_REASONING_BEFORE = re.compile(r"(?:^|\n)Reasoning:[ \t]*(?:\[\])?\s*\Z")
_QUOTED_FENCE = re.compile(
    r"(?:^|\n)[ \t]*(?:>[ \t]*)+(?P<fence>`{3,}|~{3,})(?:json|coglog)?[ \t]*\r?\n(?:[ \t]*(?:>[ \t]*)+)?\Z"
)
_AFTER = re.compile(
    r"\s*(?:Reasoning: \[\](?=\s*(?:\n|\Z|<))|<\|[A-Za-z_]+\|>|</s>|<eos>|<end_of_turn>|<\uff5c[^<>\n]{1,40}\uff5c>)"
)
_NEAR = 120  # characters: how far from a block its surroundings are looked for
_LONGEST_GAP = 200
_LONGEST_START = 60
# In a fence with one of these labels an object is data. In any other it is a part of a program, unless it is alone.
_DATA = ("", "json", "jsonc", "json5", "coglog", "text", "txt", "plaintext", "markdown", "md")
_BEFORE = re.compile(r"(`+)(?:json|coglog)?[ \t]*\Z")


class Block:
    """What was found at the end of an answer.

    Attributes
    ----------
    axes : dict of str to str
        The axes that the block gives, in the contract's order.
    rest : str
        The answer without the block; all of it if no block can be read.
    found : bool
        Whether there is a block that can be read, even if an axis is missing from it.
    seen : bool
        Whether the answer has anything that looks like a block, readable or not.
    problems : list of str
        Why axes can't be taken: each names its field and says what to do.
    notes : list of str
        What was repaired, and what was left out.
    """

    def __init__(self, answer: str) -> None:
        self.axes: dict[str, str] = {}
        self.rest = answer
        self.found = False
        self.seen = True
        self.problems: list[str] = []
        self.notes: list[str] = []


def find_block(answer: str) -> Block:
    """Find the coglog block at the end of an answer.

    Parameters
    ----------
    answer : str
        The answer, without the thinking.

    Returns
    -------
    Block
        The axes and the rest of the answer, or what is wrong. A block that was cut or that isn't JSON gives no axes.
    """
    block = Block(answer)
    chosen, fences = _choose(answer)
    if chosen is None or chosen.state == BROKEN:
        other = _with_typographic_quotes(answer)
        if other is not None:
            chosen, fences = other
    if chosen is None and _take_flat_lines(answer, block):
        return block
    if chosen is None:
        block.seen = _count_names(answer) > 1
        if block.seen:
            block.problems.append(
                f"{ALL_AXES}: the answer names axes, but not in a block of its own: a JSON object with all four,"
                " outside any other object or program; ask the model again, or give the axes yourself"
            )
            return block
        block.problems.append(
            f"{ALL_AXES}: there is no coglog block at the end of the answer; put the template into the prompt"
            " (`template` gives it), or give the axes yourself"
        )
    elif chosen.state == CLOSED:
        _take(answer, chosen, block, fences)
    elif chosen.state == CUT:
        block.problems.append(
            f"{ALL_AXES}: the coglog block that begins at {_place(answer, chosen.start)} never closes: the answer"
            " was cut; raise the limit of its length and ask again"
        )
    else:
        block.problems.append(
            f"{ALL_AXES}: the coglog block isn't JSON: {chosen.problem} at {_place(answer, chosen.end)};"
            " correct the text and capture it again, or ask the model again"
        )
    return block


def objects_in(text: str) -> list[tuple[int, int]]:
    """Return where the JSON objects of a text begin and end; one that never closes ends with the text."""
    if "{" not in text:
        return []
    scanner = _scanner(text)
    return [
        (found.start, found.end)
        for found in scanner.objects()
        if found.state == CLOSED or (found.state == CUT and found.keys)
    ]


def _choose(answer: str) -> tuple[Found | None, _Fences]:
    """Return the last object that looks like a block, if there is one, and the answer's code fences."""
    last = _last_places(answer)
    found = []
    if max(last.values()) >= 0:
        found = [each for each in _scanner(answer).objects() if _is_meant(each)]
        spans = _Spans(found)
        found += [_not_json(answer, match) for match in _NO_JSON.finditer(answer) if match.start() not in spans]
        found.sort(key=lambda each: each.start)
    spans = _Spans(found)
    cut = _CUT_AT_ONCE.search(answer, max(0, len(answer) - _LONGEST_START))
    if cut and cut.start() not in spans and _begins_a_key(cut[0]):
        found.append(Found(cut.start()))
    fences = _Fences(answer, spans)
    candidates = [each for each in found if not fences.is_program(each)]
    strong = [each for each in candidates if _is_strong(each, last)]
    chosen = strong or candidates
    return chosen[-1] if chosen else None, fences


def _scanner(text: str) -> Scanner:
    return Scanner(text, AXES, WRAPPERS, _name_of)


def _name_of(key: str) -> str:
    """Return the axis that a key spells in another way, or the key."""
    return key if key in AXES else _NAME_OF.get(_SEPARATORS.sub("_", _CAMEL.sub("_", key.strip())).lower(), key)


def _last_places(answer: str) -> dict[str, int]:
    """Return where each axis, and the wrapper, is named last; -1 if it isn't."""
    last = {name: answer.rfind(name) for name in (*AXES, WRAPPER)}
    if sum(last[name] >= 0 for name in AXES) < len(AXES) and "{" in answer:
        for name, pattern in _ANY_SPELLING.items():
            for match in pattern.finditer(answer):
                last[name] = max(last[name], match.start())
    return last


def _count_names(answer: str) -> int:
    """Return how many axes an answer names as keys or labels: a quote, a colon or an equals sign follows."""
    tail = answer[-20_000:]
    return sum(
        re.search(rf"(?:{pattern.pattern})[\"'*_\u201c\u201d\u2019\u00bb\uff02`]*\s*[:=\uff1a]", tail, re.IGNORECASE)
        is not None
        for pattern in _ANY_SPELLING.values()
    )


def _with_typographic_quotes(answer: str) -> tuple[Found, _Fences] | None:
    """Read a block whose quotes are all typographic; None if that doesn't give one that closes."""
    if not _TYPOGRAPHIC_KEY.search(answer):
        return None
    chosen, fences = _choose(answer.translate(_TYPOGRAPHIC))  # a character for a character: places stay the same
    if chosen is None or chosen.state != CLOSED or len(chosen.keys) < 2:  # noqa: PLR2004 - one key may be anything
        return None
    if '"' in answer[chosen.start : chosen.end]:
        return None  # the straight ones may be a part of the text
    chosen.repair("typographic quotes")
    return chosen, fences


def _take_flat_lines(answer: str, block: Block) -> bool:
    """Take four lines ``key: text``, one for each axis, if nothing but blank lines is between them."""
    lines = [(match, _name_of(match["key"].strip())) for match in _FLAT_LINE.finditer(answer)]
    lines = [line for line in lines if line[1] in AXES][-len(AXES) :]
    if sorted(name for _, name in lines) != sorted(AXES):
        return False
    for (one, _), (other, _) in itertools.pairwise(lines):
        if answer[one.end() : other.start()].strip(" \t\r\n>"):
            return False
    texts = {name: _unquoted(match["text"]) for match, name in lines}
    block.axes = {name: texts[name] for name in AXES}
    block.found = True
    block.notes.append("the block is four lines and not JSON; each line's text was taken as it is")
    place = _Fences(answer, _Spans([]))
    start, end = _with_surroundings(answer, lines[0][0].start(), lines[-1][0].end(), place)
    block.rest = _without(answer, start, end)
    return True


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]
    return text[1:-1] if quoted else text.rstrip(",") if text.startswith('"') else text


def _is_meant(found: Found) -> bool:
    """Whether an object has a key that belongs to a block."""
    if found.partial_key is not None and not found.keys:
        return not found.others and _begins_a_key(found.partial_key)
    if any(name in AXES for name in found.keys):
        return True
    if any(_inner_text(found.items, name) is not None for name in TOOL_CALL):
        return True
    return WRAPPER in found.keys and (found.state == CUT or isinstance(found.items.get(WRAPPER), dict))


def _inner_text(items: dict[str, object], name: str) -> str | None:
    """Return the arguments of a tool call that are a string of JSON and name an axis."""
    inner = items.get(name)
    return inner if isinstance(inner, str) and any(axis in inner for axis in AXES) else None


def _is_strong(found: Found, last: dict[str, int]) -> bool:
    """Whether an object is certainly a block: one with a single axis of the four may be something else."""
    if found.state == CLOSED:
        return WRAPPER in found.keys or len(found.keys) > 1
    return found.state == CUT or sum(last[name] >= found.start for name in AXES) > 1


def _begins_a_key(text: str) -> bool:
    start = text.lstrip('{" \t\r\n').rstrip()
    return any(name.startswith(start) for name in (*AXES, WRAPPER))


def _not_json(answer: str, match: re.Match[str]) -> Found:
    """Describe an object that begins as a block, but not as JSON."""
    found = Found(match.start())
    found.state = BROKEN
    blank = _SPACES.match(answer, match.end(), match.end() + _LONGEST_GAP)
    found.end = min(blank.end() if blank else match.end(), len(answer) - 1)
    found.problem = f"expected a key in double quotes, not {answer[found.end]!r}"
    return found


class _Spans:
    """Stretches of a text that don't overlap."""

    def __init__(self, found: list[Found]) -> None:
        self._starts = [each.start for each in found]
        self._ends = [each.end for each in found]

    def __contains__(self, place: int) -> bool:
        index = bisect_right(self._starts, place) - 1
        return index >= 0 and place < self._ends[index]


class _Fences:
    """The code fences of a text. What looks like one inside an object doesn't count."""

    def __init__(self, text: str, objects: _Spans) -> None:
        self._text = text
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._labels: list[str] = []
        opened = ""
        for match in _FENCE_LINE.finditer(text):
            if match.start() in objects:
                continue
            label = match[2].strip().lower()
            if not opened:
                opened = match[1]
                self._starts.append(match.start())
                self._labels.append(label)
            elif match[1].startswith(opened) and not label:
                opened = ""
                self._ends.append(match.end())
            elif match[1] == opened and label in ("json", "coglog"):
                # In Markdown it would be a line of the fence before it. In an answer, that fence was left open.
                self._ends.append(match.start())
                self._starts.append(match.start())
                self._labels.append(label)
        if opened:
            self._ends.append(len(text))

    def is_program(self, found: Found) -> bool:
        """Whether an object is a part of a program's text."""
        index = bisect_right(self._starts, found.start) - 1
        if found.state != CLOSED or index < 0 or found.start >= self._ends[index] or self._labels[index] in _DATA:
            return False
        return self.around(*_in_tag_or_marks(self._text, found.start, found.end)) is None

    def around(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the fence, or the backticks in a line, that hold only the text between two places."""
        text = self._text
        near = max(0, start - _NEAR)
        backticks = _BEFORE.search(text, max(near, text.rfind("\n", near, start) + 1), start)
        if backticks is not None:
            after = _BLANK.match(text, end)
            assert after is not None  # noqa: S101 - the pattern also matches an empty text
            ticks = backticks[1]
            if text.startswith(ticks, after.end()) and not text.startswith("`", after.end() + len(ticks)):
                return backticks.start(), after.end() + len(ticks)
        index = bisect_right(self._starts, start) - 1
        # The line before may also be the one that closes a fence.
        if index < 0 or start >= self._ends[index] or self._starts[index] != _line_before(text, start):
            return None
        blank = _SPACES.match(text, end)
        rest = blank.end() if blank else end
        if rest >= len(text):
            return self._starts[index], len(text)
        line_end = text.find("\n", rest)
        is_last = (len(text) if line_end < 0 else line_end) == self._ends[index]
        return (self._starts[index], self._ends[index]) if is_last else None


def _place(text: str, place: int) -> str:
    line = text.count("\n", 0, place) + 1
    return f"line {line} column {place - text.rfind(chr(10), 0, place)} of the answer"


def _line_before(text: str, place: int) -> int:
    """Return the start of the last line before a place that isn't blank, or -1 if the place isn't at a line's start."""
    # Step by step and not with `rstrip` of all that comes before: many objects would copy a long text many times.
    while place and text[place - 1] in " \t":
        place -= 1
    if place and text[place - 1] not in "\r\n":
        return -1
    while place and text[place - 1].isspace():
        place -= 1
    return text.rfind("\n", 0, place) + 1 if place else -1


def _take(answer: str, found: Found, block: Block, fences: _Fences) -> None:
    """Take the axes of an object, and the object out of the answer."""
    values, wrapper = _values_of(found)
    for name in AXES:
        value = values.get(name)
        if name in found.repeated:
            block.problems.append(f"{name}: it is given twice in the coglog block; ask the model again")
        elif isinstance(value, str):
            block.axes[name] = value
        else:
            what = f"it is {value.kind}, not a string," if isinstance(value, NotString) else "it is missing"
            block.problems.append(
                f"{name}: {what} in the coglog block; ask the model for all four (an empty string is acceptable), or"
                " give it yourself"
            )
    block.found = True
    if found.repaired:
        block.notes.append(f"the block was repaired: {', '.join(found.repaired)}")
    if wrapper in TOOL_CALL:
        block.notes.append("the block is a tool call in the answer's text; its axes were taken")
    if found.quoted:
        block.notes.append("the block is in a quotation; its marks were taken out")
    _note_spellings(found, block)
    others = [key for key in found.others if wrapper not in TOOL_CALL or key not in ("name", "type", "id")]
    if others:
        block.notes.append(f"other keys of the block were left out: {_first(others)}")
    if len(block.axes) == len(AXES) and set(block.axes.values()) == {"..."}:
        block.notes.append('every axis is "...", as in the template')
    start, end = _with_surroundings(answer, found.start, found.end, fences)
    block.rest = _without(answer, start, end)
    following = len(answer[end:].strip())
    if following:
        block.notes.append(f"{following:,} characters follow the block; they stay in the answer")


def _values_of(found: Found) -> tuple[dict[str, object], str]:
    """Return the values of an object, or of the one inside it, and the key of that one."""
    own = found.items
    if any(name in own for name in AXES):
        return own, ""
    for wrapper in WRAPPERS:
        inner = own.get(wrapper)
        if isinstance(inner, dict):
            return inner, wrapper
        text = _inner_text(own, wrapper)
        if text is not None:
            for each in _scanner(text).objects():
                if each.state == CLOSED and _is_meant(each):
                    found.others += each.others
                    found.repeated += each.repeated
                    return each.items, wrapper
    return own, ""


def _note_spellings(found: Found, block: Block) -> None:
    if found.renamed:
        block.notes.append(f"keys in another spelling were taken for the axes: {_first(found.renamed)}")
    if found.kept_escapes:
        block.notes.append(
            f"a backslash is text here, although JSON wants it twice: {_first(list(dict.fromkeys(found.kept_escapes)))}"
        )
    if found.doubtful_escapes:
        words = list(dict.fromkeys(found.doubtful_escapes))
        block.notes.append(
            f"{_first(words)} was read as JSON has it, as a line break or a tab and letters; if the TeX command was"
            " meant, correct the text"
        )


def _first(words: list[str]) -> str:
    """List the first few of some words, each shortened."""
    return ", ".join(word[:40] for word in words[:5]) + (", ..." if len(words) > 5 else "")  # noqa: PLR2004


def _with_surroundings(answer: str, start: int, end: int, fences: _Fences) -> tuple[int, int]:
    """Return a stretch with what only surrounds it: each surrounding may be within another one."""
    while True:
        before = start, end
        start, end = fences.around(start, end) or (start, end)
        start, end = _in_tag_or_marks(answer, start, end)
        near = max(0, start - _NEAR)
        for pattern in (_QUOTE_MARK, _EMPTY_REASONING_BEFORE, _LABEL_LINE):
            match = pattern.search(answer, near, start)
            if match is not None and (match.start() > near or near == 0):
                start = match.start() + (answer[match.start()] == "\n")
        fence = _QUOTED_FENCE.search(answer, near, start)
        if fence is not None and (fence.start() > near or near == 0):
            closing = re.compile(rf"[ \t\r]*\n[ \t]*(?:>[ \t]*)+{fence['fence']}[ \t]*(?=\r?\n|\Z)").match(answer, end)
            if closing is not None:
                start, end = fence.start() + (answer[fence.start()] == "\n"), closing.end()
        after = _AFTER.match(answer, end)
        if after is not None:
            end = after.end()
        if (start, end) == before:
            return start, end


def _in_tag_or_marks(answer: str, start: int, end: int) -> tuple[int, int]:
    near = max(0, start - _NEAR)
    tag = _OPENING_TAG.search(answer, near, start)
    if tag is not None:
        closing = re.compile(rf"\s*</{re.escape(tag[1])}\s*>").match(answer, end)
        if closing is not None:
            return tag.start(), closing.end()
        if tag[1].lower() in _OPEN_TO_THE_END and _SPACES.fullmatch(answer, end):
            return tag.start(), end
    mark = _OPENING_MARK.search(answer, near, start)
    if mark is not None:
        closing = _CLOSING_MARK[mark[1]].match(answer, end)
        if closing is not None:
            return mark.start(), closing.end()
    return start, end


def _without(answer: str, start: int, end: int) -> str:
    """Take a stretch out of a text, with the blank line before it and the blanks after it."""
    after = answer[end:]
    if not after.strip():
        after = ""
    elif not _LINE_END.match(after):  # a sentence follows in the block's last line: it gets a line of its own
        return answer[:start] + after.lstrip(" \t")
    before = answer[:start]
    gap = _GAP.search(before, max(0, len(before) - _LONGEST_GAP))
    before = before[: gap.start()] if gap else before
    return before + after if before else after.lstrip("\r\n")

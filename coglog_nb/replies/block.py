"""The coglog block at the end of an answer: a JSON object with the four axes, as the template asks for.

The object is taken out of the answer, with the code fence or the backticks around it if they hold nothing else, and the
line break and one blank line before it. Everything else stays as it is, including what follows.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ..fields import AXES
from .lenient_json import BROKEN, CLOSED, CUT, Found, NotString, Scanner

WRAPPER = "coglog"
ALL_AXES = ", ".join(AXES)

# The beginning of a block that isn't JSON: bare keys, single or typographic quotes.
_NO_JSON = re.compile(rf"\{{(?=\s*['\u2018\u201c]?(?:{'|'.join(AXES)}|{WRAPPER})['\u2019\u201d]?\s*:)")
_CUT_AT_ONCE = re.compile(r'\{\s*"?[a-z_]*\s*\Z')
_FENCE_LINE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^`\r\n]*?)[ \t]*\r?$", re.MULTILINE)
_BLANK = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[ \t]*\r?\n")
# The end of the line before the block, and one blank line.
_GAP = re.compile(r"(?:\r?\n(?:[ \t]*\r?\n)?)?[ \t]*\Z")
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
    problems : list of str
        Why axes can't be taken: each names its field and says what to do.
    notes : list of str
        What was repaired, and what was left out.
    """

    def __init__(self, answer: str) -> None:
        self.axes: dict[str, str] = {}
        self.rest = answer
        self.found = False
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
    if chosen is None:
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
    scanner = Scanner(text, AXES, WRAPPER)
    return [
        (found.start, found.end)
        for found in scanner.objects()
        if found.state == CLOSED or (found.state == CUT and found.keys)
    ]


def _choose(answer: str) -> tuple[Found | None, _Fences]:
    """Return the last object that looks like a block, if there is one, and the answer's code fences."""
    last = {name: answer.rfind(name) for name in (*AXES, WRAPPER)}
    found = []
    if max(last.values()) >= 0:
        found = [each for each in Scanner(answer, AXES, WRAPPER).objects() if _is_meant(each)]
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


def _is_meant(found: Found) -> bool:
    """Whether an object has a key that belongs to a block."""
    if found.partial_key is not None and not found.keys:
        return not found.others and _begins_a_key(found.partial_key)
    if any(name in AXES for name in found.keys):
        return True
    return WRAPPER in found.keys and (found.state == CUT or isinstance(found.items.get(WRAPPER), dict))


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
    found.end = match.end() + len(answer[match.end() : match.end() + 200]) - len(answer[match.end() :][:200].lstrip())
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
            if not opened:
                opened = match[1]
                self._starts.append(match.start())
                self._labels.append(match[2].lower())
            elif match[1].startswith(opened) and not match[2]:
                opened = ""
                self._ends.append(match.end())
            elif match[1] == opened and match[2].lower() in ("json", "coglog"):
                # In Markdown it would be a line of the fence before it. In an answer, that fence was left open.
                self._ends.append(match.start())
                self._starts.append(match.start())
                self._labels.append(match[2].lower())
        if opened:
            self._ends.append(len(text))

    def is_program(self, found: Found) -> bool:
        """Whether an object is a part of a program's text."""
        index = bisect_right(self._starts, found.start) - 1
        if index < 0 or found.start >= self._ends[index] or self._labels[index] in _DATA:
            return False
        return self.around(found.start, found.end) is None and found.state == CLOSED

    def around(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the fence, or the backticks in a line, that hold only the text between two places."""
        text = self._text
        hugging = _BEFORE.search(text, text.rfind("\n", 0, start) + 1, start)
        if hugging is not None:
            after = _BLANK.match(text, end)
            assert after is not None  # noqa: S101 - it matches nothing, too
            ticks = hugging[1]
            if text.startswith(ticks, after.end()) and not text.startswith("`", after.end() + len(ticks)):
                return hugging.start(), after.end() + len(ticks)
        index = bisect_right(self._starts, start) - 1
        # The line before may also be the one that closes a fence.
        if index < 0 or start >= self._ends[index] or self._starts[index] != _line_before(text, start):
            return None
        rest = len(text) - len(text[end:].lstrip())
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
    start = text.rfind("\n", 0, place) + 1
    if text[start:place].strip():
        return -1
    end = len(text[:start].rstrip())
    return text.rfind("\n", 0, end) + 1 if end else -1


def _take(answer: str, found: Found, block: Block, fences: _Fences) -> None:
    """Take the axes of an object, and the object out of the answer."""
    own = found.items
    inner = own.get(WRAPPER)
    values = inner if isinstance(inner, dict) and not any(name in own for name in AXES) else own
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
    if found.others:
        keys = ", ".join(key[:40] for key in found.others[:5]) + (", ..." if len(found.others) > 5 else "")  # noqa: PLR2004
        block.notes.append(f"other keys of the block were left out: {keys}")
    if len(block.axes) == len(AXES) and set(block.axes.values()) == {"..."}:
        block.notes.append('every axis is "...", as in the template')
    start, end = fences.around(found.start, found.end) or (found.start, found.end)
    block.rest = _without(answer, start, end)
    following = len(answer[end:].strip())
    if following:
        block.notes.append(f"{following:,} characters follow the block; they stay in the answer")


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

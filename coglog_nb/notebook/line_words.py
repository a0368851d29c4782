r"""The words of a `%coglog` line.

Words are split at spaces outside quotes and brackets, so that a Python expression or a quoted path is one word. Quotes
and backslashes stay in the words, as IPython's `arg_split(posix=False)` leaves them, because an expression needs them;
only the backslash of ``\ `` goes. A ``#`` at the start of a word begins a comment.
"""

from __future__ import annotations

import re

from ..errors import UsageError

_SPACES = " \t\r\n"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# A path of Windows may end with a backslash, so in one it escapes nothing.
_WINDOWS_PATH = re.compile(r"(?:-[\w-]*=)?['\"]?(?:[A-Za-z]:\\|\\\\)")
# A quote opens a text unless it follows a letter, as in `don't`. Some letters are the prefixes of Python's strings.
_OPENS_TEXT = re.compile(r"(?i)(?:\A|\W)(?:[rbuft]|[ft]r|r[ftb]|br)?\Z")


def split_line(line: str) -> list[str]:
    """Split a line into words. `without_comment` comes first.

    Parameters
    ----------
    line : str
        What follows `%coglog`. It is read as it was typed: nothing in it is interpolated.

    Raises
    ------
    UsageError
        If a quotation isn't closed.
    """
    words: list[str] = []
    place = 0
    while place < len(line):
        if line[place] in _SPACES:
            place += 1
        else:
            word, place = _read_word(line, place)
            words.append(word)
    return words


def without_comment(line: str) -> str:
    """Return a line without the comment at its end.

    Raises
    ------
    UsageError
        If a quotation isn't closed.
    """
    place = 0
    while place < len(line):
        if line[place] == "#":
            return line[:place].rstrip()
        place = place + 1 if line[place] in _SPACES else _read_word(line, place)[1]
    return line.rstrip()


def _read_word(line: str, start: int) -> tuple[str, int]:
    """Return the word that starts in a place, and where it ends."""
    escapes = _WINDOWS_PATH.match(line, start) is None
    pieces: list[str] = []
    place = start
    while place < len(line) and line[place] not in _SPACES:
        if escapes and line.startswith("\\ ", place):
            pieces.append(" ")
            place += 2
            continue
        end = _end_of_piece(line, place)
        pieces.append(line[place:end])
        place = end
    return "".join(pieces), place


def _end_of_piece(line: str, place: int) -> int:
    """Return where the text, the brackets or the character in a place ends."""
    if line[place] == "\\" and place + 1 < len(line) and line[place + 1] not in _SPACES:
        return place + 2
    if _opens_text(line, place):
        return _end_of_text(line, place)
    if line[place] in _CLOSING:
        # A bracket that never closes, in a file's name for example, is a character like others.
        return _end_of_brackets(line, place) or place + 1
    return place + 1


def _opens_text(line: str, place: int) -> bool:
    return line[place] in "'\"" and _OPENS_TEXT.search(line[max(0, place - 3) : place]) is not None


def _end_of_text(line: str, start: int) -> int:
    """Return where a quoted text ends, or raise a `UsageError`."""
    quote = line[start] * 3 if line.startswith(line[start] * 3, start) else line[start]
    place = start + len(quote)
    escapes = _WINDOWS_PATH.match(line, start) is None
    while place < len(line):
        if line.startswith(quote, place):
            return place + len(quote)
        place += 2 if escapes and line[place] == "\\" else 1
    raise UsageError(f"No closing quotation: {line[start:]}; close it with {quote}, or leave out the first one")


def _end_of_brackets(line: str, start: int) -> int | None:
    """Return where brackets end, or None if they never do."""
    open_brackets = [_CLOSING[line[start]]]
    place = start + 1
    while place < len(line):
        if line[place] in _CLOSING:
            open_brackets.append(_CLOSING[line[place]])
        elif line[place] == open_brackets[-1]:
            open_brackets.pop()
        elif _opens_text(line, place):
            place = _end_of_text(line, place)
            continue
        place += 1
        if not open_brackets:
            return place
    return None

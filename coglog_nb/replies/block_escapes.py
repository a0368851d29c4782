r"""Backslashes in a block's strings: models write TeX and Windows paths with single ones, where JSON wants two.

``\f`` and ``\b`` before a letter, and escapes that JSON doesn't know, are text: nobody means a form feed before "rac".
``\n``, ``\t`` and ``\r`` are honest newlines and tabs almost everywhere, so they are text only in a formula (``$...$``,
``\(...\)``, ``\[...\]``) and in a path (after a drive letter or ``\\host``).
"""

from __future__ import annotations

import json
import re

ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]+")
_KNOWN = frozenset('"\\/bfnrtu')
_SPACES = " \t\r\n"

# A drive letter that is a word of its own, or a host, and what may be a path after it. A space ends it.
_PATH = re.compile(
    r"""(?<![A-Za-z0-9\\])(?:[A-Za-z]:(?=\\)|(?:\\\\){1,2}(?P<host>[A-Za-z0-9][A-Za-z0-9.$_-]*)(?=\\))[^\s"'<>|*?;,()]*"""
)
_BRACKETS = re.compile(r"\\\\?([()\[\]])")
_CLOSING = {"(": ")", "[": "]"}
_DOLLARS = re.compile(r"(?<!\\)\$\$?")
_PARAGRAPH = re.compile(r"(?:\\n|\n)[ \t]*(?:\\n|\n)")

# fmt: off
TEX_COMMANDS = frozenset(
    (
        "alpha", "bar", "begin", "beta", "big", "bigcap", "bigcup", "binom", "bmod", "bot", "boxed", "bullet", "cdot",
        "chi", "cos", "delta", "dots", "end", "epsilon", "eta", "exp", "fbox", "flat", "forall", "frac", "frown",
        "gamma", "hat", "in", "infty", "int", "iota", "kappa", "lambda", "lim", "ln", "log", "max", "min", "mu",
        "nabla", "natural", "ne", "nearrow", "neg", "neq", "newcommand", "newline", "nexists", "ngeq", "ni", "nleq",
        "nmid", "noindent", "nolimits", "nonumber", "normalsize", "not", "notag", "notin", "nparallel", "nsim",
        "nsubseteq", "nu", "nwarrow", "omega", "partial", "phi", "pi", "prod", "psi", "rangle", "rbrace", "rbrack",
        "rceil", "ref", "renewcommand", "rfloor", "rho", "right", "rightarrow", "rightharpoonup", "rightleftharpoons",
        "rm", "root", "rtimes", "rule", "rvert", "sigma", "sin", "sqrt", "sum", "tag", "tan", "tanh", "tau", "tbinom",
        "text", "textbf", "textit", "textrm", "textsf", "texttt", "textup", "tfrac", "therefore", "theta",
        "thinspace", "tilde", "times", "tiny", "to", "top", "triangle", "triangleleft", "triangleq", "triangleright",
        "upsilon", "varepsilon", "varphi", "vartheta", "vec", "xi", "zeta",
    )
)
# fmt: on
"""Commands whose names may follow a backslash; those that begin with n, r or t can be read as a newline or a tab."""


def read_string(source: str) -> tuple[str, list[str], list[str]]:
    r"""Read a JSON string of a block.

    Parameters
    ----------
    source : str
        The string with its quotes, as it is in the reply.

    Returns
    -------
    tuple of (str, list of str, list of str)
        The text; the words whose backslash was kept as text (``\frac``); the words that were read as JSON has it, but
        are TeX commands as well (``\tan``).

    Raises
    ------
    ValueError
        If it isn't a JSON string even so.
    """
    if "\\" not in source:
        return json.loads(source, strict=False), [], []
    spans = _literal_spans(source)
    pieces, kept, doubtful = [], [], []
    done = 0
    index = 0
    for match in ESCAPE.finditer(source):
        start = match.start()
        while index < len(spans) and spans[index][1] <= start:
            index += 1
        inside = index < len(spans) and spans[index][0] <= start
        raw_host = inside and spans[index][2] == start
        if not (_is_text(source, match, literal=inside) or raw_host):
            word = _word_after(source, start)
            if match[0][1] in "nrt" and word in TEX_COMMANDS:
                doubtful.append(f"\\{word}")
            continue
        pieces += [source[done:start], "\\\\"]
        if raw_host:
            pieces.append("\\\\")
            done = match.end()
        else:
            done = start + 1
        kept.append(f"\\{_word_after(source, match.end() - 1) or match[0][1]}")
    pieces.append(source[done:])
    return json.loads("".join(pieces), strict=False), kept, doubtful


def _is_text(source: str, match: re.Match[str], *, literal: bool) -> bool:
    escape = match[0]
    letter = escape[1]
    if letter not in _KNOWN or (letter == "u" and len(escape) == 2):  # noqa: PLR2004 - no four hexadecimal digits
        return True
    following = source[match.end() : match.end() + 1]
    if letter in "bf":
        return literal or (following.isascii() and following.isalpha())
    return literal and letter in "nrt"


def _word_after(source: str, place: int) -> str:
    """Return the letters after a backslash, or at the place itself."""
    word = _WORD.match(source, place + (source[place] == "\\"))
    return word[0] if word else ""


def _literal_spans(source: str) -> list[tuple[int, int, int]]:
    """Return where formulas and paths are; for a path with a host that was written raw, also where its mark is."""
    spans = [*_bracket_spans(source), *_dollar_spans(source)]
    for match in _PATH.finditer(source):
        host = match["host"]
        if host is None and _is_label(match[0]):
            continue
        if host is not None and host in TEX_COMMANDS:
            continue
        if host is not None and not _has_single_escape(source, match.end("host"), match.end()):
            continue
        # Two backslashes are a host's mark written raw; four are the same, escaped as JSON wants it.
        raw = host is not None and match.start("host") - match.start() == 2  # noqa: PLR2004 - as said
        spans.append((match.start(), match.end(), match.start() if raw else -1))
    return _merged(sorted(spans))


def _has_single_escape(source: str, start: int, end: int) -> bool:
    return any(match[0] != "\\\\" for match in ESCAPE.finditer(source, start, end))


def _is_label(text: str) -> bool:
    r"""Whether a letter and a colon begin a question, an answer or a speaker's line (``Q:\nWhy``), not a path."""
    return text[0] in "ABQabq" and text[2:4] == "\\n" and text.count("\\") == 1 and "." not in text


def _bracket_spans(source: str) -> list[tuple[int, int, int]]:
    spans: list[tuple[int, int, int]] = []
    opened: re.Match[str] | None = None
    for match in _BRACKETS.finditer(source):
        if match[1] in _CLOSING:
            opened = match
        elif opened is not None and _CLOSING[opened[1]] == match[1]:
            if _PARAGRAPH.search(source, opened.end(), match.start()) is None:
                spans.append((opened.start(), match.end(), -1))
            opened = None
    return spans


def _dollar_spans(source: str) -> list[tuple[int, int, int]]:
    """Pair the dollars as Pandoc does: text touches both from inside, and no digit follows the closing one."""
    spans: list[tuple[int, int, int]] = []
    opened: re.Match[str] | None = None
    for match in _DOLLARS.finditer(source):
        if opened is not None and match[0] == opened[0] and _closes(source, opened, match):
            if _PARAGRAPH.search(source, opened.end(), match.start()) is None:
                spans.append((opened.start(), match.end(), -1))
            opened = None
        elif _opens(source, match):
            opened = match
    return spans


def _opens(source: str, match: re.Match[str]) -> bool:
    following = source[match.end() : match.end() + 1]
    if following == "\\":
        # A newline or a tab, unless a formula begins with a command of that name.
        return source[match.end() + 1] not in "nrt" or _word_after(source, match.end()) in TEX_COMMANDS
    return bool(following) and following not in _SPACES and following != '"'


def _closes(source: str, opened: re.Match[str], match: re.Match[str]) -> bool:
    before = source[match.start() - 1]
    if match.start() == opened.end() or before in _SPACES:
        return False
    if before in "nrt" and source[match.start() - 2] == "\\" and source[match.start() - 3] != "\\":
        return False
    return not source[match.end() : match.end() + 1].isdigit()


def _merged(spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []
    for start, end, mark in spans:
        if merged and start < merged[-1][1]:
            last = merged[-1]
            merged[-1] = (last[0], max(last[1], end), last[2] if last[2] >= 0 else mark)
        else:
            merged.append((start, end, mark))
    return merged

"""Tab completion in `%coglog` lines and `%%coglog` cells, from the parsers of the commands."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher
from IPython.core.getipython import get_ipython
from IPython.core.guarded_eval import EVALUATION_POLICIES
from IPython.core.interactiveshell import InteractiveShell

from ..commands.parser import parser_of
from ..commands.registry import COMMANDS, commands_of
from ..entry import Entry
from ..errors import CogLogError
from ..fields import NAMES
from ..labels import LANGUAGES
from ..paths import session_names
from ..teaching.exercises.catalog import BUILT_IN
from ..validation import THEMES
from .frontend import NotebookFrontend

_CALL = re.compile(r"(?:^|[=\s])%%?coglog\s+(?P<words>.*)$")
_CELL = re.compile(r"\s*%%coglog\s+.*\bwrite\b")


@context_matcher(identifier="coglog")
def coglog_matcher(context: CompletionContext) -> SimpleMatcherResult:
    """Complete commands, options, themes, session names, and field names in a cell's body."""
    lines = context.full_text.split("\n")
    line = lines[context.cursor_line][: context.cursor_position]
    call = _CALL.search(line)
    if call:
        words = call["words"].split()
        fragment = "" if call["words"][-1:].isspace() or not words else words.pop()
        candidates = _candidates(words, fragment)
    elif context.cursor_line > 0 and _CELL.match(lines[0]) and re.fullmatch(r"[a-z_]*", line):
        fragment = line
        candidates = [f"{name}:" for name in NAMES]
    else:
        return SimpleMatcherResult(completions=[])
    found = [SimpleCompletion(text, type="keyword") for text in candidates if text.startswith(fragment)]
    # Without suggestions of our own, for a path for example, the other matchers may make theirs.
    return SimpleMatcherResult(completions=found, suppress=bool(found), matched_fragment=fragment, ordered=True)


def _candidates(words: list[str], fragment: str) -> Iterable[str]:
    command = next((word for word in words if word in COMMANDS), None)
    parser = parser_of(command if command in commands_of(NotebookFrontend.program) else None, NotebookFrontend)
    before = words[-1] if words else ""
    option, equals, value = fragment.partition("=")
    if equals:
        return [f"{option}={found}" for found in _values(option, value)]
    if parser.takes_value.get(before):
        return _values(before, fragment)
    options = sorted(parser.takes_value)
    if fragment.startswith("-"):
        return options
    if command == "use":
        return _values("--session", fragment)
    # The positional argument of a command.
    rest: dict[str | None, Iterable[str]] = {None: COMMANDS, "exercise": BUILT_IN}
    return [*rest.get(command, ()), *options, *(_names(fragment) if command in {"write", "capture"} else ())]


def _values(option: str, fragment: str) -> Iterable[str]:
    if option == "--theme":
        return THEMES
    if option == "--lang":
        return LANGUAGES
    if option in ("-m", "--model"):
        return (*_names(fragment), *_llm_models())
    if option in ("--system", "--template"):
        return _names(fragment)
    if option == "--session":
        return _sessions()
    return _names(fragment) if option.lstrip("-").replace("-", "_") in NAMES else ()


def _sessions() -> Iterable[str]:
    magics = get_ipython().magics_manager.registry.get("CogLogMagics")
    if magics is None:  # this shell completes code for another one
        return ()
    try:
        return session_names(magics.data_directory()[0])
    except CogLogError:  # the command reports it; completion stays silent
        return ()


def _llm_models() -> Iterable[str]:
    """Return the models of llm if it is already imported; importing it would make completion slow."""
    llm = sys.modules.get("llm")
    return sorted(llm.get_model_aliases()) if llm is not None else ()


def _names(fragment: str) -> Iterable[str]:
    """Return Python names, because the shell's own matchers don't complete expressions in a magic's line."""
    completer = get_ipython().Completer
    found: list[str] = completer.attr_matches(fragment) if "." in fragment else completer.global_matches(fragment)
    return found


def _entries_are_safe() -> set[type]:
    """Return the types whose items IPython looks at to complete ``prev["layers"]["``; other versions may have none."""
    allowed: set[type] = getattr(EVALUATION_POLICIES.get("limited"), "allowed_getitem", set())
    return allowed


def add_matcher(ip: InteractiveShell) -> None:
    """Make this shell complete `%coglog`, and what is inside of an entry."""
    _entries_are_safe().add(Entry)
    if ip.Completer is not None:
        ip.Completer.custom_matchers.append(coglog_matcher)


def remove_matcher(ip: InteractiveShell) -> None:
    """Make this shell no longer complete `%coglog`."""
    _entries_are_safe().discard(Entry)
    if ip.Completer is not None:
        # By identifier: after `%reload_ext`, the matcher that was added is not the same function any more.
        ip.Completer.custom_matchers[:] = [
            matcher
            for matcher in ip.Completer.custom_matchers
            if getattr(matcher, "matcher_identifier", None) != "coglog"
        ]

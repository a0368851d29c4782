"""One parser for the command line and the notebook: options, help and suggestions."""

from __future__ import annotations

import argparse

from .._version import __version__
from ..errors import UsageError
from ..fields import FACT, FIELDS
from ..labels import LANGUAGES
from ..suggestions import did_you_mean
from ..validation import THEMES
from .frontend import Frontend, Outcome
from .registry import COMMANDS, EVERYWHERE, commands_of

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    AnyFrontend = Frontend | type[Frontend]

SHELL_EXAMPLES = """\
  PROGRAM read
  PROGRAM write < turn.json
  PROGRAM where --session npc-1"""

NOTEBOOK_EXAMPLES = """\
  prev = %coglog read
  %coglog write prev --annotation next_step --replace

  %%coglog write
  user: What is a fixed point?
  thinking: They met recursion last time. Start from an example.
  assistant: A value that a function maps to itself.
  current_focus: fixed points
  theory_of_mind:
  self_narrative: a tutor who builds on what was said
  annotation: ask them for one of cos(x)"""

CONFIGURATION = """\
configuration (%config CogLogMagics.NAME = VALUE, or c.CogLogMagics.NAME in ipython_config.py):
  coglog_dir, session, viewer_dir   like the options of the same name
  theme, lock_timeout, lang         like the options of the same name
  show_thinking                     False works like --no-thinking in every call
  artifacts                         "last": a write removes the viewer artifact
                                    of the write before ("all": each stays)

"""

ENVIRONMENT = """\
  COGLOG_DIR         the data directory
  COGLOG_SESSION     the session
  COGLOG_VIEWER_DIR  where viewer artifacts go"""


class Parser(argparse.ArgumentParser):
    """An `argparse` parser that raises an error instead of ending the process, and remembers its options.

    Parameters
    ----------
    prog : str
        The program and, if there is one, the command.
    quoted : bool
        Whether to remove a pair of quotes around paths and names. In a notebook no shell has removed them.
    """

    def __init__(self, prog: str, *, quoted: bool = False) -> None:
        self.takes_value: dict[str, bool] = {}
        self.positionals: list[str] = []
        self.quoted = quoted
        super().__init__(prog=prog, add_help=False, allow_abbrev=False, usage=argparse.SUPPRESS)
        self.color = False  # Python 3.14 colors help, but this help goes into docstrings and cells
        self.formatter_class = _formatter

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """Add an argument like `argparse` does, and remember whether an option takes a value."""
        action = super().add_argument(*names, **settings)
        self.takes_value.update(dict.fromkeys(action.option_strings, action.nargs != 0))
        if not action.option_strings:
            self.positionals.append(f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar))
        return action

    def add_text(self, *names: str, **settings: Any) -> argparse.Action:
        """Add an argument that is a path or a name."""
        return self.add_argument(*names, type=_unquote if self.quoted else str, **settings)

    def add_pair(self, *names: str, **settings: Any) -> argparse.Action:
        """Add an argument that is ``KEY=VALUE``."""
        return self.add_argument(*names, type=_unquote_pair if self.quoted else str, **settings)

    def add_language(self) -> argparse.Action:
        """Add ``--lang``, for the commands that show texts in several languages."""
        known = " or ".join(LANGUAGES)
        return self.add_text("--lang", metavar="LANG", choices=LANGUAGES, help=f"the language: {known} (default: en)")

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError`; `argparse` would print and exit."""
        raise UsageError(message, self.one_line())

    def one_line(self) -> str:
        """Return the usage line."""
        words = [*self.positionals, "[options]"] if " " in self.prog else ["[options]", "COMMAND"]
        return " ".join(["usage:", self.prog, *words])


def _formatter(prog: str) -> argparse.HelpFormatter:
    # A fixed width: the magic's docstring must not depend on the size of a terminal.
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=96)


def _unquote(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text


def _unquote_pair(text: str) -> str:
    key, equals, value = _unquote(text).partition("=")
    return f"{key}{equals}{_unquote(value)}"


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a number of seconds: {text!r}") from None


_COMMON: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--coglog-dir",), {"metavar": "DIR", "help": "the data directory (default: COGLOG_DIR, else ~/.coglog)"}),
    (
        ("--session",),
        {"metavar": "NAME", "help": "a named window beside the default one (default: COGLOG_SESSION)"},
    ),
    (("--viewer-dir",), {"metavar": "DIR", "help": "where viewer artifacts go (default: COGLOG_VIEWER_DIR)"}),
    (("--theme",), {"metavar": "THEME", "choices": THEMES, "help": f"the card's theme: {', '.join(THEMES)}"}),
    (
        ("--lock-timeout",),
        {"metavar": "SECONDS", "type": _seconds, "help": "how long to wait for another writer (default: 10)"},
    ),
    (
        ("--no-thinking",),
        {
            "action": "store_true",
            "help": "leave the thinking out of outputs and artifacts; it stays stored",
        },
    ),
    (("-h", "--help"), {"action": "store_true", "help": "show this help, or the help of a command"}),
    (("--version",), {"action": "store_true", "help": "show the version"}),
)
_COMMON_TAKE_VALUE = {name: "metavar" in settings for names, settings in _COMMON for name in names}


def _add_common(parser: Parser) -> None:
    group = parser.add_argument_group("options of every command")
    for names, settings in _COMMON:
        text = {"type": _unquote} if parser.quoted and settings.get("metavar") in ("DIR", "NAME", "THEME") else {}
        group.add_argument(*names, **{**text, **settings})
    parser.takes_value.update(_COMMON_TAKE_VALUE)


def parser_of(command: str | None, frontend: AnyFrontend) -> Parser:
    """Make the parser of a command.

    Parameters
    ----------
    command : str or None
        A command that works in the frontend, or None for the program itself.
    frontend : Frontend or its class
        Where the command is called.
    """
    program = frontend.program
    parser = Parser(f"{program} {command}" if command else program, quoted=frontend.in_notebook)
    if command:
        parser.description = COMMANDS[command].summary
        add_arguments = getattr(frontend.load_command(command), "add_arguments", None)
        if add_arguments is not None:
            add_arguments(parser)
    _add_common(parser)
    return parser


def _all_options(frontend: AnyFrontend) -> dict[str, bool]:
    """Return the options of all commands, and whether each takes a value. Imports every command."""
    found: dict[str, bool] = {}
    for command in commands_of(frontend.program):
        found = {**parser_of(command, frontend).takes_value, **found}
    return found


def _find_command(tokens: Sequence[str], frontend: Frontend) -> int | None:
    """Find the first token that is neither an option nor an option's value."""
    takes_value = _COMMON_TAKE_VALUE
    index = 0
    while index < len(tokens):
        word = tokens[index]
        if not word.startswith("-"):
            return index
        if "=" not in word and word not in takes_value and takes_value is _COMMON_TAKE_VALUE:
            # An option of the command's own stands before the command: only now are all of them worth knowing.
            takes_value = {**_all_options(frontend), **_COMMON_TAKE_VALUE}
        index += 2 if "=" not in word and takes_value.get(word) else 1
    return None


def parse(tokens: Sequence[str], frontend: Frontend) -> argparse.Namespace:
    """Parse a command line or a magic's line.

    Parameters
    ----------
    tokens : sequence of str
        The words after the program's name.
    frontend : Frontend
        Where they were typed.

    Returns
    -------
    argparse.Namespace
        The options, with ``command`` (str or None).

    Raises
    ------
    UsageError
        If a command or option is unknown (the error suggests the nearest one), the command doesn't work here, or a
        value doesn't fit its option.
    """
    index = _find_command(tokens, frontend)
    command = None if index is None else tokens[index]
    rest = [word for place, word in enumerate(tokens) if place != index]
    wants_help = bool({"-h", "--help"} & set(rest))
    if command is not None and command not in COMMANDS:
        raise _unknown_command(command, tokens[:index], frontend)
    if command is not None and frontend.program not in COMMANDS[command].works_in and not wants_help:
        raise UsageError(COMMANDS[command].elsewhere, parser_of(None, frontend).one_line())
    if wants_help:
        # Help doesn't need the arguments that the command requires.
        return argparse.Namespace(command=command, help=True, version=False)
    parser = parser_of(command, frontend)
    args, unknown = parser.parse_known_args(rest)
    if unknown:
        option = unknown[0].split("=")[0]
        if option.startswith("-"):
            parser.error(f"unknown option {option}{did_you_mean(option, parser.takes_value)}")
        hint = (
            "; put an expression with spaces into a variable first, or into parentheses" if frontend.in_notebook else ""
        )
        parser.error(f"unexpected argument {unknown[0]}{hint}")
    args.command = command
    return args


def _unknown_command(command: str, before: Sequence[str], frontend: Frontend) -> UsageError:
    """Make the error for an unknown command. The word may be the value of a misspelt option before it."""
    parser = parser_of(None, frontend)
    options = [word.partition("=")[0] for word in before if word.startswith("-")]
    known = _all_options(frontend) if options else {}
    for option in options:
        if option not in known:
            return UsageError(f"unknown option {option}{did_you_mean(option, parser.takes_value)}", parser.one_line())
    return UsageError(f"unknown command {command}{did_you_mean(command, [*COMMANDS, '--help'])}", parser.one_line())


def run(args: argparse.Namespace, frontend: Frontend) -> Outcome:
    """Run the command that was parsed."""
    if args.version:
        return Outcome(f"coglog-nb {__version__}")
    if args.help or args.command is None:
        return Outcome(help_text(frontend, args.command))
    try:
        outcome: Outcome = frontend.load_command(args.command).run(args, frontend)
    except UsageError as error:
        # A command may find misuse that the parser can't see; it shows the same usage line.
        error.usage = error.usage or parser_of(args.command, frontend).one_line()
        raise
    return outcome


def help_text(frontend: AnyFrontend, command: str | None = None) -> str:
    """Return the help of the program, or of one command."""
    program = frontend.program
    if command and program not in COMMANDS[command].works_in:
        return f"{command}: {COMMANDS[command].summary}\n\n{COMMANDS[command].elsewhere}"
    parser = parser_of(command, frontend)
    if command:
        return f"{parser.one_line()}\n\n{parser.format_help().rstrip()}"
    examples = NOTEBOOK_EXAMPLES if frontend.in_notebook else SHELL_EXAMPLES.replace("PROGRAM", program)
    return (
        f"{parser.one_line()}\n\n"
        "CogLog: a single-window log that carries an LLM's last turn into its next one.\n\n"
        f"commands ({program} COMMAND --help shows more):\n{_command_lines()}\n\n"
        f"fields of a turn:\n{_field_lines()}\n\n"
        f"{parser.format_help().rstrip()}\n\n"
        f"examples:\n{examples}\n\n"
        f"{CONFIGURATION if frontend.in_notebook else ''}"
        f"environment:\n{ENVIRONMENT}"
    )


def _command_lines() -> str:
    lines = []
    for name, command in COMMANDS.items():
        only = "" if command.works_in == EVERYWHERE else f" ({', '.join(command.works_in)})"
        lines.append(f"  {name:10} {command.summary}{only}")
    return "\n".join(lines)


def _field_lines() -> str:
    width = max(len(field.name) for field in FIELDS)
    lines = []
    for field in FIELDS:
        rule = "fact, not empty" if field.layer == FACT else f"axis ({field.direction}), may be empty"
        lines.append(f"  {field.name:{width}}  {rule}: {field.question}")
    return "\n".join(lines)

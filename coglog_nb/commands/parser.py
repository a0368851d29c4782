"""The one grammar of both faces: options, help, suggestions and completions."""

from __future__ import annotations

import argparse

from .._version import __version__
from ..entry import THEMES
from ..errors import UsageError
from ..fields import FACT, FIELDS, LANGUAGES
from . import COMMANDS, load

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NoReturn

    from .frontend import Frontend

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
  coglog_dir, session, viewer_dir   as the options
  theme, lock_timeout, lang         as the options
  show_thinking                     False is --no-thinking for every call

"""

ENVIRONMENT = """\
  COGLOG_DIR         the data directory
  COGLOG_SESSION     the session
  COGLOG_VIEWER_DIR  where viewer artifacts go"""


class Parser(argparse.ArgumentParser):
    """An `argparse` parser that raises instead of leaving the process, and knows its options.

    Parameters
    ----------
    prog : str
        The program, with the command where there is one.
    quoted : bool
        Whether paths and names may still wear a pair of quotes (the magic: no shell has taken them off).
    """

    def __init__(self, prog: str, *, quoted: bool = False) -> None:
        self.takes_value: dict[str, bool] = {}
        self.positionals: list[str] = []
        self.quoted = quoted
        super().__init__(prog=prog, add_help=False, allow_abbrev=False, usage=argparse.SUPPRESS)
        self.color = False  # Python 3.14 colours help, which goes into docstrings and cells here
        self.formatter_class = _formatter

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """Add an argument as `argparse` does, and remember whether an option takes a value."""
        action = super().add_argument(*names, **settings)
        self.takes_value.update(dict.fromkeys(action.option_strings, action.nargs != 0))
        if not action.option_strings:
            self.positionals.append(f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar))
        return action

    def add_text(self, *names: str, **settings: Any) -> argparse.Action:
        """Add an argument that is a path or a name."""
        return self.add_argument(*names, type=_unquote if self.quoted else str, **settings)

    def add_language(self) -> argparse.Action:
        """Add the option of every command that teaches: which language it does so in."""
        known = " or ".join(LANGUAGES)
        return self.add_text("--lang", metavar="LANG", choices=LANGUAGES, help=f"the language: {known} (en)")

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError`; `argparse` would print and exit."""
        raise UsageError(message, self.one_line())

    def one_line(self) -> str:
        """Return the usage line."""
        words = [*self.positionals, "[options]"] if " " in self.prog else ["[options]", "COMMAND"]
        return " ".join(["usage:", self.prog, *words])


def _formatter(prog: str) -> argparse.HelpFormatter:
    # A fixed width: the terminal's would make the docstring depend on the window it was made in.
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=96)


def _unquote(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a number of seconds: {text!r}") from None


_COMMON: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--coglog-dir",), {"metavar": "DIR", "help": "the data directory (else COGLOG_DIR, else ~/.coglog)"}),
    (
        ("--session",),
        {"metavar": "NAME", "help": "a named window beside the default one (else COGLOG_SESSION)"},
    ),
    (("--viewer-dir",), {"metavar": "DIR", "help": "where viewer artifacts go (else COGLOG_VIEWER_DIR)"}),
    (("--theme",), {"metavar": "THEME", "choices": THEMES, "help": f"the card's theme: {', '.join(THEMES)}"}),
    (
        ("--lock-timeout",),
        {"metavar": "SECONDS", "type": _seconds, "help": "how long to wait for another writer (10)"},
    ),
    (
        ("--no-thinking",),
        {
            "action": "store_true",
            "help": "keep the thinking out of outputs and artifacts; the store keeps it",
        },
    ),
    (("-h", "--help"), {"action": "store_true", "help": "show help, of a command if one is named"}),
    (("--version",), {"action": "store_true", "help": "show the version"}),
)
_COMMON_TAKE_VALUE = {name: "metavar" in settings for names, settings in _COMMON for name in names}


def _add_common(parser: Parser) -> None:
    group = parser.add_argument_group("options of every command")
    for names, settings in _COMMON:
        text = {"type": _unquote} if parser.quoted and settings.get("metavar") in ("DIR", "NAME", "THEME") else {}
        group.add_argument(*names, **{**text, **settings})
    parser.takes_value.update(_COMMON_TAKE_VALUE)


def parser_of(command: str | None, program: str, *, quoted: bool = False) -> Parser:
    """Make the parser of a command, or the one of the program where none was named."""
    parser = Parser(f"{program} {command}" if command else program, quoted=quoted)
    if command:
        parser.description = COMMANDS[command]
        load(command).add_arguments(parser)
    _add_common(parser)
    return parser


def _find_command(tokens: Sequence[str], frontend: Frontend) -> int | None:
    """Find the first token that is neither an option nor an option's value."""
    takes_value = _COMMON_TAKE_VALUE
    everything = False
    index = 0
    while index < len(tokens):
        word = tokens[index]
        if not word.startswith("-"):
            return index
        if "=" not in word and word not in takes_value and not everything:
            # An option before the command that is the command's own: only now is it worth knowing all of them.
            everything = True
            for command in COMMANDS:
                takes_value = {**parser_of(command, frontend.program).takes_value, **takes_value}
        index += 2 if "=" not in word and takes_value.get(word) else 1
    return None


def _is_option(word: str) -> bool:
    """Whether some command knows an option."""
    name = word.partition("=")[0]
    return any(name in parser_of(command, "coglog").takes_value for command in COMMANDS)


def suggest(word: str, known: Iterable[str]) -> str:
    """Return a question after what may have been meant, or nothing."""
    from difflib import get_close_matches

    known = list(known)
    word = word.lower()
    if not word.strip("-"):
        return ""
    # What was cut short comes first: by likeness, --rep would be --help.
    close = [name for name in known if name.startswith(word)] or get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def parse(tokens: Sequence[str], frontend: Frontend) -> argparse.Namespace:
    """Parse a command line or a magic's line.

    Parameters
    ----------
    tokens : sequence of str
        The words after the program's name.
    frontend : Frontend
        The frontend that they came through.

    Returns
    -------
    argparse.Namespace
        The options, with ``command`` (str or None).

    Raises
    ------
    UsageError
        For an unknown command or option, with what may have been meant, or for a value that doesn't fit.
    """
    index = _find_command(tokens, frontend)
    command = None if index is None else tokens[index]
    if command is not None and (command not in COMMANDS or (command == "render" and frontend.program == "coglog")):
        usage = parser_of(None, frontend.program).one_line()
        if command == "render":
            raise UsageError(
                "unknown command render: coglog writes no artifacts; did you mean coglog-viz render?", usage
            )
        parser = parser_of(None, frontend.program)
        misspelled = next((word for word in tokens[:index] if word.startswith("-") and not _is_option(word)), None)
        if misspelled:  # its value stands where a command would
            option = misspelled.split("=")[0]
            raise UsageError(f"unknown option {option}{suggest(option, parser.takes_value)}", usage)
        raise UsageError(f"unknown command {command}{suggest(command, [*COMMANDS, '--help'])}", usage)
    rest = [word for place, word in enumerate(tokens) if place != index]
    if {"-h", "--help"} & set(rest):
        # Whoever asks for help need not give what the command requires.
        return argparse.Namespace(command=command, help=True, version=False)
    parser = parser_of(command, frontend.program, quoted=frontend.in_notebook)
    args, unknown = parser.parse_known_args(rest)
    if unknown:
        option = unknown[0].split("=")[0]
        if option.startswith("-"):
            parser.error(f"unknown option {option}{suggest(option, parser.takes_value)}")
        hint = "; an expression with spaces goes into a variable first" if frontend.in_notebook else ""
        parser.error(f"unexpected argument {unknown[0]}{hint}")
    args.command = command
    return args


def run(args: argparse.Namespace, frontend: Frontend) -> Any:
    """Do what was parsed; returns the command's `Outcome`."""
    from .frontend import Outcome

    if args.version:
        return Outcome(f"coglog-nb {__version__}")
    if args.help or args.command is None:
        return Outcome(help_text(frontend.program, args.command))
    try:
        return load(args.command).run(args, frontend)
    except UsageError as error:
        # What only the command itself could see is misuse all the same, and is told with the same usage line.
        error.usage = error.usage or parser_of(args.command, frontend.program).one_line()
        raise


def help_text(program: str, command: str | None = None) -> str:
    """Return the help of the program, or of one command."""
    parser = parser_of(command, program)
    if command:
        return f"{parser.one_line()}\n\n{parser.format_help().rstrip()}"
    commands = "\n".join(f"  {name:10} {summary}" for name, summary in COMMANDS.items())
    width = max(len(field.name) for field in FIELDS)
    fields = "\n".join(
        f"  {field.name:{width}}  "
        + (
            f"fact, not empty: {field.question}"
            if field.layer == FACT
            else f"{field.direction}, may be empty: {field.question}"
        )
        for field in FIELDS
    )
    examples = NOTEBOOK_EXAMPLES if program.startswith("%") else SHELL_EXAMPLES.replace("PROGRAM", program)
    return (
        f"{parser.one_line()}\n\n"
        "CogLog: a single-window log that carries an LLM's last turn into its next one.\n\n"
        f"commands ({program} COMMAND --help says more):\n{commands}\n\n"
        f"fields of a turn:\n{fields}\n\n"
        f"{parser.format_help().rstrip()}\n\n"
        f"examples:\n{examples}\n\n"
        f"{CONFIGURATION if program.startswith('%') else ''}"
        f"environment:\n{ENVIRONMENT}"
    )

"""The command line: `coglog` and `coglog-viz`. Stdin and stdout are UTF-8, whatever the locale."""

from __future__ import annotations

import os
import sys

from .commands.frontend import Frontend
from .commands.parser import parse, run
from .errors import CogLogError, InputError, UsageError
from .jsontext import decode, load_object

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TextIO

OK, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130


class CommandLine(Frontend):
    """A call of `coglog`.

    Attributes
    ----------
    unprinted : str
        Why a model's answer could not be printed while it arrived; empty if it could.
    """

    unprinted = ""

    def read_fields(self) -> Mapping[str, object]:
        """Read one JSON object from stdin."""
        return load_object(_read_stdin())

    def read_text(self) -> str:
        """Read a text from stdin, without the newline that `echo` and most editors add at the end."""
        text = _read_stdin()
        return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")

    def stream(self, title: str, *, hides_thinking: bool) -> _Printer:
        """Print the answer to stdout while it arrives, and the thinking to stderr."""
        del title  # the call names the model
        return _Printer(self, hides_thinking=hides_thinking)


class VizCommandLine(CommandLine):
    """A call of `coglog-viz`."""

    program = "coglog-viz"
    renders = True


class _Printer:
    """Prints an answer piece by piece."""

    def __init__(self, frontend: CommandLine, *, hides_thinking: bool) -> None:
        self._frontend = frontend
        self._hides_thinking = hides_thinking
        self._last: TextIO | None = None

    def __enter__(self) -> _Printer:  # noqa: PYI034 - Self is Python 3.11's
        return self

    def __exit__(self, *_: object) -> None:
        self._end_line()

    def _end_line(self) -> None:
        if self._last is not None:
            self._write(self._last, "\n")

    def _write(self, stream: TextIO, text: str) -> None:
        """Write a piece; if that fails, the turn goes on, because its answer is also stored."""
        why = _write(stream, text)
        if why and stream is sys.stdout:
            self._frontend.unprinted = self._frontend.unprinted or why

    def __call__(self, kind: str, text: str) -> None:
        from .text_form import printable  # only commands that call a model need it

        stream: TextIO | None = sys.stdout if kind == "assistant" else sys.stderr
        if stream is None or (kind == "thinking" and self._hides_thinking):
            return
        if self._last is not stream:
            self._end_line()
        self._last = stream
        self._write(stream, printable(text))


def _read_stdin() -> str:
    if sys.stdin is None:  # closed by the caller: `<&-`
        return ""
    binary = getattr(sys.stdin, "buffer", None)
    try:
        return decode(binary.read()) if binary is not None else sys.stdin.read()
    except OSError as error:  # a stdin that is a directory, or open for writing only
        raise InputError(f"cannot read stdin: {error.strerror}") from error


def main(argv: Sequence[str] | None = None, *, program: str = "coglog") -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.
    program : str, optional
        "coglog", or "coglog-viz", whose `write` also writes the viewer artifact.

    Returns
    -------
    int
        The exit code: 0 for success, 1 for an error, 2 for wrong usage, 130 for an interrupt.
    """
    # The contract asks for UTF-8 without BOM and for LF, on Windows too. A stream that a test or an embedding program
    # set instead stays. A path may not be UTF-8; its bytes are printed unchanged.
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")
    frontend = VizCommandLine() if program == VizCommandLine.program else CommandLine()
    try:
        outcome = run(parse(sys.argv[1:] if argv is None else argv, frontend), frontend)
    except UsageError as error:
        _print_errors((error.usage, *(f"{program} error: {problem}" for problem in error.problems)))
        return MISUSED
    except CogLogError as error:
        _print_errors(f"coglog error: {problem}" for problem in error.problems)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    unprinted = _print("\n".join(filter(None, (outcome.text, outcome.note)))) or frontend.unprinted
    if unprinted and outcome.done:
        # Not a failure: a script that called it again would store the turn twice.
        said = "; ".join(line.replace("coglog: ", "", 1) for line in outcome.text.splitlines())
        _print_errors([f"coglog warning: cannot write to stdout: {unprinted}; but it is done: {said}"])
    elif unprinted:
        _print_errors([f"coglog error: cannot write to stdout: {unprinted}"])
    if outcome.aside:
        _print_errors([outcome.aside])
    if outcome.problems:
        _print_errors(f"coglog error: {problem}" for problem in outcome.problems)
    return FAILED if outcome.problems or (unprinted and not outcome.done) else OK


def main_viz(argv: Sequence[str] | None = None) -> int:
    """Run one command as `coglog-viz`; see `main`."""
    return main(argv, program="coglog-viz")


def _print(text: str) -> str:
    """Print to stdout; return why that failed, or an empty string."""
    if not text:  # `mcp` has nothing to print: its client reads stdout, and an empty line isn't a message
        return ""
    return _write(sys.stdout, text + "\n")


def _write(stream: TextIO | None, text: str) -> str:
    """Write to a stream; return why that failed, or an empty string."""
    if stream is None:  # closed by the caller: `>&-`
        return "it is closed"
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError) as error:
        _silence(stream)
        return getattr(error, "strerror", None) or str(error)
    return ""


def _silence(stream: TextIO) -> None:
    # At exit Python flushes the stream again, which would fail again, print an error of Python's own and exit with 120.
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        pass


def _print_errors(lines: Iterable[str]) -> None:
    for line in filter(None, lines):
        _write(sys.stderr, line + "\n")  # if it fails, there is nowhere left to say so

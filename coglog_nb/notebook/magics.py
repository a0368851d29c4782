"""The `%coglog` magic, line and cell: the notebook's frontend of the commands."""

from __future__ import annotations

import contextlib
import os
import warnings
from typing import TYPE_CHECKING, Any

import traitlets
from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand
from IPython.utils.process import arg_split

from .. import paths
from ..commands.parser import help_text, parse, run
from ..entry import THEMES, Entry
from ..errors import CogLogError, UsageError
from ..fields import LANGUAGES
from .frontend import NotebookFrontend

if TYPE_CHECKING:
    from collections.abc import Mapping

    from IPython.core.interactiveshell import InteractiveShell

    from ..steps.comparison import Candidates


class CogLogWarning(UserWarning):
    """A command did its work, and something beside it failed."""


@magics_class
class CogLogMagics(Magics):
    """Read, write and show CogLog turns in a notebook."""

    coglog_dir = traitlets.Unicode(
        "", allow_none=True, help="The data directory; empty: COGLOG_DIR, else ~/.coglog."
    ).tag(config=True)
    session = traitlets.Unicode(
        None, allow_none=True, help="A named window; None: COGLOG_SESSION; empty: the default window."
    ).tag(config=True)
    viewer_dir = traitlets.Unicode(
        "", allow_none=True, help="Where viewer artifacts go; empty: COGLOG_VIEWER_DIR."
    ).tag(config=True)
    theme = traitlets.Enum(THEMES, "system", help="The theme that a card starts with.").tag(config=True)
    show_thinking = traitlets.Bool(
        True, help="Whether outputs and artifacts show the thinking; the store keeps it either way."
    ).tag(config=True)
    lang = traitlets.Enum(LANGUAGES, "en", help="The language of guides and forms.").tag(config=True)
    lock_timeout = traitlets.Float(10.0, min=0, help="How long to wait for another writer, in seconds.").tag(
        config=True
    )

    def __init__(self, shell: InteractiveShell) -> None:
        # A relative setting means the working directory of the moment it is first seen; this is what it meant then.
        self._first_seen: dict[tuple[str | None, ...], tuple[str, str]] = {}
        self.candidates: Candidates | None = None
        super().__init__(shell)
        self.observe(self._set_defaults, ["show_thinking", "theme"])
        self._set_defaults()
        self.observe(self._see, ["coglog_dir", "viewer_dir"])
        for name in ("coglog_dir", "viewer_dir"):
            self._see({"name": name, "new": getattr(self, name)})

    def _set_defaults(self, _: object = None) -> None:
        """Make the settings those of every entry of this kernel, whoever reads it and however it is shown."""
        Entry.show_thinking, Entry.theme = self.show_thinking, self.theme

    def _see(self, change: Mapping[str, Any]) -> None:
        name, value = change["name"], change["new"]
        if value:
            # A setting that is no path is told of where it is used: an error here would leave a trait half set.
            with contextlib.suppress(CogLogError):
                self._first_seen[name, value] = (paths.absolute(value, name), f"the {name} trait")

    def _setting(self, name: str, value: str) -> tuple[str, str]:
        if (name, value) not in self._first_seen:
            self._first_seen[name, value] = (paths.absolute(value, name), f"the {name} trait")
        return self._first_seen[name, value]

    def data_directory(self) -> tuple[str, str]:
        """Return the data directory that the settings name, and why that one."""
        if self.coglog_dir:
            return self._setting("coglog_dir", self.coglog_dir)
        key = (paths.DIR_VARIABLE, os.environ.get(paths.DIR_VARIABLE), os.environ.get("HOME"))
        if key not in self._first_seen:
            self._first_seen[key] = paths.data_directory()
        return self._first_seen[key]

    def viewer_directory(self, data_dir: str) -> tuple[str, str]:
        """Return where the settings put artifacts, and why there."""
        if self.viewer_dir:
            return self._setting("viewer_dir", self.viewer_dir)
        value = os.environ.get(paths.VIEWER_DIR_VARIABLE)
        if not value:
            return paths.viewer_directory(None, data_dir)
        key = (paths.VIEWER_DIR_VARIABLE, value)
        if key not in self._first_seen:
            self._first_seen[key] = paths.viewer_directory(None, data_dir)
        return self._first_seen[key]

    @no_var_expand  # the line arrives as it was typed: {x} and $HOME are text
    @needs_local_scope
    @line_cell_magic
    def coglog(self, line: str, cell: str | None = None, local_ns: Mapping[str, Any] | None = None) -> Any:
        """Run a command; the help text replaces this docstring below."""
        line = line.rstrip()
        # IPython looks for the semicolon that silences a cell in Python code, and a magic's line isn't any.
        silent = line.endswith(";")
        frontend = NotebookFrontend(self, cell, local_ns)
        try:
            try:
                words = arg_split(line.rstrip(";"), posix=False)
            except ValueError as error:
                raise UsageError(f"{error}: {line}") from error
            args = parse(words, frontend)
            if (
                cell
                and cell.strip()
                and not (args.command and getattr(frontend.load_command(args.command), "TAKES_BODY", False))
            ):
                raise UsageError(f"{args.command or 'coglog'} takes no body: use %coglog, with one %")
            outcome = run(args, frontend)
        except CogLogError as error:
            _shorten(error)
            raise
        except KeyboardInterrupt as error:
            # Whoever interrupts knows where: thirty lines of our own frames would hide what came before that.
            error._render_traceback_ = lambda: ["KeyboardInterrupt: interrupted"]  # type: ignore[attr-defined]
            raise
        for problem in outcome.problems:
            # A registry of its own for each: by default Python says the same thing once, and each failure is news.
            warnings.warn_explicit(problem, CogLogWarning, "%coglog", 1, registry={})
        text = outcome.text if outcome.value is None else ""
        if text or outcome.note:
            print("\n".join(filter(None, (text, outcome.note))))
        if silent and hasattr(outcome.value, "silent_in"):
            # The value is there all the same: `prev = %coglog read;` means to keep it.
            outcome.value.silent_in = self.shell.execution_count
        return outcome.value

    coglog.__doc__ = help_text(NotebookFrontend)


def _shorten(error: CogLogError) -> None:
    """Let IPython show this one error as its message; on the class it would hide the frames of users' own code."""
    lines = [f"coglog error: {problem}" for problem in error.problems]
    if isinstance(error, UsageError) and error.usage:
        lines.append(error.usage)
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]

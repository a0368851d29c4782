"""The `%coglog` magic, as a line and as a cell, and its settings."""

from __future__ import annotations

import contextlib
import os
import warnings
from typing import TYPE_CHECKING, Any

import traitlets
from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand

from .. import paths
from ..artifact import ARTIFACTS
from ..commands.parser import help_text, parse, run
from ..entry import Entry
from ..errors import CogLogError, CogLogWarning, UsageError
from ..labels import LANGUAGES
from ..validation import THEMES
from .frontend import NotebookFrontend
from .line_words import split_line, without_comment

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping

    from IPython.core.interactiveshell import InteractiveShell

    from ..steps.comparison import Comparison


@magics_class
class CogLogMagics(Magics):
    """Read, write and show CogLog turns in a notebook."""

    coglog_dir = traitlets.Unicode(
        "", allow_none=True, help="The data directory; if empty, COGLOG_DIR, else ~/.coglog."
    ).tag(config=True)
    session = traitlets.Unicode(
        None, allow_none=True, help="A named window; None means COGLOG_SESSION, empty the default window."
    ).tag(config=True)
    viewer_dir = traitlets.Unicode(
        "", allow_none=True, help="Where viewer artifacts go; if empty, COGLOG_VIEWER_DIR."
    ).tag(config=True)
    theme = traitlets.Enum(THEMES, "system", help="The theme that a card starts with.").tag(config=True)
    show_thinking = traitlets.Bool(
        True, help="Whether outputs and artifacts show the thinking; it is stored either way."
    ).tag(config=True)
    artifacts = traitlets.Enum(
        ARTIFACTS, "all", help='Which viewer artifacts stay: "all", or only the "last" one of each window.'
    ).tag(config=True)
    lang = traitlets.Enum(LANGUAGES, "en", help="The language of guides and forms.").tag(config=True)
    lock_timeout = traitlets.Float(10.0, min=0, help="How long to wait for another writer, in seconds.").tag(
        config=True
    )

    def __init__(self, shell: InteractiveShell) -> None:
        # A relative path is resolved when its setting is first seen, so a later chdir doesn't move it.
        self._resolved: dict[tuple[str | None, ...], tuple[str, str]] = {}
        self.comparison: Comparison | None = None
        super().__init__(shell)
        self.observe(self._set_defaults, ["show_thinking", "theme"])
        self._set_defaults()
        self.observe(self._resolve_new, ["coglog_dir", "viewer_dir"])
        for name in ("coglog_dir", "viewer_dir"):
            self._resolve_new({"name": name, "new": getattr(self, name)})

    def _set_defaults(self, _: object = None) -> None:
        """Make these settings the defaults of every entry in this kernel, also of those that Python code reads."""
        Entry.show_thinking, Entry.theme = self.show_thinking, self.theme

    def _resolve_new(self, change: Mapping[str, Any]) -> None:
        name, value = change["name"], change["new"]
        if value:
            # An invalid path is an error when it is used; here, an error would leave the trait half set.
            with contextlib.suppress(CogLogError):
                self._resolve(name, value)

    def _resolve(self, name: str, value: str) -> tuple[str, str]:
        return self._once((name, value), lambda: (paths.absolute(value, name), f"the {name} trait"))

    def _once(self, key: tuple[str | None, ...], find: Callable[[], tuple[str, str]]) -> tuple[str, str]:
        if key not in self._resolved:
            self._resolved[key] = find()
        return self._resolved[key]

    def data_directory(self) -> tuple[str, str]:
        """Return the data directory, and where that choice comes from."""
        if self.coglog_dir:
            return self._resolve("coglog_dir", self.coglog_dir)
        key = (paths.DIR_VARIABLE, os.environ.get(paths.DIR_VARIABLE), os.environ.get("HOME"))
        return self._once(key, paths.data_directory)

    def viewer_directory(self, data_dir: str) -> tuple[str, str]:
        """Return the directory for artifacts, and where that choice comes from."""
        if self.viewer_dir:
            return self._resolve("viewer_dir", self.viewer_dir)
        value = os.environ.get(paths.VIEWER_DIR_VARIABLE)
        if not value:
            return paths.viewer_directory(None, data_dir)
        return self._once((paths.VIEWER_DIR_VARIABLE, value), lambda: paths.viewer_directory(None, data_dir))

    @no_var_expand  # the line arrives as it was typed: {x} and $HOME are text
    @needs_local_scope
    @line_cell_magic
    def coglog(self, line: str, cell: str | None = None, local_ns: Mapping[str, Any] | None = None) -> Any:
        """Run a command; the help text replaces this docstring below."""
        frontend = NotebookFrontend(self, cell, local_ns)
        try:
            line = without_comment(line)
            # IPython honours a final semicolon in Python code only, not in a magic's line.
            silenced = line.endswith(";")
            outcome = run(_parse_line(line.rstrip(";"), cell, frontend), frontend)
        except CogLogError as error:
            _shorten(error)
            raise
        except KeyboardInterrupt as error:
            # The user knows what they interrupted; our own frames would only hide what was printed before.
            error._render_traceback_ = lambda: ["KeyboardInterrupt: interrupted"]  # type: ignore[attr-defined]
            raise
        for problem in outcome.problems:
            # By default Python shows the same warning once only; a new registry shows it every time.
            warnings.warn_explicit(problem, CogLogWarning, "%coglog", 1, registry={})
        text = outcome.text if outcome.value is None else ""
        if text or outcome.note:
            print("\n".join(filter(None, (text, outcome.note))))
        if silenced and hasattr(outcome.value, "silenced_in_cell"):
            # The value is returned all the same, for `prev = %coglog read;`.
            outcome.value.silenced_in_cell = self.shell.execution_count
        return outcome.value

    coglog.__doc__ = help_text(NotebookFrontend)


def _parse_line(line: str, cell: str | None, frontend: NotebookFrontend) -> Namespace:
    args = parse(split_line(line), frontend)
    if cell and cell.strip():
        takes_body = args.command and getattr(frontend.load_command(args.command), "TAKES_BODY", False)
        if not takes_body:
            raise UsageError(f"{args.command or 'coglog'} takes no body: write %coglog with one %")
    return args


def _shorten(error: CogLogError) -> None:
    """Make IPython show this error as its message, without a traceback.

    It is set on the error, not on the class, which would also hide the frames of the user's own code.
    """
    lines = [f"coglog error: {problem}" for problem in error.problems]
    if isinstance(error, UsageError) and error.usage:
        lines.append(error.usage)
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]

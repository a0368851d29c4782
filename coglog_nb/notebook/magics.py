"""The `%coglog` magic, line and cell: the notebook's frontend of the commands."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from typing import TYPE_CHECKING, Any

import traitlets
from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand
from IPython.display import display
from IPython.utils.process import arg_split

from .. import paths
from ..commands import load
from ..commands.frontend import Frontend
from ..commands.parser import help_text, parse, run
from ..entry import THEMES, Entry, checked_theme
from ..errors import CogLogError, InputError, UsageError
from ..store import CogLog
from ..teaching.locales import LANGUAGES
from . import editor, exercise_widget, watch
from .cell_body import fields_of_body
from .streaming import Answer, Progress

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping

    from IPython.core.interactiveshell import InteractiveShell

    from ..steps.comparison import Candidates
    from ..steps.models import Model
    from ..teaching.exercises.format import Exercise

REPLY_NAME = "coglog_reply"
"""The variable that holds what a model answered last."""

CANDIDATES_NAME = "coglog_candidates"
"""The variable that holds the candidates of the last `try`."""


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
        """Run a command; the grammar's own help takes this place below."""
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
            if cell and cell.strip() and not (args.command and getattr(load(args.command), "TAKES_BODY", False)):
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

    coglog.__doc__ = help_text("%coglog")


class NotebookFrontend(Frontend):
    """One call of the magic."""

    program = "%coglog"
    renders = True
    in_notebook = True

    def __init__(self, magics: CogLogMagics, cell: str | None, local_ns: Mapping[str, Any] | None) -> None:
        self._magics = magics
        self._cell = cell
        self._local_ns = local_ns

    def store(self, args: Namespace) -> CogLog:
        """Open the window that the options name, else the settings."""
        directory = self._magics.data_directory()[0] if args.coglog_dir is None else args.coglog_dir
        session = args.session if args.session is not None else self._magics.session
        if session == "" and args.session is None:
            return CogLog.of_default_window(directory, **self.waiting(args))
        return CogLog(directory, session=session, **self.waiting(args))

    def waiting(self, args: Namespace) -> dict[str, float]:
        """Return the options of waiting for a lock, as `CogLog` takes them."""
        return super().waiting(args) or {"lock_timeout": self._magics.lock_timeout}

    def origin(self, args: Namespace, store: CogLog) -> str:
        """Say why the data directory is that one."""
        return super().origin(args, store) if args.coglog_dir is not None else self._magics.data_directory()[1]

    def viewer_directory(self, args: Namespace, store: CogLog) -> tuple[str, str]:
        """Find where artifacts go, and say why there."""
        if args.viewer_dir is not None:
            return super().viewer_directory(args, store)
        return self._magics.viewer_directory(str(store.data_dir))

    def theme(self, args: Namespace) -> str:
        """Return the theme that a card starts with."""
        return checked_theme(args.theme or self._magics.theme)

    def lang(self, args: Namespace) -> str:
        """Return the language of guides and forms."""
        return str(args.lang or self._magics.lang)

    def shows_thinking(self, args: Namespace) -> bool:
        """Whether outputs and artifacts show the thinking."""
        return self._magics.show_thinking and super().shows_thinking(args)

    def read_fields(self) -> Mapping[str, object]:
        """Take the fields out of the cell's body."""
        return fields_of_body(self._cell) if self._cell and self._cell.strip() else {}

    def read_text(self) -> str:
        """Return the cell's body as it was typed; IPython ends it with a newline of its own."""
        return (self._cell or "").removesuffix("\n")

    def _namespace(self) -> dict[str, Any]:
        """Return the names that the caller sees."""
        shell = self._magics.shell
        # One namespace: with the locals in one of their own, a lambda or a comprehension in the expression sees none.
        return {**shell.user_global_ns, **shell.user_ns, **(self._local_ns or {})}

    def evaluate(self, expression: str, option: str) -> object:
        """Return what an expression stands for, where the magic was called."""
        of = "" if option == "NAME" else f"{option}: "
        try:
            return eval(expression, self._namespace())  # noqa: S307 - the user's own expression in the user's own cell
        except SyntaxError as error:
            raise InputError(f"{of}not a Python expression: {expression}") from error
        except Exception as error:
            raise InputError(f"{of}{expression}: {type(error).__name__}: {error}") from error

    def find_model(self, word: str, options: Mapping[str, str]) -> Model:
        """Return the model that a word names: something in the namespace, else one of llm's."""
        from ..steps.models import find_model

        if word[:1] in "'\"":
            return find_model(word.strip("'\""), options=options)
        # Most ids are no Python, and those that are (`o1`) are names that nobody has bound.
        root = re.match(r"[^\W\d]\w*", word)
        is_ours = root is not None and root[0] in self._namespace() and re.fullmatch(r"[\w.()\[\]'\"=,]+", word)
        return find_model(self.evaluate(word, "-m") if is_ours else word, options=options, name=word if is_ours else "")

    def text_of(self, word: str, option: str) -> str:
        """Return a text that a word names: a Python expression that gives a str, or a file."""
        try:
            namespace = self._namespace()
            if word.isidentifier() and word not in namespace:
                raise NameError(word)  # and not Python's own `license` or `help`: those are files here
            value = eval(word, namespace)  # noqa: S307 - the user's own expression in the user's own cell
        except Exception as error:
            path = word[1:-1] if word[:1] == word[-1:] and word[:1] in "'\"" else word
            if os.path.lexists(paths.absolute(path, option)):
                return super().text_of(path, option)
            why = "" if isinstance(error, (NameError, SyntaxError)) else f" ({type(error).__name__}: {error})"
            raise InputError(f"{option}: {word} is neither a name that gives a str nor a file{why}") from error
        if not isinstance(value, str):
            raise InputError(f"{option}: {word} is {type(value).__name__}, not str; nothing is converted")
        return value

    def stream(self, title: str, *, hides_thinking: bool) -> Answer:
        """Show a model's answer as it comes."""
        return Answer(title, hides_thinking=hides_thinking)

    def remember(self, reply: object) -> str:
        """Keep a reply in a variable, ready for `capture`."""
        from ..replies.captured import Captured
        from ..replies.reader import read_reply  # only what has a reply in hand pays for reading it

        if reply is None:
            return ""
        self._magics.shell.user_ns[REPLY_NAME] = reply
        said = f"what it answered is in {REPLY_NAME}"
        with contextlib.suppress(InputError):
            if not isinstance(reply, Captured):
                read_reply(reply)  # what is no reply at all, `capture` would only refuse once more
            said += f": %coglog capture {REPLY_NAME} shows what is there"
        return said

    def progress(self, total: int) -> Callable[[int], None]:
        """Show how many candidates have come."""
        return Progress(total)

    def show(self, value: object) -> None:
        """Show a value as an output of its own."""
        display(value)

    @property
    def candidates(self) -> Candidates | None:
        """The candidates of the last `try`."""
        return self._magics.candidates

    @candidates.setter
    def candidates(self, found: Candidates) -> None:
        self._magics.candidates = found
        self._magics.shell.user_ns[CANDIDATES_NAME] = found

    def use(self, session: str | None) -> None:
        """Keep to a session from here on."""
        self._magics.session = session or ""
        # As `%config` does: what was chosen outlives a `%reload_ext`.
        self._magics.shell.config.CogLogMagics.session = session or ""

    def watch(self, args: Namespace) -> str:
        """Show a card that follows the turn."""
        watch.start(self.store(args), theme=self.theme(args), hides_thinking=args.no_thinking)
        return ""

    def edit(self, args: Namespace, values: Mapping[str, object]) -> str:
        """Show the form in which a turn is written."""
        store = self.store(args)
        return editor.start(
            store,
            values,
            lang=self.lang(args),
            theme=self.theme(args),
            viewer_dir=self.viewer_directory(args, store)[0],
            shows_thinking=not args.no_thinking,
        )

    def open_exercise(self, exercise: Exercise, args: Namespace) -> object | None:
        """Return the widget of an exercise, the one that there is already if there is one."""
        store = self.store(args)
        return exercise_widget.widget_of(
            exercise,
            data_dir=str(store.data_dir),
            session=store.session or "",
            lang=self.lang(args),
            theme=self.theme(args),
        )

    def stop_watching(self) -> str:
        """Let no card follow a turn any more."""
        count = watch.stop_all()
        return f"coglog: {count} card{'' if count == 1 else 's'} stopped" if count else "coglog: nothing is watched"


def _shorten(error: CogLogError) -> None:
    """Let IPython show this one error as its message; on the class it would hide the frames of users' own code."""
    lines = [f"coglog error: {problem}" for problem in error.problems]
    if isinstance(error, UsageError) and error.usage:
        lines.append(error.usage)
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]

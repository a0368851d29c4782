"""The notebook as the commands know it: its settings, its names, and what it can show."""

from __future__ import annotations

import contextlib
import os
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .. import paths
from ..commands.frontend import Frontend
from ..commands.registry import module_of
from ..errors import InputError
from ..store import CogLog
from .cell_body import causes_of_missing, fields_of_body
from .streaming import Answer

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection, Mapping
    from types import ModuleType

    from ..steps.comparison import Comparison
    from ..steps.model_base import Model
    from ..teaching.exercises.format import Exercise
    from .magics import CogLogMagics

REPLY_NAME = "coglog_reply"
"""The variable that holds the last reply of a model."""

CANDIDATES_NAME = "coglog_candidates"
"""The variable that holds the candidates of the last `try`."""


class NotebookFrontend(Frontend):
    """One call of the magic.

    Parameters
    ----------
    magics : CogLogMagics
        The magic that was called; it holds the settings.
    cell : str or None
        The cell's body.
    local_ns : mapping or None
        The local names where the magic was called.
    """

    program = "%coglog"
    renders = True
    in_notebook = True

    def __init__(self, magics: CogLogMagics, cell: str | None, local_ns: Mapping[str, Any] | None) -> None:
        self._magics = magics
        self._cell = cell
        self._local_ns = local_ns
        self.artifacts = magics.artifacts

    @staticmethod
    def load_command(name: str) -> ModuleType:
        """Import the module of a command, also of one that needs a notebook."""
        return import_module(f"..{module_of(name)}", __package__)

    def store(self, args: Namespace) -> CogLog:
        """Return the window that the options select, else the settings."""
        directory = self._magics.data_directory()[0] if args.coglog_dir is None else args.coglog_dir
        session = args.session if args.session is not None else self._magics.session
        if session == "" and args.session is None:
            return CogLog.of_default_window(directory, **self.waiting(args))
        return CogLog(directory, session=session, **self.waiting(args))

    def waiting(self, args: Namespace) -> dict[str, float]:
        """Return the lock timeout as an argument of `CogLog`."""
        return super().waiting(args) or {"lock_timeout": self._magics.lock_timeout}

    def origin(self, args: Namespace, store: CogLog) -> str:
        """Say where the choice of the data directory comes from."""
        return super().origin(args, store) if args.coglog_dir is not None else self._magics.data_directory()[1]

    def viewer_directory(self, args: Namespace, store: CogLog) -> tuple[str, str]:
        """Return the directory for artifacts, and where that choice comes from."""
        if args.viewer_dir is not None:
            return super().viewer_directory(args, store)
        return self._magics.viewer_directory(str(store.data_dir))

    def theme(self, args: Namespace) -> str:
        """Return the theme that a card starts with; the parser and the setting check it."""
        return str(args.theme or self._magics.theme)

    def lang(self, args: Namespace) -> str:
        """Return the language of guides and forms."""
        return str(args.lang or self._magics.lang)

    def shows_thinking(self, args: Namespace) -> bool:
        """Tell whether outputs and artifacts show the thinking."""
        return self._magics.show_thinking and super().shows_thinking(args)

    def read_fields(self) -> Mapping[str, object]:
        """Return what the cell's body gives: the fields by name, or a whole entry."""
        return fields_of_body(self._cell) if self._cell and self._cell.strip() else {}

    def causes_of_missing(self, missing: Collection[str]) -> Mapping[str, str]:
        """Say which lines of the cell's body were meant as the labels of fields that weren't found."""
        return causes_of_missing(self._cell or "", missing)

    def read_text(self) -> str:
        """Return the cell's body as it was typed, without the newline that IPython adds."""
        return (self._cell or "").removesuffix("\n")

    def _namespace(self) -> dict[str, Any]:
        """Return the names that are visible where the magic was called."""
        shell = self._magics.shell
        # One namespace for all: a lambda or a comprehension in the expression wouldn't see a separate one for locals.
        return {**shell.user_global_ns, **shell.user_ns, **(self._local_ns or {})}

    def evaluate(self, expression: str, option: str) -> object:
        """Return the value of a Python expression where the magic was called; `option` names it in errors."""
        prefix = "" if option == "NAME" else f"{option}: "
        try:
            return eval(expression, self._namespace())  # noqa: S307 - the user's own expression in the user's own cell
        except SyntaxError as error:
            raise InputError(f"{prefix}not a Python expression: {expression}") from error
        except Exception as error:
            raise InputError(f"{prefix}{expression}: {type(error).__name__}: {error}") from error

    def find_model(self, word: str, options: Mapping[str, str]) -> Model:
        """Return the model that a word names: an object in the namespace, else a model of llm."""
        from ..steps.models import find_model

        if word[:1] in "'\"":
            return find_model(word.strip("'\""), options=options)
        # Most model ids aren't Python expressions. Those that are, such as `o1`, are unbound names.
        root = re.match(r"[^\W\d]\w*", word)
        is_object = root is not None and root[0] in self._namespace() and re.fullmatch(r"[\w.()\[\]'\"=,]+", word)
        return find_model(
            self.evaluate(word, "-m") if is_object else word, options=options, name=word if is_object else ""
        )

    def text_of(self, word: str, option: str) -> str:
        """Return the text that a word names: the value of a Python expression, or the text of a file."""
        try:
            namespace = self._namespace()
            if word.isidentifier() and word not in namespace:
                raise NameError(word)  # Python has builtins named `license` and `help`; here those are files
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
        """Show a model's answer while it arrives."""
        return Answer(title, hides_thinking=hides_thinking)

    def remember(self, reply: object) -> str:
        """Keep a reply in a variable, for `capture`; return a message that says so."""
        from ..replies.captured import Captured
        from ..replies.reader import read_reply  # slow to import, and only needed here

        if reply is None:
            return ""
        self._magics.shell.user_ns[REPLY_NAME] = reply
        message = f"the model's reply is in {REPLY_NAME}"
        with contextlib.suppress(InputError):
            if not isinstance(reply, Captured):
                read_reply(reply)  # raises for what `capture` would refuse
            message += f": %coglog capture {REPLY_NAME} shows what is in it"
        return message

    @property
    def comparison(self) -> Comparison | None:
        """The candidates of the last `try`."""
        return self._magics.comparison

    @comparison.setter
    def comparison(self, comparison: Comparison) -> None:
        self._magics.comparison = comparison
        self._magics.shell.user_ns[CANDIDATES_NAME] = comparison

    def use(self, session: str | None) -> None:
        """Use a session from now on."""
        self._magics.session = session or ""
        # Like `%config`: the choice survives a `%reload_ext`.
        self._magics.shell.config.CogLogMagics.session = session or ""

    def open_exercise(self, exercise: Exercise, args: Namespace) -> object | None:
        """Return the widget of an exercise; there is one for each exercise, which keeps its answers."""
        from .exercise_widget import widget_of  # only this command needs it

        store = self.store(args)
        return widget_of(
            exercise,
            data_dir=str(store.data_dir),
            session=store.session or "",
            lang=self.lang(args),
            theme=self.theme(args),
        )

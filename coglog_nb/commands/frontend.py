"""What a command knows about where it was called, and what it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..errors import InputError, StoreError, UsageError
from ..jsontext import decode
from ..paths import absolute, viewer_directory
from ..store import CogLog, read_regular
from .registry import load

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Collection, Mapping
    from contextlib import AbstractContextManager
    from types import ModuleType

    from ..entry import Entry
    from ..steps.model_base import Model
    from ..teaching.exercises.format import Exercise


class Outcome:
    """What a command returns.

    Parameters
    ----------
    text : str, optional
        What a command line prints. The magic prints it if there is no value to return.
    value : object, optional
        What the magic returns.
    problems : iterable of str, optional
        What failed after the command did its work: a command line prints them and exits with 1, the magic warns.
    note : str, optional
        What both print, after the text or beside the value.
    aside : str, optional
        What a command line prints to stderr, so that stdout can be piped; in a notebook the value shows it.
    done : bool, optional
        Whether the command has done its work and `text` only reports it: then a text that can't be printed is no
        failure.
    """

    def __init__(
        self,
        text: str = "",
        value: object = None,
        problems: tuple[str, ...] = (),
        note: str = "",
        aside: str = "",
        *,
        done: bool = False,
    ) -> None:
        self.text = text
        self.value = value
        self.problems = problems
        self.note = note
        self.aside = aside
        self.done = done


class Frontend(ABC):
    """Where a command was called: the command line or the notebook.

    Attributes
    ----------
    program : str
        What the user typed: "coglog", "coglog-viz" or "%coglog".
    renders : bool
        Whether `write` writes the viewer artifact too.
    in_notebook : bool
        Whether arguments can be Python expressions.
    artifacts : str
        Which viewer artifacts of a window's writes stay: "all" or "last".
    """

    program = "coglog"
    renders = False
    in_notebook = False
    artifacts = "all"

    @staticmethod
    def load_command(name: str) -> ModuleType:
        """Import the module of a command."""
        return load(name)

    def store(self, args: Namespace) -> CogLog:
        """Return the window that the options select."""
        return CogLog(args.coglog_dir, session=args.session, **self.waiting(args))

    def waiting(self, args: Namespace) -> dict[str, float]:
        """Return the lock timeout as an argument of `CogLog`; nothing if no option gives one."""
        return {} if args.lock_timeout is None else {"lock_timeout": args.lock_timeout}

    def origin(self, args: Namespace, store: CogLog) -> str:
        """Say where the choice of the data directory comes from."""
        return "--coglog-dir" if args.coglog_dir is not None else store.origin

    def viewer_directory(self, args: Namespace, store: CogLog) -> tuple[str, str]:
        """Return the directory for artifacts, and where that choice comes from."""
        directory, why = viewer_directory(args.viewer_dir, str(store.data_dir))
        return directory, "--viewer-dir" if args.viewer_dir is not None else why

    def theme(self, args: Namespace) -> str:
        """Return the theme that a card starts with; the parser has checked it."""
        return args.theme or "system"

    def shows_thinking(self, args: Namespace) -> bool:
        """Tell whether outputs and artifacts show the thinking."""
        return not args.no_thinking

    def lang(self, args: Namespace) -> str:
        """Return the language of guides and forms."""
        return args.lang or "en"

    def apply_display_options(self, entry: Entry, args: Namespace) -> None:
        """Make an entry show itself as the options say."""
        if not self.shows_thinking(args):
            entry.show_thinking = False  # never True: a notebook's setting is the default, and it may change later
        entry.theme = self.theme(args)

    @abstractmethod
    def read_fields(self) -> Mapping[str, object]:
        """Return what stdin or the cell's body gives: the fields by name, or a whole entry. Nothing is checked."""

    def causes_of_missing(self, missing: Collection[str]) -> Mapping[str, str]:
        """Say why fields weren't found in what `read_fields` read, by the field's name."""
        del missing  # JSON has no labels
        return {}

    @abstractmethod
    def read_text(self) -> str:
        """Return the text on stdin or in the cell's body, verbatim but without the final newline."""

    def evaluate(self, expression: str, option: str) -> object:
        """Return the value of a Python expression; `option` names it in errors."""
        raise UsageError(
            f"{option} {expression}: a Python expression works only in a notebook; give the turn as JSON on stdin"
        )

    def evaluate_text(self, expression: str, option: str) -> str:
        """Return the value of a Python expression, which must be a str: nothing is converted."""
        value = self.evaluate(expression, option)
        if not isinstance(value, str):
            raise InputError(f"{option}: {expression} is {type(value).__name__}, not str; nothing is converted")
        return value

    def find_model(self, word: str, options: Mapping[str, str]) -> Model:
        """Return the model that a word names."""
        from ..steps.models import find_model  # only commands that call a model need it

        return find_model(word, options=options)

    def text_of(self, word: str, option: str) -> str:
        """Return the text that a word names: here, the text of a file."""
        path = absolute(word, option)
        try:
            return decode(read_regular(path)).removesuffix("\n").removesuffix("\r")
        except OSError as error:
            raise StoreError.from_os(f"read for {option}", path, error) from error
        except ValueError as error:
            raise InputError(f"{option}: {path}: {error}") from error

    @abstractmethod
    def stream(self, title: str, *, hides_thinking: bool) -> AbstractContextManager[Callable[[str, str], None]]:
        """Show a model's answer while it arrives.

        Parameters
        ----------
        title : str
            The model's name.
        hides_thinking : bool
            Whether outputs leave out the thinking.

        Returns
        -------
        context manager
            It gives a callable that takes "thinking" or "assistant" and a piece of text. What arrived before an error
            stays visible.
        """

    def remember(self, reply: object) -> str:
        """Keep a reply where the user can find it; return a message that says where."""
        del reply  # a shell has nowhere to keep it
        return ""

    def open_exercise(self, exercise: Exercise, args: Namespace) -> object | None:
        """Return a widget to work on an exercise with, or None where it can only be read."""
        del exercise, args
        return None

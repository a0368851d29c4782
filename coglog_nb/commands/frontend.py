"""What a command sees of the frontend it was called through, and what it gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..entry import checked_theme
from ..errors import InputError, StoreError, UsageError
from ..jsontext import decode
from ..paths import absolute, viewer_directory
from ..store import CogLog, read_regular
from .registry import load

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from types import ModuleType

    from ..entry import Entry
    from ..steps.models import Model
    from ..teaching.exercises.format import Exercise


class Outcome:
    """What a command has to show.

    Parameters
    ----------
    text : str, optional
        What a command line prints. The magic prints it where there is no value to return.
    value : object, optional
        What the magic returns.
    problems : iterable of str, optional
        What failed after the command had done its work: a command line says so and exits with 1, the magic warns.
    note : str, optional
        What is printed in any case, after the text or beside the value.
    aside : str, optional
        What a command line says on stderr, because its stdout is for piping on; a value shows it itself.
    """

    def __init__(
        self, text: str = "", value: object = None, problems: tuple[str, ...] = (), note: str = "", aside: str = ""
    ) -> None:
        self.text = text
        self.value = value
        self.problems = problems
        self.note = note
        self.aside = aside


class Frontend(ABC):
    """A way in to the commands. The command line and the notebook each have theirs.

    Attributes
    ----------
    program : str
        What the user typed: "coglog", "coglog-viz" or "%coglog".
    renders : bool
        Whether `write` writes the viewer artifact too.
    in_notebook : bool
        Whether there is a namespace to take Python expressions from.
    """

    program = "coglog"
    renders = False
    in_notebook = False

    @staticmethod
    def load_command(name: str) -> ModuleType:
        """Import the module of a command."""
        return load(name)

    def store(self, args: Namespace) -> CogLog:
        """Open the window that the options name."""
        return CogLog(args.coglog_dir, session=args.session, **self.waiting(args))

    def waiting(self, args: Namespace) -> dict[str, float]:
        """Return the options of waiting for a lock, as `CogLog` takes them."""
        return {} if args.lock_timeout is None else {"lock_timeout": args.lock_timeout}

    def origin(self, args: Namespace, store: CogLog) -> str:
        """Say why the data directory is that one."""
        return "--coglog-dir" if args.coglog_dir is not None else store.origin

    def viewer_directory(self, args: Namespace, store: CogLog) -> tuple[str, str]:
        """Find where artifacts go, and say why there."""
        directory, why = viewer_directory(args.viewer_dir, str(store.data_dir))
        return directory, "--viewer-dir" if args.viewer_dir is not None else why

    def theme(self, args: Namespace) -> str:
        """Return the theme that a card starts with."""
        return checked_theme(args.theme or "system")

    def shows_thinking(self, args: Namespace) -> bool:
        """Whether outputs and artifacts show the thinking."""
        return not args.no_thinking

    def lang(self, args: Namespace) -> str:
        """Return the language of guides and forms."""
        return args.lang or "en"

    def apply_display_options(self, entry: Entry, args: Namespace) -> None:
        """Tell an entry how it is to be shown."""
        if not self.shows_thinking(args):
            entry.show_thinking = False  # and never True: a notebook's setting is the default, and may change later
        entry.theme = self.theme(args)

    @abstractmethod
    def read_fields(self) -> Mapping[str, object]:
        """Return the fields that came on stdin or in the cell's body, as they are."""

    @abstractmethod
    def read_text(self) -> str:
        """Return the text that came on stdin or in the cell's body: verbatim, without the final newline."""

    def evaluate(self, expression: str, option: str) -> object:
        """Return what a Python expression stands for."""
        raise UsageError(
            f"{option} {expression}: a Python expression has a meaning only in a notebook; give the turn as JSON on"
            " stdin"
        )

    def evaluate_text(self, expression: str, option: str) -> str:
        """Return what a Python expression stands for, which must be a str: nothing is converted."""
        value = self.evaluate(expression, option)
        if not isinstance(value, str):
            raise InputError(f"{option}: {expression} is {type(value).__name__}, not str; nothing is converted")
        return value

    def find_model(self, word: str, options: Mapping[str, str]) -> Model:
        """Return the model that a word names."""
        from ..steps.models import find_model  # what no other command has a use for

        return find_model(word, options=options)

    def text_of(self, word: str, option: str) -> str:
        """Return a text that a word names: here a file's."""
        path = absolute(word, option)
        try:
            return decode(read_regular(path)).removesuffix("\n").removesuffix("\r")
        except OSError as error:
            raise StoreError.from_os(f"read for {option}", path, error) from error
        except ValueError as error:
            raise InputError(f"{option}: {path}: {error}") from error

    @abstractmethod
    def stream(self, title: str, *, hides_thinking: bool) -> AbstractContextManager[Callable[[str, str], None]]:
        """Show a model's answer as it comes.

        Parameters
        ----------
        title : str
            Who answers.
        hides_thinking : bool
            Whether the thinking is kept out of outputs.

        Returns
        -------
        context manager
            It gives a callable that takes "thinking" or "assistant" and each piece. Left with an error, what came
            stays in sight.
        """

    def remember(self, reply: object) -> str:
        """Keep a reply where the user finds it; returns what there is to say of that."""
        del reply  # a call from a shell ends with itself
        return ""

    def open_exercise(self, exercise: Exercise, args: Namespace) -> object | None:
        """Return what an exercise is worked on with, or None where it can only be read."""
        del exercise, args
        return None

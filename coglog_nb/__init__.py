"""CogLog in a notebook: the single-window log that carries an LLM's last turn into its next one.

``from coglog_nb import CogLog, render, show`` is the whole of everyday use outside magics, and
``%load_ext coglog_nb`` adds the ``%coglog`` magic. Every name is imported when it is first asked for, so
that importing this package costs next to nothing and brings in neither IPython nor anywidget.
"""

from __future__ import annotations

from ._version import __version__

# Importing `typing` would double what importing this package costs. So every module that the command line may import
# sets this flag itself; a type checker takes it for True. Only `notebook/` imports it: there `typing` is loaded anyway.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from . import tools as tools
    from .artifact import render as render
    from .entry import Entry as Entry
    from .errors import CogLogError as CogLogError
    from .errors import CogLogWarning as CogLogWarning
    from .errors import DamagedLogError as DamagedLogError
    from .errors import InputError as InputError
    from .errors import LockError as LockError
    from .errors import RefusedError as RefusedError
    from .errors import StoreError as StoreError
    from .errors import TurnError as TurnError
    from .errors import UsageError as UsageError
    from .errors import ValidationError as ValidationError
    from .notebook.card import show as show
    from .notebook.editor import edit as edit
    from .notebook.exercise_widget import exercise as exercise
    from .prompt import PromptText as PromptText
    from .prompt import context as context
    from .prompt import messages as messages
    from .prompt import template as template
    from .replies.captured import Captured as Captured
    from .replies.captured import capture as capture
    from .steps.functions import aturn as aturn
    from .steps.functions import turn as turn
    from .store import CogLog as CogLog

_HOMES = {
    "Captured": "replies.captured",
    "CogLog": "store",
    "CogLogError": "errors",
    "CogLogWarning": "errors",
    "DamagedLogError": "errors",
    "Entry": "entry",
    "InputError": "errors",
    "LockError": "errors",
    "PromptText": "prompt",
    "RefusedError": "errors",
    "StoreError": "errors",
    "TurnError": "errors",
    "UsageError": "errors",
    "ValidationError": "errors",
    "capture": "replies.captured",
    "context": "prompt",
    "edit": "notebook.editor",
    "exercise": "notebook.exercise_widget",
    "messages": "prompt",
    "render": "artifact",
    "show": "notebook.card",
    "aturn": "steps.functions",
    "template": "prompt",
    "turn": "steps.functions",
    "tools": "",  # the module itself
}

__all__ = [  # noqa: PLE0604 - the names of _HOMES, which a static reader can't see
    "__version__",
    *_HOMES,
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = _HOMES[name]
    module = import_module(f"{__name__}.{home or name}")
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))


def load_ipython_extension(ip: InteractiveShell) -> None:
    """Add the ``%coglog`` magic and the live card to a shell (called by ``%load_ext coglog_nb``).

    Parameters
    ----------
    ip : IPython.core.interactiveshell.InteractiveShell
        The shell to extend. Loading twice leaves one magic.
    """
    from .notebook.extension import load

    load(ip)


def unload_ipython_extension(ip: InteractiveShell) -> None:
    """Take back all that `load_ipython_extension` added (called by ``%unload_ext coglog_nb``).

    Parameters
    ----------
    ip : IPython.core.interactiveshell.InteractiveShell
        The shell to leave as it was.
    """
    from .notebook.extension import unload

    unload(ip)

"""`%coglog watch`: a card that follows the stored turn while another program writes it.

The kernel's event loop looks at the file a few times a second and reads it only if it has changed. So everything
happens in the kernel's main thread, between cells: while a cell runs, the card waits, and it catches up afterwards.
This works without threads (Pyodide), and it ends with the loop.
"""

from __future__ import annotations

import asyncio
import os
from uuid import uuid4

import ipywidgets
from IPython.core.getipython import get_ipython
from IPython.display import display, update_display

from ..entry import Entry, axes_before
from ..errors import CogLogError, UsageError
from ..html_form import preformatted, static_card
from ..store import CogLog
from ..text_form import plain_text
from .card import new_card
from .display import display_widget, static_fallback

INTERVAL = 0.2
"""The time between two looks at the file, in seconds."""

_WRAP = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"

_watches: dict[tuple[str, str, bool], Watch] = {}


class Watch:
    """A card that follows a window.

    Parameters
    ----------
    store : CogLog
        The window.
    hides_thinking : bool
        Whether its outputs leave out the thinking, even if the notebook's setting shows it.
    """

    def __init__(self, store: CogLog, *, hides_thinking: bool) -> None:
        self._store = store
        self._path = str(store.current_file)
        self._hides_thinking = hides_thinking
        self._seen: tuple[object, ...] | None = None
        self._entry: Entry | None = None
        self._changed: tuple[str, ...] = ()
        self._timer: asyncio.TimerHandle | None = None
        self._display_id = uuid4().hex
        self._static: dict[str, str] = {}
        self.card = new_card()
        self._status = ipywidgets.HTML(layout=self.card.layout)
        self._box = ipywidgets.VBox(layout=self.card.layout)

    @property
    def is_open(self) -> bool:
        """Whether its widgets can still be shown; `Widget.close_all()` closes them."""
        return self._box.comm is not None

    def show(self) -> None:
        """Show it as an output of the running cell."""
        self.look()
        # All outputs share a display_id, so a saved notebook holds the turn that was seen last.
        display(self._static, raw=True, display_id=self._display_id)
        display_widget(self._box)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Follow the window from now on."""
        self.stop()
        # A timer, not a task: closing the loop then leaves nothing pending.
        self._timer = loop.call_later(INTERVAL, self._tick, loop)

    def stop(self) -> bool:
        """Stop following the window; return whether it was followed."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        return timer is not None

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self.is_open:
            self.stop()
            return
        try:
            if self.look():
                update_display(self._static, raw=True, display_id=self._display_id)
        finally:
            self.begin(loop)  # go on even if this look failed

    def look(self) -> bool:
        """Bring the card up to date; return whether anything changed."""
        shows_thinking = Entry.show_thinking and not self._hides_thinking
        seen = (_state(self._path), shows_thinking)
        if seen == self._seen:
            return False
        self._seen = seen
        problem = ""
        try:
            entry = self._store.read()
        except CogLogError as error:  # keep the last turn: the writer may repair the file
            entry, problem = self._entry, str(error)
        else:
            if entry is None:
                problem = f"(no coglog found) Waiting for the first turn in {self._path}"
        if entry != self._entry:
            self._changed = ()
            if self._entry is not None and entry is not None:
                self._changed = tuple(axes_before(self._entry, entry))
        self._entry = entry
        if entry is not None:
            entry.show_thinking = shows_thinking
            self.card.set_entry(entry, changed=self._changed)
        self._put_together(problem)
        return True

    def _put_together(self, problem: str) -> None:
        """Show the turn, if there is one, and the problem, if there is one."""
        widgets, markup, words = [], [], []
        if problem:
            self._status.value = (
                f'<pre class="coglog-status" role="status" style="{_WRAP}">{preformatted(problem)}</pre>'
            )
            widgets.append(self._status)
            markup.append(self._status.value)
            words.append(problem)
        if self._entry is not None:
            widgets.append(self.card)
            view = self._entry.view()
            markup.append(static_card(view))
            words.append(plain_text(view))
        self._box.children = tuple(widgets)
        live = ".coglog-status" if problem else ".coglog-live"
        self._static = static_fallback("".join(markup), "\n\n".join(words), live=live)


def _state(path: str) -> tuple[int, ...]:
    """Return what differs between two states of a file, without opening it."""
    try:
        found = os.stat(path)
    except OSError as error:
        return (error.errno or 0,)
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def start(store: CogLog, *, theme: str, hides_thinking: bool) -> None:
    """Show a card that follows a window; show the same card again if one already does.

    Raises
    ------
    UsageError
        If there is no notebook to show the card in, or no event loop.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        loop = None
    if loop is None or "text/html" not in get_ipython().display_formatter.active_types:
        raise UsageError("watch needs a notebook to show the card in; here, read shows the turn as it is now")
    key = (str(store.current_file), theme, hides_thinking)
    watch = _watches.get(key)
    if watch is None or not watch.is_open:
        watch = _watches[key] = Watch(store, hides_thinking=hides_thinking)
    watch.card.theme = theme
    watch.show()
    watch.begin(loop)


def stop_all() -> int:
    """Stop all cards; return how many followed a window."""
    count = sum(watch.stop() for watch in _watches.values())
    _watches.clear()
    return count

"""A model's answer while it arrives: an output that is updated in a notebook, growing text in a terminal."""

from __future__ import annotations

import time
from types import TracebackType
from uuid import uuid4

from IPython.core.getipython import get_ipython
from IPython.display import display, update_display

from ..fields import NOT_SHOWN
from ..html_form import inline, preformatted
from ..text_form import printable

INTERVAL = 0.1
"""Seconds between two updates of an output, at least: each update sends the whole output to the page."""

TAIL = 20_000
"""How many characters of a text are shown while it arrives; the card that follows has all of it."""

# The first and the last content of the output, so that running a notebook again gives the output it was saved with.
_NOTHING = {"text/html": '<div class="coglog-stream"></div>', "text/plain": ""}

_TEXT = "margin:4px 0 0;white-space:pre-wrap;overflow-wrap:anywhere;word-break:normal;font-family:inherit"


class Answer:
    """Shows the pieces of one answer. It is a context manager: on leaving it, the output becomes empty.

    Parameters
    ----------
    title : str
        The name of the model.
    hides_thinking : bool
        Whether the thinking is kept out of outputs.
    """

    def __init__(self, title: str, *, hides_thinking: bool) -> None:
        self._title = title
        self._hides_thinking = hides_thinking
        # Lists of pieces: adding each piece to one text would copy the whole text each time.
        self._pieces: dict[str, list[str]] = {"thinking": [], "assistant": []}
        self._rich = "text/html" in get_ipython().display_formatter.active_types
        self._display_id: str | None = None
        self._due = 0.0
        self._printing = ""

    def __enter__(self) -> Answer:  # noqa: PYI034 - Self is Python 3.11's
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._display_id is not None:
            update_display(_NOTHING, raw=True, display_id=self._display_id)
            if kind is not None:  # the part that arrived stays visible, since no card follows
                display(self._bundle(), raw=True)
        elif self._printing:
            print()

    def __call__(self, kind: str, text: str) -> None:
        """Take a piece of the "thinking" or of the "assistant"."""
        if not self._rich:
            self._print(kind, text)
            return
        self._pieces[kind].append(text)
        if self._display_id is None:
            self._display_id = uuid4().hex
            display(_NOTHING, raw=True, display_id=self._display_id)
        now = time.monotonic()
        if now >= self._due:
            update_display(self._bundle(), raw=True, display_id=self._display_id)
            self._due = time.monotonic() + INTERVAL

    def _print(self, kind: str, text: str) -> None:
        if kind == "thinking" and self._hides_thinking:
            text = "" if self._printing == kind else NOT_SHOWN
        if self._printing != kind:
            print("\n" * 2 * bool(self._printing) + f"{kind} ({self._title}):")
            self._printing = kind
        print(printable(text), end="", flush=True)

    def _bundle(self) -> dict[str, str]:
        """Return what has arrived so far, as HTML and as text."""
        for kind, pieces in self._pieces.items():
            self._pieces[kind] = ["".join(pieces)]
        thinking, answer = (self._pieces[kind][0] for kind in ("thinking", "assistant"))
        if thinking and self._hides_thinking:
            thinking = NOT_SHOWN
        markup, words = [f"<div><b>{inline(self._title)}</b> answers</div>"], [f"{self._title} answers"]
        if thinking:
            # Open until there is an answer to read.
            opened = "" if answer else " open"
            markup.append(f"<details{opened}><summary>thinking</summary>{_pre(thinking)}</details>")
            words.append(f"thinking:\n{_tail(thinking)}")
        if answer:
            markup.append(_pre(answer))
            words.append(f"assistant:\n{_tail(answer)}")
        return {
            "text/html": f'<div class="coglog-stream" role="log" aria-live="off">{"".join(markup)}</div>',
            "text/plain": printable("\n\n".join(words)),
        }


def _tail(text: str) -> str:
    return text if len(text) <= TAIL else "\u2026" + text[-TAIL:]


def _pre(text: str) -> str:
    return f'<pre style="{_TEXT}">{preformatted(printable(_tail(text)))}</pre>'


class Progress:
    """Shows how many candidates have arrived, as a bar that is updated.

    Parameters
    ----------
    total : int
        The number of candidates.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._rich = "text/html" in get_ipython().display_formatter.active_types
        self._display_id = uuid4().hex
        if self._rich:
            display(_NOTHING, raw=True, display_id=self._display_id)
            self(0)

    def __call__(self, count: int) -> None:
        """Show how many have arrived."""
        if self._rich:
            update_display(self._bundle(count), raw=True, display_id=self._display_id)

    def _bundle(self, count: int) -> dict[str, str]:
        if count == self._total:
            return _NOTHING
        words = f"{count} of {self._total} candidates"
        bar = f'<progress max="{self._total}" value="{count}"></progress>'
        return {"text/html": f'<label class="coglog-progress">{bar} {words}</label>', "text/plain": words}

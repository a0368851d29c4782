"""An exercise to work on: an anywidget around `js/src/exercise/Exercise.jsx`, and the public `exercise`.

The page itself decides how an answer fits and shows the reason, so nobody waits for the kernel. The kernel gets each
answer too: a reloaded page shows it again, and `coglog_nb.teaching.exercises.results` keeps it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets
from IPython.core.getipython import get_ipython
from IPython.display import display

from ..built_files import static_text
from ..fields import AXES
from ..labels import checked_language, field_table
from ..store import CogLog
from ..teaching.exercises import results
from ..teaching.exercises.catalog import find
from ..teaching.exercises.format import Exercise
from ..teaching.exercises.text_form import plain_text, static_html
from ..teaching.locales import texts_of
from ..validation import checked_theme
from .display import display_widget, static_fallback

LIVE = ".coglog-practice"
"""The selector of a live exercise in the page."""


class ExerciseWidget(anywidget.AnyWidget):
    """An exercise that a learner works on in the page.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    data_dir : str
        The data directory whose file keeps the results.
    session : str
        The session to keep the results with; empty for the default one.
    lang : str
        The language of the texts around the exercise.
    theme : str
        The theme at the start.
    """

    # anywidget takes a single line for the path of a file to read, hence the line break.
    _esm = static_text("exercise.js") + "\n"
    exercise = traitlets.Dict(help="The contents of the exercise's file.").tag(sync=True)
    fields: Any = traitlets.List(help="The seven fields, with their labels and questions.").tag(sync=True)
    words = traitlets.Dict(help="The texts around the exercise.").tag(sync=True)
    lang = traitlets.Unicode("en", help="The language of these texts.").tag(sync=True)
    theme = traitlets.Unicode("system", help="The theme at the start.").tag(sync=True)
    answers = traitlets.Dict(help="For a statement's number, the first and the last choice.").tag(sync=True)
    axes = traitlets.Dict(help="The texts that the learner wrote in the axes.").tag(sync=True)
    compared = traitlets.Bool(help="Whether the worked answers are shown.").tag(sync=True)
    run = traitlets.Int(help="How often the learner started again.").tag(sync=True)
    said = traitlets.Int(help="How many messages the page has sent.").tag(sync=True)
    heard = traitlets.Int(help="How many of them the kernel has received.").tag(sync=True)
    kept = traitlets.Unicode(help="Where the answers are kept, or why they aren't.").tag(sync=True)

    def __init__(self, exercise: Exercise, *, data_dir: str, session: str, lang: str, theme: str) -> None:
        self._source = exercise
        self._data_dir = data_dir
        self._session = session
        self._result = results.new_run(exercise, session)
        self._is_kept = False
        self._runs = 0
        self._seen: object = None
        super().__init__(
            exercise=exercise.data, fields=field_table(lang), words=texts_of("exercises", lang), lang=lang, theme=theme
        )
        self.observe(self._on_change, ["answers", "axes", "run", "said"])

    def __repr__(self) -> str:
        return f"ExerciseWidget({self._source.name!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Return anywidget's bundle with the exercise as its text, which can be read where no widget runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:  # None for a widget without a view
            data["text/plain"] = self._text()
        return bundle

    def _text(self) -> str:
        return plain_text(self._source, self.lang, f"%coglog exercise {self._source.name}")

    def _ipython_display_(self) -> None:
        """Show two outputs, one of which is visible: see `coglog_nb.notebook.display`."""
        shell = get_ipython()
        if shell is None or "text/html" not in shell.display_formatter.active_types:
            raise NotImplementedError  # tells IPython to show the text
        display(static_fallback(static_html(self._source, self.lang), self._text(), live=LIVE), raw=True)
        display_widget(self)

    @property
    def turn(self) -> dict[str, str]:
        """The seven fields of a blank turn as written so far, for `%coglog write NAME`."""
        facts = dict(self._source.data.get("facts", {}))
        return {**facts, **{axis: str(self.axes.get(axis, "")) for axis in AXES}}

    def _on_change(self, change: Mapping[str, Any]) -> None:
        del change  # one message brings several, in any order: only the present state counts
        seen = (self.run, dict(self.answers), dict(self.axes))
        if seen != self._seen:
            self._seen = seen
            self._keep()
        self.heard = self.said

    def _keep(self) -> None:
        if self.run != self._runs:
            self._runs = self.run
            self._result = results.new_run(self._source, self._session)
            self._is_kept = False
        if self._source.kind == "place":
            results.set_answers(self._result, self._source, _lists(self.answers))
        else:
            results.set_axes(self._result, self.axes)
        if not self._result["answers"] and not self._result["axes"] and not self._is_kept:
            return  # nothing to keep yet; an answer that was kept and then deleted is removed from the file too
        self._is_kept = True
        problem = results.keep(self._data_dir, self._result)
        texts = texts_of("exercises", self.lang)
        if problem:
            self.kept = texts["kept.not"].format(problem=problem)
        else:
            self.kept = texts["kept"].format(path=results.path_of(self._data_dir))


def _lists(answers: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the choices in what a page sent, without anything of another type."""
    return {
        number: [choice for choice in choices if isinstance(choice, str)]
        for number, choices in answers.items()
        if isinstance(choices, (list, tuple))
    }


_widgets: dict[tuple[str, str, str, str], ExerciseWidget] = {}


def widget_of(exercise: Exercise, *, data_dir: str, session: str, lang: str, theme: str) -> ExerciseWidget:
    """Return the widget of an exercise: the existing one with its answers, or a new one."""
    # The key has the contents as well as the name: a facilitator who edits a file wants to see the change.
    key = (json.dumps([exercise.name, exercise.data]), data_dir, session, lang)
    widget = _widgets.get(key)
    if widget is None or widget.comm is None:  # closed, as `Widget.close_all()` does
        widget = _widgets[key] = ExerciseWidget(exercise, data_dir=data_dir, session=session, lang=lang, theme=theme)
    widget.theme = theme
    return widget


def exercise(
    name: str,
    *,
    lang: str = "en",
    coglog_dir: str | os.PathLike[str] | None = None,
    session: str | None = None,
    theme: str = "system",
) -> ExerciseWidget:
    """Return an exercise to work on, for hosts without magics (marimo) and for layouts of widgets.

    Parameters
    ----------
    name : str
        The name of a built-in exercise, or the path of a ``.json`` file.
    lang : str, optional
        The language of the texts around it: ``"en"`` or ``"ja"``.
    coglog_dir : str or os.PathLike, optional
        The data directory whose ``exercises.json`` keeps the results; by default the one that `CogLog` uses.
    session : str, optional
        The session to keep the results with.
    theme : str, optional
        The theme at the start: ``"light"``, ``"system"`` or ``"dark"``.

    Returns
    -------
    anywidget.AnyWidget
        The exercise; a kernel has one widget for it, however often it is shown. For a turn to fill in, ``turn`` is a
        dict of the seven fields with the texts written so far.

    Raises
    ------
    UsageError
        If the exercise or the language is unknown.
    InputError
        If the file isn't an exercise.
    StoreError
        If the file can't be read.
    ValidationError
        If `theme` is unknown or `session` is invalid.
    """
    store = CogLog(coglog_dir, session=session)
    return widget_of(
        find(name),
        data_dir=str(store.data_dir),
        session=store.session or "",
        lang=checked_language(lang),
        theme=checked_theme(theme),
    )

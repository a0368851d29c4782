"""An exercise to work on: an anywidget around `js/src/exercise/Exercise.jsx`, and the public `exercise`.

The page decides how an answer fits and says why at once, so that nobody waits for a kernel. The kernel has each answer
as well: a page that is loaded again shows it, and the results are kept (`coglog_nb.teaching.exercises.results`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets
from IPython.core.getipython import get_ipython
from IPython.display import display

from ..entry import checked_theme
from ..fields import AXES
from ..store import CogLog
from ..teaching.exercises import results
from ..teaching.exercises.catalog import find
from ..teaching.exercises.text_form import plain_text, static_html
from ..teaching.locales import checked_language, field_table, texts_of
from ..viewer import static_text
from .display import display_widget, twin

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from ..teaching.exercises.format import Exercise

LIVE = ".coglog-practice"
"""What the page finds a live exercise by."""


class ExerciseWidget(anywidget.AnyWidget):
    """An exercise that is worked on in the page.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    data_dir : str
        The data directory whose file keeps the results.
    session : str
        The session that they are kept with; empty for the default one.
    lang : str
        The language of what is said around the exercise.
    theme : str
        The theme that it starts with.
    """

    # anywidget takes a single line of text for the path of a file to read.
    _esm = static_text("exercise.js") + "\n"
    exercise = traitlets.Dict(help="What the exercise's file holds.").tag(sync=True)
    fields: Any = traitlets.List(help="The seven fields as the page names them.").tag(sync=True)
    words = traitlets.Dict(help="What is said around the exercise.").tag(sync=True)
    lang = traitlets.Unicode("en", help="The language of these words.").tag(sync=True)
    theme = traitlets.Unicode("system", help="The theme that it starts with.").tag(sync=True)
    answers = traitlets.Dict(help="For a statement's number what was chosen first and last.").tag(sync=True)
    axes = traitlets.Dict(help="What was written in the axes of a blank turn.").tag(sync=True)
    compared = traitlets.Bool(help="Whether the worked answers are shown.").tag(sync=True)
    run = traitlets.Int(help="How often it was started again.").tag(sync=True)
    said = traitlets.Int(help="How many messages the page has sent.").tag(sync=True)
    heard = traitlets.Int(help="How many of them have arrived: a kernel that is busy or gone hears none.").tag(
        sync=True
    )
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
        self.observe(self._hear, ["answers", "axes", "run", "said"])

    def __repr__(self) -> str:
        return f"ExerciseWidget({self._source.name!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Return the widget as anywidget does, with the exercise for its text: where no widget runs it can be read."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:  # as it is for a widget without a view
            data["text/plain"] = self._text()
        return bundle

    def _text(self) -> str:
        return plain_text(self._source, self.lang, f"%coglog exercise {self._source.name}")

    def _ipython_display_(self) -> None:
        """Show it as two outputs, of which one is seen: see `coglog_nb.notebook.display`."""
        shell = get_ipython()
        if shell is None or "text/html" not in shell.display_formatter.active_types:
            raise NotImplementedError  # by this IPython knows to go on with the text
        display(twin(static_html(self._source, self.lang), self._text(), live=LIVE), raw=True)
        display_widget(self)

    @property
    def turn(self) -> dict[str, str]:
        """The seven fields of a blank turn, as far as they are written: what `%coglog write NAME` takes."""
        facts = dict(self._source.data.get("facts", {}))
        return {**facts, **{axis: str(self.axes.get(axis, "")) for axis in AXES}}

    def _hear(self, change: Mapping[str, Any]) -> None:
        del change  # several come with one message, in any order: what counts is what there is now
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
            return  # nothing is answered yet; what was, and was taken out again, goes out of the file too
        self._is_kept = True
        problem = results.keep(self._data_dir, self._result)
        texts = texts_of("exercises", self.lang)
        if problem:
            self.kept = texts["kept.not"].format(problem=problem)
        else:
            self.kept = texts["kept"].format(path=results.path_of(self._data_dir))


def _lists(answers: Mapping[str, Any]) -> dict[str, list[str]]:
    """Take what a page sent for what it should be, and leave out what isn't."""
    return {
        number: [choice for choice in choices if isinstance(choice, str)]
        for number, choices in answers.items()
        if isinstance(choices, (list, tuple))
    }


_widgets: dict[tuple[str, str, str, str], ExerciseWidget] = {}


def widget_of(exercise: Exercise, *, data_dir: str, session: str, lang: str, theme: str) -> ExerciseWidget:
    """Return the widget of an exercise: the one that is there already, with its answers, or a new one."""
    # Of the data and not of the name alone: who changes a file of their texts wants to see the change.
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
        The language of what is said around it: "en" or "ja".
    coglog_dir : str or os.PathLike, optional
        The data directory whose ``exercises.json`` keeps the results; by default the one that `CogLog` takes.
    session : str, optional
        The session that they are kept with.
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark".

    Returns
    -------
    anywidget.AnyWidget
        The exercise; the same one in a kernel, however often it is shown. Of a blank turn, ``turn`` gives the seven
        fields with what was written.

    Raises
    ------
    UsageError
        If there is no such exercise or language.
    InputError
        If the file is no exercise.
    StoreError
        If it can't be read.
    ValidationError
        If the theme or the session is none.
    """
    store = CogLog(coglog_dir, session=session)
    return widget_of(
        find(name),
        data_dir=str(store.data_dir),
        session=store.session or "",
        lang=checked_language(lang),
        theme=checked_theme(theme),
    )

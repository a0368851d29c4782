"""The form to write a turn in: an anywidget around `js/src/editor/Editor.jsx`.

The page sends the texts to the kernel while they are typed, so that they are still there when the page is opened again.
The kernel writes the turn and reports the result to the form, which keeps the text whatever happens.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import anywidget
import traitlets
from IPython.core.getipython import get_ipython
from IPython.display import display, update_display

from ..artifact import write_artifact
from ..built_files import static_text
from ..entry import Entry
from ..errors import CogLogError, ValidationError
from ..fields import AXES, FACTS, NAMES, schema
from ..html_form import inline, preformatted, static_card
from ..labels import checked_language, field_table
from ..limits import cut_with_note
from ..store import CogLog
from ..teaching.locales import texts_of
from ..text_form import plain_text
from ..validation import checked_theme, missing_problem, surrogate_problem
from .cell_body import cell_of
from .display import display_widget, static_fallback


def _text() -> Any:
    return traitlets.Unicode().tag(sync=True)


class CogLogEditor(anywidget.AnyWidget):
    """The form of one window; `edit` makes it."""

    _esm = static_text("editor.js") + "\n"  # see card.py

    user = _text()
    thinking = _text()
    assistant = _text()
    current_focus = _text()
    theory_of_mind = _text()
    self_narrative = _text()
    annotation = _text()
    base = traitlets.Dict(help="What the fields held at the start, or when the turn was last written.").tag(sync=True)
    given: traitlets.List[str] = traitlets.List(help="The facts that can't be edited.").tag(sync=True)
    hidden: traitlets.List[str] = traitlets.List(help="The fields that outputs don't show.").tag(sync=True)
    written = traitlets.Dict(help="The turn that was last written, as the viewer takes it.").tag(sync=True)
    fields: traitlets.List[Any] = traitlets.List().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    schema = traitlets.Dict().tag(sync=True)
    lang = traitlets.Unicode("en").tag(sync=True)
    session = traitlets.Unicode().tag(sync=True)
    theme = traitlets.Unicode("system").tag(sync=True)
    token = traitlets.Unicode(help="Identifies this editor.").tag(sync=True)
    key = traitlets.Unicode(help="The same for every editor of this window and these facts.").tag(sync=True)

    def __init__(
        self,
        log: CogLog,
        facts: Mapping[str, str],
        axes: Mapping[str, str],
        *,
        lang: str,
        theme: str,
        viewer_dir: str | os.PathLike[str] | None,
        hides_thinking: bool,
    ) -> None:
        self._log = log
        self._facts = dict(facts)
        self._viewer_dir = viewer_dir
        self._hides_thinking = hides_thinking
        self.artifacts = "all"
        """Which viewer artifacts of the window's writes stay: "all" or "last"."""
        self._display_id = uuid4().hex
        self._is_shown = False
        self._entry: Entry | None = None
        texts = {**dict.fromkeys(NAMES, ""), **facts, **axes}
        hidden = [] if self._shows_thinking() else ["thinking"]
        if hidden and "thinking" in facts:
            texts["thinking"] = ""  # a saved notebook may hold the widget's state
        table = field_table(lang)
        guide = texts_of("guide", lang)
        super().__init__(
            **texts,
            base=texts,
            given=list(facts),
            hidden=hidden,
            fields=table,
            words={**texts_of("editor", lang), **{f"example.{name}": guide[f"{name}.good"] for name in NAMES}},
            schema=schema(),
            lang=lang,
            session=log.session or "",
            theme=theme,
            token=uuid4().hex,
            key=_key(log, facts),
        )
        self.on_msg(self._on_message)

    @property
    def is_open(self) -> bool:
        """Whether the widget can still be shown; `Widget.close_all()` closes it."""
        return self.comm is not None

    @property
    def is_unwritten(self) -> bool:
        """Whether it holds text that isn't stored yet."""
        return self._texts() != dict(self.base)

    def _shows_thinking(self) -> bool:
        return Entry.show_thinking and not self._hides_thinking

    def _texts(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in NAMES}

    # ---- messages from the form

    def _on_message(self, _: object, message: object, buffers: object) -> None:
        del buffers
        if not isinstance(message, dict):
            return
        kind, message_id = message.get("kind"), message.get("id")
        if kind == "hello":
            self.send({"kind": "here"})
        elif kind == "keep":
            self._keep(self._own(message))
        elif kind == "next":
            self.base = {**dict.fromkeys(NAMES, ""), **{name: getattr(self, name) for name in self._facts}}
        if kind not in ("write", "start"):
            return
        try:
            answer = self._start() if kind == "start" else self._write({**self._texts(), **self._own(message)})
        except CogLogError as error:
            answer = {"problems": list(error.problems)}
        except Exception as error:  # noqa: BLE001 - without an answer the form would wait forever
            answer = {"problems": [_describe(error)]}
        except KeyboardInterrupt as error:
            self._answer(kind, message_id, {"problems": [_describe(error)]})
            raise
        self._answer(kind, message_id, answer)

    def _answer(self, kind: str, message_id: object, answer: Mapping[str, Any]) -> None:
        self.send({"kind": "refused" if kind == "write" else "unread", "id": message_id, **answer})

    def _own(self, message: Mapping[str, Any]) -> dict[str, str]:
        """Return the texts in a message, for the fields that can be edited."""
        texts = message.get("texts")
        names = [name for name in NAMES if name not in self._facts]
        return {name: texts[name] for name in names if isinstance(texts, dict) and isinstance(texts.get(name), str)}

    def _keep(self, texts: Mapping[str, str]) -> None:
        """Keep the texts that a page sends before it closes; its earlier messages may never arrive."""
        with self.hold_sync():
            for name, text in texts.items():
                setattr(self, name, text)

    def _write(self, texts: Mapping[str, str]) -> dict[str, Any]:
        # The texts are not set as traits here: that would send them back to the form, which may hold newer text by now.
        values: dict[str, Any] = {**texts, **self._facts}
        entry = self._log.write(**values)
        entry.theme = self.theme
        if not self._shows_thinking():
            entry.show_thinking = False
        problems: tuple[str, ...] = ()
        try:
            _, problems = write_artifact(entry, self._viewer_dir, keep=self.artifacts)
        except CogLogError as error:
            problems = error.problems
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the turn is stored, so the form must not say "not written"
            problems = (_describe(error),)
        self._entry = entry
        view = entry.view()
        with self.hold_sync():
            self.base = dict(texts)
            self.written = {
                "turn_id": entry["turn_id"],
                "turn": {"entry": view.data, "missing": [], "hidden": view.hidden},
            }
        if self._is_shown:
            # From now on a saved notebook shows the turn, not how to write one. The texts don't matter here: the page
            # sends them separately, and they may arrive after the write.
            update_display(_static_card_of(entry), raw=True, display_id=self._display_id)
        return {"kind": "wrote", "turn_id": entry["turn_id"], "problems": list(problems)}

    def _start(self) -> dict[str, Any]:
        entry = self._log.read()
        if entry is None:
            return {"kind": "start", "turn_id": 0, "text": ""}
        return {"kind": "start", "turn_id": entry["turn_id"], "text": entry["annotation"]}

    # ---- what is shown where no form can be

    def show(self) -> None:
        """Show it as an output of the running cell."""
        display(self._static(), raw=True, display_id=self._display_id)
        self._is_shown = True
        display_widget(self)

    def _static(self) -> dict[str, str]:
        if self._entry is not None and not self.is_unwritten:
            return _static_card_of(self._entry)
        message, cell = self.instead()
        markup = f'<p>{inline(message)}</p><pre style="white-space:pre-wrap">{preformatted(cell)}</pre>'
        return static_fallback(f'<div lang="{self.lang}">{markup}</div>', f"{message}\n\n{cell}")

    def instead(self) -> tuple[str, str]:
        """Return a message for where no form can be shown, and a cell that does the same."""
        values = {}
        for name in NAMES:
            text = self._facts.get(name, "")
            if name == "thinking" and text and not self._shows_thinking():
                text = ""
            values[name] = cut_with_note(text)
        return texts_of("editor", self.lang)["static"], cell_of(values)


def _static_card_of(entry: Entry) -> dict[str, str]:
    view = entry.view()
    return static_fallback(static_card(view), plain_text(view))


def _describe(error: BaseException) -> str:
    reason = "the kernel was interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
    return f"{type(error).__name__}: {reason}"


def _key(log: CogLog, facts: Mapping[str, str]) -> str:
    # A hash: the widget's state may be saved in the notebook, which must not reveal the path.
    return hashlib.sha256(json.dumps([str(log.current_file), dict(facts)]).encode()).hexdigest()[:24]


def _checked(values: Mapping[str, object]) -> dict[str, str]:
    """Check the given fields: each must be text that can be stored, and a fact must not be empty."""
    problems, checked = [], {}
    for name, value in values.items():
        problem = missing_problem(name, values)
        if problem is None and isinstance(value, str):
            problem = surrogate_problem(name, value)
            checked[name] = str(value)
        if problem:
            problems.append(problem)
    if problems:
        raise ValidationError(problems)
    return checked


def edit(
    log: CogLog | None = None,
    *,
    user: str | None = None,
    thinking: str | None = None,
    assistant: str | None = None,
    current_focus: str | None = None,
    theory_of_mind: str | None = None,
    self_narrative: str | None = None,
    annotation: str | None = None,
    lang: str = "en",
    theme: str = "system",
    viewer_dir: str | os.PathLike[str] | None = None,
    show_thinking: bool = True,
) -> CogLogEditor:
    """Return a form to write a turn in, with a preview of its card.

    Parameters
    ----------
    log : CogLog, optional
        The window to write to; by default the default window.
    user, thinking, assistant : str, optional
        Given facts, which the form shows but doesn't let you edit.
    current_focus, theory_of_mind, self_narrative, annotation : str, optional
        What an axis holds at the start.
    lang : str, optional
        The form's language: "en" or "ja".
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark".
    viewer_dir : str or os.PathLike, optional
        Where the viewer artifact goes, as `render` takes it.
    show_thinking : bool, optional
        Whether the form, the card and the artifact show the thinking.

    Returns
    -------
    anywidget.AnyWidget
        The form: the last expression of a cell shows it.

    Raises
    ------
    ValidationError
        If a given fact is empty, a text can't be stored, or `theme` is unknown.
    UsageError
        If `lang` is unknown.
    """
    given = {
        "user": user,
        "thinking": thinking,
        "assistant": assistant,
        "current_focus": current_focus,
        "theory_of_mind": theory_of_mind,
        "self_narrative": self_narrative,
        "annotation": annotation,
    }
    values = _checked({name: value for name, value in given.items() if value is not None})
    return CogLogEditor(
        CogLog() if log is None else log,
        {name: values[name] for name in FACTS if name in values},
        {name: values[name] for name in AXES if name in values},
        lang=checked_language(lang),
        theme=checked_theme(theme),
        viewer_dir=viewer_dir,
        hides_thinking=not show_thinking,
    )


_editors: dict[tuple[object, ...], CogLogEditor] = {}


def start(
    log: CogLog,
    values: Mapping[str, object],
    *,
    lang: str,
    theme: str,
    viewer_dir: str,
    artifacts: str,
    shows_thinking: bool,
) -> str:
    """Show a form: the unwritten one of an earlier run of the cell, or a new one. A terminal gets a text."""
    editor = edit(
        log,
        **_checked(values),
        lang=lang,
        theme=theme,
        viewer_dir=viewer_dir,
        show_thinking=shows_thinking,
    )
    if "text/html" not in get_ipython().display_formatter.active_types:
        editor.close()
        return "\n\n".join(editor.instead())
    # The starting texts are part of the key: other starting texts need another form.
    key = (editor.key, json.dumps(dict(editor.base)), lang, theme, viewer_dir, tuple(editor.hidden))
    former = _editors.get(key)
    if former is not None and former.is_open and former.is_unwritten:
        editor.close()
        editor = former
    editor.artifacts = artifacts
    _editors[key] = editor
    editor.show()
    return ""

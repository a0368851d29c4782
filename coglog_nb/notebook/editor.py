"""The form in which a turn is written: an anywidget around `js/src/editor/Editor.jsx`.

The texts travel to the kernel while they are typed, so that a page that is opened anew has them again. The kernel
writes; what it has to say goes back to the form, where the text stays whatever happens.
"""

from __future__ import annotations

import hashlib
import html
import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anywidget
import traitlets
from IPython.core.getipython import get_ipython
from IPython.display import display, update_display

from ..entry import Entry, checked_theme, surrogate_problem
from ..errors import CogLogError, ValidationError
from ..fields import AXES, FACTS, NAMES, schema
from ..store import CogLog
from ..teaching.locales import checked_language, field_table, texts_of
from ..viewer import cut, plain_text, preformatted, render, shown, static_card, static_text
from .cell_body import cell_of
from .display import display_widget, twin

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping


def _text() -> Any:
    return traitlets.Unicode().tag(sync=True)


class CogLogEditor(anywidget.AnyWidget):
    """The form of one window. `edit` makes it."""

    _esm = static_text("editor.js") + "\n"  # see card.py

    user = _text()
    thinking = _text()
    assistant = _text()
    current_focus = _text()
    theory_of_mind = _text()
    self_narrative = _text()
    annotation = _text()
    base = traitlets.Dict(help="What the fields held at the beginning, or when they were written last.").tag(sync=True)
    given: traitlets.List[str] = traitlets.List(help="The facts that are not to be edited.").tag(sync=True)
    hidden: traitlets.List[str] = traitlets.List(help="The fields that are kept out of outputs.").tag(sync=True)
    written = traitlets.Dict(help="The turn that was written last, as the viewer takes it.").tag(sync=True)
    fields: traitlets.List[Any] = traitlets.List().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    schema = traitlets.Dict().tag(sync=True)
    lang = traitlets.Unicode("en").tag(sync=True)
    session = traitlets.Unicode().tag(sync=True)
    theme = traitlets.Unicode("system").tag(sync=True)
    token = traitlets.Unicode(help="Tells this editor from every other.").tag(sync=True)
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
        self._display_id = uuid4().hex
        self._is_shown = False
        self._entry: Entry | None = None
        texts = {**dict.fromkeys(NAMES, ""), **facts, **axes}
        hidden = [] if self._shows_thinking() else ["thinking"]
        if hidden and "thinking" in facts:
            texts["thinking"] = ""  # what is kept out of outputs is kept out of the widget's state too
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
        self.on_msg(self._hear)

    @property
    def is_open(self) -> bool:
        """Whether the widget is there; `Widget.close_all()` closes it."""
        return self.comm is not None

    @property
    def is_unwritten(self) -> bool:
        """Whether it holds text that was not written."""
        return self._texts() != dict(self.base)

    def _shows_thinking(self) -> bool:
        return Entry.show_thinking and not self._hides_thinking

    def _texts(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in NAMES}

    # ---- what the form asks for

    def _hear(self, _: object, message: object, buffers: object) -> None:
        del buffers
        if not isinstance(message, dict):
            return
        kind, given = message.get("kind"), message.get("id")
        if kind == "hello":
            self.send({"kind": "here"})
        elif kind == "keep":
            self._keep(self._own(message))
        elif kind == "next":
            self.base = {**dict.fromkeys(NAMES, ""), **{name: getattr(self, name) for name in self._facts}}
        if kind not in ("write", "start"):
            return
        try:
            said = self._start() if kind == "start" else self._write({**self._texts(), **self._own(message)})
        except CogLogError as error:
            said = {"problems": list(error.problems)}
        except Exception as error:  # noqa: BLE001 - a form that hears nothing waits for ever, and its text with it
            said = {"problems": [_told(error)]}
        except KeyboardInterrupt as error:
            self._answer(kind, given, {"problems": [_told(error)]})
            raise
        self._answer(kind, given, said)

    def _answer(self, kind: str, given: object, said: Mapping[str, Any]) -> None:
        self.send({"kind": "refused" if kind == "write" else "unread", "id": given, **said})

    def _own(self, message: Mapping[str, Any]) -> dict[str, str]:
        """Take the texts out of a message: those of fields that can be edited."""
        texts = message.get("texts")
        names = [name for name in NAMES if name not in self._facts]
        return {name: texts[name] for name in names if isinstance(texts, dict) and isinstance(texts.get(name), str)}

    def _keep(self, texts: Mapping[str, str]) -> None:
        """Take the texts of a page that is about to go; what it sent before may still wait in it."""
        with self.hold_sync():
            for name, text in texts.items():
                setattr(self, name, text)

    def _write(self, texts: Mapping[str, str]) -> dict[str, Any]:
        # The texts are not set as traits here: they would go back to the form, which may be ahead of them by now.
        values: dict[str, Any] = {**texts, **self._facts}
        entry = self._log.write(**values)
        entry.theme = self.theme
        if not self._shows_thinking():
            entry.show_thinking = False
        problems: tuple[str, ...] = ()
        try:
            render(entry, self._viewer_dir, theme=entry.theme)
        except CogLogError as error:
            problems = error.problems
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the turn is stored: "not written" would be untrue
            problems = (_told(error),)
        self._entry = entry
        data, hidden = shown(entry)
        with self.hold_sync():
            self.base = dict(texts)
            self.written = {"turn_id": entry["turn_id"], "turn": {"entry": data, "missing": [], "hidden": hidden}}
        if self._is_shown:
            # What a notebook saves is then the turn, and no longer the way to write one. Whatever the texts are now:
            # the page sends them apart from the write, and they may come after it.
            update_display(_twin_of(entry), raw=True, display_id=self._display_id)
        return {"kind": "wrote", "turn_id": entry["turn_id"], "problems": list(problems)}

    def _start(self) -> dict[str, Any]:
        entry = self._log.read()
        if entry is None:
            return {"kind": "start", "turn_id": 0, "text": ""}
        return {"kind": "start", "turn_id": entry["turn_id"], "text": entry["annotation"]}

    # ---- where no form can be shown

    def show(self) -> None:
        """Show it as the output of the cell that runs, or once more."""
        display(self._static(), raw=True, display_id=self._display_id)
        self._is_shown = True
        display_widget(self)

    def _static(self) -> dict[str, str]:
        if self._entry is not None and not self.is_unwritten:
            return _twin_of(self._entry)
        said, cell = self.instead()
        markup = f'<p>{html.escape(said)}</p><pre style="white-space:pre-wrap">{preformatted(cell)}</pre>'
        return twin(f'<div lang="{self.lang}">{markup}</div>', f"{said}\n\n{cell}")

    def instead(self) -> tuple[str, str]:
        """Say what to use where no form can be shown, and give the cell that does the same."""
        values = {}
        for name in NAMES:
            text = self._facts.get(name, "")
            if name == "thinking" and text and not self._shows_thinking():
                text = ""
            kept, left_out = cut(text)
            values[name] = f"{kept}\n[{left_out:,} of {len(text):,} characters left out]" if left_out else text
        return texts_of("editor", self.lang)["static"], cell_of(values)


def _twin_of(entry: Entry) -> dict[str, str]:
    return twin(static_card(entry), plain_text(entry))


def _told(error: BaseException) -> str:
    reason = "the kernel was interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
    return f"{type(error).__name__}: {reason}"


def _key(log: CogLog, facts: Mapping[str, str]) -> str:
    # A hash, because a widget's state may be saved in the notebook, and the path of this machine is nobody's business.
    return hashlib.sha256(json.dumps([str(log.current_file), dict(facts)]).encode()).hexdigest()[:24]


def _checked(values: Mapping[str, object]) -> dict[str, str]:
    """Check the fields that were given: text that can be stored, and facts that are not empty."""
    problems, checked = [], {}
    for name, value in values.items():
        if not isinstance(value, str) or (name in FACTS and not value):
            suffix = " (empty string is acceptable)" if name in AXES else ""
            problems.append(f"missing required field: {name}{suffix}")
            continue
        problem = surrogate_problem(name, value)
        if problem:
            problems.append(problem)
        checked[name] = str(value)
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
    """Return the form in which a turn is written, with a preview of its card.

    Parameters
    ----------
    log : CogLog, optional
        The window that the turn goes to; by default the default one.
    user, thinking, assistant : str, optional
        Facts that are given: they are shown, and not to be edited.
    current_focus, theory_of_mind, self_narrative, annotation : str, optional
        What an axis holds at the beginning.
    lang : str, optional
        The form's language: "en" or "ja".
    theme : str, optional
        The theme that it starts with: "light", "system" or "dark".
    viewer_dir : str or os.PathLike, optional
        Where the viewer artifact goes, as `render` takes it.
    show_thinking : bool, optional
        Whether the card, the artifact, and a thinking that is given are shown with the thinking.

    Returns
    -------
    anywidget.AnyWidget
        The form: the last expression of a cell shows it.

    Raises
    ------
    ValidationError
        If a fact that is given is empty, a text can't be stored, or the theme is none.
    UsageError
        If there is no such language.
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
    shows_thinking: bool,
) -> str:
    """Show a form: the one that a former run of the cell left unwritten, or a new one. Returns text for a terminal."""
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
    # Where it starts from is part of what it is: other starting texts are another form.
    key = (editor.key, json.dumps(dict(editor.base)), lang, theme, viewer_dir, tuple(editor.hidden))
    former = _editors.get(key)
    if former is not None and former.is_open and former.is_unwritten:
        editor.close()
        editor = former
    _editors[key] = editor
    editor.show()
    return ""

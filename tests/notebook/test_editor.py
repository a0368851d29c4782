"""`%coglog edit` and `edit()`: what the kernel's half of the form keeps, writes and says."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import mistune
import pytest

from coglog_nb import CogLog, InputError, UsageError, ValidationError, edit
from coglog_nb.cli import main
from coglog_nb.fields import AXES, FACTS, NAMES
from coglog_nb.notebook.cell_body import cell_of, fields_of_body
from coglog_nb.notebook.display import WIDGET_MIME
from coglog_nb.notebook.editor import CogLogEditor
from coglog_nb.teaching.locales import texts_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.notebook.conftest import Shell

TEXTS = {name: f"the {name}" for name in NAMES}
GIVEN: dict[str, Any] = {name: TEXTS[name] for name in FACTS}


class Form:
    """The page's half: it sends what the form sends, and hears what the form hears."""

    def __init__(self, editor: CogLogEditor, monkeypatch: pytest.MonkeyPatch) -> None:
        self.editor = editor
        self.heard: list[dict[str, Any]] = []
        monkeypatch.setattr(editor, "send", lambda content, *_: self.heard.append(content))

    def send(self, message: object) -> dict[str, Any]:
        """Send a message; returns the one answer to it."""
        before = len(self.heard)
        self.editor._handle_custom_msg(message, [])
        (answer,) = self.heard[before:]
        return answer

    def write(self, texts: dict[str, str]) -> dict[str, Any]:
        return self.send({"kind": "write", "id": "1", "texts": texts})


@pytest.fixture
def form(store: CogLog, monkeypatch: pytest.MonkeyPatch) -> Form:
    return Form(edit(store), monkeypatch)


def state(editor: CogLogEditor) -> str:
    return json.dumps(editor.get_state(), default=str)


def test_it_writes_through_the_store_and_makes_the_artifact(form: Form, store: CogLog, tmp_path: Path) -> None:
    assert form.write(TEXTS) == {"kind": "wrote", "id": "1", "turn_id": 1, "problems": []}
    entry = store.read()
    assert entry is not None
    assert {name: entry["layers"][name] for name in FACTS} == GIVEN
    assert {name: entry[name] for name in AXES} == {name: TEXTS[name] for name in AXES}
    assert (tmp_path / "log" / "outputs" / "coglog-turn-1.jsx").exists()
    assert form.editor.written["turn_id"] == 1
    assert form.editor.written["turn"]["entry"]["annotation"] == "the annotation"
    assert form.editor.base == TEXTS
    assert form.write({**TEXTS, "annotation": ""})["turn_id"] == 2


def test_what_was_typed_since_is_not_overwritten_by_a_write(form: Form) -> None:
    form.editor.annotation = "typed since"
    form.write(TEXTS)
    assert form.editor.annotation == "typed since"
    assert form.editor.is_unwritten


def test_a_page_that_goes_leaves_its_texts(form: Form) -> None:
    form.editor._handle_custom_msg({"kind": "keep", "texts": {"annotation": "kept", "unknown": "x", "user": 3}}, [])
    assert form.editor.annotation == "kept"
    assert form.editor.user == ""
    assert form.heard == []


def test_it_answers_who_asks_whether_it_is_there(form: Form) -> None:
    assert form.send({"kind": "hello"}) == {"kind": "here"}


def test_the_next_turn_begins_empty(form: Form) -> None:
    form.write(TEXTS)
    form.editor._handle_custom_msg({"kind": "next"}, [])
    assert form.editor.base == dict.fromkeys(NAMES, "")


def test_the_last_annotation(form: Form, store: CogLog, turn: dict[str, Any]) -> None:
    ask = {"kind": "start", "id": "7"}
    assert form.send(ask) == {"kind": "start", "id": "7", "turn_id": 0, "text": ""}
    store.write(**turn)
    assert form.send(ask) == {"kind": "start", "id": "7", "turn_id": 1, "text": turn["annotation"]}
    store.current_file.write_text("torn", encoding="utf-8")
    answer = form.send(ask)
    assert answer["kind"] == "unread"
    assert "damaged log" in answer["problems"][0]


def test_a_write_that_fails_says_every_problem_and_keeps_the_text(form: Form, store: CogLog) -> None:
    form.editor.annotation = "kept"
    answer = form.write({**TEXTS, "user": "", "assistant": "", "annotation": "a\ud83d"})
    assert answer["kind"] == "refused"
    assert answer["problems"][:2] == [
        "missing required field: user (it is empty; a fact must say something)",
        "missing required field: assistant (it is empty; a fact must say something)",
    ]
    assert "annotation: an unpaired surrogate (U+D83D) at position 1" in answer["problems"][2]
    assert store.read() is None
    assert form.editor.annotation == "kept"
    store.current_file.parent.mkdir(parents=True)
    store.current_file.write_text("torn", encoding="utf-8")
    assert "damaged log" in form.write(TEXTS)["problems"][0]
    assert store.current_file.read_text(encoding="utf-8") == "torn"


def test_an_error_nobody_thought_of_is_reported_too(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: str) -> None:
        raise RuntimeError("no more paper")

    monkeypatch.setattr(form.editor._log, "write", fail)
    assert form.write(TEXTS) == {"kind": "refused", "id": "1", "problems": ["RuntimeError: no more paper"]}


def test_an_interrupt_is_reported_so_that_the_form_does_not_wait(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(form.editor._log, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        form.write(TEXTS)
    assert form.heard == [{"kind": "refused", "id": "1", "problems": ["KeyboardInterrupt: the kernel was interrupted"]}]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError("no room")])
def test_a_turn_that_is_stored_is_never_told_to_be_not(
    form: Form, store: CogLog, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("coglog_nb.notebook.editor.write_artifact", fails)
    answer = form.write(TEXTS)
    assert (answer["kind"], answer["turn_id"]) == ("wrote", 1)
    assert answer["problems"][0].startswith(f"{type(error).__name__}: ")
    assert store.read() is not None


def test_a_failed_artifact_is_reported_and_the_turn_stays(
    store: CogLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    form = Form(edit(store, viewer_dir=tmp_path / "file"), monkeypatch)
    answer = form.write(TEXTS)
    assert answer["kind"] == "wrote"
    assert str(tmp_path / "file") in answer["problems"][0]
    assert store.read() is not None


@pytest.mark.parametrize("message", [None, "write", [], {}, {"kind": "other", "id": 1}, {"kind": "keep", "texts": 5}])
def test_an_invalid_message_is_ignored(form: Form, message: object) -> None:
    form.editor._handle_custom_msg(message, [])
    assert form.heard == []
    assert not form.editor.is_unwritten


def test_hard_texts_arrive_as_they_are(store: CogLog, monkeypatch: pytest.MonkeyPatch) -> None:
    hard = "a\r\nb\rc\0d\u2028e </script> {12} $HOME \\user: \U0001f331"
    form = Form(edit(store, user=hard), monkeypatch)
    form.write({**TEXTS, "user": "not this one", "annotation": hard, "thinking": "x" * 1_000_000})
    entry = store.read()
    assert entry is not None
    assert entry["layers"]["user"] == hard
    assert entry["annotation"] == hard
    assert len(entry["layers"]["thinking"]) == 1_000_000


def test_given_facts_are_not_for_the_form_to_change(store: CogLog, monkeypatch: pytest.MonkeyPatch) -> None:
    form = Form(edit(store, **GIVEN, annotation="start here"), monkeypatch)
    assert form.editor.given == list(FACTS)
    assert form.editor.annotation == "start here"
    assert not form.editor.is_unwritten
    form.editor._handle_custom_msg({"kind": "keep", "texts": {"user": "other"}}, [])
    assert form.editor.user == "the user"
    form.write({"user": "other", "annotation": ""})
    entry = store.read()
    assert entry is not None
    assert entry["layers"] == GIVEN
    assert entry["annotation"] == ""


def test_a_thinking_that_is_not_shown_is_stored_and_nowhere_else(
    store: CogLog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    form = Form(edit(store, thinking="a secret thought", show_thinking=False), monkeypatch)
    form.write({**TEXTS, "thinking": ""})
    entry = store.read()
    assert entry is not None
    assert entry["layers"]["thinking"] == "a secret thought"
    assert "secret" not in state(form.editor)
    assert "secret" not in str(form.editor._static())
    artifact = tmp_path / "log" / "outputs" / "coglog-turn-1.jsx"
    assert "secret" not in artifact.read_text(encoding="utf-8")


def test_the_path_of_this_machine_is_not_in_what_a_notebook_may_save(form: Form, tmp_path: Path) -> None:
    form.write(TEXTS)
    assert str(tmp_path) not in state(form.editor)


def test_every_word_it_needs_comes_with_it() -> None:
    editor = edit(lang="ja")
    assert editor.words["write"] == "書き込む"
    assert editor.fields[3]["question"] == "いま何に取り組んでいますか？"  # noqa: RUF001 - Japanese
    for name in NAMES:
        assert editor.words[f"example.{name}"] == texts_of("guide", "ja")[f"{name}.good"]
    with pytest.raises(UsageError, match="no such language"):
        edit(lang="fr")
    with pytest.raises(ValidationError, match="theme must be one of"):
        edit(theme="blue")


def test_what_is_given_is_checked_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        edit(user="", annotation="\ud800", theory_of_mind=3)  # type: ignore[arg-type]
    assert caught.value.problems[:2] == (
        "missing required field: user (it is empty; a fact must say something)",
        "missing required field: theory_of_mind (empty string is acceptable) (it is a number, not text)",
    )
    assert caught.value.problems[2].startswith("annotation: an unpaired surrogate")


# ---- the magic


def test_it_shows_a_static_text_and_the_form(shell: Shell) -> None:
    static, live = shell.run("%coglog edit").outputs
    assert set(static) == {"text/html", "text/plain"}
    assert set(live) == {WIDGET_MIME}
    assert static["text/plain"].startswith(texts_of("editor")["static"] + "\n\n%%coglog write\nuser:\n")
    for text in static.values():
        assert " at 0x" not in text
        assert live[WIDGET_MIME]["model_id"] not in text


def test_facts_are_expressions_and_are_in_the_static_cell(shell: Shell) -> None:
    shell.run("said = 'user: is text\\n\\nand more'")
    static = shell.run("%coglog edit --user said --assistant said.upper() --lang ja").outputs[0]["text/plain"]
    head, _, cell = static.partition("\n\n%%coglog write\n")
    assert head == texts_of("editor", "ja")["static"]
    fields = fields_of_body(cell)
    assert fields["user"] == "user: is text\n\nand more"
    assert fields["assistant"] == "USER: IS TEXT\n\nAND MORE"
    error, _ = shell.fail("%coglog edit --user 3")
    assert isinstance(error, InputError)
    assert "--user: 3 is int, not str" in str(error)
    error, _ = shell.fail("%coglog edit --user ''")
    assert isinstance(error, ValidationError)


def test_converted_to_markdown_the_static_text_is_one_block(shell: Shell) -> None:
    shell.run("said = 'a\\n\\n  \\n# no heading\\n\\n</pre><b>'")
    markup = shell.run("%coglog edit --user said").outputs[0]["text/html"]
    parsed: Any = mistune.create_markdown(renderer=None)(markup)
    assert [token["type"] for token in parsed if token["type"] != "blank_line"] == ["block_html"]
    assert markup.count("<pre") == markup.count("</pre>") == 1


def test_long_facts_are_cut_in_the_static_text(shell: Shell) -> None:
    shell.run("said = 'x' * 100_000")
    for text in shell.run("%coglog edit --user said").outputs[0].values():
        assert len(text) < 30_000
        assert "characters left out" in text


def model_of(shell: Shell, cell: str) -> CogLogEditor:
    from ipywidgets.widgets.widget import _instances

    editor = _instances[shell.run(cell).outputs[1][WIDGET_MIME]["model_id"]]
    assert isinstance(editor, CogLogEditor)
    return editor


def test_run_again_it_is_the_same_form_while_it_holds_unwritten_text(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = model_of(shell, "%coglog edit")
    first.annotation = "not written"
    assert model_of(shell, "%coglog edit") is first
    assert model_of(shell, "%coglog edit --user 'given'") is not first
    assert model_of(shell, "%coglog edit --session other") is not first
    Form(first, monkeypatch).write(TEXTS)
    for name in NAMES:
        setattr(first, name, TEXTS[name])
    again = model_of(shell, "%coglog edit")
    assert again is not first
    assert again.annotation == ""


def test_settings_are_the_notebooks(shell: Shell, tmp_path: Path) -> None:
    shell.run("%config CogLogMagics.lang = 'ja'")
    shell.run("%config CogLogMagics.theme = 'dark'")
    shell.run("%config CogLogMagics.show_thinking = False")
    shell.ip.run_line_magic("config", f"CogLogMagics.coglog_dir = {str(tmp_path / 'there')!r}")
    editor = model_of(shell, "%coglog edit --session mira")
    assert (editor.lang, editor.theme, editor.hidden, editor.session) == ("ja", "dark", ["thinking"], "mira")
    assert editor._log.current_file == tmp_path / "there" / "sessions" / "mira" / "current.json"


def test_a_written_turn_replaces_the_static_text(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = model_of(shell, "%coglog edit")
    shown: list[dict[str, str]] = []
    monkeypatch.setattr("coglog_nb.notebook.editor.update_display", lambda data, **_: shown.append(data))
    for name in NAMES:
        setattr(editor, name, TEXTS[name])
    Form(editor, monkeypatch).write(TEXTS)
    (data,) = shown
    assert "coglog-static" in data["text/html"]
    assert "Turn 1" in data["text/plain"]


def test_a_terminal_gets_a_message_that_helps(shell: Shell) -> None:
    shell.ip.display_formatter.active_types = ["text/plain"]
    ran = shell.run("%coglog edit --user 'hi'")
    assert ran.out.startswith(texts_of("editor")["static"] + "\n\n%%coglog write\nuser: hi\n")
    assert ran.outputs == []


def test_the_command_line_gets_a_message_that_helps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["edit"]) == 2
    assert "edit works only in a notebook" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "user: x",
        "\\user: x",
        "\\\\thinking:",
        "\n\na\n",
        " lead",
        "a\r\nb",
        "a  ",
        "  ",
        "{",
        "a\nuser:\nb",
        "\0",
    ],
)
def test_the_cell_gives_back_what_it_was_made_of(text: str) -> None:
    values = {**TEXTS, "user": text, "annotation": text}
    cell = cell_of(values)
    assert cell.startswith("%%coglog write\n")
    assert fields_of_body(cell.partition("\n")[2]) == values


# ---- the guide


def test_a_guide_is_shown_once_and_not_where_it_is_kept(shell: Shell) -> None:
    ran = shell.run("%coglog guide theory_of_mind")
    assert ran.out.count("theory_of_mind or self_narrative?") == 1
    assert "coglog-guide" in ran.value._repr_html_()
    assert ran.outputs == []
    kept = shell.run("text = %coglog guide")
    assert kept.out == ""
    assert kept.value is None
    assert shell.run("text[:3]").value == "The"
    shell.run("%config CogLogMagics.lang = 'ja'")
    assert "現在" in shell.run("%coglog guide current_focus").value
    error, said = shell.fail("%coglog guide anotation")
    assert isinstance(error, UsageError)
    assert "did you mean annotation?" in said
    assert os.linesep not in repr(error)


def test_what_is_saved_is_the_turn_although_the_texts_come_after_the_write(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[dict[str, str]] = []
    monkeypatch.setattr("coglog_nb.notebook.editor.update_display", lambda data, **_: shown.append(data))
    editor = model_of(shell, "%coglog edit")
    Form(editor, monkeypatch).write(TEXTS)
    assert editor.is_unwritten, "the page has sent the write, and not the texts yet"
    assert "Turn 1" in shown[-1]["text/plain"]
    assert "coglog-static" in shown[-1]["text/html"]

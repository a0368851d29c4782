from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog
from coglog_nb.commands.registry import COMMANDS
from coglog_nb.fields import FACTS, NAMES

if TYPE_CHECKING:
    from tests.notebook.conftest import Shell


def complete(shell: Shell, text: str) -> set[str]:
    from IPython.core.completer import provisionalcompleter

    with provisionalcompleter():
        return {text[: c.start] + c.text for c in shell.ip.Completer.completions(text, len(text))}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("%coglog re", {"%coglog read", "%coglog render"}),
        ("x = %coglog r", {"x = %coglog read", "x = %coglog render"}),
        ("%%coglog wr", {"%%coglog write"}),
        ("%coglog --coglog", {"%coglog --coglog-dir"}),
        ("%coglog read --no", {"%coglog read --no-thinking"}),
        ("%coglog write --repl", {"%coglog write --replace"}),
        ("%coglog write --theory", {"%coglog write --theory-of-mind", "%coglog write --theory_of_mind"}),
        (
            "%coglog read --theme ",
            {"%coglog read --theme light", "%coglog read --theme system", "%coglog read --theme dark"},
        ),
        ("%coglog read --theme=d", {"%coglog read --theme=dark"}),
        ("%coglog exercise fi", {"%coglog exercise fill-tutoring", "%coglog exercise fill-character"}),
        ("%coglog clear ", None),
    ],
)
def test_commands_and_options(text: str, wanted: set[str] | None, shell: Shell) -> None:
    found = complete(shell, text)
    if wanted is None:
        assert f"{text}--outputs" in found
    else:
        assert found == wanted


def test_every_command_is_offered(shell: Shell) -> None:
    assert complete(shell, "%coglog ") >= {f"%coglog {command}" for command in COMMANDS}


def test_session_names(shell: Shell, turn: dict[str, Any]) -> None:
    for name in ("npc-1", "npc-2", "other"):
        CogLog(session=name).write(**turn)
    assert complete(shell, "%coglog use np") == {"%coglog use npc-1", "%coglog use npc-2"}
    assert complete(shell, "%coglog read --session o") == {"%coglog read --session other"}
    assert complete(shell, "%coglog read --session=o") == {"%coglog read --session=other"}


def test_field_labels_in_a_cells_body(shell: Shell) -> None:
    assert complete(shell, "%%coglog write\nthe") == {"%%coglog write\ntheory_of_mind:"}
    assert complete(shell, "%%coglog write\nuser: a\n") >= {f"%%coglog write\nuser: a\n{name}:" for name in NAMES}


def test_python_names(shell: Shell) -> None:
    shell.ip.user_ns["my_reply_of_today"] = Path()
    for line in ("%coglog write ", "%coglog write --user ", "%coglog write --user="):
        assert f"{line}my_reply_of_today" in complete(shell, f"{line}my_rep")
        assert f"{line}my_reply_of_today.parent" in complete(shell, f"{line}my_reply_of_today.par")
    assert not {name for name in complete(shell, "coglo") if name.startswith("--")}


def test_the_facts_of_an_entry(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["prev"] = CogLog().write(**turn)
    for text in ('prev["', 'prev["layers"]["'):
        assert {f"{text}{name}" for name in FACTS} <= complete(shell, text)


def test_an_unreadable_data_directory_gives_no_error_on_tab(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGLOG_DIR", "~nobody-of-this-name/x")
    assert "%coglog use npc" not in complete(shell, "%coglog use n")

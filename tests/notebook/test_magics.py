from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coglog_nb import CogLog, DamagedLogError, InputError, UsageError, ValidationError, render, show
from coglog_nb.cli import CommandLine
from coglog_nb.commands.parser import help_text, parser_of
from coglog_nb.commands.registry import COMMANDS, commands_of
from coglog_nb.errors import CogLogWarning
from coglog_nb.fields import AXES, FACTS, NAMES
from coglog_nb.notebook.frontend import NotebookFrontend
from coglog_nb.validation import flatten
from coglog_nb.view import without_thinking

if TYPE_CHECKING:
    from tests.notebook.conftest import Shell

SECTIONS = """%%coglog write
user: What is {12} {} $HOME {playground}?
thinking:

  indented

\\user: not a label
assistant: back\\slash \\n
current_focus:
theory_of_mind: they
self_narrative:
annotation: next
"""


def stored(directory: Path | None = None, session: str | None = None) -> dict[str, Any]:
    entry = CogLog(directory, session=session).read()
    assert entry is not None
    return entry


def test_nothing_stored(shell: Shell) -> None:
    ran = shell.run("%coglog read")
    assert (ran.value, ran.out) == (None, "(no coglog found)\n")


def test_sections_arrive_as_they_are(shell: Shell, home: Path) -> None:
    shell.run("playground = 'x'")
    entry = shell.run(SECTIONS).value
    assert flatten(entry) == {
        "user": "What is {12} {} $HOME {playground}?",
        "thinking": "  indented\n\nuser: not a label",
        "assistant": "back\\slash \\n",
        "current_focus": "",
        "theory_of_mind": "they",
        "self_narrative": "",
        "annotation": "next",
    }
    assert entry == stored()
    assert (home / ".coglog" / "outputs" / "coglog-turn-1.jsx").exists()


def test_a_json_body_with_real_newlines(shell: Shell, turn: dict[str, Any]) -> None:
    body = json.dumps({**turn, "user": "A"}).replace('"A"', '"two\nlines {x} $y"')
    assert shell.run(f"%%coglog write\n{body}").value["layers"]["user"] == "two\nlines {x} $y"


def test_read_returns_the_entry_and_an_assignment_shows_nothing(shell: Shell) -> None:
    shell.run(SECTIONS)
    ran = shell.run("%coglog read")
    assert ran.value == stored()
    assert len(ran.outputs) == 2
    ran = shell.run("prev = %coglog read")
    assert (ran.outputs, ran.out) == ([], "")
    assert shell.ip.user_ns["prev"] == stored()


@pytest.mark.parametrize("line", ["%coglog read;", "%coglog read ;", "%coglog read; # silent"])
def test_a_semicolon_silences_and_keeps_the_value(shell: Shell, line: str) -> None:
    shell.run(SECTIONS)
    ran = shell.run(line)
    assert (ran.outputs, ran.value) == ([], stored())
    assert shell.run(f"prev = {line}").outputs == []
    assert len(shell.run("prev").outputs) == 2, "it is silent in its own cell alone"


def test_clear_prints_its_line(shell: Shell) -> None:
    assert shell.run("%coglog clear").out == "coglog: no existing coglog\n"
    shell.run(SECTIONS)
    ran = shell.run("%coglog clear")
    assert (ran.out, ran.value) == ("coglog: cleared\n", None)


def test_a_mapping_an_entry_and_expressions(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns.update(turn=turn, msg={"content": "from\nthe model"}, NS={"a": ["x"]})
    assert flatten(shell.run("%coglog write turn").value) == turn
    shell.run("prev = %coglog read")
    entry = shell.run("%coglog write prev --assistant msg['content'] --theory_of_mind NS['a'][0]").value
    assert flatten(entry) == {**turn, "assistant": "from\nthe model", "theory_of_mind": "x"}
    entry = shell.run("%coglog write prev --theory-of-mind='they' --annotation \"C:\\temp\"").value
    assert entry["theory_of_mind"] == "they"
    assert entry["annotation"] == "C:\temp", "an expression is Python's, as it would be in a cell"
    assert entry["turn_id"] == 3


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--user='two words'", "two words"),
        ('--user="two words" # a comment', "two words"),
        ("--user f'{t} {a}'", "T A"),
        ("--user (t + ' ' + a)", "T A"),
        ("--user ' '.join([t, a]); # it's a comment;", "T A"),
        (r"--user 'it\'s'", "it's"),
    ],
)
def test_an_expression_with_spaces_is_one_word(option: str, text: str, shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns.update(base=turn, t="T", a="A")
    assert shell.run(f"%coglog write base {option}").value["layers"]["user"] == text


@pytest.mark.parametrize("path", [r"two\ words.md", "'two words.md'", '"two words.md" # a comment'])
def test_a_path_with_a_space_is_one_word(path: str, shell: Shell) -> None:
    shell.run(SECTIONS)
    shell.run(f"%coglog export {path}")
    assert Path("two words.md").exists()


@pytest.mark.parametrize("word", ['stop="two words"', "'stop=two words'", "stop='two words'"])
def test_a_pair_loses_its_quotes_in_a_notebook_alone(word: str) -> None:
    assert parser_of("turn", NotebookFrontend).parse_args(["-o", word]).option == ["stop=two words"]
    assert parser_of("turn", CommandLine).parse_args(["-o", word]).option == [word], "a shell has removed its own"


def test_order_of_precedence(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = turn
    entry = shell.run("%%coglog write base --annotation 'option'\nannotation: body\nuser: body\n").value
    assert entry["annotation"] == "option"
    assert entry["layers"]["user"] == "body"
    assert entry["layers"]["thinking"] == turn["thinking"]


def test_replace_and_check(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run("%coglog write base")
    assert shell.run("%coglog write base --user 'again' --replace").value["turn_id"] == 1
    ran = shell.run("%coglog write base --check")
    assert ran.value is None
    assert "nothing stored" in ran.out
    assert stored()["layers"]["user"] == "again"


def test_local_variables_are_seen(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run("def f():\n    here = 'local'\n    get_ipython().run_line_magic('coglog', 'write base --user here')\nf()")
    assert stored()["layers"]["user"] == "local"


@pytest.mark.parametrize(
    ("cell", "kind", "words"),
    [
        ("%coglog wrte", UsageError, "unknown command wrte; did you mean write?"),
        ("%coglog read --sesion x", UsageError, "did you mean --session?"),
        ("%coglog write nothing_here", InputError, "name 'nothing_here' is not defined"),
        ("%coglog write 3", InputError, "3 is int, not a mapping"),
        ("%coglog write base --user 3", InputError, "--user: 3 is int, not str"),
        ("%coglog write base --user None", InputError, "NoneType, not str"),
        ("%coglog write base --user base['nope']", InputError, "KeyError"),
        ("%coglog write base --user a.b.", InputError, "not a Python expression"),
        ("%coglog write base --user 'open", UsageError, "No closing quotation"),
        ("%coglog write", ValidationError, "missing required field: user"),
        ("%%coglog write\n{", InputError, "invalid JSON"),
        ("%%coglog write\nuser: a\nuser: b", InputError, "lines 2 and 3"),
        ("%%coglog write\nhello\nuser: b", InputError, "line 2"),
        ("%%coglog read\nhello", UsageError, "takes no body"),
        ("%%coglog\nhello", UsageError, "takes no body"),
        ("%coglog read --session ../x", ValidationError, "not a session name"),
        ("%coglog write base --coglog-dir /dev/null/x", Exception, "/dev/null"),
    ],
)
def test_bad_input_is_one_short_message_and_the_stored_turn_untouched(
    cell: str, kind: type[Exception], words: str, shell: Shell, turn: dict[str, Any]
) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run("%coglog write base")
    before = stored()
    error, shown = shell.fail(cell)
    assert isinstance(error, kind)
    assert words in str(error)
    assert words in shown
    assert shown.startswith("coglog error: ")
    assert "Traceback" not in shown
    assert "File " not in shown
    assert stored() == before


def test_every_problem_has_its_line(shell: Shell) -> None:
    _, shown = shell.fail("%%coglog write\nuser: a\n")
    assert [line for line in shown.splitlines() if line] == [
        "coglog error: missing required field: thinking (not given)",
        "coglog error: missing required field: assistant (not given)",
        "coglog error: missing required field: current_focus (empty string is acceptable) (not given)",
        "coglog error: missing required field: theory_of_mind (empty string is acceptable) (not given)",
        "coglog error: missing required field: self_narrative (empty string is acceptable) (not given)",
        "coglog error: missing required field: annotation (empty string is acceptable) (not given)",
    ]


def test_a_misspelt_label_is_the_cause_of_the_missing_field(shell: Shell) -> None:
    cell = SECTIONS.replace("\nthinking:", "\nThinking:")
    line = cell.split("\n").index("Thinking:") + 1
    error, _ = shell.fail(cell)
    assert isinstance(error, ValidationError)
    assert error.problems == (
        (
            f"missing required field: thinking (not given; line {line} of the cell begins with `Thinking:`; did you"
            " mean `thinking:`, in lower case?)"
        ),
    )
    entry = shell.run(cell.replace("write", "write --thinking 'an option'", 1)).value
    assert entry["thinking"] == "an option", "nothing is missing, so nothing is looked for"
    assert "\nThinking:" in entry["user"]


def test_unknown_keys_of_a_mapping_and_of_a_json_body_are_named(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = {**turn, "anotation": turn["annotation"]}
    del shell.ip.user_ns["base"]["annotation"]
    for cell in ("%coglog write base", f"%%coglog write\n{json.dumps(shell.ip.user_ns['base'])}"):
        error, _ = shell.fail(cell)
        assert isinstance(error, ValidationError)
        assert error.problems == (
            "missing required field: annotation (empty string is acceptable) (not given)",
            "unknown key 'anotation'; did you mean annotation?",
        )


def test_the_same_error_in_a_users_own_code_keeps_its_frames(shell: Shell) -> None:
    """Shortened is only what a magic raised, not the class."""
    _, shown = shell.fail("from coglog_nb import CogLog\ndef mine():\n    CogLog().write(user='a')\nmine()")
    assert "mine" in shown
    assert "Traceback" in shown


def test_damage_is_raised_as_itself(shell: Shell, home: Path, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run("%coglog write base")
    (home / ".coglog" / "current.json").write_text("[]")
    error, shown = shell.fail("%coglog read")
    assert isinstance(error, DamagedLogError)
    assert "clear" in shown
    assert "damaged file kept as" in shell.run("%coglog clear").out


def test_a_failed_artifact_warns_and_the_turn_is_stored(shell: Shell, turn: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shell.ip.user_ns["base"] = turn
    with pytest.warns(CogLogWarning, match="turn 1 is stored, but its viewer is not"):
        entry = shell.run(f"%coglog write base --viewer-dir {tmp_path / 'file'}").value
    assert entry == stored()


# ---- settings


def test_traits(shell: Shell, turn: dict[str, Any], tmp_path: Path) -> None:
    shell.ip.user_ns.update(base=turn, place=str(tmp_path / "log"), cards=str(tmp_path / "cards"))
    shell.run("%config CogLogMagics.coglog_dir = place\n%config CogLogMagics.session = 'npc'")
    shell.run("%config CogLogMagics.viewer_dir = cards\n%config CogLogMagics.theme = 'dark'")
    entry = shell.run("%coglog write base").value
    assert stored(tmp_path / "log", "npc") == entry
    assert "dark" in (tmp_path / "cards" / "coglog-npc-turn-1.jsx").read_text()
    assert entry.theme == "dark"
    assert shell.run("%coglog read --theme light").value.theme == "light"
    out = shell.run("%coglog where").out
    assert f"{tmp_path / 'log'} (the coglog_dir trait)" in out
    assert f"{tmp_path / 'cards'} (the viewer_dir trait)" in out
    assert "--coglog-dir" in shell.run(f"%coglog where --coglog-dir '{tmp_path}/o t'").out


def test_an_option_wins_over_a_trait(shell: Shell, turn: dict[str, Any], tmp_path: Path) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run("%config CogLogMagics.session = 'npc'")
    shell.run(f'%coglog write base --session other --coglog-dir "{tmp_path}/with space"')
    assert stored(tmp_path / "with space", "other")


@pytest.mark.parametrize("how", ["trait", "environment"])
def test_a_relative_setting_is_resolved_when_it_is_first_seen(
    how: str, shell: Shell, turn: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.ip.user_ns["base"] = turn
    if how == "trait":
        shell.run("%config CogLogMagics.coglog_dir = 'log'\n%config CogLogMagics.viewer_dir = 'cards'")
    else:
        monkeypatch.setenv("COGLOG_DIR", "log")
        monkeypatch.setenv("COGLOG_VIEWER_DIR", "cards")
        shell.run("%coglog where")
    (tmp_path / "elsewhere").mkdir()
    os.chdir(tmp_path / "elsewhere")
    shell.run("%coglog write base")
    assert (tmp_path / "here" / "log" / "current.json").exists()
    assert (tmp_path / "here" / "cards" / "coglog-turn-1.jsx").exists()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_the_environment_counts_after_import(
    shell: Shell, turn: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run("%coglog write base")
    monkeypatch.setenv("COGLOG_DIR", str(tmp_path / "late"))
    monkeypatch.setenv("COGLOG_SESSION", "npc")
    shell.run("%coglog write base")
    assert stored(tmp_path / "late", "npc")["turn_id"] == 1


def test_a_warning_comes_as_often_as_the_failure(shell: Shell, turn: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shell.ip.user_ns["base"] = turn
    line = f"%coglog write base --replace --viewer-dir {tmp_path / 'file'}"
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            shell.run(line)
        assert [warning.category for warning in caught] == [CogLogWarning]


def test_the_setting_keeps_the_thinking_out_of_every_output_of_the_notebook(
    shell: Shell, turn: dict[str, Any], tmp_path: Path
) -> None:
    shell.ip.user_ns["entry"] = CogLog().write(**{**turn, "thinking": "SECRET"})
    assert "SECRET" in str(shell.run("entry").outputs)
    shell.run("%config CogLogMagics.show_thinking = False")
    for cell in ("entry", "[entry]", "print(entry)", "CogLog().read()", "[CogLog().read()]", "print(CogLog().read())"):
        ran = shell.run(f"from coglog_nb import CogLog\n{cell}")
        assert "SECRET" not in str(ran.outputs) + ran.out, cell
    entry = CogLog().read()
    assert entry is not None
    assert "SECRET" not in repr(show(entry).get_state())
    assert "SECRET" not in render(entry, tmp_path).read_text()
    shell.ip.run_line_magic("unload_ext", "coglog_nb")
    assert "SECRET" in repr(CogLog().read()), "unloading takes it back"
    shell.ip.run_line_magic("load_ext", "coglog_nb")


def test_use_alone_is_the_default_window_whatever_the_environment_says(
    shell: Shell, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COGLOG_SESSION", "env")
    shell.ip.user_ns["base"] = turn
    assert "env" in shell.run("%coglog where").out
    shell.run("%coglog use")
    assert "(default)" in shell.run("%coglog where").out
    shell.run("%coglog write base")
    assert CogLog.of_default_window().read() is not None
    assert CogLog().read() is None


def test_an_entry_exported_without_its_thinking_is_not_written_as_one(shell: Shell, turn: dict[str, Any]) -> None:
    entry = CogLog().write(**turn)
    shell.ip.user_ns["quiet"] = without_thinking(entry)
    assert "--no-thinking" in shell.fail("%coglog write quiet")[1]
    assert "--no-thinking" in shell.fail(f"%%coglog write\n{json.dumps(shell.ip.user_ns['quiet'])}")[1]
    assert stored() == entry


def test_what_use_chose_outlives_a_reload(shell: Shell) -> None:
    shell.run("%coglog use mira")
    shell.ip.run_line_magic("reload_ext", "coglog_nb")
    assert "mira" in shell.run("%coglog where").out
    shell.run("%coglog use")
    del shell.ip.config["CogLogMagics"]


def test_an_expression_in_a_function_sees_the_functions_names(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run(
        "def f():\n    d = 'local'\n    get_ipython().run_line_magic('coglog', 'write base --user (lambda:d)()')\nf()"
    )
    assert stored()["layers"]["user"] == "local"


def test_an_expression_with_spaces_is_told_what_to_do(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = turn
    assert "into a variable first" in shell.fail("%coglog write base --user 'a' + 'b'")[1]


def test_use_keeps_to_a_session(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["base"] = turn
    assert shell.run("%coglog use npc-1").out == "coglog: session npc-1\n"
    shell.run("%coglog write base")
    assert shell.run("%coglog use").out == "coglog: default window\n"
    assert shell.run("%coglog read").value is None
    assert shell.run("%coglog use 'npc-1'").out == "coglog: session npc-1\n"
    assert shell.run("%coglog read").value == stored(session="npc-1")
    assert "npc-1  turn 1" in shell.run("%coglog sessions").out
    assert isinstance(shell.fail("%coglog use ../x")[0], ValidationError)
    for name in ("NPC-1", "con.txt", "a."):
        error, text = shell.fail(f"%coglog use {name}")
        assert isinstance(error, ValidationError)
        assert f"not a session name: '{name}'" in text
    assert shell.run("%coglog read").value == stored(session="npc-1"), "the session in use is still in use"


def test_lock_timeout(shell: Shell, turn: dict[str, Any], home: Path) -> None:
    from coglog_nb.locks import hold

    shell.ip.user_ns["base"] = turn
    shell.run("%coglog write base")
    shell.run("%config CogLogMagics.lock_timeout = 0.05")
    with hold(str(home / ".coglog" / "current.json.lock"), 1):
        for line in ("%coglog write base", "%coglog write base --lock-timeout 0"):
            assert "cannot lock" in shell.fail(line)[1]


@pytest.mark.parametrize("setting", ["option", "trait"])
def test_the_thinking_is_kept_out_of_outputs_and_artifacts(
    setting: str, shell: Shell, turn: dict[str, Any], home: Path
) -> None:
    shell.ip.user_ns["base"] = {**turn, "thinking": "SECRET"}
    option = "--no-thinking" if setting == "option" else ""
    if setting == "trait":
        shell.run("%config CogLogMagics.show_thinking = False")
    for line in (
        f"%coglog write base {option}",
        f"%coglog read {option}",
        f"prev = %coglog read {option}\nprint(prev)\nprev",
    ):
        ran = shell.run(line)
        assert "SECRET" not in ran.out + json.dumps(ran.outputs)
        assert "(not shown)" in ran.outputs[0]["text/html"]
        assert "(not shown)" in ran.outputs[0]["text/plain"]
        assert "SECRET" not in repr(show(ran.value).get_state())
    card = (home / ".coglog" / "outputs" / "coglog-turn-1.jsx").read_text()
    assert "SECRET" not in card
    assert "(not shown)" in card
    assert stored()["layers"]["thinking"] == "SECRET"
    shell.run("%coglog write prev --annotation 'x'")
    assert stored()["layers"]["thinking"] == "SECRET", "what was read is the turn, however it is shown"


# ---- help


@pytest.mark.parametrize("line", ["%coglog", "%coglog --help"])
def test_help(shell: Shell, line: str) -> None:
    out = shell.run(line).out
    assert out.startswith("usage: %coglog [options] COMMAND")
    for words in ("read", "write", "clear", "render", "where", "sessions", "use", *NAMES):
        assert words in out


def test_the_docstring_shows_grammar_examples_configuration_and_environment(shell: Shell) -> None:
    text = shell.ip.find_line_magic("coglog").__doc__ or ""
    assert text.count("%coglog") + text.count("%%coglog") >= 5
    for words in (
        "examples:",
        "configuration",
        "CogLogMagics",
        "coglog_dir",
        "show_thinking",
        "environment:",
        "COGLOG_DIR",
        "%%coglog write",
    ):
        assert words in text
    assert text.strip() == shell.run("%coglog").out.strip()


def test_the_magic_and_the_command_line_have_one_help() -> None:
    both = set(commands_of("coglog")) & set(commands_of("%coglog"))
    assert {"read", "write", "turn"} <= both
    for command in both:
        in_notebook, in_shell = help_text(NotebookFrontend, command), help_text(CommandLine, command)
        assert in_notebook.replace("%coglog", "coglog") == in_shell.replace("%coglog", "coglog")
    for command in COMMANDS:
        assert COMMANDS[command].summary in help_text(NotebookFrontend, command)
        assert COMMANDS[command].summary in help_text(CommandLine, command)


def test_help_of_a_command(shell: Shell) -> None:
    out = shell.run("%coglog write --help").out
    assert out.startswith("usage: %coglog write")
    assert "--current-focus" in out
    assert "--current_focus EXPR" in out


def test_render_where_and_version(shell: Shell, turn: dict[str, Any], tmp_path: Path) -> None:
    shell.ip.user_ns["base"] = turn
    shell.run("%coglog write base")
    assert (
        shell.run(f"%coglog render --viewer-dir {tmp_path}/cards").out
        == f"coglog: viewer → {tmp_path}/cards/coglog-turn-1.jsx\n"
    )
    assert shell.run("%coglog --version").out.startswith("coglog-nb ")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TURN = st.fixed_dictionaries({**dict.fromkeys(FACTS, TEXT.filter(bool)), **dict.fromkeys(AXES, TEXT)})


# All examples share one shell, and the speed of the disk isn't a property of the code.
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TURN, plain=st.booleans())
def test_any_text_comes_back_through_a_cell(texts: dict[str, str], plain: bool, shell: Shell) -> None:
    body = json.dumps(texts, ensure_ascii=not plain)
    assert flatten(shell.run(f"%%coglog write\n{body}").value) == texts
    assert flatten(stored()) == texts

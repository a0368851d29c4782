"""`%coglog capture`: a reply in a variable or in the cell's body, as an unsaved card with its problems."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import ipywidgets
import pytest

from coglog_nb import Captured, CogLog, InputError, UsageError, ValidationError
from coglog_nb.notebook.display import WIDGET_MIME

if TYPE_CHECKING:
    from pathlib import Path

    from IPython.core.interactiveshell import InteractiveShell

    from tests.notebook.conftest import Shell

BLOCK = '{"current_focus": "fixed points", "theory_of_mind": "", "self_narrative": "", "annotation": "next"}'
SETUP = f"""
text = "It settles.\\n\\n" + {BLOCK!r}
reply = {{"message": {{"role": "assistant", "content": text, "thinking": "An example."}}, "done": True}}
plain = {{"message": {{"role": "assistant", "content": "It settles."}}, "done": True}}
question = "What?"
"""


@pytest.fixture
def ready(shell: Shell) -> Shell:
    shell.run(SETUP)
    return shell


def test_it_returns_what_it_captured(ready: Shell) -> None:
    captured = ready.run("%coglog capture reply --user question").value
    assert isinstance(captured, Captured)
    assert captured.complete
    assert captured.fields["user"] == "What?"
    assert ready.run("%coglog capture plain --user question --thinking 'mine'").value.fields["thinking"] == "mine"
    assert ready.run("%coglog capture reply['message'] --user question").value.fields["assistant"] == "It settles."


def test_nothing_is_stored(ready: Shell, home: Path) -> None:
    ready.run("%coglog capture reply --user question")
    assert not (home / ".coglog").exists()


def test_write_stores_and_returns_the_entry(ready: Shell, home: Path) -> None:
    ran = ready.run("%coglog capture reply --user question --write")
    assert ran.value["turn_id"] == 1
    assert "written" not in ran.out, "the card says it"
    assert (home / ".coglog" / "outputs" / "coglog-turn-1.jsx").exists()
    again = ready.run("%coglog capture reply --user 'Again?' --write --replace")
    assert (again.value["turn_id"], again.value["layers"]["user"]) == (1, "Again?")
    repaired = ready.run("%coglog capture text[:-1]+',}' --user question --thinking question --write")
    assert "coglog: the block was repaired: a trailing comma\n" in repaired.out


def test_an_incomplete_one_is_one_error_and_nothing_stored(ready: Shell, home: Path) -> None:
    error, seen = ready.fail("%coglog capture plain --write")
    assert isinstance(error, ValidationError)
    assert [problem.partition(":")[0] for problem in error.problems][:2] == ["user", "thinking"]
    assert seen.count("coglog error: ") == 3
    assert "Traceback" not in seen
    assert not (home / ".coglog").exists()


def test_a_body_is_the_replys_raw_text_as_it_stands(ready: Shell) -> None:
    body = f"<think>user: is a word. {{12}} $HOME</think>\nIt {{settles}} for ${{x}}: \\user: \n\n{BLOCK}\n"
    captured = ready.run(f"%%coglog capture --user question\n{body}").value
    assert captured.problems == ()
    assert captured.fields["thinking"] == "user: is a word. {12} $HOME"
    assert captured.fields["assistant"] == "It {settles} for ${x}: \\user: "


def test_misuse(ready: Shell) -> None:
    error, seen = ready.fail("%coglog capture")
    assert isinstance(error, UsageError)
    assert "no reply" in seen
    assert "two replies" in ready.fail("%%coglog capture reply\ntext")[1]
    assert "--replace goes with --write" in ready.fail("%coglog capture reply --replace")[1]
    error, seen = ready.fail("%coglog capture reply --user 3")
    assert isinstance(error, InputError)
    assert "--user: 3 is int, not str" in seen
    assert "not a reply but None" in ready.fail("%coglog capture None")[1]
    assert "NameError" in ready.fail("%coglog capture nowhere")[1]


def test_in_a_terminal_it_is_text(ready: Shell) -> None:
    ready.ip.display_formatter.active_types = ["text/plain"]
    ran = ready.run("%coglog capture plain --user question")
    assert "Not complete\n  - thinking: none in this reply" in ran.out
    assert "Not stored" in ran.out
    assert ran.outputs == []


def test_assigned_or_silenced_it_shows_nothing(ready: Shell) -> None:
    for line in ("it = %coglog capture plain", "%coglog capture plain;"):
        ran = ready.run(line)
        assert "Not" not in ran.out
        assert ran.outputs == []
    assert isinstance(ready.ip.user_ns["it"], Captured)


def test_it_shows_a_static_card_and_a_live_one_with_its_problems(ready: Shell) -> None:
    static, live = ready.run("it = %coglog capture plain --user question\nit").outputs
    assert set(static) == {"text/html", "text/plain"}
    assert 'role="status"' in static["text/html"]
    assert "coglog-twin" in static["text/html"]
    assert "<code>thinking</code>" in static["text/html"]
    assert "0x" not in static["text/plain"]
    assert set(live) == {WIDGET_MIME}
    box = ipywidgets.widgets.widget._instances[live[WIDGET_MIME]["model_id"]]
    said, card = box.children
    assert 'role="status"' in said.value
    assert card.turn["title"] == "Not stored"
    assert set(card.turn["missing"]) >= {"thinking", "annotation"}


def test_a_complete_one_is_its_card_alone(ready: Shell) -> None:
    static, live = ready.run("it = %coglog capture reply --user question\nit").outputs
    assert "coglog-status" not in static["text/html"]
    card = ipywidgets.widgets.widget._instances[live[WIDGET_MIME]["model_id"]]
    assert card.turn["title"] == "Not stored"


def test_shown_many_times_it_makes_one_box(ready: Shell) -> None:
    ready.run("it = %coglog capture plain")
    views = {ready.run("it").outputs[1][WIDGET_MIME]["model_id"] for _ in range(3)}
    assert len(views) == 1
    count = len(ipywidgets.widgets.widget._instances)
    ready.run("it")
    assert len(ipywidgets.widgets.widget._instances) == count


def test_its_widgets_do_not_outlive_what_they_show(ready: Shell) -> None:
    from coglog_nb.notebook import display

    ready.run("it = %coglog capture plain")
    ready.run("display(it)")
    boxes = len(display._boxes)
    assert boxes
    ready.run("del it")
    gc.collect()
    assert len(display._boxes) == boxes - 1


def test_without_the_thinking(ready: Shell) -> None:
    for setting, option in (("", " --no-thinking"), ("%config CogLogMagics.show_thinking = False\n", "")):
        static, live = ready.run(f"{setting}it = %coglog capture reply --user question{option}\nit").outputs
        assert "An example." not in f"{static}"
        card = ipywidgets.widgets.widget._instances[live[WIDGET_MIME]["model_id"]]
        assert "An example." not in str(card.turn)
    assert ready.ip.user_ns["it"].fields["thinking"] == "An example."


def test_unloading_takes_the_live_card_back(ready: Shell, bare_ip: InteractiveShell) -> None:
    ready.run("%coglog capture plain")
    bare_ip.run_line_magic("unload_ext", "coglog_nb")
    ran = ready.run("from coglog_nb import capture\ndisplay(capture(plain))")
    assert len(ran.outputs) == 1
    assert "coglog-twin" not in ran.outputs[0]["text/html"]
    bare_ip.run_line_magic("load_ext", "coglog_nb")
    assert len(ready.run("capture(plain)").outputs) == 2


def test_the_python_function_shows_itself_live_too(ready: Shell) -> None:
    assert len(ready.run("from coglog_nb import capture\ncapture(plain)").outputs) == 2


def test_completion(ready: Shell) -> None:
    def complete(text: str) -> set[str]:
        from IPython.core.completer import provisionalcompleter

        with provisionalcompleter():
            return {text[: c.start] + c.text for c in ready.ip.Completer.completions(text, len(text))}

    assert complete("%coglog cap") == {"%coglog capture"}
    assert complete("%coglog capture --thi") == {"%coglog capture --thinking"}
    assert complete("%coglog capture --user quest") == {"%coglog capture --user question"}
    assert complete("%coglog capture quest") == {"%coglog capture question"}


def test_the_store_of_the_settings_is_used(ready: Shell, tmp_path: Path) -> None:
    ready.run(f"%config CogLogMagics.coglog_dir = {str(tmp_path / 'log')!r}")
    ready.run("%coglog capture reply --user question --write --session mira")
    assert CogLog(tmp_path / "log", session="mira").read()


def test_options_complete_a_captured_reply_and_write_takes_it(shell: Shell) -> None:
    shell.run('reply = \'<think>t</think>Hi. {"current_focus": "cf"}\'')
    shell.run("cap = %coglog capture reply --user 'u' --theory_of_mind '' --self-narrative 'sn'")
    assert "annotation" in str(shell.fail("%coglog write cap")[0])
    written = shell.run("%coglog write cap --annotation 'an'").value
    assert (written["current_focus"], written["self_narrative"], written["annotation"]) == ("cf", "sn", "an")
    again = shell.run("%coglog capture cap --annotation 'later' --write --replace").value
    assert again["annotation"] == "later"

"""`write --diff`: under each axis that changed, what stood there a turn ago."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from coglog_nb import CogLog, show
from coglog_nb.fields import AXES
from coglog_nb.html_form import static_card
from coglog_nb.limits import FIELD_LIMIT
from coglog_nb.text_form import plain_text

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.notebook.conftest import Shell

NOTHING_BEFORE = "coglog: no turn was stored before: nothing to compare with\n"


def write(shell: Shell, turn: dict[str, Any], options: str = "--diff") -> Any:
    shell.ip.user_ns["turn"] = turn
    ran = shell.run(f"entry = %coglog write turn {options}\nentry")
    ran.out = ran.out.removesuffix("Out[1]: ")  # the prompt of what has outputs of its own
    return ran


def test_the_card_shows_what_stood_in_the_axes_that_changed(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)
    changed = {**turn, "user": "another question", "current_focus": "slopes", "theory_of_mind": "curious"}
    ran = write(shell, changed)
    assert ran.out == ""
    assert ran.value.before == {"current_focus": "fixed points", "theory_of_mind": ""}
    static, _ = ran.outputs
    assert static["text/html"].count("a turn ago") == 2
    assert ">fixed points</pre>" in static["text/html"]
    assert ">(empty)</pre>" in static["text/html"]
    assert "    slopes\n    a turn ago: fixed points\n" in static["text/plain"]
    assert "    curious\n    a turn ago: (empty)\n" in static["text/plain"]
    assert show(ran.value).turn["before"] == ran.value.before


def test_a_cell(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)
    entry = shell.run("%%coglog write --diff\n" + "\n".join(f"{name}: {turn[name]}!" for name in turn)).value
    assert entry.before == {name: turn[name] for name in AXES}


def test_without_it_there_is_no_comparison(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)
    ran = write(shell, {**turn, "annotation": "else"}, "")
    assert ran.value.before is None
    assert "a turn ago" not in str(ran.outputs)
    assert "before" not in show(ran.value).turn


def test_nothing_before_says_so(shell: Shell, turn: dict[str, Any]) -> None:
    ran = write(shell, turn)
    assert ran.out == NOTHING_BEFORE
    assert ran.value.before is None
    assert "a turn ago" not in str(ran.outputs)


def test_no_axis_changed_says_so(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)
    ran = write(shell, {**turn, "user": "another"})
    assert (ran.out, ran.value.before) == ("coglog: no axis changed\n", {})


def test_with_replace_the_comparison_is_with_the_replaced_turn(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)
    CogLog().write(**{**turn, "annotation": "second"})
    entry = write(shell, {**turn, "annotation": "third"}, "--diff --replace").value
    assert entry["turn_id"] == 2
    assert entry.before == {"annotation": "second"}


def test_an_axis_missing_from_the_older_entry_is_not_compared(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    stored = json.loads(store.current_file.read_text(encoding="utf-8"))
    del stored["theory_of_mind"], stored["annotation"]
    store.current_file.write_text(json.dumps(stored), encoding="utf-8")
    assert store.write(**turn, diff=True).before == {}


def test_it_is_the_turn_that_was_overwritten(store: CogLog, turn: dict[str, Any]) -> None:
    """Not one that was read before the lock was had."""
    store.write(**turn)
    store.read()
    CogLog(store.data_dir).write(**{**turn, "annotation": "somebody else's"})
    assert store.write(**turn, diff=True).before == {"annotation": "somebody else's"}


def test_nothing_of_it_is_kept(shell: Shell, turn: dict[str, Any], home: Path) -> None:
    CogLog().write(**{**turn, "annotation": "the old one"})
    entry = write(shell, turn).value
    assert entry.before == {"annotation": "the old one"}
    for path in home.rglob("*"):
        assert path.is_dir() or b"the old one" not in path.read_bytes(), path
    again = CogLog().read()
    assert again == entry
    assert again is not None
    assert again.before is None
    assert "before" not in entry


def test_hostile_and_long_texts(store: CogLog, turn: dict[str, Any]) -> None:
    old = "</pre><script>x</script>%{text}\n\n \x1b[31m" + "é" * FIELD_LIMIT
    store.write(**{**turn, "annotation": old})
    entry = store.write(**turn, diff=True)
    card = static_card(entry.view())
    assert "<script>" not in card
    assert "&lt;/pre&gt;&lt;script&gt;x&lt;/script&gt;%{text}" in card
    assert len(card) < 20_000
    assert f"of {len(old):,} characters left out" in card
    text = plain_text(entry.view())
    assert "\x1b" not in text
    assert "    a turn ago:\n      </pre><script>x</script>%{text}\n\n       ␛[31m" in text
    assert f"of {len(old):,} characters left out]" in text


def test_without_thinking(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**{**turn, "thinking": "a secret", "annotation": "old"})
    ran = write(shell, {**turn, "thinking": "a second secret"}, "--diff --no-thinking")
    assert "secret" not in str(ran.outputs)
    assert "a turn ago: old" in ran.outputs[0]["text/plain"]


def test_check_stores_nothing_and_compares_nothing(shell: Shell, turn: dict[str, Any]) -> None:
    shell.ip.user_ns["turn"] = turn
    assert shell.run("%coglog write turn --diff --check").out == "coglog: valid, nothing stored\n"


def run_command(argv: list[str], given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> int:
    import io
    import sys

    from coglog_nb import cli

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(given).encode()), encoding="ascii"))
    return cli.main(argv)


def test_the_command_line_prints_the_axes_that_changed(
    turn: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(**changes: str) -> str:
        assert run_command(["write", "--diff"], {**turn, **changes}, monkeypatch) == 0
        return capsys.readouterr().out

    assert write() == f"coglog: turn 1 written\n{NOTHING_BEFORE}"
    assert write(user="another") == "coglog: turn 2 written\ncoglog: no axis changed\n"
    assert write(theory_of_mind="curious\nand\x1b[1m quick", annotation="") == (
        "coglog: turn 3 written\n"
        "theory_of_mind (other) changed\n"
        "  a turn ago: (empty)\n"
        "  now:\n    curious\n    and␛[1m quick\n"
        "annotation (future) changed\n"
        "  a turn ago: ask for one of cos(x)\n"
        "  now: (empty)\n"
    )

"""`%coglog watch`: a card that follows the turn while another process writes it."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from IPython.utils.capture import capture_output
from jupyter_client.manager import KernelManager

from coglog_nb import CogLog, UsageError
from coglog_nb.notebook import watch
from coglog_nb.notebook.display import WIDGET_MIME

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

    from jupyter_client.blocking.client import BlockingKernelClient

    from tests.notebook.conftest import Shell

STATUS = "coglog-status"


@pytest.fixture(autouse=True)
def _stopped() -> Iterator[None]:
    """No test leaves a card to the next."""
    yield
    watch.stop_all()


class InLoop:
    """Runs cells in a loop that is running, as a kernel does."""

    def __init__(self, shell: Shell) -> None:
        self.ip = shell.ip
        self.outputs: list[dict[str, Any]] = []
        self.out = ""

    async def run(self, cell: str) -> None:
        with capture_output() as captured:
            result = await self.ip.run_cell_async(cell, store_history=False, transformed_cell=cell)
        result.raise_error()
        self.out = captured.stdout
        self.outputs = [output.data for output in captured.outputs]


def in_loop(shell: Shell, play: Callable[[InLoop], Coroutine[Any, Any, None]]) -> None:
    """Play a scene in a loop in debug mode; what a timer prints doesn't belong to the test."""
    shell.ip.autoawait = True

    async def scene() -> None:
        await play(InLoop(shell))

    asyncio.run(scene(), debug=True)
    gc.collect()  # a task that was left pending would say so now, and warnings are errors


def only() -> watch.Watch:
    (found,) = watch._watches.values()
    return found


async def until(question: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not question():
        if time.monotonic() > end:
            raise TimeoutError
        await asyncio.sleep(0.01)


WATCH = "get_ipython().run_line_magic('coglog', 'watch{}')"


def test_the_card_follows(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        assert cells.out == ""
        static, live = cells.outputs
        assert "coglog-static" in static["text/html"]
        assert "Turn 1" in static["text/plain"]
        assert set(live) == {WIDGET_MIME}
        card = only().card
        assert only()._box.children == (card,)
        assert card.turn["entry"]["turn_id"] == 1
        assert "changed" not in card.turn
        with capture_output() as captured:
            CogLog().write(**{**turn, "user": "another", "annotation": "", "current_focus": "slopes"})
            await until(lambda: card.turn["entry"]["turn_id"] == 2)
            await asyncio.sleep(0)
        assert card.turn["changed"] == ["current_focus", "annotation"]
        assert any("Turn 2" in str(output.data) for output in captured.outputs), "what is saved is what was seen last"
        with capture_output():
            CogLog().write(**{**turn, "user": "another", "annotation": "", "current_focus": "slopes"})
            await until(lambda: card.turn["entry"]["turn_id"] == 3)
        assert "changed" not in card.turn

    in_loop(shell, play)


def test_nothing_stored_yet_and_damage_are_reported_in_words(shell: Shell, turn: dict[str, Any], home: Path) -> None:
    file = home / ".coglog" / "current.json"

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        static, _ = cells.outputs
        assert static["text/plain"].startswith("(no coglog found)")
        assert STATUS in static["text/html"]
        seen = only()
        assert seen._box.children == (seen._status,)
        with capture_output():
            CogLog().write(**turn)
            await until(lambda: seen._box.children == (seen.card,))
            file.write_text("{<b>half", encoding="utf-8")
            await until(lambda: len(seen._box.children) == 2)
            assert "damaged log" in seen._status.value
            assert "<b>" not in seen._status.value
            assert seen.card.turn["entry"]["turn_id"] == 1, "the turn seen last stays"
            assert "coglog-static" in seen._static["text/html"], "in what is saved, too"
            CogLog().clear()
            await until(lambda: seen._box.children == (seen._status,))
            assert "(no coglog found)" in seen._status.value
            CogLog().write(**{**turn, "annotation": "new"})
            await until(lambda: seen._box.children == (seen.card,))
        assert "changed" not in seen.card.turn, "it follows nothing"
        with capture_output():
            file.unlink()
            file.mkdir()
            await until(lambda: "is a directory" in seen._status.value)

    in_loop(shell, play)


def test_while_nothing_happens_a_look_is_one_question_to_the_file_system(
    shell: Shell, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    CogLog().write(**turn)
    reads: list[str] = []
    read = CogLog.read

    def counted_read(store: CogLog) -> Any:
        reads.append("read")
        return read(store)

    monkeypatch.setattr(CogLog, "read", counted_read)
    stats: list[str] = []
    stat = os.stat

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        assert len(reads) == 1
        current = str(CogLog().current_file)

        def counted(path: Any, *rest: Any, **named: Any) -> os.stat_result:
            if path == current:
                stats.append("stat")
            return stat(path, *rest, **named)

        seen = only()
        with monkeypatch.context() as patch:
            patch.setattr(os, "stat", counted)
            await until(lambda: len(stats) == 3)
            stats.clear()
            for _ in range(1000):
                assert not seen.look()
            assert len(stats) == 1000
        assert len(reads) == 1
        assert 0.2 <= watch.INTERVAL <= 0.4, "seldom enough to cost nothing, often enough to seem at once"

    in_loop(shell, play)


def test_a_file_touched_keeps_its_marks(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        with capture_output():
            CogLog().write(**{**turn, "annotation": "new"})
            await until(lambda: only().card.turn.get("changed") == ["annotation"])
            os.utime(CogLog().current_file)
            assert only().look()
        assert only().card.turn["changed"] == ["annotation"]

    in_loop(shell, play)


def test_while_a_cell_runs_it_waits_and_catches_up(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        timer = only()._timer
        assert timer is not None
        shell.ip.user_ns.update(turn=turn, loop=asyncio.get_running_loop(), due=timer.when())
        # The cell is still running when the card's next look is due.
        busy = "import time\nfor _ in range(3):\n    CogLog().write(**turn)\nwhile loop.time() <= due: time.sleep(0.01)"
        await cells.run(f"from coglog_nb import CogLog\n{busy}")
        assert only().card.turn["entry"]["turn_id"] == 1
        with capture_output():
            await until(lambda: only().card.turn["entry"]["turn_id"] == 4)

    in_loop(shell, play)


def test_stop(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(" --stop"))
        assert cells.out == "coglog: nothing is watched\n"
        await cells.run(WATCH.format(""))
        await cells.run(WATCH.format(" --session other"))
        first = next(iter(watch._watches.values()))
        await cells.run(WATCH.format(" --stop"))
        assert cells.out == "coglog: 2 cards stopped\n"
        assert first._timer is None
        assert watch._watches == {}
        CogLog().write(**turn)
        assert first.card.turn["entry"]["turn_id"] == 1

    in_loop(shell, play)


def test_unloading_ends_it(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        seen = only()
        shell.ip.run_line_magic("unload_ext", "coglog_nb")
        assert watch._watches == {}
        assert seen._timer is None
        shell.ip.run_line_magic("load_ext", "coglog_nb")

    in_loop(shell, play)


def test_a_loop_that_closes_leaves_nothing_pending(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        assert len(asyncio.all_tasks()) == 1, "this one"

    in_loop(shell, play)
    # And another loop takes it up where the first left it.
    in_loop(shell, play)
    assert len(watch._watches) == 1


def test_a_second_call_in_the_same_window_shows_the_same_card(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        first, seen = cells.outputs, only()
        await cells.run(WATCH.format(""))
        assert cells.outputs[1] == first[1]
        assert only() is seen

    in_loop(shell, play)


def test_a_second_call_never_shows_the_thinking_that_the_first_keeps_out(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog().write(**{**turn, "thinking": "SECRET"})

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(" --no-thinking"))
        quiet, first = only(), cells.outputs
        await cells.run(WATCH.format(""))
        assert len(watch._watches) == 2
        assert cells.outputs[1] != first[1]
        CogLog().write(**{**turn, "thinking": "SECRET", "annotation": "new"})
        with capture_output() as updates:
            both = list(watch._watches.values())
            await until(lambda: all(each.card.turn["entry"]["turn_id"] == 2 for each in both))
        assert "SECRET" not in repr(quiet.card.get_state()) + repr(quiet._static)
        assert any("SECRET" in repr(update.data) for update in updates.outputs), "the other one shows it"

    in_loop(shell, play)


def test_a_look_that_fails_is_not_the_last(shell: Shell, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    CogLog().write(**turn)
    failed: list[object] = []

    async def play(cells: InLoop) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context["exception"]))
        await cells.run(WATCH.format(""))
        with monkeypatch.context() as patch:

            def fail(*_: object) -> None:
                raise RuntimeError("once")

            patch.setattr(watch, "plain_text", fail)
            CogLog().write(**turn)
            await until(lambda: bool(failed))
        CogLog().write(**turn)
        with capture_output():
            await until(lambda: only().card.turn["entry"]["turn_id"] == 3)

    in_loop(shell, play)


def test_after_close_all_it_ends_and_a_new_call_makes_a_new_card(shell: Shell, turn: dict[str, Any]) -> None:
    from ipywidgets import Widget

    CogLog().write(**turn)

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        old = only()
        Widget.close_all()
        await until(lambda: old._timer is None)
        await cells.run(WATCH.format(""))
        assert only() is not old
        with capture_output():
            CogLog().write(**turn)
            await until(lambda: only().card.turn["entry"]["turn_id"] == 2)

    in_loop(shell, play)


def test_session_theme_and_thinking_are_the_settings(shell: Shell, turn: dict[str, Any]) -> None:
    CogLog(session="mira").write(**{**turn, "thinking": "a secret"})
    shell.run("%config CogLogMagics.session = 'mira'")
    shell.run("%config CogLogMagics.theme = 'dark'")

    async def play(cells: InLoop) -> None:
        await cells.run(WATCH.format(""))
        seen = only()
        assert (seen.card.session, seen.card.theme) == ("mira", "dark")
        assert "a secret" in str(seen.card.turn)
        with capture_output() as captured:
            await cells.run("get_ipython().run_line_magic('config', 'CogLogMagics.show_thinking = False')")
            await until(lambda: "a secret" not in str(seen.card.turn))
            CogLog(session="mira").write(**{**turn, "thinking": "a second secret"})
            await until(lambda: seen.card.turn["entry"]["turn_id"] == 2)
        assert "secret" not in str(seen.card.turn)
        assert "secret" not in str([output.data for output in captured.outputs])

    in_loop(shell, play)


def test_without_a_loop_or_a_notebook_it_says_so(shell: Shell) -> None:
    error, text = shell.fail("%coglog watch")
    assert isinstance(error, UsageError)
    assert "watch needs a notebook" in text
    shell.ip.display_formatter.active_types = ["text/plain"]

    async def play(cells: InLoop) -> None:
        with pytest.raises(UsageError, match="watch needs a notebook"):
            await cells.run(WATCH.format(""))

    in_loop(shell, play)
    assert watch._watches == {}


@pytest.mark.parametrize("argv", [["watch"], ["watch", "--stop"]])
def test_on_the_command_line_it_is_misuse(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from coglog_nb.cli import main

    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: coglog [options] COMMAND")
    assert "watch works only in a notebook" in err


WRITE = """
import json, sys
from coglog_nb import CogLog
CogLog(sys.argv[1]).write(**json.loads(sys.argv[2]))
"""


def updates(client: BlockingKernelClient) -> Iterator[dict[str, Any]]:
    """Give the states that the kernel sends to widgets, as they come."""
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["msg_type"] == "comm_msg":
            yield message["content"]["data"].get("state", {})


@pytest.mark.slow
def test_in_a_kernel_the_card_shows_the_turn_of_another_process_while_no_cell_runs(
    tmp_path: Path, turn: dict[str, Any]
) -> None:
    log = tmp_path / "log"
    printed = tmp_path / "printed"
    manager = KernelManager(kernel_name="python3")
    with printed.open("wb") as stream:
        manager.start_kernel(stdout=stream, stderr=stream)
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            start = f"%load_ext coglog_nb\n%config CogLogMagics.coglog_dir = {str(log)!r}\n%coglog watch"
            assert (
                client.execute_interactive(start, timeout=60, output_hook=lambda _: None)["content"]["status"] == "ok"
            )
            for number, annotation in enumerate(("first", "second"), start=1):
                argv = [sys.executable, "-c", WRITE, str(log), json.dumps({**turn, "annotation": annotation})]
                subprocess.run(argv, capture_output=True, check=True)
                state = next(state for state in updates(client) if "turn" in state)
                assert state["turn"]["entry"]["turn_id"] == number
                assert state["turn"].get("changed", []) == (["annotation"] if number == 2 else [])
        finally:
            client.stop_channels()
            manager.shutdown_kernel()
    text = printed.read_text(encoding="utf-8")
    assert "Task" not in text
    assert "Traceback" not in text

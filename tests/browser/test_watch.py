"""What changed, as a person sees it: a card that follows an agent, and a turn beside the one before it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from jlab import ROOT, notebook_of, until
from playwright.sync_api import expect

if TYPE_CHECKING:
    from pathlib import Path

    from jlab import Open, Server

pytestmark = pytest.mark.browser

AGENT = """
import json, sys
from coglog_nb import CogLog
log = CogLog(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    log.write(**json.loads(line))
    print("written", flush=True)
"""
TURN = {
    "user": "u",
    "thinking": "t",
    "assistant": "a",
    "current_focus": "one",
    "theory_of_mind": "calm",
    "self_narrative": "",
    "annotation": "next",
}


class Agent:
    """Another process, which writes turns when it is told to."""

    def __init__(self, log: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT, str(log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self._answer() == "ready"

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def write(self, **changes: str) -> None:
        """Have a turn written, and wait until it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({**TURN, **changes}) + "\n")
        self.process.stdin.flush()
        assert self._answer() == "written"

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_a_card_follows_an_agent(open_notebook: Open, server: Server, tmp_path: Path) -> None:
    log = tmp_path / "log"
    config = f"%config CogLogMagics.coglog_dir = {str(log)!r}"
    notebook = open_notebook("watch.ipynb", notebook_of(config, "%coglog watch"))
    notebook.run_all()
    page = notebook.page
    status = page.locator(".jp-OutputArea-child:visible .coglog-status:visible")
    expect(status).to_have_count(1)
    expect(status).to_contain_text("(no coglog found)")
    agent = Agent(log)
    try:
        agent.write()
        card = page.locator(".coglog-live")
        expect(card).to_be_visible()
        expect(status).to_have_count(0)
        expect(page.locator(".coglog-static")).not_to_be_visible()
        expect(card.get_by_text("Turn 1", exact=True)).to_be_visible()
        notebook.show(card)
        for number in range(2, 6):
            agent.write(current_focus=f"focus {number}", annotation=f"step {number}")
            card.get_by_text(f"Turn {number}", exact=True).wait_for()
        for name, is_marked in (("current_focus", 1), ("annotation", 1), ("theory_of_mind", 0), ("self_narrative", 0)):
            part = card.locator(f'[data-part="{name}"]')
            expect(part.get_by_text("changed", exact=True)).to_have_count(is_marked)
        notebook.picture("watched", card)

        (log / "current.json").write_text("{half", encoding="utf-8")
        expect(status).to_contain_text("damaged log")
        expect(card).to_be_visible()
        notebook.picture("watched-damaged", notebook.cells.nth(2))
        (log / "current.json").unlink()
        expect(status).to_contain_text("(no coglog found)")
        expect(card).to_have_count(0)
        agent.write(annotation="the last one")
        expect(card).to_be_visible()

        # Saved, it holds the turn that was seen last.
        saved_text = page.locator(".coglog-static").filter(has_text="the last one")
        until(lambda: saved_text.count() == 1, "the static card to follow")
        notebook.save()
    finally:
        agent.end()
    page.close()
    server.delete_kernels()
    again = open_notebook("watch.ipynb")
    again.wait_for_kernel()
    static = again.show(again.page.locator(".coglog-static"))
    expect(static).to_contain_text("the last one")
    assert [(row["live"], row["fixed"]) for row in again.seen()[0]] == [(0, 1), (0, 0)]


def test_write_diff_shows_what_stood_a_turn_ago(open_notebook: Open) -> None:
    first = f"turn = {TURN!r}"
    second = "turn = dict(turn, current_focus='two\\n\\nlines', theory_of_mind='', self_narrative='a guide')"
    cells = (first, "%coglog write turn", second, "%coglog write turn --diff")
    notebook = open_notebook("diff.ipynb", notebook_of(*cells))
    notebook.run_all()
    expect(notebook.live).to_have_count(2)
    expect(notebook.live.first.get_by_text("a turn ago")).to_have_count(0)
    wanted = {"current_focus": "one", "theory_of_mind": "calm", "self_narrative": "(empty)"}
    for card in (notebook.show(notebook.live.last), notebook.page.locator(".coglog-static").last):
        expect(card.get_by_text("a turn ago")).to_have_count(len(wanted))
        for name, text in wanted.items():
            assert card.locator(f'[data-part="{name}"] pre').last.text_content() == text
    notebook.picture("write-diff", notebook.live.last)

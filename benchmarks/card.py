"""What the card costs in a real JupyterLab and Chromium, against a bare anywidget counter.

    python benchmarks/card.py

From the key that runs a cell to the frame in which the last card is painted, in the page's own clock; cards and
counters take turns, and what is printed is the medians and their ratio. Needs what the browser tests need.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from jlab import Server, launch, notebook_of, opened, until  # noqa: E402 - the module that the browser tests use

if TYPE_CHECKING:
    from collections.abc import Callable

    from jlab import Notebook
    from playwright.sync_api import Page

ROUNDS = 5
PATIENCE = 240  # seconds

SETUP = """\
import anywidget, tempfile, traitlets
from IPython.display import display
from coglog_nb import CogLog

class Counter(anywidget.AnyWidget):
    _esm = '''
    function render({ model, el }) {
      const button = document.createElement("button");
      button.className = "bare-counter";
      button.textContent = `count is ${model.get("value")}`;
      button.onclick = () => { model.set("value", model.get("value") + 1); model.save_changes(); };
      model.on("change:value", () => { button.textContent = `count is ${model.get("value")}`; });
      el.append(button);
    }
    export default { render };
    '''
    value = traitlets.Int(0).tag(sync=True)

def log_of(characters):
    text = ("word " * (characters // 5 + 1))[:characters]
    log = CogLog(tempfile.mkdtemp(prefix="coglog-bench-"))
    log.write(user="u", thinking="t", assistant=text, current_focus="f", theory_of_mind="", self_narrative="s",
              annotation="a")
    return log

short, kilobyte, megabyte = log_of(100), log_of(1_000), log_of(1_000_000)"""

# Each run of a cell makes new widgets: an entry that was read again has its own card.
CELLS = {
    "1 counter": ("display(Counter())", ".bare-counter", 1),
    "1 card": ("display(short.read())", ".coglog-live", 1),
    "50 counters": ("for _ in range(50): display(Counter())", ".bare-counter", 50),
    "50 cards": ("for _ in range(50): display(short.read())", ".coglog-live", 50),
    "1 KB card": ("display(kilobyte.read())", ".coglog-live", 1),
    "1 MB card": ("display(megabyte.read())", ".coglog-live", 1),
}
MANY = {
    "200 counters": ("for _ in range(200): display(Counter())", ".bare-counter", 200),
    "200 cards": ("for _ in range(200): display(short.read())", ".coglog-live", 200),
}

# Waits for the key, then until so many elements are in the page that were not before, then for their frame.
CLOCK = """([selector, count]) => { window.painted = new Promise(done => {
    addEventListener("keydown", event => {
        const start = event.timeStamp;
        const old = new Set(document.querySelectorAll(selector));
        const look = () => {
            if ([...document.querySelectorAll(selector)].filter(one => !old.has(one)).length < count) return false;
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
            return true;
        };
        const observer = new MutationObserver(() => { if (look()) observer.disconnect(); });
        observer.observe(document.body, { childList: true, subtree: true });
    }, { capture: true, once: true });
}); }"""


def milliseconds(notebook: Notebook, index: int, selector: str, count: int) -> float:
    """Run a cell with the keyboard; returns the time from the key to the painted frame."""
    page = notebook.page
    cell = notebook.cells.nth(index)
    cell.locator(".jp-InputPrompt").click()
    page.evaluate(CLOCK, [selector, count])
    page.keyboard.press("Control+Enter")
    passed: float = page.evaluate("() => window.painted")
    notebook.wait_for_kernel()
    return passed


def clear(notebook: Notebook) -> None:
    """Take all outputs away."""
    notebook.menu("Edit", "Clear Outputs of All Cells")
    rows = notebook.page.locator(".bare-counter, .coglog-live")
    until(lambda: rows.count() == 0, "cleared outputs")


def megabytes(page: Page) -> float:
    """Return what the page's JavaScript heap holds after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return float(metrics["JSHeapUsedSize"]) / 2**20


def run(opened_notebook: Callable[[str, list[str]], Notebook]) -> None:
    """Measure and print."""
    notebook = opened_notebook("card.ipynb", [SETUP, *(source for source, _, _ in CELLS.values())])
    notebook.run_all()
    clear(notebook)
    times: dict[str, list[float]] = {name: [] for name in CELLS}
    for _ in range(ROUNDS):
        for index, (name, (_, selector, count)) in enumerate(CELLS.items(), start=2):
            times[name].append(milliseconds(notebook, index, selector, count))
            clear(notebook)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, values in times.items():
        print(f"{name:24} {medians[name]:8.0f} ms   ({min(values):.0f} to {max(values):.0f}, {ROUNDS} runs)")
    for one, other, goal in (
        ("1 card", "1 counter", 1.3),
        ("50 cards", "50 counters", 1.3),
        ("1 MB card", "1 KB card", 2.0),
    ):
        print(f"{one} / {other:12}  ratio {medians[one] / medians[other]:.2f}   goal {goal}")

    for name, (source, selector, count) in MANY.items():
        page_of_many = opened_notebook(f"{name.replace(' ', '-')}.ipynb", [SETUP, source])
        page_of_many.wait_for_kernel()
        before = megabytes(page_of_many.page)
        start = time.monotonic()
        page_of_many.menu("Run", "Run All Cells")
        elements = page_of_many.page.locator(selector)
        there = 0
        while there < count and time.monotonic() - start < PATIENCE:
            page_of_many.page.wait_for_timeout(200)
            there = elements.count()
        seconds = time.monotonic() - start
        growth = megabytes(page_of_many.page) - before
        print(f"{name:24} {growth:8.1f} MB of the page's heap, {there} of them there after {seconds:.1f} s", flush=True)


def main() -> None:
    """Print the sizes of what was built, then measure in the browser."""
    for name in ("card.js", "export-page.html", "card-loader.js"):
        print(f"{name:24} {(ROOT / 'coglog_nb' / 'static' / name).stat().st_size:8,} bytes")
    from contextlib import ExitStack

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        server = Server(Path(folder) / "jupyter")
        stack.callback(server.stop)
        # JupyterLab shows 50 outputs of a cell and then a button; a card has two.
        server.set("@jupyterlab/notebook-extension:tracker", {"maxNumberOutputs": 1000})
        browser = launch(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)

        def opened_notebook(name: str, sources: list[str]) -> Notebook:
            server.put(name, notebook_of(*sources))
            return stack.enter_context(opened(browser, server, name))

        run(opened_notebook)


if __name__ == "__main__":
    main()

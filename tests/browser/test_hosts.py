"""The card where no JupyterLab is: in marimo, and in a notebook converted to HTML."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from jlab import HOST, OUTPUT, ROOT, TURN, is_local, stays, until
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from coglog_nb import CogLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

APP = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import uuid

    from coglog_nb import CogLog, show

    log = CogLog(FOLDER, session=f"s{uuid.uuid4().hex[:8]}")
    entry = log.write(
        user="What is a fixed point?",
        thinking="Start from an example.",
        assistant="A value that a function maps to itself.",
        current_focus="fixed points",
        theory_of_mind="",
        self_narrative="a tutor",
        annotation=log.session,
    )
    return entry, log, show


@app.cell
def _(entry, show):
    show(entry)
    return


if __name__ == "__main__":
    app.run()
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def marimo(mode: str, folder: Path, *, theme: str = "light", source: str = APP) -> Iterator[str]:
    """Serve an app with marimo, all of whose settings lie in a folder; gives its address."""
    app = folder / "app.py"
    app.write_text(source.replace("FOLDER", repr(str(folder / "log"))), encoding="utf-8")
    settings = folder / "config" / "marimo" / "marimo.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f'[runtime]\nauto_instantiate = true\n[display]\ntheme = "{theme}"\n', encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COGLOG_")}
    environment |= {"HOME": str(folder), "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    environment |= {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "CACHE", "DATA", "STATE")}
    port = free_port()
    command = [sys.executable, "-m", "marimo", mode, "--headless", "--no-token", f"--host={HOST}", f"--port={port}"]
    with (folder / "marimo.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, str(app)],
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = f"http://{HOST}:{port}"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        def answers() -> bool:
            assert process.poll() is None, (folder / "marimo.log").read_text(encoding="utf-8")
            try:
                with opener.open(f"{address}/health", timeout=5) as answer:
                    return bool(answer.status == 200)
            except OSError:
                return False

        until(answers, "marimo to start")
        yield address
    finally:
        for end in (signal.SIGTERM, signal.SIGKILL):
            if process.poll() is None:
                os.killpg(process.pid, end)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    continue


@contextmanager
def visit(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """Open a page in a profile of its own; no request may leave this machine."""
    context = browser.new_context(**options)
    try:
        context.set_default_timeout(60_000)
        requests: list[str] = []
        context.on("request", lambda request: requests.append(request.url))
        page = context.new_page()
        page.goto(address)
        yield page
        assert [url for url in requests if not is_local(url)] == []
    finally:
        context.close()


# The tag whose shadow root holds an element.
_SHADOW_HOST = "element => element.getRootNode().host?.tagName ?? null"


def session_of(page: Page) -> str:
    """Return the text of the last axis, in which the app writes its session's name."""
    return page.locator('.coglog-live [data-part="annotation"] pre').text_content() or ""


@pytest.mark.parametrize("mode", ["run", "edit"])
def test_marimo(mode: str, browser: Browser, tmp_path: Path) -> None:
    with marimo(mode, tmp_path) as address, visit(browser, address) as page:
        card = page.locator(".coglog-live")
        expect(card).to_have_count(1)
        expect(card).to_be_visible()
        assert card.evaluate(_SHADOW_HOST) == "MARIMO-ANYWIDGET"
        expect(page.locator(".coglog-static")).to_have_count(0)
        # Its style came with it: marimo's own doesn't reach into the shadow root.
        expect(card.locator('[data-part="user"]')).to_have_css("border-left-width", "4px")
        expect(card).to_have_attribute("data-theme", "light")
        card.get_by_role("button", name="dark", exact=True).click()
        expect(card).to_have_attribute("data-theme", "dark")
        assert session_of(page).startswith("s")
        OUTPUT.mkdir(exist_ok=True)
        page.screenshot(path=OUTPUT / f"marimo-{mode}.png", animations="disabled")


def test_two_sessions_of_a_marimo_app_at_once(browser: Browser, tmp_path: Path) -> None:
    with marimo("run", tmp_path) as address, visit(browser, address) as first:
        expect(first.locator(".coglog-live")).to_be_visible()
        with visit(browser, address) as second:
            expect(second.locator(".coglog-live")).to_be_visible()
            expect(first.locator(".coglog-live")).to_have_count(1)
            assert session_of(first) != session_of(second)
            second.get_by_role("button", name="dark", exact=True).click()
            expect(second.locator(".coglog-live")).to_have_attribute("data-theme", "dark")
            expect(first.locator(".coglog-live")).to_have_attribute("data-theme", "light")
        # One leaves; the other and one who comes later have their cards.
        first.get_by_role("button", name="dark", exact=True).click()
        expect(first.locator(".coglog-live")).to_have_attribute("data-theme", "dark")
        with visit(browser, address) as third:
            expect(third.locator(".coglog-live")).to_be_visible()


def test_marimos_dark_theme(browser: Browser, tmp_path: Path) -> None:
    with marimo("run", tmp_path, theme="dark") as address, visit(browser, address, color_scheme="light") as page:
        expect(page.locator(".coglog-live")).to_have_attribute("data-theme", "dark")


EXERCISE = """\
import marimo

app = marimo.App()


@app.cell
def _():
    from coglog_nb import exercise

    exercise("support", coglog_dir=FOLDER)
    return


if __name__ == "__main__":
    app.run()
"""


def test_an_exercise_in_marimo(browser: Browser, tmp_path: Path) -> None:
    with marimo("run", tmp_path, source=EXERCISE) as address, visit(browser, address) as page:
        task = page.locator(".coglog-practice")
        expect(task).to_be_visible()
        assert task.evaluate(_SHADOW_HOST) == "MARIMO-ANYWIDGET"
        task.get_by_role("radio").first.focus()
        page.keyboard.press("ArrowRight")
        expect(task.get_by_role("radio").nth(1)).to_be_focused()
        page.keyboard.press("1")
        expect(task.get_by_role("status").first).to_contain_text("Best fit")
        expect(task.get_by_text("Your answers stay on this machine")).to_be_visible()
        page.screenshot(path=OUTPUT / "marimo-exercise.png", animations="disabled")
    assert "current_focus" in (tmp_path / "log" / "exercises.json").read_text(encoding="utf-8")


EDITOR = """\
import marimo

app = marimo.App()


@app.cell
def _():
    from coglog_nb import CogLog, edit

    edit(CogLog(FOLDER), user="What is it?", thinking="Start small.")
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.mark.parametrize("mode", ["run", "edit"])
def test_the_editor_in_marimo(mode: str, browser: Browser, tmp_path: Path) -> None:
    with marimo(mode, tmp_path, source=EDITOR) as address, visit(browser, address) as page:
        form = page.locator(".coglog-editor")
        expect(form).to_be_visible()
        assert form.evaluate(_SHADOW_HOST) == "MARIMO-ANYWIDGET"
        status = form.locator(".coglog-edit-status")
        form.locator("[data-field=annotation] textarea").fill("次は図で")
        form.locator("[data-does=write]").click()
        expect(status).to_have_attribute("data-said", "incomplete")
        expect(form.locator("[data-field=assistant] textarea")).to_be_focused()
        page.keyboard.type("A point that stays.")
        page.keyboard.press("Control+Enter")
        expect(status).to_have_attribute("data-said", "written")
        expect(form.locator(".coglog-turn")).to_have_text("Turn 1")
        form.locator("[data-does=start]").click()
        expect(form.locator("[data-field=current_focus] textarea")).to_have_value("次は図で")
        page.screenshot(path=OUTPUT / f"marimo-editor-{mode}.png", animations="disabled", full_page=True)
    entry = CogLog(tmp_path / "log").read()
    assert entry is not None
    assert (entry["annotation"], entry["layers"]["user"]) == ("次は図で", "What is it?")


# ---- nbconvert

_SEEN = """() => ['.coglog-live', '.coglog-static'].map(selector =>
    [...document.querySelectorAll(selector)].filter(card => {
        const {width, height} = card.getBoundingClientRect();
        return width > 1 && height > 1 && card.checkVisibility();
    }).length)"""

# What nbconvert's own template fetches, whatever the notebook holds, and what draws widgets where it holds their state.
_NO_ADDRESSES = {
    **dict.fromkeys(("require_js_url", "jquery_url", "mathjax_url", "mermaid_js_url", "mermaid_layout_elk_js_url"), ""),
    "widget_renderer_url": "data:text/javascript,",
}


@pytest.fixture(scope="module", params=[False, True], ids=["without-state", "with-state"])
def notebook(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = str(tmp_path_factory.mktemp("log"))
    start = f"%load_ext coglog_nb\n%config CogLogMagics.coglog_dir = {folder!r}\n{TURN}"
    cells = [nbformat.v4.new_code_cell(source) for source in (start, "%coglog write turn")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=request.param).execute()
    assert ("widgets" in notebook.metadata) == request.param
    return notebook


# Without state it has nothing to make of the widget, which is as it should be, and says so.
@pytest.mark.filterwarnings("ignore:Your element with mimetype:UserWarning")
@pytest.mark.parametrize("quiet", [False, True], ids=["as-it-is", "without-nbconverts-own-addresses"])
def test_nbconvert_offline(notebook: Any, quiet: bool, browser: Browser, tmp_path: Path) -> None:
    exporter = HTMLExporter(**(_NO_ADDRESSES if quiet else {}))
    source, _ = exporter.from_notebook_node(notebook)
    file = tmp_path / "notebook.html"
    file.write_text(source, encoding="utf-8")
    context = browser.new_context(offline=True)
    try:
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        context.route("http*://**", lambda route: route.abort())
        page = context.new_page()
        page.goto(file.as_uri())
        page.wait_for_load_state("networkidle")
        until(lambda: page.evaluate(_SEEN) == [0, 1], "one static card and no live one")
        stays(page, lambda: page.evaluate(_SEEN) == [0, 1], "one static card and no live one")
        rows = page.locator(".jp-OutputArea-child").evaluate_all(
            "rows => rows.map(row => row.getBoundingClientRect().height > 0)"
        )
        assert rows[0]
        text = page.locator("body").inner_text()
        assert "model not found" not in text
        assert "Error" not in text
        OUTPUT.mkdir(exist_ok=True)
        page.screenshot(path=OUTPUT / "nbconvert.png", full_page=True)
        if quiet:
            assert [url for url in asked if url.startswith("http")] == [], "the cards themselves ask for nothing"
        summary = page.locator(".coglog-static summary")
        summary.click()
        expect(page.locator(".coglog-static details pre")).to_be_visible()
    finally:
        context.close()

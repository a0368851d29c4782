"""A real JupyterLab in a real Chromium: the server, the pages, and what a person does in them."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, WebSocket

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "tests" / "browser" / "output"
QUICKSTART = ROOT / "notebooks" / "01_quickstart.ipynb"

Content: TypeAlias = "dict[str, Any]"
"""A notebook, as the JSON of its file."""

_NAMES = ("user", "thinking", "assistant", "current_focus", "theory_of_mind", "self_narrative", "annotation")
TURN = f"turn = {dict.fromkeys(_NAMES, 'x')}"
"""A cell that makes the shortest turn there is."""

HOST = "127.0.0.1"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS = 60  # the longest wait for anything
WIDE = (1400, 1000)
NARROW = (600, 1000)
# Chromium's own and the page's own: nothing of these goes over a network.
LOCAL_SCHEMES = {"data", "blob", "about", "chrome", "devtools"}

NEWS_PLUGIN = "@jupyterlab/apputils-extension:notification"
THEMES_PLUGIN = "@jupyterlab/apputils-extension:themes"
WIDGETS_PLUGIN = "@jupyter-widgets/jupyterlab-manager:plugin"

# One row an output, and what a person sees of it: an element without height or width is not seen.
_SEEN = """cell => [...cell.querySelectorAll('.jp-OutputArea-child')].map(row => {
    const seen = selector => [...row.querySelectorAll(selector)].filter(element => {
        const {width, height} = element.getBoundingClientRect();
        return width > 1 && height > 1 && element.checkVisibility();
    }).length;
    return {
        height: row.getBoundingClientRect().height,
        live: seen('.coglog-live'),
        fixed: seen('.coglog-static'),
        text: row.getBoundingClientRect().height > 0 ? row.innerText : '',
    };
})"""


def until(question: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """Ask again and again until the answer is true, and return it."""
    end = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.1)


_IDLE = """() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done, {timeout: 1000}))))"""
LOOKS = 20


def settle(page: Page) -> None:
    """Let a page draw what it has, and finish what it is doing."""
    page.evaluate(_IDLE)


def stays(page: Page, question: Callable[[], Any], what: str) -> None:
    """Look many times, after each of the page's next turns of work, and see the answer true each time."""
    for look in range(LOOKS):
        settle(page)
        assert question(), f"look {look + 1} of {LOOKS}: not {what} any more"


def notebook_of(*sources: str) -> Content:
    """Make a notebook of code cells; the first loads CogLog into a folder of its own."""
    start = (
        "import tempfile\n"
        "%load_ext coglog_nb\n"
        "%config CogLogMagics.coglog_dir = tempfile.mkdtemp(prefix='coglog-browser-')"
    )
    empty: Content = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    return {
        "cells": [{**empty, "id": f"c{i}", "source": source} for i, source in enumerate((start, *sources))],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def read(path: Path) -> Content:
    """Read a notebook; its sources are strings, not lists of lines."""
    content: Content = json.loads(path.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        cell["source"] = "".join(cell["source"])
    return content


def without_outputs(path: Path) -> Content:
    """Read a notebook as if it had never run."""
    content = read(path)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return content


class Server:
    """`jupyter lab` on a free port, with every directory it writes to in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.token = secrets.token_hex(16)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self._settings = folder / "config" / "lab" / "user-settings"
        for path in (self.root, folder / "home", folder / "runtime"):
            path.mkdir(parents=True)
        (folder / "runtime").chmod(0o700)
        # Otherwise a question about news covers the page.
        self.set(NEWS_PLUGIN, {"fetchNews": "false", "checkForUpdates": False})
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}"
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *(f"--ip={HOST}", f"--port={self.port}", "--ServerApp.port_retries=0"),
            *(f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.root}"),
            "--LabApp.extension_manager=readonly",
        ]
        self._log = folder / "server.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            until(self._answers, "JupyterLab to start")
        except BaseException:
            self.stop()
            raise

    def _environment(self) -> dict[str, str]:
        ours = ("COGLOG_", "JUPYTER", "IPYTHON", "PYTEST_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        for name in ("CONFIG", "DATA", "RUNTIME"):
            environment[f"JUPYTER_{name}_DIR"] = str(self.folder / name.lower())
        environment["JUPYTERLAB_SETTINGS_DIR"] = str(self._settings)
        environment["JUPYTERLAB_WORKSPACES_DIR"] = str(self.folder / "workspaces")
        environment["IPYTHONDIR"] = str(self.folder / "ipython")
        environment["HOME"] = str(self.folder / "home")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        return environment

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            raise RuntimeError(f"JupyterLab ended:\n{self._log.read_text('utf-8', 'replace')[-3000:]}")
        try:
            return "version" in self.api("api")
        except OSError:
            return False

    def stop(self) -> None:
        """End the server and its kernels."""
        if self._process.poll() is None:
            try:
                self.delete_kernels()
            except OSError as error:  # each of them ends by itself after its server has stopped
                warnings.warn(f"kernels not deleted: {error}", stacklevel=2)
        for end in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                os.killpg(self._process.pid, end)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                continue
            return

    def api(self, path: str, method: str = "GET") -> Any:
        """Call the server's REST interface."""
        request = urllib.request.Request(  # noqa: S310 - our own server's address
            f"{self.url}/{quote(path, safe='/?=&')}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with self._opener.open(request, timeout=20) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def set(self, plugin: str, settings: dict[str, Any] | None) -> None:
        """Give a plugin of JupyterLab settings, for the pages opened from now on; None takes them back."""
        package, _, name = plugin.partition(":")
        path = self._settings / package / f"{name}.jupyterlab-settings"
        if settings is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings), encoding="utf-8")

    def put(self, name: str, content: Content) -> None:
        """Lay a notebook into the server's folder."""
        (self.root / name).write_text(json.dumps(content), encoding="utf-8")

    def saved(self, name: str) -> Content:
        """Read a notebook as it was saved."""
        return read(self.root / name)

    def is_trusted(self, name: str) -> bool:
        """Whether the server trusts all code cells of a notebook, as it tells a page that opens it."""
        cells = self.api(f"api/contents/{name}?content=1")["content"]["cells"]
        return all(cell["metadata"].get("trusted") for cell in cells if cell["cell_type"] == "code")

    def kernel_state(self, name: str) -> str:
        """Return what a notebook's kernel does, as far as a page is connected to it."""
        for session in self.api("api/sessions"):
            if session["path"] == name and session["kernel"]["connections"] > 0:
                return str(session["kernel"]["execution_state"])
        return "none"

    def delete_kernels(self) -> None:
        """End all sessions and kernels."""
        for kind in ("sessions", "kernels"):
            for one in self.api(f"api/{kind}"):
                try:
                    self.api(f"api/{kind}/{one['id']}", "DELETE")
                except urllib.error.HTTPError as error:
                    if error.code != 404:  # gone between the list and the call
                        raise


def launch(playwright: Playwright) -> Browser:
    """Start Chromium with an empty profile."""
    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise RuntimeError("no Chromium on the PATH: install it, or name it in CHROMIUM")
    return playwright.chromium.launch(executable_path=found, args=FLAGS, timeout=SECONDS * 1000)


def is_local(url: str) -> bool:
    """Whether a request for it stays on this machine."""
    parts = urlsplit(url)
    return parts.scheme in LOCAL_SCHEMES or parts.hostname == HOST


class Notebook:
    """A notebook open in a page."""

    def __init__(self, server: Server, page: Page, name: str, requests: list[str], received: list[bytes]) -> None:
        self.server = server
        self.page = page
        self.name = name
        self.requests = requests
        """The address of every request that the page made."""
        self.received = received
        """Every message that came over a socket."""

    @property
    def strangers(self) -> list[str]:
        """The requests that left this machine."""
        return [url for url in self.requests if not is_local(url)]

    @property
    def cells(self) -> Locator:
        """The cells from top to bottom, prose too."""
        return self.page.locator(".jp-Notebook .jp-Cell")

    @property
    def live(self) -> Locator:
        """The live cards from top to bottom."""
        return self.page.locator(".coglog-live")

    def wait_for_kernel(self) -> None:
        """Wait until the kernel has nothing to do, in the server's view and in the page's."""
        idle = self.page.get_by_text(re.compile(r"\| Idle$"))
        if self.page.locator("#jp-bottom-panel").count() == 0:  # Notebook 7 has no status bar
            idle = self.page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")
        until(lambda: self.server.kernel_state(self.name) == "idle" and idle.count() > 0, "an idle kernel")

    def wait_for_echo(self, text: str) -> None:
        """Wait until the kernel has a text that was typed into a widget, and has said so to the page."""

        def is_there() -> bool:
            settle(self.page)  # messages are recorded only while Playwright is asked something
            return any(text.encode() in message for message in self.received)

        until(is_there, f"the kernel to echo {text!r}")
        settle(self.page)

    def menu(self, *path: str) -> None:
        """Choose from the menu bar."""
        self.page.get_by_role("menubar").first.get_by_role("menuitem", name=path[0], exact=True).click()
        for name in path[1:]:
            item = self.page.locator(".lm-Menu-item").filter(
                has=self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(rf"^{re.escape(name)}$"))
            )
            item.click()

    def run_all(self, *, ends: bool = True) -> None:
        """Run all cells from the menu, and wait for the last one unless an error is to come before it."""
        self.wait_for_kernel()
        self.menu("Run", "Run All Cells")
        prompts = self.page.locator(".jp-CodeCell .jp-InputPrompt")
        done = re.compile(r"\[\d+\]:")
        if ends:
            until(lambda: all(done.search(text) for text in prompts.all_text_contents()), "the last cell")
        else:
            error = self.page.locator('[data-mime-type$="stderr"]')
            until(lambda: error.count() > 0, "the error")
        self.wait_for_kernel()

    def save(self) -> None:
        """Save from the menu, and wait until it is on the disk."""
        path = self.server.root / self.name
        before = path.stat().st_mtime_ns
        self.menu("File", "Save Notebook")
        # It is there, empty, a moment before it is written.
        until(lambda: path.stat().st_mtime_ns > before and path.stat().st_size > 0, "the notebook to be saved")
        until(lambda: path.read_text(encoding="utf-8").rstrip().endswith("}"), "the whole of it")

    def show(self, element: Locator) -> Locator:
        """Scroll to an element, and wait until it is drawn: JupyterLab skips what is far from the view."""
        element.scroll_into_view_if_needed()
        is_drawn = "element => element.checkVisibility({contentVisibilityAuto: true})"
        until(lambda: element.evaluate(is_drawn), "a drawn element")
        element.scroll_into_view_if_needed()
        return element

    def card_cells(self) -> list[Locator]:
        """Return the cells that hold a card, live or static."""
        cards = self.page.locator(".coglog-live, .coglog-static")
        return self.page.locator(".jp-CodeCell").filter(has=cards).all()

    def seen(self) -> list[list[dict[str, Any]]]:
        """Tell for each cell that holds a card, live or static, what is seen of each of its outputs."""
        return [self.show(cell).evaluate(_SEEN) for cell in self.card_cells()]

    def picture(self, name: str, part: Locator | None = None) -> None:
        """Leave a screenshot of the page, or of one of its elements."""
        OUTPUT.mkdir(exist_ok=True)
        size = self.page.viewport_size
        assert size is not None
        if part is not None:
            box = self.show(part).bounding_box()
            assert box is not None
            # JupyterLab scrolls inside its own panel: what is taller than that would be cut off.
            if box["height"] + 250 > size["height"]:
                self.page.set_viewport_size({"width": size["width"], "height": int(box["height"]) + 250})
                self.show(part)
        (part or self.page).screenshot(path=OUTPUT / f"{name}.png", animations="disabled")
        self.page.set_viewport_size(size)


def _record(context: BrowserContext, page: Page, requests: list[str], received: list[bytes]) -> None:
    context.on("request", lambda request: requests.append(request.url))

    # Playwright doesn't count a socket as a request.
    def record_socket(socket: WebSocket) -> None:
        requests.append(socket.url)
        socket.on("framereceived", lambda frame: received.append(frame if isinstance(frame, bytes) else frame.encode()))

    page.on("websocket", record_socket)


@contextmanager
def opened(
    browser: Browser,
    server: Server,
    name: str,
    *,
    size: Sequence[int] = WIDE,
    scale: float = 1,
    app: str = "lab",
    without: str | None = None,
) -> Iterator[Notebook]:
    """Open a notebook in a fresh page, which knows nothing of the pages before it.

    `without` is a pattern of addresses, as Playwright takes it, for files that the server must not have.
    """
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale)
    try:
        context.set_default_timeout(SECONDS * 1000)
        page = context.new_page()
        requests: list[str] = []
        received: list[bytes] = []
        _record(context, page, requests, received)
        if without is not None:
            page.route(without, lambda route: route.fulfill(status=404))
        place = f"lab/workspaces/w{secrets.token_hex(4)}/tree" if app == "lab" else "notebooks"
        page.goto(f"{server.url}/{place}/{name}?token={server.token}")
        notebook = Notebook(server, page, name, requests, received)
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=SECONDS * 1000)
        yield notebook
    finally:
        context.close()


class Open(Protocol):
    """Opens a notebook of the server's folder, after laying it there if its content is given."""

    def __call__(
        self,
        name: str,
        content: Content | None = None,
        *,
        size: Sequence[int] = WIDE,
        app: str = "lab",
        without: str | None = None,
    ) -> Notebook:
        """Open it in a page that knows nothing of the pages before."""
        ...

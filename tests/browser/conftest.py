"""One JupyterLab and one Chromium for all tests of this folder."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from jlab import SECONDS, WIDE, Content, Notebook, Open, Server, launch, opened
from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser

# The five seconds that Playwright gives a page to be as expected are too few on a busy machine.
expect.set_options(timeout=SECONDS * 1000)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("jupyter"))
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def open_notebook(server: Server, browser: Browser) -> Iterator[Open]:
    """Give the way to open notebooks; at the end all pages are closed and all kernels deleted."""
    notebooks: list[Notebook] = []
    with ExitStack() as stack:
        stack.callback(server.delete_kernels)

        def open_one(
            name: str,
            content: Content | None = None,
            *,
            size: Sequence[int] = WIDE,
            app: str = "lab",
            without: str | None = None,
        ) -> Notebook:
            if content is not None:
                server.put(name, content)
            notebook = stack.enter_context(opened(browser, server, name, size=size, app=app, without=without))
            notebooks.append(notebook)
            return notebook

        yield open_one
    assert [url for notebook in notebooks for url in notebook.strangers] == []

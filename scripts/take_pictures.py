"""Take the README's pictures: the quickstart's first card in a real JupyterLab, light and dark.

    python scripts/take_pictures.py

This needs the packages of the browser tests and a Chromium (on the PATH, or named in CHROMIUM). A browser test fails if
the pictures are older than the card.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from jlab import QUICKSTART, THEMES_PLUGIN, Server, launch, opened, without_outputs
from pictures import FOLDER, LIMIT, THEMES, picture, record
from playwright.sync_api import expect, sync_playwright

NAME = "quickstart.ipynb"
PAGE = (1260, 1100)  # leaves the card about the width of a README
MARGIN = 6  # less than the space between the card and its code cell


def main() -> None:
    """Run the quickstart once for each theme, and cut its first card out of the page."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder, "jupyter"))
        try:
            browser = launch(playwright)
            for theme in THEMES:
                server.set(THEMES_PLUGIN, {"theme": f"JupyterLab {theme.title()}"})
                server.put(NAME, without_outputs(QUICKSTART))
                with opened(browser, server, NAME, size=PAGE, scale=2) as notebook:
                    notebook.run_all()
                    card = notebook.show(notebook.live.first)
                    expect(card).to_have_attribute("data-theme", theme)
                    box = card.bounding_box()
                    assert box is not None  # noqa: S101 - it was just shown
                    clip: FloatRect = {
                        "x": box["x"] - MARGIN,
                        "y": box["y"] - MARGIN,
                        "width": box["width"] + 2 * MARGIN,
                        "height": box["height"] + 2 * MARGIN,
                    }
                    path = FOLDER / picture(theme)
                    notebook.page.screenshot(path=path, clip=clip, animations="disabled")
                server.delete_kernels()
                size = path.stat().st_size
                print(f"{path.name}: {size:,} B" + ("" if size < LIMIT else f", more than {LIMIT:,}"))
            browser.close()
        finally:
            server.stop()
    record()


if __name__ == "__main__":
    main()

"""How long a card with a megabyte of text keeps its page from answering, in a real Chromium.

    python benchmarks/long_texts.py

It prints the page's longest task in milliseconds: when it draws the card, which shows the beginning of each text, and
when somebody asks for the whole of one. Needs what the browser tests need.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from jlab import launch, settle  # noqa: E402 - the modules that the browser tests use
from plain import page_of, plain_page, show, turn_of  # noqa: E402 - as above

TEXTS = {
    "words": "word " * 200_000,
    "no break": "x" * 1_000_000,
    "lines": "line of text\n" * 77_000,
    "Japanese": "日本語の文章。" * 47_620,
    "Arabic": "هل يمكنك " * 60_000,
}
FIELDS = ("user", "thinking", "assistant", "annotation")
OBSERVER = """
    window.longest = 0;
    new PerformanceObserver(list => {
        for (const each of list.getEntries()) window.longest = Math.max(window.longest, each.duration);
    }).observe({type: 'longtask', buffered: true});
"""


def main() -> None:
    """Measure each kind of text once."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = launch(playwright)
        print(f"{'four fields of a megabyte of':30} {'draw':>8} {'show all':>10}   (longest task, ms)")
        for kind, text in TEXTS.items():
            with plain_page(browser) as page:
                page.add_init_script(OBSERVER)
                show(page, Path(folder), page_of(turn_of(dict.fromkeys(FIELDS, text))))
                settle(page)
                drawn = page.evaluate("longest")
                page.evaluate("longest = 0")
                page.locator("[data-part=user] > .coglog-more").click()
                settle(page)
                print(f"{kind:30} {drawn:8.0f} {page.evaluate('longest'):10.0f}")
        browser.close()


if __name__ == "__main__":
    main()

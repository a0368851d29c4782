"""What `%coglog watch` costs while nothing happens, and how soon it shows a turn that another program wrote.

python benchmarks/watch.py
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from coglog_nb import CogLog
from coglog_nb.notebook import watch

TEXTS: Any = dict.fromkeys(
    ("user", "thinking", "assistant", "current_focus", "theory_of_mind", "self_narrative", "annotation"), "x"
)
LOOKS, TURNS = 10_000, 20


async def measure(folder: str) -> None:
    """Measure one watched window."""
    store = CogLog(folder)
    store.write(**TEXTS)
    with capture_output():
        watch.start(store, theme="system", hides_thinking=False)
    (card,) = watch._watches.values()  # noqa: SLF001 - a look is what is measured
    start = time.process_time()
    for _ in range(LOOKS):
        card.look()
    look = (time.process_time() - start) / LOOKS
    delays = []
    with capture_output():
        for _ in range(TURNS):
            turn_id = store.write(**TEXTS)["turn_id"]
            written = time.perf_counter()
            while card.card.turn["entry"]["turn_id"] != turn_id:  # noqa: ASYNC110 - the watch has no event to wait for
                await asyncio.sleep(0.001)
            delays.append(time.perf_counter() - written)
    watch.stop_all()
    print(f"a look: {look * 1e6:.1f} \u00b5s of the processor, {look / watch.INTERVAL:.4%} of one")
    print(f"a turn is shown after {statistics.median(delays):.2f} s, at most {max(delays):.2f} s (goal: 0.5)")


def main() -> None:
    """Run a shell that shows rich outputs, and measure in its loop."""
    shell = InteractiveShell.instance()
    shell.display_formatter.active_types = ["text/html", "text/plain"]
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(folder))


if __name__ == "__main__":
    main()

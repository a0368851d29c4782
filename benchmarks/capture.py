"""What capturing a reply costs: for ten times the text, and compared with parsing the same text as JSON.

    python benchmarks/capture.py

All cases run in one process and take turns. The output is the medians and their ratios. The goal is a ratio of 10 or
less for ten times the text, which is linear.
"""

from __future__ import annotations

import json
import statistics
import time
from typing import TYPE_CHECKING

from coglog_nb import capture

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 15
BLOCK = json.dumps({"current_focus": "f", "theory_of_mind": "", "self_narrative": "s", "annotation": "a"})
WORDS = 'Some words, `code`, and a brace { now and then. They say "no".\n'

CASES: dict[str, Callable[[int], str]] = {
    "words": lambda size: WORDS * (size // len(WORDS)),
    "code fences": lambda size: "```python\nx = {'a': 1}\n```\n" * (size // 27),
    "JSON objects": lambda size: '{"a": {"b": [1, 2]}}\n' * (size // 21),
    "braces": lambda size: "{" * size,
    "backticks": lambda size: "a`" * (size // 2),
    "quotes": lambda size: '"' * size,
}
SMALL, LARGE = 100_000, 1_000_000


def reply(answer: str) -> dict[str, object]:
    """Return a reply with thinking in tags and the block at its end."""
    content = f"<think>Short.</think>\n\n{answer}\n\n{BLOCK}"
    return {"message": {"role": "assistant", "content": content}, "done": True}


def milliseconds(function: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Measure and print."""
    for name, make in CASES.items():
        small, large = reply(make(SMALL)), reply(make(LARGE))
        text = json.dumps(large)
        timed: dict[str, Callable[[], object]] = {
            "100 KB": lambda small=small: capture(small, user="u"),  # type: ignore[misc]  # bound in the loop
            "1 MB": lambda large=large: capture(large, user="u"),  # type: ignore[misc]
            "1 MB as JSON text": lambda text=text: capture(text, user="u"),  # type: ignore[misc]
            "json.loads of that": lambda text=text: json.loads(text),  # type: ignore[misc]
        }
        assert capture(large, user="u").complete  # noqa: S101 - the measurement has to cover a complete capture
        times: dict[str, list[float]] = {label: [] for label in timed}
        for _ in range(ROUNDS):
            for label, function in timed.items():
                times[label].append(milliseconds(function))
        medians = {label: statistics.median(values) for label, values in times.items()}
        print(name)
        for label, median in medians.items():
            print(f"  {label:20} {median:9.2f} ms")
        print(f"  1 MB / 100 KB        ratio {medians['1 MB'] / medians['100 KB']:.1f}   goal 10")
        print(f"  as JSON / json.loads ratio {medians['1 MB as JSON text'] / medians['json.loads of that']:.1f}")


if __name__ == "__main__":
    main()

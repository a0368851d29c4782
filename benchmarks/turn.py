"""What one turn costs in addition to the model's own time: `turn` compared with a bare call of the same `llm` model.

    python benchmarks/turn.py [--rounds N]

The model is one of llm's own kind. It answers at once from memory, in 64 pieces, so that only overhead is measured. The
answer and the stored turn that is sent have 10 KB each, then 1 MB. All figures are medians from one run in which the
cases take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOAL = 0.005
PIECES = 64
BLOCK = json.dumps({"current_focus": "f", "theory_of_mind": "", "self_narrative": "s", "annotation": "n"})


def instant_model(size: int) -> Any:
    """Return an llm model that answers at once with so many characters."""
    import llm

    prose = "A value that a function maps to itself, and that it comes back to.\n"
    answer = (
        f"<think>{(prose * (size // len(prose)))[: size // 2]}</think>{(prose * (size // len(prose)))[: size // 2]}"
    )
    whole = f"{answer}\n{BLOCK}"
    step = -(-len(whole) // PIECES)

    class Instant(llm.Model):
        model_id = f"instant-{size}"
        can_stream = True

        def execute(self, prompt: object, stream: bool, response: object, conversation: object) -> Iterator[str]:  # noqa: FBT001 - llm's signature
            del prompt, stream, response, conversation
            for start in range(0, len(whole), step):
                yield whole[start : start + step]

    return Instant()


def medians(rounds: int, *calls: Callable[[], object]) -> list[float]:
    """Time calls that take turns; return the median of each, in seconds."""
    times: list[list[float]] = [[] for _ in calls]
    for round_ in range(rounds + 1):
        for kept, call in zip(times, calls, strict=True):
            start = time.perf_counter()
            call()
            if round_:  # the first warms up
                kept.append(time.perf_counter() - start)
    return [statistics.median(kept) for kept in times]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as directory:
        os.environ["LLM_USER_PATH"] = os.path.join(directory, "llm")  # noqa: PTH118 - a string is what it takes
        from coglog_nb import CogLog, messages, turn

        print("| answer | turn | the same llm model alone | overhead | of this, the store's write | goal |")
        print("|---|---|---|---|---|---|")
        for size, label in ((10_000, "10 KB"), (1_000_000, "1 MB")):
            store = CogLog(os.path.join(directory, label))  # noqa: PTH118 - as above
            model = instant_model(size)
            entry = turn("Go on.", model, store=store)
            fields = {**entry["layers"], **{name: entry[name] for name in ("current_focus", "theory_of_mind")}}
            fields |= {name: entry[name] for name in ("self_narrative", "annotation")}
            system = messages("Go on.", entry)[0]["content"]

            def bare(model: Any = model, system: str = system) -> str:
                text: str = model.prompt("Go on.", system=system).text()
                return text

            ours, floor, write = medians(
                rounds,
                lambda store=store, model=model: turn("Go on.", model, store=store),  # type: ignore[misc] # mypy can't infer a lambda with defaults
                bare,
                lambda store=store, fields=fields: store.write(**fields),  # type: ignore[misc] # as above
            )
            goal = f"{GOAL * 1000:.0f} ms" if size == 10_000 else "-"
            print(
                f"| {label} | {ours * 1000:.2f} ms | {floor * 1000:.2f} ms | {(ours - floor) * 1000:.2f} ms"
                f" | {write * 1000:.2f} ms | {goal} |"
            )


if __name__ == "__main__":
    main()

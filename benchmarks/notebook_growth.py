"""What a card adds to a saved notebook, apart from its own text, and how large the viewer's code is.

    python benchmarks/notebook_growth.py

Two notebooks with different numbers of cards run in a real kernel and are saved with the widgets' state. The difference
in size, divided by the difference in cards, is what one card adds.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import coglog_nb

STATE_MIME = "application/vnd.jupyter.widget-state+json"
TEXTS = dict.fromkeys(
    ("user", "thinking", "assistant", "current_focus", "theory_of_mind", "self_narrative", "annotation"), "x"
)


def saved(cards: int, directory: str) -> tuple[int, int]:
    """Run a notebook with so many cards; return the sizes of its widget state and of the whole file, in bytes."""
    setup = f"%load_ext coglog_nb\n%config CogLogMagics.coglog_dir = {directory!r}\nturn = {TEXTS!r}"
    cells = [nbformat.v4.new_code_cell(setup)]
    cells += [nbformat.v4.new_code_cell("%coglog write turn") for _ in range(cards)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=True).execute()
    state = notebook.metadata["widgets"][STATE_MIME]
    return len(json.dumps(state)), len(nbformat.writes(notebook))


def main() -> None:
    """Measure and print."""
    few, many = 5, 25
    with tempfile.TemporaryDirectory() as directory:
        (state_few, all_few), (state_many, all_many) = saved(few, directory), saved(many, directory)
    static = Path(coglog_nb.__file__).parent / "static"
    rows = {
        "widget bundle, minified": ((static / "card.js").stat().st_size, 30 * 1024),
        "widget state of a further card": ((state_many - state_few) // (many - few), 3.5 * 1024),
        "a further card in all": ((all_many - all_few) // (many - few), 8 * 1024),
    }
    for name, (size, goal) in rows.items():
        print(f"{name:32} {size:7,} bytes   goal {goal:7,.0f}   ratio {size / goal:.2f}")


if __name__ == "__main__":
    main()

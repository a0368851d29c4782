"""Run the example notebooks and save their outputs, as they are committed.

    python scripts/run_notebooks.py [NOTEBOOK ...]

Each notebook runs in a fresh kernel with its own folder as the working directory. It is saved without widget state
(which would double its size, and which a fresh kernel can't use) and without anything that differs between machines.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"

# All that a kernel says about itself, except the version of Python, which differs between machines. nbconvert needs the
# rest: without `file_extension` a script is a .txt.
LANGUAGE_INFO = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def run(path: Path) -> None:
    """Run one notebook in place."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        store_widget_state=False,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata.kernelspec = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    notebook.metadata.language_info = dict(LANGUAGE_INFO)
    nbformat.write(notebook, path)
    print(path.name)


if __name__ == "__main__":
    for given in [Path(name) for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        run(given)

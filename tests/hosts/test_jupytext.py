"""jupytext: what keeps a `%%coglog write` body in one cell, as docs/cards.md says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from coglog_nb.notebook.cell_body import fields_of_body

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "cards.md").read_text(encoding="utf-8")
BODY = """user: How do I mark a cell?
thinking: a line as jupytext's own

# %%
assistant: Like this:
```
# %% a title
```
current_focus:
theory_of_mind: they
self_narrative:
annotation: go on"""


def there_and_back(form: str, **settings: str) -> list[str]:
    """Write a notebook as text and read it again; returns the cells."""
    notebook: Any = new_notebook(cells=[new_code_cell(f"%%coglog write\n{BODY}"), new_code_cell("1 + 1")])
    notebook.metadata.update(
        kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"}, jupytext=settings
    )
    return [cell.source for cell in jupytext.reads(jupytext.writes(notebook, form), form).cells]


def test_a_script_splits_the_cell_without_the_setting() -> None:
    assert len(there_and_back("py:percent")) > 2


@pytest.mark.parametrize(
    ("form", "settings"),
    [
        ("py:percent", {"custom_cell_magics": "coglog"}),
        ("md:myst", {}),
        ("md:myst", {"custom_cell_magics": "coglog"}),
        ("md", {}),
    ],
)
def test_what_the_page_names_keeps_the_cell(form: str, settings: dict[str, str]) -> None:
    first, second = there_and_back(form, **settings)
    assert first == f"%%coglog write\n{BODY}"
    assert second == "1 + 1"
    assert set(fields_of_body(first.partition("\n")[2])) == set(fields_of_body(BODY))
    assert form in PAGE
    assert all(f"{name}: {value}" in PAGE for name, value in settings.items())

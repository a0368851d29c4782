"""The workshop's notebook as its text tells somebody new to Jupyter to use it: by clicks and Shift+Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from jlab import ROOT, read
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Notebook, Open
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

WORKSHOP = ROOT / "notebooks" / "06_workshop.ipynb"


def run_box(notebook: Notebook, number: int) -> Locator:
    """Click into a grey box and press Shift and Enter."""
    box = notebook.show(notebook.page.locator(".jp-CodeCell").nth(number))
    box.locator(".cm-content").click()
    notebook.page.keyboard.press("Shift+Enter")
    notebook.wait_for_kernel()
    return box


def write(form: Locator, *texts: str) -> None:
    """Write into the empty fields of a form, from top to bottom, and press Write."""
    expect(form.get_by_role("button", name="Write", exact=True)).to_be_visible()
    fields = [field for field in form.locator("textarea").all() if field.is_editable()]
    for field, text in zip(fields, texts, strict=True):
        field.fill(text)
    form.get_by_role("button", name="Write", exact=True).click()


def test_the_workshop_notebook_runs(open_notebook: Open) -> None:
    # With its committed outputs, as everybody meets it.
    notebook = open_notebook("06_workshop.ipynb", read(WORKSHOP), size=(1280, 800))
    page = notebook.page
    notebook.wait_for_kernel()
    notebook.picture("workshop-opened")

    # The first five minutes: to one's own card.
    form = run_box(notebook, 0)
    notebook.picture("workshop-form")
    write(form, "an invitation with somebody in it", "losing heart", "", "let them say it")
    expect(form.get_by_text("Turn 1 is written.")).to_be_visible()
    card = form.locator(".coglog-live")
    expect(card.get_by_role("heading", name="Turn 1")).to_be_visible()
    expect(card.locator("[data-part=annotation]")).to_contain_text("let them say it")
    expect(card.locator("[data-part=self_narrative]")).to_contain_text("(empty)")
    notebook.picture("workshop-card", form)

    for number in (1, 2):
        task = notebook.show(run_box(notebook, number).locator(".coglog-practice"))
        task.get_by_role("radio").first.click()
        expect(task.get_by_role("status").first).not_to_have_text("")

    read_back = run_box(notebook, 3)
    expect(read_back).to_contain_text("annotation: let them say it")
    expect(read_back).to_contain_text("self_narrative: (left empty)")

    form = run_box(notebook, 4)
    form.get_by_role("button", name="Start from the last turn's annotation").click()
    expect(form.locator("textarea:not([readonly])").first).not_to_have_value("")
    notebook.picture("workshop-second", form)
    form.get_by_role("button", name="Write", exact=True).click()
    expect(form.get_by_text("Turn 2 is written.")).to_be_visible()

    task = notebook.show(run_box(notebook, 5).locator(".coglog-practice"))
    task.get_by_role("textbox").first.fill("drums")
    task.get_by_role("button", name="Compare").click()
    expect(task.get_by_text("Worked answer 1: Every axis written").first).to_be_visible()

    table = run_box(notebook, 6).locator("table")
    expect(table.locator("tbody tr")).to_have_count(3)
    expect(table).to_contain_text("fill-tutoring")
    expect(table).to_contain_text("1/8")
    notebook.picture("workshop-table", notebook.page.locator(".jp-CodeCell").nth(6))
    assert page.locator(".jp-OutputArea-executeResult [data-mime-type$=stderr]").count() == 0


def test_running_the_first_box_again_loses_no_text(open_notebook: Open) -> None:
    notebook = open_notebook("06_again.ipynb", read(WORKSHOP), size=(1280, 800))
    notebook.wait_for_kernel()
    annotation = run_box(notebook, 0).locator("[data-field=annotation] textarea")
    annotation.fill("let them say it")
    form = run_box(notebook, 0)  # "press Shift and Enter once more"
    expect(annotation).to_have_value("let them say it")
    form.get_by_role("button", name="Write", exact=True).click()
    expect(form.get_by_text("Turn 1 is written.")).to_be_visible()
    run_box(notebook, 0)
    expect(run_box(notebook, 3)).to_contain_text("annotation: let them say it")

    # After a restart the folder is another one, and the words of the page are still those of this box.
    annotation.fill("let them sing it")
    notebook.menu("Kernel", "Restart Kernel\u2026")
    notebook.page.locator(".jp-Dialog button.jp-mod-accept").click()
    notebook.wait_for_kernel()
    form = run_box(notebook, 0)
    form.get_by_role("button", name="Restore draft").click()
    expect(annotation).to_have_value("let them sing it")
    notebook.picture("workshop-brought-back", form)

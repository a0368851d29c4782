"""An exercise in a real JupyterLab: by mouse, by keyboard alone, after a reload, in both themes, wide and narrow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jlab import NARROW, WIDE, notebook_of, until
from plain import complaints
from playwright.sync_api import expect

from coglog_nb.teaching.exercises.catalog import find

if TYPE_CHECKING:
    from jlab import Notebook, Open, Server
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

CODING = find("support")
BLANK = find("fill-tutoring")
CHOICES = ("current_focus", "theory_of_mind", "self_narrative", "annotation", "none")
FOLDER = "print(get_ipython().magics_manager.registry['CogLogMagics'].data_directory()[0])"


def opened(notebook: Notebook) -> Locator:
    """Run the notebook, and return its live exercise."""
    notebook.run_all()
    task = notebook.page.locator(".coglog-practice")
    expect(task).to_have_count(1)
    expect(notebook.page.locator(".coglog-exercise-static")).not_to_be_visible()
    return notebook.show(task)


def kept(notebook: Notebook) -> list[dict[str, Any]]:
    """Return the results in the data directory that the notebook printed."""
    from pathlib import Path

    folder = notebook.page.locator(".jp-RenderedText", has_text="coglog-browser-").first.inner_text().strip()
    path = Path(folder, "exercises.json")
    return list(json.loads(path.read_text(encoding="utf-8"))["results"]) if path.exists() else []


def radio(task: Locator, choice: str) -> Locator:
    return task.locator(f"[role=radio][data-part={choice}]")


def verdict(task: Locator) -> Locator:
    """Return what is said of the answer; the other status says when the kernel doesn't hear it."""
    return task.get_by_role("status").first


def statement_at(task: Locator, number: int) -> None:
    expect(task.get_by_text(f"Statement {number} of {len(CODING.statements)}", exact=True)).to_be_visible()


def test_by_mouse(open_notebook: Open) -> None:
    notebook = open_notebook("mouse.ipynb", notebook_of(FOLDER, "%coglog exercise support"))
    task = opened(notebook)
    status = verdict(task)
    for number, statement in enumerate(CODING.statements, 1):
        statement_at(task, number)
        expect(status).to_have_text("")
        if number == 1:  # a defensible second choice is taken, and told what the best is
            radio(task, statement["second"][0]).click()
            expect(status).to_contain_text("Fits as well")
            expect(status).to_contain_text(statement["reasons"][statement["second"][0]])
            expect(status).to_contain_text(f"The best fit is {statement['best']}.")
            notebook.picture("exercise-second", task)
        else:
            if number == 2:  # one that isn't can be changed
                radio(task, "none").click()
                expect(status).to_contain_text("Fits better elsewhere")
                expect(status).not_to_contain_text(statement["reasons"][statement["best"]])
            radio(task, statement["best"]).click()
            expect(status).to_contain_text("Best fit")
            expect(status).to_contain_text(statement["reasons"][statement["best"]])
        task.get_by_role("button", name="Next" if number < len(CODING.statements) else "See the result").click()
    expect(task.get_by_text("Best fit: 6. Fits as well: 1. Fits better elsewhere: 0.")).to_be_visible()
    expect(task.get_by_text("At your first try, 5 of 7 were the best fit.")).to_be_visible()
    expect(task.get_by_text("Your answers stay on this machine")).to_be_visible()
    notebook.picture("exercise-result", task)
    until(lambda: len(kept(notebook)[0]["answers"]) == len(CODING.statements), "the results")

    task.get_by_role("button", name="Start again").click()
    statement_at(task, 1)
    radio(task, "annotation").click()
    until(lambda: len(kept(notebook)) == 2, "a second run")
    assert [len(run["answers"]) for run in kept(notebook)] == [7, 1]


def test_by_keyboard_alone(open_notebook: Open) -> None:
    notebook = open_notebook("keys.ipynb", notebook_of(FOLDER, "%coglog exercise support", "'the last cell'"))
    task = opened(notebook)
    page = notebook.page
    keys = page.keyboard
    cells = notebook.cells.count()
    # Into the card from its beginning; everything else comes by Tab.
    task.get_by_role("button", name="light", exact=True).focus()

    def tab_to(role: str, name: str | None = None) -> None:
        for _ in range(20):
            keys.press("Tab")
            focused = page.locator(":focus")
            if focused.get_attribute("role") == role or (role == "button" and focused.inner_text().strip() == name):
                outline = focused.evaluate("element => parseFloat(getComputedStyle(element).outlineWidth)")
                assert outline >= 2, "the focus is seen"
                return
        raise AssertionError(f"Tab reaches no {role} {name}")

    tab_to("radio")
    for number, statement in enumerate(CODING.statements, 1):
        statement_at(task, number)
        place = CHOICES.index(statement["best"])
        if number % 2:
            keys.press("Home")
            for _ in range(place):
                keys.press("ArrowRight")
            expect(radio(task, statement["best"])).to_be_focused()
            expect(verdict(task)).to_have_text("")
            keys.press("Space" if number % 4 == 1 else "Enter")
        else:
            keys.press(str(place + 1))
        expect(radio(task, statement["best"])).to_have_attribute("aria-checked", "true")
        expect(verdict(task)).to_contain_text("Best fit")
        last = number == len(CODING.statements)
        tab_to("button", "See the result" if last else "Next")
        keys.press("Enter" if number % 2 else "Space")
        if not last:
            expect(task.locator("[role=radio]:focus")).to_have_count(1)
    expect(task.get_by_role("heading", name="Result", exact=True)).to_be_focused()
    expect(task.get_by_text("At your first try, 7 of 7 were the best fit.")).to_be_visible()
    notebook.picture("exercise-keys", task)
    # JupyterLab took none of these keys for its own: numbers make headings, Enter edits, letters cut and add cells.
    assert notebook.cells.count() == cells
    assert page.locator(".jp-MarkdownCell").count() == 0


def test_a_reload_keeps_the_answers(open_notebook: Open, server: Server) -> None:
    notebook = open_notebook("reload.ipynb", notebook_of(FOLDER, "%coglog exercise support"))
    task = opened(notebook)
    radio(task, "annotation").click()
    expect(task.get_by_text("Your answers stay on this machine")).to_be_visible()
    task.get_by_role("button", name="Next").click()
    radio(task, "theory_of_mind").click()
    until(lambda: len(kept(notebook)[0]["answers"]) == 2, "both answers")
    notebook.save()
    notebook.page.reload()
    notebook.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    notebook.wait_for_kernel()
    again = notebook.show(notebook.page.locator(".coglog-practice"))
    statement_at(again, 3)
    expect(again.get_by_role("button", name="Statement 1: Fits as well")).to_be_visible()
    expect(again.get_by_role("button", name="Statement 2: Best fit")).to_be_visible()
    assert server.kernel_state("reload.ipynb") == "idle"


def test_reopened_without_its_kernel_it_can_be_read(open_notebook: Open, server: Server) -> None:
    notebook = open_notebook("static.ipynb", notebook_of(FOLDER, "%coglog exercise support"))
    opened(notebook)
    notebook.save()
    notebook.page.close()
    server.delete_kernels()
    again = open_notebook("static.ipynb")
    again.wait_for_kernel()
    static = again.show(again.page.locator(".coglog-exercise-static"))
    expect(static).to_be_visible()
    expect(again.page.locator(".coglog-practice")).to_have_count(0)
    expect(again.page.get_by_text("model not found")).not_to_be_visible()
    reason = static.get_by_text(CODING.statements[0]["reasons"]["self_narrative"])
    expect(reason).not_to_be_visible()
    static.locator("summary").click()
    expect(reason).to_be_visible()
    again.picture("exercise-static", static)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing(open_notebook: Open, size: tuple[int, int]) -> None:
    cells = (FOLDER, "%coglog exercise support", "%coglog exercise fill-tutoring")
    notebook = open_notebook("axe-exercise.ipynb", notebook_of(*cells), size=size)
    notebook.run_all()
    name = "wide" if size == WIDE else "narrow"
    place, blank = (notebook.page.locator(".coglog-practice").nth(number) for number in (0, 1))
    for theme in ("light", "dark"):
        for task in (place, blank):
            notebook.show(task)
            task.get_by_role("button", name=theme, exact=True).click()
            expect(task).to_have_attribute("data-theme", theme)
        assert complaints(notebook.page, ".coglog-practice") == []
        notebook.show(place)
        for statement in CODING.statements:
            radio(place, "annotation").click()
            expect(verdict(place)).not_to_have_text("")
            if statement is CODING.statements[0]:
                assert complaints(notebook.page, ".coglog-practice") == []
                notebook.picture(f"exercise-{name}-{theme}", place)
            place.get_by_role("button", name="See the result" if statement is CODING.statements[-1] else "Next").click()
        expect(place.get_by_text("Best fit: ")).to_be_visible()
        notebook.show(blank)
        blank.get_by_role("textbox").first.fill("Fractions, but with drums.")
        blank.get_by_role("button", name="Compare").click()
        expect(blank.get_by_text("Side by side")).to_be_visible()
        assert complaints(notebook.page, ".coglog-practice") == []
        notebook.picture(f"exercise-blank-{name}-{theme}", blank)
        notebook.show(place)
        place.get_by_role("button", name="Start again").click()
        notebook.show(blank)
        blank.get_by_role("button", name="Start again").click()
        expect(blank.get_by_role("textbox").first).to_have_value("")


def test_an_input_method_composes_undisturbed(open_notebook: Open) -> None:
    cells = (FOLDER, "%coglog exercise fill-tutoring")
    notebook = open_notebook("ime.ipynb", notebook_of(*cells))
    task = opened(notebook)
    area = task.get_by_role("textbox").first
    notebook.show(area)
    area.click()
    session = notebook.page.context.new_cdp_session(notebook.page)
    for text in ("に", "にほ", "にほん", "日本"):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        notebook.wait_for_echo(text)
        expect(area).to_have_value(text)
    session.send("Input.insertText", {"text": "日本語"})
    expect(area).to_have_value("日本語")
    notebook.page.keyboard.type("x")
    expect(area).to_have_value("日本語x")
    expect(task.get_by_text("4 characters", exact=True)).to_be_visible()
    until(
        lambda: kept(notebook) and kept(notebook)[0]["axes"] == {"current_focus": "日本語x"}, "the text in the kernel"
    )


def test_two_views_of_one_exercise_agree(open_notebook: Open) -> None:
    notebook = open_notebook("views.ipynb", notebook_of(FOLDER, "task = %coglog exercise support", "task", "task"))
    notebook.run_all()
    views = notebook.page.locator(".coglog-practice")
    expect(views).to_have_count(2)
    radio(notebook.show(views.first), "annotation").click()
    expect(verdict(notebook.show(views.last))).to_contain_text("Fits as well")


def test_in_notebook_7(open_notebook: Open) -> None:
    notebook = open_notebook("seven.ipynb", notebook_of(FOLDER, "%coglog exercise support"), app="notebook")
    task = opened(notebook)
    radio(task, "current_focus").focus()
    notebook.page.keyboard.press("ArrowRight")
    notebook.page.keyboard.press("2")
    expect(verdict(task)).to_contain_text("Fits better elsewhere")
    expect(task.get_by_text("Your answers stay on this machine")).to_be_visible()
    assert notebook.page.locator(".jp-MarkdownCell").count() == 0


def test_a_kernel_that_ends_loses_no_answer(open_notebook: Open, server: Server) -> None:
    notebook = open_notebook("gone.ipynb", notebook_of(FOLDER, "%coglog exercise support"))
    task = opened(notebook)
    radio(task, "annotation").click()
    expect(task.get_by_text("Your answers stay on this machine")).to_be_visible()
    server.delete_kernels()
    until(lambda: server.kernel_state("gone.ipynb") == "none", "the kernel to end")
    task.get_by_role("button", name="Next").click()
    radio(task, "theory_of_mind").click()
    expect(verdict(task)).to_contain_text("Best fit")
    expect(task.get_by_role("button", name="Statement 1: Fits as well")).to_be_visible()
    expect(task.get_by_text("your answers are only on this page")).to_be_visible()
    expect(task.get_by_text("Your answers stay on this machine")).to_have_count(0)
    notebook.picture("exercise-late", task)

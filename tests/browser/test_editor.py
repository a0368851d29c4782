"""The form in a real JupyterLab: typing, writing, reloading, losing the kernel, composing, and no mouse at all."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
from cards import COMPLAINTS
from jlab import NARROW, notebook_of, stays, until
from plain import FOCUS, RINGS, complaints
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Notebook, Open, Server
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

NAMES = ("user", "thinking", "assistant", "current_focus", "theory_of_mind", "self_narrative", "annotation")
GIVEN = "user, thinking, assistant = 'What is it?', 'Start small.', 'A point that stays.'"
EDIT_GIVEN = "%coglog edit --user user --thinking thinking --assistant assistant"
LONG = "One line that goes on and on, as people write when they think. " * 12
STORED = "entry = %coglog read\nprint(entry['annotation'])"


class Form:
    """The form in a notebook's first or only editor cell."""

    def __init__(self, notebook: Notebook, root: Locator | None = None) -> None:
        self.notebook = notebook
        self.root = notebook.page.locator(".jp-Notebook .coglog-editor") if root is None else root

    def area(self, name: str) -> Locator:
        return self.root.locator(f"[data-field={name}] textarea")

    def does(self, what: str) -> Locator:
        return self.root.locator(f'[data-does="{what}"]')

    @property
    def status(self) -> Locator:
        return self.root.locator(".coglog-edit-status")

    @property
    def card(self) -> Locator:
        return self.root.locator(".coglog-live")

    def says(self, key: str) -> None:
        expect(self.status).to_have_attribute("data-said", key, timeout=30_000)

    def fill_facts(self) -> None:
        for name in NAMES[:3]:
            self.area(name).fill(f"the {name}")


def opened(open_notebook: Open, name: str, *cells: str, **options: Any) -> Form:
    notebook = open_notebook(name, notebook_of(*cells), **options)
    notebook.run_all()
    form = Form(notebook)
    expect(form.root.first).to_be_visible()
    return form


def kernel_value(form: Form, source: str) -> str:
    """Run a line in the notebook's kernel by the last cell, and return what it prints."""
    notebook = form.notebook
    cell = notebook.cells.last
    editor = cell.locator(".cm-content")
    notebook.show(cell)
    editor.click()
    editor.fill(source)
    editor.press("Control+Enter")
    notebook.wait_for_kernel()
    return cell.locator(".jp-OutputArea-output").last.inner_text().strip()


def reload(form: Form) -> None:
    form.notebook.page.reload()
    form.notebook.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    form.notebook.wait_for_kernel()
    expect(form.root.first).to_be_visible()


def test_a_turn_is_typed_written_and_shown(open_notebook: Open, server: Server) -> None:
    form = opened(open_notebook, "editor.ipynb", "%coglog edit", "1")
    form.area("user").press_sequentially("Hi, 世界 ")
    form.area("user").press("Enter")
    form.area("user").press_sequentially("dd")  # letters that are commands to the notebook
    expect(form.card.locator("[data-part=user] pre")).to_have_text("Hi, 世界 \ndd", use_inner_text=True)
    expect(form.root.locator("[data-field=user] .coglog-edit-count")).to_have_text("9 characters")
    form.does("write").click()
    form.says("incomplete")
    expect(form.area("thinking")).to_be_focused()
    expect(form.area("thinking")).to_have_attribute("aria-invalid", "true")
    assert "thinking, assistant" in form.status.inner_text()
    form.notebook.picture("editor-incomplete", form.root)
    form.fill_facts()
    form.area("annotation").fill("ask")
    form.does("write").click()
    form.says("written")
    expect(form.card.locator(".coglog-turn")).to_have_text("Turn 1")
    form.notebook.picture("editor-written", form.root)
    assert kernel_value(form, STORED) == "ask"
    form.does("write").click()
    form.says("unchanged")
    form.does("next").click()
    expect(form.area("user")).to_have_value("")
    expect(form.card.locator(".coglog-turn")).to_have_text("Draft")
    form.does("start").click()
    form.says("started")
    expect(form.area("current_focus")).to_have_value("ask")
    form.does("revert").click()
    expect(form.area("current_focus")).to_have_value("")
    form.does("restore").click()
    expect(form.area("current_focus")).to_have_value("ask")
    assert form.notebook.page.evaluate(COMPLAINTS) == []
    # What is saved is the turn, once; a page that can't run the form shows it.

    def saved() -> list[dict[str, Any]]:
        form.notebook.save()
        cells = server.saved("editor.ipynb")["cells"]
        found: list[dict[str, Any]] = next(cell["outputs"] for cell in cells if cell["source"] == "%coglog edit")
        return found

    # The kernel's word on what the static half shows may come after the form's own.
    until(lambda: "Turn 1" in "".join(saved()[0]["data"]["text/plain"]), "the static form to follow")
    first, second = saved()
    assert "coglog-static" in "".join(first["data"]["text/html"])
    assert set(second["data"]) == {"application/vnd.jupyter.widget-view+json"}


def test_a_reloaded_page_has_the_draft(open_notebook: Open) -> None:
    form = opened(open_notebook, "reload.ipynb", "%coglog edit", "1")
    form.area("annotation").fill("kept while the kernel lives")
    form.area("user").fill("at once")
    form.notebook.save()
    reload(form)
    expect(form.area("annotation")).to_have_value("kept while the kernel lives")
    expect(form.area("user")).to_have_value("at once")
    expect(form.card.locator("[data-part=annotation]")).to_contain_text("kept while")


def pid_of(form: Form) -> int:
    return int(kernel_value(form, "import os\nprint(os.getpid())"))


def test_a_kernel_that_does_not_answer_loses_no_text(open_notebook: Open, server: Server) -> None:
    form = opened(open_notebook, "busy.ipynb", "%coglog edit", "1")
    notebook = form.notebook
    pid = pid_of(form)
    form.fill_facts()
    form.area("assistant").blur()
    notebook.save()
    # A kernel that runs a cell may still take messages (in a subshell); one that is stopped takes none.
    os.kill(pid, signal.SIGSTOP)
    try:
        form.area("annotation").fill("typed while it was away")
        form.does("write").click()
        form.says("busy")
        form.area("annotation").fill("and typed on")
        form.area("annotation").blur()  # which sends it at once
        notebook.picture("editor-busy", form.root)
    finally:
        os.kill(pid, signal.SIGCONT)
    form.says("written")
    # What the kernel had to say of either text was said before it runs another cell.
    assert kernel_value(form, STORED) == "typed while it was away"
    expect(form.area("annotation")).to_have_value("and typed on")
    expect(form.card.locator(".coglog-turn")).to_have_text("Draft")
    # And a page that goes meanwhile leaves what was typed.
    notebook.save()
    os.kill(pid, signal.SIGSTOP)
    try:
        for text in ("first", "first and second", "first, second and third"):
            form.area("annotation").fill(text)
            form.area("annotation").blur()
        notebook.page.on("dialog", lambda dialog: dialog.accept())
        notebook.page.reload()
    finally:
        os.kill(pid, signal.SIGCONT)
    notebook.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    notebook.wait_for_kernel()
    expect(form.area("annotation")).to_have_value("first, second and third")
    until(lambda: server.kernel_state(notebook.name) == "idle", "the kernel to be idle")


@pytest.mark.parametrize("how", ["restarted", "killed"])
def test_without_its_kernel_the_text_stays_and_can_be_brought_back(open_notebook: Open, how: str) -> None:
    form = opened(open_notebook, f"{how}.ipynb", "%coglog edit --coglog-dir here", "1")
    notebook = form.notebook
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    pid = pid_of(form)
    form.fill_facts()
    form.area("annotation").fill("not written yet")
    if how == "restarted":
        notebook.menu("Kernel", "Restart Kernel\u2026")
    else:
        os.kill(pid, signal.SIGKILL)
    notebook.page.locator(".jp-Dialog button.jp-mod-accept").click()
    notebook.wait_for_kernel()
    if how == "restarted":  # of one that died by itself JupyterLab tells people, and widgets only when they send
        form.says("lost")
    expect(form.area("annotation")).to_have_value("not written yet")
    form.area("annotation").fill("not written yet, and more")
    form.does("write").click()
    form.says("lost")
    notebook.picture(f"editor-{how}", form.root)
    form.does("copy").click()
    form.says("copied")
    cell = notebook.page.evaluate("navigator.clipboard.readText()")
    assert json.loads(cell.removeprefix("%%coglog write\n"))["annotation"] == "not written yet, and more"
    notebook.run_all()
    expect(form.does("found.take")).to_be_visible()
    notebook.picture(f"editor-found-{how}", form.root)
    form.does("found.take").click()
    expect(form.area("annotation")).to_have_value("not written yet, and more")
    form.does("write").click()
    form.says("written")
    expect(form.does("found.take")).to_have_count(0)


def test_everything_by_keyboard(open_notebook: Open) -> None:
    form = opened(open_notebook, "keyboard.ipynb", "%coglog edit")
    page = form.notebook.page
    form.notebook.show(form.root)
    form.area("user").focus()
    stops: list[dict[str, Any]] = [page.evaluate(FOCUS)]
    fields = []
    for _ in range(12):
        fields.append(page.evaluate("document.activeElement.closest('[data-field]')?.dataset.field ?? ''"))
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUS))
    assert [field for field in fields if field] == list(NAMES)
    names = [stop["name"] for stop in stops if stop]
    wanted = ["Start from the last turn's annotation", "Write", "Revert", "Copy as a cell", "light", "system"]
    assert [name for name in names if name in wanted] == wanted
    for stop in stops:
        assert stop["outline"] >= 2, stop
        assert stop["colour"] == RINGS["light"], stop
        assert min(stop["height"], stop["width"]) >= 24, stop
    form.area("user").focus()
    for name in NAMES[:3]:
        page.keyboard.type(f"the {name}")
        page.keyboard.press("Tab")
    page.keyboard.press("Control+Enter")  # from the button: it writes from anywhere in the form
    form.says("written")
    page.keyboard.press("Tab")
    page.keyboard.type("a")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    form.says("silent")
    expect(form.area("current_focus")).to_have_value("a")
    assert form.notebook.cells.count() == 2, "no key made, ran or deleted a cell"


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_axe_finds_nothing(open_notebook: Open, lang: str) -> None:
    form = opened(
        open_notebook, f"axe-{lang}.ipynb", "said = 'given ' * 600", f"%coglog edit --lang {lang} --user said"
    )
    for theme in ("light", "dark"):
        form.card.get_by_role("button", name=theme, exact=True).click()
        expect(form.root).to_have_attribute("data-theme", theme)
        form.does("write").click()
        form.says("incomplete")
        assert complaints(form.notebook.page, ".coglog-editor") == []
        form.notebook.picture(f"editor-{lang}-{theme}", form.root)
    for name in NAMES[1:]:
        form.area(name).fill(LONG)
    form.does("write").click()
    form.says("written")
    assert complaints(form.notebook.page, ".coglog-editor") == []
    form.notebook.picture(f"editor-{lang}-long", form.root)


def test_narrow(open_notebook: Open) -> None:
    form = opened(open_notebook, "narrow.ipynb", GIVEN, EDIT_GIVEN, size=NARROW)
    root = form.notebook.show(form.root)
    assert root.evaluate("element => element.scrollWidth <= element.clientWidth + 1")
    for name in NAMES[3:]:
        form.area(name).fill("w" * 200 + " " + LONG)
    assert root.evaluate("element => element.scrollWidth <= element.clientWidth + 1")
    assert complaints(form.notebook.page, ".coglog-editor") == []
    form.notebook.picture("editor-narrow", form.root)


def test_an_input_method_composes_undisturbed(open_notebook: Open) -> None:
    cells = ("%coglog edit", "from ipywidgets.widgets.widget import _instances", "1")
    form = opened(open_notebook, "compose.ipynb", *cells)
    page = form.notebook.page
    session = page.context.new_cdp_session(page)
    area = form.area("annotation")
    form.fill_facts()
    area.fill("前の文。")
    area.press("End")
    page.evaluate("""() => {
        window.seen = [];
        const area = document.querySelector('.coglog-editor [data-field=annotation] textarea');
        const proto = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
        Object.defineProperty(area, 'value', {
            get() { return proto.get.call(this); },
            set(text) { window.seen.push(text); proto.set.call(this, text); },
        });
        for (const type of ['compositionstart', 'compositionend'])
            area.addEventListener(type, () => window.seen.push(type));
    }""")
    for text in ("に", "にほ", "にほんご", "日本語"):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        form.notebook.wait_for_echo(f"前の文。{text}")
    expect(form.card.locator("[data-part=annotation]")).to_contain_text("前の文。日本語")
    # The key that ends a composition isn't a command.
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229, "modifiers": 2}
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
    session.send("Input.insertText", {"text": "日本語"})
    ends = ["compositionstart", "compositionend"]
    stays(page, lambda: page.evaluate("window.seen") == ends, "a text area that nobody wrote into")
    expect(area).to_have_value("前の文。日本語")
    assert form.status.get_attribute("data-said") == ""
    page.keyboard.type("!")
    expect(area).to_have_value("前の文。日本語!")
    page.keyboard.press("Control+Enter")
    form.says("written")
    assert kernel_value(form, STORED) == "前の文。日本語!"


def test_two_views_stay_in_step_and_keep_their_carets(open_notebook: Open) -> None:
    form = opened(open_notebook, "two.ipynb", "%coglog edit")
    page = form.notebook.page
    form.notebook.show(form.root).locator(".coglog-edit-title").click(button="right")
    page.locator(".lm-Menu-item").filter(has_text="Create New View for Cell Output").click()
    other = Form(form.notebook, page.locator(".jp-LinkedOutputView .coglog-editor"))
    expect(other.root).to_be_visible()
    form.area("annotation").fill("one two")
    expect(other.area("annotation")).to_have_value("one two")
    other.area("annotation").focus()
    other.area("annotation").evaluate("area => area.setSelectionRange(3, 3)")
    page.keyboard.type(" and a half", delay=60)
    expect(form.area("annotation")).to_have_value("one and a half two")
    assert other.area("annotation").evaluate("area => [area.selectionStart, area.matches(':focus')]") == [14, True]
    form.notebook.wait_for_echo("one and a half two")
    expect(other.area("annotation")).to_have_value("one and a half two")
    assert other.area("annotation").evaluate("area => area.selectionStart") == 14


def test_a_megabyte_is_pasted(open_notebook: Open) -> None:
    form = opened(open_notebook, "huge.ipynb", "%coglog edit", "1")
    page = form.notebook.page
    form.fill_facts()
    form.area("annotation").focus()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText(('x'.repeat(79) + '\\n').repeat(13_000))")
    page.keyboard.press("Control+V")
    expect(form.root.locator("[data-field=annotation] .coglog-edit-count")).to_have_text("1,040,000 characters")
    page.keyboard.type("end")
    page.keyboard.press("Control+Enter")
    form.says("written")
    source = "entry = %coglog read\nprint(len(entry['annotation']), ascii(entry['annotation'][-4:]))"
    assert kernel_value(form, source) == r"1040003 '\nend'"


def test_hard_characters(open_notebook: Open) -> None:
    form = opened(open_notebook, "hard.ipynb", "%coglog edit", "1")
    form.fill_facts()
    put = """(area, text) => { area.value = text; area.dispatchEvent(new Event('input', {bubbles: true})); }"""
    form.area("annotation").evaluate(put, "a\0b</script>{12}\u2028🌱")
    form.area("self_narrative").evaluate(
        "area => { area.value = 'a\\ud83d'; area.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    form.does("write").click()
    form.says("unreadable")
    expect(form.root.locator("[data-field=self_narrative] .coglog-edit-bad")).to_contain_text("position 1")
    form.area("self_narrative").fill("whole")
    form.does("write").click()
    form.says("written")
    assert kernel_value(form, "entry = %coglog read\nprint(ascii(entry['annotation']))") == ascii(
        "a\0b</script>{12}\u2028🌱"
    )


def test_a_problem_of_the_store_is_shown_in_the_form(open_notebook: Open) -> None:
    cells = (
        "import pathlib, tempfile\nplace = pathlib.Path(tempfile.mkdtemp())",
        "_ = (place / 'current.json').write_text('torn')",
        "%config CogLogMagics.coglog_dir = str(place)\n%coglog edit",
        "1",
    )
    form = opened(open_notebook, "problem.ipynb", *cells)
    form.fill_facts()
    form.area("annotation").fill("kept")
    form.does("write").click()
    form.says("refused")
    expect(form.status.locator("li")).to_contain_text("damaged log")
    expect(form.area("annotation")).to_have_value("kept")
    form.notebook.picture("editor-refused", form.root)
    kernel_value(form, "(place / 'current.json').unlink()\nprint('done')")
    form.does("write").click()
    form.says("written")


def test_notebook_7(open_notebook: Open) -> None:
    form = opened(open_notebook, "seven.ipynb", GIVEN, EDIT_GIVEN, app="notebook")
    form.area("annotation").fill("in another host")
    form.area("annotation").press("Control+Enter")
    form.says("written")
    expect(form.card.locator(".coglog-turn")).to_have_text("Turn 1")
    twin = form.notebook.page.locator(".coglog-twin")
    assert not twin.is_visible()


def test_reopened_it_says_what_to_use(open_notebook: Open, server: Server) -> None:
    form = opened(open_notebook, "reopened.ipynb", GIVEN, EDIT_GIVEN)
    form.notebook.save()
    server.delete_kernels()
    again = open_notebook("again.ipynb", server.saved("reopened.ipynb"))
    twin = again.page.locator(".coglog-twin")
    expect(twin).to_contain_text("Run this cell to open the form.")
    expect(twin.locator("pre")).to_contain_text("%%coglog write")
    expect(twin.locator("pre")).to_contain_text("assistant: A point that stays.")
    again.picture("editor-reopened", twin)


def test_the_guide_in_both_themes(open_notebook: Open) -> None:
    notebook = open_notebook("guide.ipynb", notebook_of("%coglog guide", "%coglog guide annotation --lang ja"))
    notebook.run_all()
    guides = notebook.page.locator(".coglog-guide")
    assert guides.count() == 2
    for theme in ("Light", "Dark"):
        notebook.menu("Settings", "Theme", f"JupyterLab {theme}")
        expect(notebook.page.locator("body")).to_have_attribute("data-jp-theme-light", str(theme == "Light").lower())
        assert complaints(notebook.page, ".coglog-guide") == []
        for number, guide in enumerate(guides.all()):
            notebook.picture(f"guide-{number}-{theme.lower()}", guide)

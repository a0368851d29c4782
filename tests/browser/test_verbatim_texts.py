"""Texts that break things: each card shows them as they were written, live and static."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from jlab import notebook_of
from playwright.sync_api import expect

if TYPE_CHECKING:
    from jlab import Open
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

TEXTS = {
    "user": "\n\n  two line breaks and two spaces first\n\n\nthree between, a trailing one and a space \n",
    "thinking": "</script><script>document.title=1</script><!-- </pre> --> <b>&amp;</b> &#10; <img src=x>",
    "assistant": "C:\\temp\\new \\u0041 \\\\ {12} {} ${HOME} $1 %{text} {{x}} %s `code` 'q' \"q\"",
    "current_focus": "before\u2028line\u2029paragraph\u00a0space\u200bzero\ufefffeff\u0085next",
    "theory_of_mind": "日本語の文章と、絵文字 👩‍👩‍👧 🏳️‍🌈 👍🏽 é é עברית العربية 𐍈",
    "self_narrative": "\tone tab\t\ttwo tabs\r\nCRLF, a lone\rCR",
    "annotation": "__proto__ constructor NaN null " + "no_break_anywhere" * 40,
}


def texts_of(card: Locator) -> dict[str, str]:
    """Take the texts as the page holds them, one element a field and one text node in each."""
    pres = card.locator("pre").all()[1:]  # the first is the schema's
    for pre in pres:
        assert pre.evaluate("pre => [...pre.childNodes].map(node => node.nodeType)") == [3]
    return dict(zip(TEXTS, [pre.text_content() or "" for pre in pres], strict=True))


def test_texts_arrive_as_they_are(open_notebook: Open) -> None:
    content = notebook_of(f"texts = {TEXTS!r}", "%coglog write texts")
    notebook = open_notebook("texts.ipynb", content)
    title = notebook.page.title()
    notebook.run_all()
    card = notebook.show(notebook.live)
    assert texts_of(card) == TEXTS
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
    notebook.picture("texts-live", card)

    # Its static twin, which is there but not seen, went through JupyterLab's HTML.
    assert texts_of(notebook.page.locator(".coglog-static")) == TEXTS
    assert notebook.page.title().strip("*● ") == title.strip("*● ")
    assert notebook.page.locator(".jp-OutputArea img").count() == 0
    notebook.save()
    notebook.page.close()

    again = notebook.server.saved("texts.ipynb")
    again["cells"][0]["source"] += "\n# another file: not trusted any more"
    reopened = open_notebook("texts-untrusted.ipynb", again)
    reopened.wait_for_kernel()
    assert not reopened.server.is_trusted("texts-untrusted.ipynb")
    static = reopened.show(reopened.page.locator(".coglog-static"))
    # JupyterLab's sanitizer writes a carriage return as it is, and HTML takes that for a line break.
    breaks = TEXTS["self_narrative"].replace("\r\n", "\n").replace("\r", "\n")
    assert texts_of(static) == {**TEXTS, "self_narrative": breaks}
    assert reopened.page.locator(".jp-OutputArea img").count() == 0
    reopened.picture("texts-static-untrusted", static)


def test_a_nul_and_a_long_text_are_whole_in_the_live_card(open_notebook: Open) -> None:
    source = f"texts = {dict.fromkeys(TEXTS, 'a' + chr(0) + 'b')!r}\ntexts['assistant'] = 'word ' * 20_000"
    notebook = open_notebook("long.ipynb", notebook_of(source, "%coglog write texts"))
    notebook.run_all()
    card = notebook.show(notebook.live)
    assert texts_of(card) == {**dict.fromkeys(TEXTS, "a\0b"), "assistant": "word " * 4_000}
    card.get_by_role("button", name="show all (100,000 characters)").click()
    assert texts_of(card) == {**dict.fromkeys(TEXTS, "a\0b"), "assistant": "word " * 20_000}
    saved = notebook.page.locator(".coglog-static").text_content() or ""
    assert len(saved) < 25_000
    assert "80,000 of 100,000 characters" in saved


MONEY = "$5 now and $6 later, $$x$$, \\(y\\), \\begin{align}z\\end{align}"
EXERCISE = f"""
import json
from coglog_nb.teaching.exercises.catalog import find

def with_money(value, key=""):
    if isinstance(value, dict):
        return {{name: with_money(item, name) for name, item in value.items()}}
    if isinstance(value, list):
        return [with_money(item, key) for item in value]
    fixed = ("format", "speaker", "best", "second", "language", "kind", "name")
    return {MONEY!r} if isinstance(value, str) and key not in fixed else value

for name in ("support", "fill-tutoring"):
    with open(name + "-money.json", "w") as file:
        json.dump(with_money(find(name).data), file)
"""


def test_no_text_is_typeset_as_mathematics(open_notebook: Open) -> None:
    reply = f"reply = {{'message': {{'role': 'assistant', 'content': {MONEY!r}}}, 'done': True, 'x': 1}}"
    cells = [
        EXERCISE,
        "%coglog exercise support-money.json",
        "%coglog exercise fill-tutoring-money.json",
        f"texts = dict.fromkeys({list(TEXTS)!r}, {MONEY!r})\n{reply}",
        "%coglog write texts",
        "%coglog capture reply --user texts['user']",
        f"def bad(_):\n    raise RuntimeError({MONEY!r})",
        "%%coglog try -m bad -m bad\nHello",
        "%coglog edit --user texts['user']",
        "%coglog guide",
        "from IPython.display import HTML\nHTML('<p id=control>so much: $x$</p>')",
    ]
    notebook = open_notebook("money.ipynb", notebook_of(*cells))
    notebook.run_all()
    # Once the last output is typeset, so are those before it.
    expect(notebook.page.locator("#control mjx-container")).to_have_count(1)
    outputs = notebook.page.locator(".jp-OutputArea")
    expect(outputs.locator(".coglog-exercise-static")).to_have_count(2)
    expect(outputs.locator(".coglog-practice")).to_have_count(2)
    expect(outputs.locator("mjx-container")).to_have_count(1)
    expect(outputs.locator(".coglog-exercise-static").first).to_contain_text("$5 now and $6 later")

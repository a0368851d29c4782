"""What a captured reply says above its card."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recorded import ANSWER, AXES, TEXT, THINKING, USER

from coglog_nb import Captured, Entry, capture

if TYPE_CHECKING:
    import pytest

WHOLE = {"message": {"role": "assistant", "content": TEXT, "thinking": THINKING}, "done": True}


PLAIN = {"message": {"role": "assistant", "content": ANSWER}, "done": True}


def shown(captured: Captured) -> str:
    from IPython.lib.pretty import pretty

    return f"{captured._repr_html_()}\n{pretty(captured)}\n{captured!r}"


def test_how_it_shows_itself() -> None:
    html = capture(PLAIN)._repr_html_()
    assert 'role="status"' in html
    assert "<code>thinking</code>: none in this reply" in html
    assert html.index("coglog-status") < html.index("coglog-static")
    assert "Not stored" in html
    text = shown(capture(PLAIN))
    assert "  - user: the reply doesn't hold" in text
    assert "0x" not in text
    complete = capture(WHOLE, user=USER)._repr_html_()
    assert "coglog-status" not in complete


def test_markup_in_a_reply_is_text() -> None:
    evil = {"<script>alert(1)</script>": 1, **AXES}
    captured = capture({"message": {"role": "assistant", "content": f"Hi\n{json.dumps(evil)}"}, "done": True})
    assert "<script>" not in captured._repr_html_()
    assert any("<script>" in note for note in captured.notes)


def test_without_the_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    captured = capture(WHOLE, user=USER)
    captured.show_thinking = False
    assert "Start from" not in shown(captured)
    other = capture(WHOLE, user=USER)
    assert "Start from" in shown(other)
    monkeypatch.setattr(Entry, "show_thinking", False)
    assert "Start from" not in shown(other)

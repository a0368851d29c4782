from __future__ import annotations

from typing import Any

import pytest

from coglog_nb import CogLog, StoreError, built_files, html_form


@pytest.fixture
def entry(store: CogLog, turn: dict[str, Any]) -> Any:
    return store.write(**turn)


def test_a_checkout_without_a_built_viewer_says_what_to_do(entry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_files, "__file__", "/nowhere/built_files.py")
    monkeypatch.setattr(built_files, "_cache", {})
    monkeypatch.setattr(html_form, "_fragments", {})
    with pytest.raises(StoreError, match="make build"):
        html_form.static_card(entry.view())

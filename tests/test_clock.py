"""The current time in the form that is stored."""

from __future__ import annotations

import re
from datetime import datetime, timezone

import pytest

from coglog_nb import clock


def test_it_is_utc_in_whole_seconds() -> None:
    text = clock.now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", text)
    assert datetime.fromisoformat(text).tzinfo == timezone.utc


def test_the_machines_own_zone_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.gmtime", lambda: datetime(2026, 2, 26, tzinfo=timezone.utc).timetuple())
    monkeypatch.setattr("time.localtime", lambda: pytest.fail("the local time was asked for"))
    assert clock.now() == "2026-02-26T00:00:00+00:00"

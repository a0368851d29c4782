"""The current time, as entries and results store it."""

from __future__ import annotations

import time


def now() -> str:
    """Return the current time in UTC with whole seconds: ``2026-02-26T00:00:00+00:00``."""
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())

"""The files in `static/`, which the build makes from `js/src`."""

from __future__ import annotations

import os

from .errors import StoreError

_cache: dict[str, str] = {}


def static_text(name: str) -> str:
    """Read a file that the build made.

    Raises
    ------
    StoreError
        If it isn't there, as in a checkout in which the viewer was never built.
    """
    if name not in _cache:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static", name)
        try:
            with open(path, encoding="utf-8", newline="") as file:
                _cache[name] = file.read()
        except FileNotFoundError as error:
            raise StoreError(f"{path} is missing: build the viewer first (in a checkout: make build)", path) from error
    return _cache[name]

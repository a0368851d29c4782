"""Calls of the command line in this process."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

from coglog_nb import cli

if TYPE_CHECKING:
    import pytest


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


class Run:
    """Calls the command line in this process, with bytes on stdin."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys, self.monkeypatch = capsys, monkeypatch

    def __call__(self, *argv: str, stdin: bytes | str | dict[str, Any] = b"", program: str = "coglog") -> Result:
        if isinstance(stdin, dict):
            stdin = json.dumps(stdin)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
        code = cli.main(argv, program=program)
        out, err = self.capsys.readouterr()
        assert "Traceback" not in err
        return Result(code, out, err)

"""`coglog guide` on the command line: the guide as text, and the page to print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coglog_nb.cli import main
from coglog_nb.teaching.guide import guide
from coglog_nb.teaching.handout import handout_source

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["guide"]) == 0
    assert capsys.readouterr().out == guide() + "\n"
    assert main(["guide", "annotation", "--lang", "ja"]) == 0
    assert capsys.readouterr().out == guide("annotation", "ja") + "\n"
    assert main(["guide", "anotation"]) == 2
    assert "did you mean annotation?" in capsys.readouterr().err
    assert main(["guide", "--lang", "fr"]) == 2
    assert "'en', 'ja'" in capsys.readouterr().err.replace("en, ja", "'en', 'ja'")
    sheet = tmp_path / "sheet.html"
    assert main(["guide", "--sheet", str(sheet), "--lang=ja"]) == 0
    assert capsys.readouterr().out == f"coglog: sheet \u2192 {sheet}\n"
    assert sheet.read_text(encoding="utf-8") == handout_source("ja")
    assert main(["guide", "--sheet", str(sheet)]) == 1
    assert "already exists; --force overwrites it" in capsys.readouterr().err
    assert main(["guide", "--sheet", str(sheet), "--force"]) == 0
    assert sheet.read_text(encoding="utf-8") == handout_source("en")
    assert main(["guide", "--sheet", str(tmp_path / "sheet.pdf")]) == 2
    assert main(["guide", "user", "--sheet", str(sheet)]) == 2
    capsys.readouterr()
    assert main(["guide", "--sheet", str(tmp_path), "--force"]) == 2
    (tmp_path / "folder.html").mkdir()
    assert main(["guide", "--sheet", str(tmp_path / "folder.html"), "--force"]) == 1
    assert "not a regular file" in capsys.readouterr().err


def test_the_page_does_not_replace_a_stored_turn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    window = tmp_path / "log" / "current.json"
    window.parent.mkdir()
    window.write_text("{}")
    (tmp_path / "sheet.html").symlink_to(window)
    options = ["--coglog-dir", str(window.parent), "--force"]
    assert main(["guide", "--sheet", str(tmp_path / "sheet.html"), *options]) == 1
    assert "is where a turn is kept" in capsys.readouterr().err
    assert window.read_text() == "{}"

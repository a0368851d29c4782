"""The trait `artifacts`: which viewer artifacts of a window's writes stay."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import traitlets
from IPython.core.completer import provisionalcompleter

from coglog_nb import CogLog, StoreError, artifact
from coglog_nb.errors import CogLogWarning

if TYPE_CHECKING:
    from pathlib import Path

    from tests.notebook.conftest import Shell

LAST = "%config CogLogMagics.artifacts = 'last'"
AXES = dict.fromkeys(("current_focus", "theory_of_mind", "self_narrative", "annotation"), "x")


@pytest.fixture
def cards(shell: Shell, turn: dict[str, Any], tmp_path: Path) -> Path:
    """Give a folder that the shell's artifacts go to, and the names `base` and `model`."""
    folder = tmp_path / "cards"
    shell.ip.user_ns.update(base=turn, cards=str(folder), model=lambda _: f"<think>t</think>a\n{json.dumps(AXES)}")
    shell.run("%config CogLogMagics.viewer_dir = cards")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_stay_by_default(shell: Shell, cards: Path) -> None:
    for _ in range(3):
        shell.run("%coglog write base")
    assert names(cards) == [f"coglog-turn-{number}.jsx" for number in (1, 2, 3)]


def test_with_last_ten_writes_leave_one(shell: Shell, cards: Path) -> None:
    shell.run(LAST)
    for number in range(1, 11):
        shell.run("%coglog write base")
        assert names(cards) == [f"coglog-turn-{number}.jsx"]
    shell.run("%coglog write base --replace")
    assert names(cards) == ["coglog-turn-10.jsx"]


def test_every_way_to_write_removes_the_one_before(shell: Shell, cards: Path) -> None:
    shell.run(LAST)
    shell.run("%coglog write base")
    shell.run("%%coglog turn -m model\nHello")
    assert names(cards) == ["coglog-turn-2.jsx"]
    shell.run("%%coglog try -m model -m model\nHello")
    shell.run("%coglog keep 1")
    assert names(cards) == ["coglog-turn-3.jsx"]
    shell.run("%%coglog turn -m model --dry-run\nHello")
    shell.run(f"reply = {shell.ip.user_ns['model']('')!r}")
    shell.run("%coglog capture reply --user 'Hello' --write")
    assert names(cards) == ["coglog-turn-4.jsx"]
    shell.run("%coglog edit --user base['user'] --thinking base['thinking'] --assistant base['assistant']")
    from coglog_nb.notebook.editor import _editors

    *_, editor = _editors.values()
    editor._handle_custom_msg({"kind": "write", "id": "1", "texts": AXES}, [])
    assert names(cards) == ["coglog-turn-5.jsx"]


def test_other_windows_and_other_files_stay(shell: Shell, cards: Path) -> None:
    shell.run("%coglog write base --session npc\n%coglog write base --session turn-1")
    others = ["notes.jsx", "coglog-turn-x.jsx", "coglog-npc-turn-0.jsx.bak", "my-coglog-turn-1.jsx"]
    for name in others:
        (cards / name).write_text("mine", encoding="utf-8")
    (cards / "coglog-turn-99.jsx").mkdir()
    shell.run(f"{LAST}\n%coglog write base\n%coglog write base")
    kept = ["coglog-npc-turn-1.jsx", "coglog-turn-1-turn-1.jsx", "coglog-turn-99.jsx", "coglog-turn-2.jsx"]
    assert names(cards) == sorted([*others, *kept])
    shell.run("%coglog write base --session npc")
    assert "coglog-npc-turn-2.jsx" in names(cards)
    assert "coglog-npc-turn-1.jsx" not in names(cards)


def test_what_all_left_stays_except_the_last_one(shell: Shell, cards: Path) -> None:
    for _ in range(3):
        shell.run("%coglog write base")
    shell.run(f"{LAST}\n%coglog write base\n%coglog write base --replace\n%coglog write base")
    assert names(cards) == [f"coglog-turn-{number}.jsx" for number in (1, 2, 5)]


def test_a_log_that_starts_again_leaves_one_too(shell: Shell, cards: Path) -> None:
    shell.run(f"{LAST}\n%coglog write base\n%coglog write base\n%coglog clear\n%coglog write base")
    assert names(cards) == ["coglog-turn-1.jsx"]


def test_a_turn_between_that_wrote_no_artifact_changes_nothing(shell: Shell, cards: Path, turn: dict[str, Any]) -> None:
    shell.run(f"{LAST}\n%coglog write base")
    CogLog().write(**turn)
    shell.run("%coglog write base")
    assert names(cards) == ["coglog-turn-3.jsx"]


def test_where_the_new_one_cannot_be_written_the_old_one_stays(
    shell: Shell, cards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run(f"{LAST}\n%coglog write base")

    def fails(path: str, *_: object, **__: object) -> None:
        raise StoreError.from_os("write", path, PermissionError(13, "Permission denied"))

    monkeypatch.setattr(artifact, "replace_file", fails)
    with pytest.warns(CogLogWarning, match="turn 2 is stored, but its viewer is not"):
        shell.run("%coglog write base")
    assert names(cards) == ["coglog-turn-1.jsx"]


def test_one_that_cannot_be_removed_is_reported_and_the_new_one_is_there(
    shell: Shell, cards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run(f"{LAST}\n%coglog write base")

    def fails(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("coglog_nb.artifact.os.unlink", fails)
    with pytest.warns(CogLogWarning, match=r"^the previous viewer is still there: .*coglog-turn-1\.jsx"):
        shell.run("%coglog write base")
    monkeypatch.undo()
    assert names(cards) == ["coglog-turn-1.jsx", "coglog-turn-2.jsx"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_goes_and_what_it_points_to_stays(shell: Shell, cards: Path, tmp_path: Path) -> None:
    shell.run(f"{LAST}\n%coglog write base")
    path = cards / "coglog-turn-1.jsx"
    path.rename(tmp_path / "kept.jsx")
    path.symlink_to(tmp_path / "kept.jsx")
    shell.run("%coglog write base")
    assert names(cards) == ["coglog-turn-2.jsx"]
    assert (tmp_path / "kept.jsx").exists()


def test_another_value_is_refused_and_the_help_names_the_trait(shell: Shell) -> None:
    magics = shell.ip.magics_manager.registry["CogLogMagics"]
    with pytest.raises(traitlets.TraitError, match=r"\['all', 'last'\]"):
        magics.artifacts = "some"
    assert "artifacts" in shell.run("%coglog").out
    line = "%config CogLogMagics.ar"
    with provisionalcompleter():
        assert "CogLogMagics.artifacts" in [found.text for found in shell.ip.Completer.completions(line, len(line))]

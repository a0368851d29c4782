from __future__ import annotations

import json
import re
import stat
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, StoreError, ValidationError, artifact, built_files, paths, render

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "\n</script><b>&amp;\"'`\\ ${x} {y} %{text} \u2028 \x1b[31m \r \0 🙂 __proto__"


@pytest.fixture
def entry(store: CogLog, turn: dict[str, Any]) -> Any:
    return store.write(**turn)


def shown_data(source: str) -> Any:
    """Read the turn back out of an artifact, as JavaScript would."""
    line = next(line for line in source.split("\n") if line.startswith("const SAMPLE ="))
    literal = re.fullmatch(r"const SAMPLE = JSON\.parse\((\".*\")\); // the turn shown", line)
    assert literal is not None
    return json.loads(json.loads(literal[1]))


def test_render_writes_the_artifact_where_the_data_is(entry: Any, store: CogLog) -> None:
    path = render(entry)
    assert path == store.data_dir / "outputs" / "coglog-turn-1.jsx"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert shown_data(path.read_text(encoding="utf-8"))["entry"] == entry


def test_render_to_a_directory_that_was_asked_for(entry: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert render(entry, tmp_path / "a" / "b") == tmp_path / "a" / "b" / "coglog-turn-1.jsx"
    monkeypatch.setenv("COGLOG_VIEWER_DIR", str(tmp_path / "c"))
    assert render(entry).parent == tmp_path / "c"


def test_the_sandboxs_outputs_are_used_where_they_exist(
    entry: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sandbox").mkdir()
    monkeypatch.setattr(paths, "SANDBOX_OUTPUTS", str(tmp_path / "sandbox"))
    assert render(entry).parent == tmp_path / "sandbox"


def test_a_sessions_artifact_has_its_name(tmp_path: Path, turn: dict[str, Any]) -> None:
    entry = CogLog(tmp_path, session="npc-1").write(**turn)
    path = render(entry)
    assert path == tmp_path / "outputs" / "coglog-npc-1-turn-1.jsx"
    assert 'const SESSION = JSON.parse("\\"npc-1\\""); // the session' in path.read_text()


def test_render_takes_a_plain_mapping(entry: Any, tmp_path: Path) -> None:
    assert render(json.loads(json.dumps(entry)), tmp_path / "x").exists()
    with pytest.raises(ValidationError, match="turn_id"):
        render({"user": "no entry"})


def test_the_artifact_starts_with_the_theme_asked_for(entry: Any, tmp_path: Path) -> None:
    source = render(entry, tmp_path, theme="dark").read_text()
    assert 'const THEME = JSON.parse("\\"dark\\""); // the starting theme' in source
    with pytest.raises(ValidationError, match="light, system, dark"):
        render(entry, tmp_path, theme="blue")


def test_no_text_becomes_code_in_the_artifact(store: CogLog, turn: dict[str, Any], tmp_path: Path) -> None:
    entry = store.write(**{**turn, **dict.fromkeys(turn, HOSTILE)})
    source = render(entry, tmp_path).read_text(encoding="utf-8")
    assert source.isascii()
    assert shown_data(source)["entry"] == entry
    line = next(line for line in source.split("\n") if line.startswith("const SAMPLE ="))
    assert "<" not in line
    original = built_files.static_text("CogLogViewer.jsx").split("\n")
    changed = [ours for ours, theirs in zip(source.split("\n"), original, strict=True) if ours != theirs]
    assert [line.split(" =")[0] for line in changed] == ["const SAMPLE", "const SESSION", "const THEME"]


def test_the_artifact_without_thinking_holds_none(entry: Any, turn: dict[str, Any], tmp_path: Path) -> None:
    entry.show_thinking = False
    source = render(entry, tmp_path).read_text()
    assert turn["thinking"] not in source
    data = shown_data(source)
    assert data["hidden"] == ["thinking"]
    assert data["entry"]["layers"]["thinking"] == "(not shown)"


def test_an_artifact_that_cannot_be_written_says_where(entry: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        render(entry, tmp_path / "file")


def test_artifacts_of_one_window_are_removed_and_no_others(entry: Any, tmp_path: Path, turn: dict[str, Any]) -> None:
    npc = CogLog(tmp_path / "log", session="turn-5").write(**turn)
    directory = render(entry, tmp_path / "cards").parent
    render(npc, directory)
    for name in ("coglog-turn-1.jsx.bak", "coglog-turn-x.jsx", "notes.jsx"):
        (directory / name).write_text("")
    assert artifact.remove_artifacts(str(directory), None) == 1
    assert (directory / "coglog-turn-5-turn-1.jsx").exists()
    assert artifact.remove_artifacts(str(directory), "turn-5") == 1
    assert len(list(directory.iterdir())) == 3
    assert artifact.remove_artifacts(str(tmp_path / "nowhere"), None) == 0


@pytest.mark.parametrize("hostile", ["file", "dangling", "directory", "own link"])
def test_a_link_in_the_place_of_an_artifact_is_replaced_and_what_it_leads_to_is_untouched(
    hostile: str, entry: Any, tmp_path: Path
) -> None:
    """A viewer directory may be shared: another user can put a link to a file of ours where our artifact goes."""
    shared = tmp_path / "shared"
    shared.mkdir()
    victim = tmp_path / "victim"
    if hostile == "directory":
        victim.mkdir()
    elif hostile != "dangling":
        victim.write_text("precious")
        victim.chmod(0o777)
    link = shared / "coglog-turn-1.jsx"
    link.symlink_to("coglog-turn-1.jsx" if hostile == "own link" else victim)
    path = render(entry, shared)
    assert path == link
    assert not link.is_symlink()
    assert shown_data(path.read_text(encoding="utf-8"))["entry"] == entry
    assert victim.exists() == (hostile != "dangling")
    if victim.is_file():
        assert victim.read_text() == "precious"
        assert not stat.S_IMODE(path.stat().st_mode) & 0o111, "nor does it get the victim's permissions"
    assert list(shared.iterdir()) == [path]


def test_a_link_in_the_place_of_a_private_artifact_gives_it_no_permissions(
    entry: Any, store: CogLog, tmp_path: Path
) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "victim").chmod(0o666)
    path = render(entry)
    path.unlink()
    path.symlink_to(tmp_path / "victim")
    assert render(entry) == path
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    assert store.read() == entry


def test_removing_artifacts_removes_a_link_and_not_what_it_leads_to(entry: Any, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    directory = render(entry, tmp_path / "cards").parent
    (directory / "coglog-turn-7.jsx").symlink_to(tmp_path / "victim")
    assert artifact.remove_artifacts(str(directory), None) == 2
    assert (tmp_path / "victim").read_text() == "precious"

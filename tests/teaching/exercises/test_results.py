"""The answers to exercises: what a run holds, and the file that keeps it."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import StoreError
from coglog_nb.teaching.exercises import results
from coglog_nb.teaching.exercises.catalog import find
from coglog_nb.teaching.exercises.format import Exercise, fit_of
from coglog_nb.teaching.exercises.text_form import summary

if TYPE_CHECKING:
    from pathlib import Path

PLACE = find("coding")


def run_of(chosen: dict[str, list[str]], exercise: Exercise = PLACE) -> dict[str, Any]:
    run = results.new_run(exercise, "")
    results.set_answers(run, exercise, chosen)
    return run


def test_a_run_counts_the_first_and_the_last_choices() -> None:
    first, second = PLACE.statements[:2]
    run = run_of(
        {
            "0": ["theory_of_mind", first["best"]],
            "1": [second["second"][0]],
            "2": ["none"],
            "99": ["none"],
            "3": ["?"],
        }
    )
    assert [(answer["first_fit"], answer["fit"]) for answer in run["answers"]] == [
        ("other", "best"),
        ("second", "second"),
        ("other", "other"),
    ]
    assert fit_of(first, first["best"]) == "best"
    table = summary([run], "en").split("\n")
    assert re.search(r"coding +3/8 +1 +1 +1 +0$", table[-1])


def test_results_are_kept_in_a_private_file_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    run = run_of({"0": ["none"]})
    assert results.keep(str(folder), run) == ""
    assert sorted(path.name for path in folder.iterdir()) == ["exercises.json", "exercises.json.lock"]
    kept = json.loads((folder / "exercises.json").read_text(encoding="utf-8"))
    assert kept == {"format": "coglog-results/1", "results": [run]}
    if os.name == "posix":
        assert stat.S_IMODE((folder / "exercises.json").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # The same run is brought up to date, another one comes after it.
    results.set_answers(run, PLACE, {"0": ["none"], "1": ["none"]})
    other = run_of({"0": ["annotation"]})
    assert results.keep(str(folder), run) == results.keep(str(folder), other) == ""
    assert [one["id"] for one in results.all_runs(str(folder))] == [run["id"], other["id"]]
    assert len(json.loads((folder / "exercises.json").read_text(encoding="utf-8"))["results"]) == 2


def test_another_kernels_results_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, ours = run_of({"0": ["none"]}), run_of({"1": ["none"]})
    results.keep(str(tmp_path), theirs)
    monkeypatch.setattr(results, "_runs", {})
    results.keep(str(tmp_path), ours)
    assert [run["id"] for run in results.all_runs(str(tmp_path))] == [theirs["id"], ours["id"]]


def test_the_oldest_runs_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_RUNS", 3)
    runs = [run_of({"0": ["none"]}) for _ in range(5)]
    for run in runs:
        results.keep(str(tmp_path), run)
    kept = json.loads((tmp_path / "exercises.json").read_text(encoding="utf-8"))["results"]
    assert [run["id"] for run in kept] == [run["id"] for run in runs[2:]]


@pytest.mark.parametrize("content", [b"{half", b"\xff\xff", b"[]", b'{"format": "coglog-results/1", "results": [{}]}'])
def test_a_damaged_file_is_unchanged_and_the_kernel_keeps_the_run(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "exercises.json"
    path.write_bytes(content)
    run = run_of({"0": ["none"]})
    said = results.keep(str(tmp_path), run)
    assert said.startswith(f"damaged results {path}: ")
    assert "--summary --clear" in said
    assert path.read_bytes() == content
    with pytest.raises(StoreError, match="damaged results"):
        results.all_runs(str(tmp_path))
    assert results.clear(str(tmp_path))
    assert not path.exists()
    assert results.all_runs(str(tmp_path)) == []
    assert not results.clear(str(tmp_path))


def test_no_answer_is_lost_if_the_directory_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file in the way", encoding="utf-8")
    folder = str(tmp_path / "log")
    run = run_of({"0": ["none"]})
    assert folder in results.keep(folder, run)
    (tmp_path / "log").unlink()
    assert [one["id"] for one in results.all_runs(folder)] == [run["id"]], "it is in memory"


@pytest.mark.skipif(os.name != "posix", reason="makes a symbolic link")
def test_clear_removes_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    real = tmp_path / "elsewhere.json"
    results.keep(str(tmp_path), run_of({"0": ["none"]}))
    (tmp_path / "exercises.json").rename(real)
    (tmp_path / "log" / "exercises.json").symlink_to(real)
    assert results.keep(str(tmp_path / "log"), run_of({"1": ["none"]})) == ""
    assert (tmp_path / "log" / "exercises.json").is_symlink()
    assert len(json.loads(real.read_text(encoding="utf-8"))["results"]) == 2
    assert results.clear(str(tmp_path / "log"))
    assert not real.exists()
    assert not os.path.lexists(tmp_path / "log" / "exercises.json")

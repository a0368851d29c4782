"""What holds for any text and any bytes, not only for those somebody thought of."""

from __future__ import annotations

import importlib
import io
import json
import sys
import tempfile
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coglog_nb import CogLog, DamagedLogError, Entry, cli
from coglog_nb.fields import AXES, FACTS
from coglog_nb.jsontext import dump
from coglog_nb.notebook.cell_body import fields_of_body
from coglog_nb.validation import flatten

if TYPE_CHECKING:
    from collections.abc import Iterator

# Every character but the surrogates: pairs are one character in Python, and one alone can't be encoded.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
TURN = st.fixed_dictionaries({**dict.fromkeys(FACTS, TEXT.filter(bool)), **dict.fromkeys(AXES, TEXT)})

# The function-scoped fixtures only keep the test out of the real home; every example has a directory of its own. The
# disk's speed isn't a property of the code.
COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@contextmanager
def directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def stored(place: Path) -> dict[str, Any]:
    entry = CogLog(place).read()
    assert entry is not None
    return flatten(entry)


@COMMON
@given(TURN)
def test_any_text_comes_back_through_python(turn: dict[str, Any]) -> None:
    with directory() as place:
        entry = CogLog(place).write(**turn)
        assert flatten(entry) == turn
        assert (place / "current.json").read_bytes() == dump(entry).encode()
        assert stored(place) == turn


@COMMON
@given(TURN, st.booleans())
def test_any_text_comes_back_through_the_command_line(turn: dict[str, Any], ascii_only: bool) -> None:
    with directory() as place, pytest.MonkeyPatch.context() as patch:
        data = json.dumps(turn, ensure_ascii=ascii_only).encode()
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        out = io.StringIO()
        with redirect_stdout(out):
            assert cli.main(["write", "--coglog-dir", str(place)]) == 0
            assert cli.main(["read", "--coglog-dir", str(place)]) == 0
        assert stored(place) == turn
        assert flatten(json.loads(out.getvalue().partition("\n")[2])) == turn


@COMMON
@given(TURN)
def test_any_text_comes_back_through_export_and_import(turn: dict[str, Any]) -> None:
    with directory() as here, directory() as there, redirect_stdout(io.StringIO()):
        CogLog(here / "log").write(**turn)
        assert cli.main(["export", str(here / "t.json"), "--coglog-dir", str(here / "log")]) == 0
        assert cli.main(["import", str(here / "t.json"), "--coglog-dir", str(there)]) == 0
        assert stored(there) == turn


@COMMON
@given(TURN)
def test_any_text_comes_back_through_a_json_body(turn: dict[str, Any]) -> None:
    assert fields_of_body(json.dumps(turn)) == turn
    # Real newlines and tabs inside strings are fine there.
    raw = json.dumps(turn, ensure_ascii=False).replace("\\n", "\n").replace("\\t", "\t")
    if "\\" not in "".join(turn.values()):
        assert fields_of_body(raw) == turn


@COMMON
@given(TURN)
@pytest.mark.parametrize("peer", ["coglog", "coglog_cli", "coglog_mcp"])
def test_any_text_comes_back_through_the_peers_readers(peer: str, turn: dict[str, Any]) -> None:
    with directory() as place:
        CogLog(place).write(**turn)
        assert flatten(importlib.import_module(peer).CogLog(data_dir=place).read()) == turn


@COMMON
@given(TURN)
def test_any_text_comes_back_through_sections_that_can_hold_it(turn: dict[str, Any]) -> None:
    """A section drops blank lines at its ends and one space after the label; what has neither arrives whole."""
    lines = []
    expected = {}
    for name, text in turn.items():
        body = "\n".join(
            f"\\{line}" if line.startswith(tuple(f"{n}:" for n in turn)) else line for line in text.split("\n")
        )
        if text.strip() and text == text.strip() and not text.startswith("\\"):
            lines += [f"{name}:", body]
            expected[name] = text
    if lines:
        assert fields_of_body("\n".join(lines)) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
# Entries with one thing wrong, or right, in one place: random bytes rarely get past the JSON reader.
NEARLY = st.builds(
    lambda turn, key, value: dump({**Entry(_good(turn)), key: value}).encode("utf-8", "surrogatepass"),
    TURN,
    st.sampled_from(["_schema", "turn_id", "timestamp", "layers", *AXES, "extra"]),
    JSON,
)


def _good(turn: dict[str, Any]) -> dict[str, Any]:
    with directory() as place:
        return CogLog(place).write(**turn)


@COMMON
@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()) | NEARLY)
def test_any_bytes_in_the_file_are_an_entry_none_or_damage(data: bytes) -> None:
    with directory() as place:
        (place / "current.json").write_bytes(data)
        store = CogLog(place)
        try:
            entry = store.read()
        except DamagedLogError:
            with pytest.raises(DamagedLogError):
                store.write(**dict.fromkeys((*FACTS, *AXES), "x"))  # type: ignore[arg-type]
            assert (place / "current.json").read_bytes() == data
            assert "moved_to" in store.clear()
        else:
            assert entry is not None
            assert entry["turn_id"] >= 1
            dump(entry).encode("utf-8")
            repr(entry), entry._repr_html_()
            assert store.write(**dict.fromkeys((*FACTS, *AXES), "x"))["turn_id"] == entry["turn_id"] + 1  # type: ignore[arg-type]

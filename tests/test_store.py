"""The store: what a write, a read and a clear promise, whatever is in the way."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from coglog_nb import CogLog, DamagedLogError, Entry, StoreError, ValidationError, render
from coglog_nb.entry import as_entry
from coglog_nb.fields import schema
from coglog_nb.html_form import page_source, static_card
from coglog_nb.prompt import context
from coglog_nb.text_form import markdown, plain_text


def current(store: CogLog) -> Path:
    return store.current_file


def test_nothing_stored(store: CogLog) -> None:
    assert store.read() is None
    assert store.clear() == {"cleared": False, "reason": "no existing coglog"}
    assert not store.data_dir.exists(), "read and clear never create a directory"


def test_write_then_read(store: CogLog, turn: dict[str, Any]) -> None:
    written = store.write(**turn)
    assert written["turn_id"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", written["timestamp"])
    assert written["_schema"] == schema()
    assert store.read() == written
    assert list(store.read() or Entry()) == list(written)


def test_each_write_replaces_the_previous_turn(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    second = store.write(**{**turn, "user": "And the next?"})
    assert second["turn_id"] == 2
    assert store.read() == second
    assert sorted(path.name for path in store.data_dir.iterdir()) == ["current.json", "current.json.lock"]


def test_replace_keeps_the_turn_id(store: CogLog, turn: dict[str, Any]) -> None:
    assert store.write(**turn, replace=True)["turn_id"] == 1
    store.write(**turn)
    replaced = store.write(**{**turn, "user": "again"}, replace=True)
    assert replaced["turn_id"] == 2
    assert store.read() == replaced


def test_clear(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    assert store.clear() == {"cleared": True}
    assert store.read() is None
    assert store.write(**turn)["turn_id"] == 1


def test_an_argument_left_out_is_named_with_all_others(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    with pytest.raises(ValidationError) as caught:
        store.write(user="only this")
    assert len(caught.value.problems) == 6
    assert (store.read() or Entry())["layers"]["user"] == turn["user"]


def test_an_unknown_argument_is_not_swallowed(store: CogLog, turn: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="mood"):
        store.write(**turn, mood="fine")  # type: ignore[call-arg]


def test_changing_a_returned_entry_changes_no_later_write(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**turn)
    entry["_schema"]["fact_layer"]["user"] = "mine"
    entry["layers"]["user"] = "mine"
    again = store.write(**turn)
    assert again["_schema"] == schema()
    assert again["layers"]["user"] == turn["user"]


@pytest.mark.parametrize(
    "text",
    [
        "\nleading newline",
        "trailing newline\n",
        "a\r\nb\rc",
        "tab\there",
        "nul\0nul",
        "back\\slash \\n \\u0041",
        "</script><!-- ]]>",
        "line\u2028and\u2029paragraph",
        "emoji 🙂 👩‍👩‍👧",
        "{} {x} $HOME ${x} %s",
        "日本語 العربية עברית",
        "\ufeffbom",
        " ",
    ],
)
def test_text_is_kept_verbatim(text: str, store: CogLog, turn: dict[str, Any]) -> None:
    given: dict[str, Any] = dict.fromkeys(turn, text)
    store.write(**given)
    entry = store.read() or Entry()
    assert {**entry["layers"], **{key: entry[key] for key in list(turn)[3:]}} == given


def test_the_file_is_utf8_without_bom_lf_indent_2_non_ascii_kept(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**{**turn, "user": "日本語\nzwei\r\n"})
    data = current(store).read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert "日本語".encode() in data
    assert data.decode() == json.dumps(entry, ensure_ascii=False, indent=2)


def test_sessions_are_windows_of_their_own(tmp_path: Path, turn: dict[str, Any]) -> None:
    default, npc = CogLog(tmp_path), CogLog(tmp_path, session="npc")
    default.write(**turn)
    assert npc.read() is None
    npc.write(**turn)
    npc.write(**turn)
    assert (default.read() or Entry())["turn_id"] == 1
    entry = npc.read()
    assert entry is not None
    assert entry["turn_id"] == 2
    assert entry.session == "npc"
    npc.clear()
    assert default.read() is not None


def test_a_linked_file_stays_a_link_and_its_target_is_replaced(
    tmp_path: Path, store: CogLog, turn: dict[str, Any]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store.write(**turn)
    current(store).rename(elsewhere / "turn.json")
    current(store).symlink_to(elsewhere / "turn.json")
    assert store.write(**turn)["turn_id"] == 2
    assert current(store).is_symlink()
    assert json.loads((elsewhere / "turn.json").read_text())["turn_id"] == 2
    assert (elsewhere / "turn.json.lock").exists(), "two names of one file share its lock"
    assert store.clear() == {"cleared": True}
    assert not (elsewhere / "turn.json").exists()
    assert store.write(**turn)["turn_id"] == 1


def test_a_dangling_link_is_named(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).unlink()
    current(store).symlink_to("gone.json")
    for call in (store.read, store.clear, lambda: store.write(**turn)):
        with pytest.raises(StoreError, match=r"current\.json is a link to gone\.json, which does not exist"):
            call()


def test_a_circular_link_is_named(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).unlink()
    current(store).symlink_to("current.json")
    for call in (store.read, store.clear, lambda: store.write(**turn)):
        with pytest.raises(StoreError, match=r"current\.json"):
            call()


def test_a_data_directory_that_is_a_link_to_nowhere_is_named(tmp_path: Path, turn: dict[str, Any]) -> None:
    (tmp_path / "log").symlink_to("gone")
    store = CogLog(tmp_path / "log")
    for call in (store.read, store.clear, lambda: store.write(**turn)):
        with pytest.raises(StoreError, match="log"):
            call()


def test_a_file_where_the_directory_should_be_is_named(tmp_path: Path, turn: dict[str, Any]) -> None:
    (tmp_path / "log").write_text("a file")
    store = CogLog(tmp_path / "log")
    with pytest.raises(StoreError, match=r"log.*not a directory"):
        store.write(**turn)
    with pytest.raises(StoreError, match=re.compile(r"log.*not a directory", re.IGNORECASE)):
        store.read()


DAMAGE = {
    "empty": b"",
    "blank": b" \n",
    "cut": b'{"turn_id": 1, "layers": {"us',
    "utf-16": '{"turn_id": 1}'.encode("utf-16"),
    "binary": bytes(range(256)),
    "null": b"null",
    "list": b"[]",
    "list of one": b"[1]",
    "object": b"{}",
    "number": b"7",
    "string": b'"abc"',
    "NaN": b'{"turn_id": NaN}',
    "1e400": b'{"turn_id": 1e400}',
    "nested": b"[" * 100_000,
    "digits": b'{"turn_id": ' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("data", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_reported_kept_and_moved_aside(data: bytes, store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).write_bytes(data)
    for call in (store.read, lambda: store.write(**turn), lambda: store.write(**turn, replace=True)):
        with pytest.raises(DamagedLogError) as caught:
            call()
        assert caught.value.path == str(current(store))
        assert caught.value.reason
        assert "clear" in str(caught.value)
        assert "int_max_str_digits" not in str(caught.value)
    assert current(store).read_bytes() == data
    result = store.clear()
    moved = Path(result["moved_to"])
    assert result["cleared"] is True
    assert moved.read_bytes() == data
    assert re.fullmatch(r"current\.json\.damaged-\d{8}T\d{6}Z", moved.name)
    assert store.write(**turn)["turn_id"] == 1


def test_damage_twice_in_a_second_keeps_both(store: CogLog, turn: dict[str, Any]) -> None:
    moved = set()
    for text in ("one", "two", "three"):
        store.write(**turn)
        current(store).write_text(text)
        moved.add(store.clear()["moved_to"])
    assert {Path(path).read_text() for path in moved} == {"one", "two", "three"}


def test_an_unpaired_surrogate_in_the_file_is_damage(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**{**turn, "user": "HERE"})
    text = current(store).read_text(encoding="utf-8")
    current(store).write_text(text.replace("HERE", r"\ud83d"), encoding="utf-8")
    with pytest.raises(DamagedLogError, match="surrogate"):
        store.read()
    current(store).write_text(text.replace("HERE", r"\ud83d\ude42"), encoding="utf-8")
    assert (store.read() or Entry())["layers"]["user"] == "🙂"


def test_a_directory_or_a_pipe_in_the_files_place_is_damage(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).unlink()
    current(store).mkdir()
    for call in (store.read, lambda: store.write(**turn)):
        with pytest.raises(DamagedLogError, match="directory"):
            call()
    assert "moved_to" in store.clear()
    os.mkfifo(current(store))
    with pytest.raises(DamagedLogError, match="regular"):
        store.read()


def test_an_older_entry_a_bom_and_unknown_keys_are_not_damage(store: CogLog, turn: dict[str, Any]) -> None:
    old = dict(store.write(**turn), version="0.8", extra=[1, {"a": None}])
    del old["current_focus"]
    current(store).write_bytes(b"\xef\xbb\xbf" + json.dumps(old).encode())
    entry = store.read()
    assert entry is not None
    assert entry.missing == ("current_focus",)
    assert entry["extra"] == [1, {"a": None}]
    assert store.write(**turn)["turn_id"] == 2


def test_timestamps_of_other_implementations_are_kept_as_they_are(store: CogLog, turn: dict[str, Any]) -> None:
    for timestamp in ("2026-02-26T00:00:00Z", "2026-02-26T00:00:00.123456+09:00", "yesterday", ""):
        entry = dict(store.write(**turn), timestamp=timestamp)
        current(store).write_text(json.dumps(entry))
        assert (store.read() or Entry())["timestamp"] == timestamp


def test_the_last_turn_id_is_the_end(store: CogLog, turn: dict[str, Any]) -> None:
    entry = dict(store.write(**turn), turn_id=2**53 - 1)
    current(store).write_text(json.dumps(entry))
    with pytest.raises(StoreError, match="last turn id"):
        store.write(**turn)
    assert store.write(**turn, replace=True)["turn_id"] == 2**53 - 1


@pytest.mark.parametrize("value", [-1, float("nan"), "10", None, True])
def test_a_lock_timeout_is_a_time(value: Any, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="lock_timeout"):
        CogLog(tmp_path, lock_timeout=value)


@pytest.mark.parametrize(("call", "ending"), [("mkdir", "log"), ("open", "current.json.lock")])
def test_a_directory_that_cannot_be_written_is_named(
    call: str, ending: str, store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's refusal is played: it lets root write anywhere."""
    import errno

    real = getattr(os, call)

    def refuse(path: Any, *args: Any, **kwargs: Any) -> Any:
        if str(path).endswith(ending):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(StoreError, match=rf"^cannot (create|lock) .*{ending}: Permission denied$") as caught:
        store.write(**turn)
    assert caught.value.path.endswith(ending)
    assert isinstance(caught.value.__cause__, PermissionError)


def test_a_file_that_cannot_be_read_is_named(
    store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    store.write(**turn)

    def refuse(path: Any, *_: Any) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError, match=r"^cannot read .*current\.json: Permission denied$"):
        store.read()


def test_repr_and_properties(tmp_path: Path) -> None:
    store = CogLog(tmp_path, session="npc")
    assert repr(store) == f"CogLog({str(tmp_path)!r}, session='npc')"
    assert store.origin == "given"


@pytest.mark.parametrize("name", ["turn_id", "timestamp", "layers", "_schema", "annotation", "user", "thinking"])
def test_a_key_of_ours_that_is_there_twice_is_damage(name: str, store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**turn)
    value = json.dumps(entry["layers"][name] if name in entry["layers"] else entry[name])
    text = current(store).read_text(encoding="utf-8")
    at = text.index(f'"{name}": ', text.index('"layers"') if name in entry["layers"] else 0)
    if name == "annotation":
        at = text.rindex(f'"{name}": ')
    escaped = f'"\\u{ord(name[0]):04x}{name[1:]}"'
    for key in (f'"{name}"', escaped):
        current(store).write_text(f"{text[:at]}{key}: {value}, {text[at:]}", encoding="utf-8")
        for call in (store.read, lambda: store.write(**turn)):
            with pytest.raises(DamagedLogError, match=f'holds the key "{name}" twice'):
                call()
    assert "moved_to" in store.clear()


def test_a_foreign_key_that_is_there_twice_is_no_damage(store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    text = current(store).read_text(encoding="utf-8")
    foreign = '"mood": 1, "mood": 2, "extra": {"user": 1, "user": 2, "layers": []}, '
    current(store).write_text("{" + foreign + text[1:], encoding="utf-8")
    assert (store.read() or Entry())["mood"] == 2


def nested(levels: int, shape: str = "list") -> Any:
    value: Any = "core"
    for level in range(levels):
        value = {"a": value} if shape == "dict" or (shape == "mixed" and level % 2) else [value]
    return value


@pytest.mark.parametrize("levels", [50, 150, 198, 199, 200, 500, 900, *range(975, 1000, 3), 1500, 3000])
@pytest.mark.parametrize("shape", ["list", "dict", "mixed"])
@pytest.mark.parametrize("place", ["entry", "_schema", "layers"])
def test_what_is_nested_deeply_is_either_read_and_shown_or_damage(
    place: str, shape: str, levels: int, store: CogLog, turn: dict[str, Any]
) -> None:
    entry: dict[str, Any] = dict(store.write(**turn))
    text = json.dumps({**entry, "layers": entry["layers"]})
    opening = {"entry": "{", "_schema": '"_schema": {', "layers": '"layers": {'}[place]
    value = ("[" * levels + "1" + "]" * levels) if shape == "list" else ('{"a":' * levels + "1" + "}" * levels)
    if shape == "mixed":
        levels -= levels % 2
        value = '{"a":[' * (levels // 2) + "1" + "]}" * (levels // 2)
    deep = text.replace(opening, f'{opening}"deep": {value}, ', 1)
    current(store).write_text(deep)
    given = {**entry, "deep": nested(levels, shape)} if place == "entry" else None
    if levels + (1 if place == "entry" else 2) > 200:
        for call in (store.read, lambda: store.write(**turn)):
            with pytest.raises(DamagedLogError, match="nested too deeply"):
                call()
        assert "moved_to" in store.clear()
        if given is not None:
            for refused in (lambda: as_entry(given), lambda: store.import_entry(given), lambda: render(given)):
                with pytest.raises(ValidationError, match="nested too deeply"):
                    refused()
        return
    read = store.read()
    assert read is not None
    assert static_card(read.view())
    assert page_source(read.view())
    assert markdown(read.view())
    assert plain_text(read.view())
    assert context(read)
    store.import_entry(read, replace=True)
    assert store.read() == read


def test_an_entry_that_contains_itself_is_nested_too_deeply(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**turn)
    entry["self"] = [entry, entry]
    assert "nested too deeply" in (entry.problem() or "")
    for call in (lambda: render(entry), lambda: store.import_entry(entry, replace=True)):
        with pytest.raises(ValidationError, match="nested too deeply"):
            call()


@pytest.mark.parametrize("kind", ["socket", "device", "unknown device"])
def test_a_socket_or_a_device_in_the_files_place_is_damage(kind: str, store: CogLog, turn: dict[str, Any]) -> None:
    store.write(**turn)
    current(store).unlink()
    if kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            os.chdir(store.data_dir)  # the path of a socket may have about 100 characters
            server.bind("current.json")
    else:
        try:
            os.mknod(
                current(store), stat.S_IFCHR | 0o600, os.makedev(1, 3) if kind == "device" else os.makedev(250, 250)
            )
        except PermissionError:
            pytest.skip("only root makes a device")
    for call in (store.read, lambda: store.write(**turn)):
        with pytest.raises(DamagedLogError, match="regular"):
            call()
    moved = Path(store.clear()["moved_to"])
    assert not moved.is_file()
    assert os.path.lexists(moved)
    assert store.write(**turn)["turn_id"] == 1


# ---- links: nothing ever happens to a file that isn't a turn


def test_clear_moves_the_link_itself_where_its_target_is_not_a_file(
    tmp_path: Path, store: CogLog, turn: dict[str, Any]
) -> None:
    """`ln -s /dev/null current.json` is how people keep programs from remembering."""
    store.write(**turn)
    documents = tmp_path / "Documents"
    documents.mkdir()
    (documents / "letter").write_text("dear")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (documents, pipe):
        current(store).unlink(missing_ok=True)
        current(store).symlink_to(target)
        with pytest.raises(DamagedLogError):
            store.write(**turn)
        moved = Path(store.clear()["moved_to"])
        assert moved.is_symlink()
        assert moved.parent == store.data_dir
        assert target.exists()
        assert not Path(f"{target}.lock").exists()
    assert (documents / "letter").read_text() == "dear"
    assert store.write(**turn)["turn_id"] == 1


def test_damage_behind_a_link_is_moved_aside_in_its_own_directory(
    tmp_path: Path, store: CogLog, turn: dict[str, Any]
) -> None:
    store.write(**turn)
    target = tmp_path / "turn.json"
    target.write_text("[]")
    current(store).unlink()
    current(store).symlink_to(target)
    moved = Path(store.clear()["moved_to"])
    assert moved.read_text() == "[]"
    assert not os.path.lexists(current(store))
    assert store.write(**turn)["turn_id"] == 1


def test_clear_takes_the_link_away_before_the_file(tmp_path: Path, store: CogLog, turn: dict[str, Any]) -> None:
    """Killed in between, it must not leave a link that leads nowhere: that stops every write."""
    store.write(**turn)
    current(store).rename(tmp_path / "turn.json")
    current(store).symlink_to(tmp_path / "turn.json")
    removed: list[str] = []
    unlink = os.unlink
    with pytest.MonkeyPatch.context() as patch:

        def seen(path: Any) -> None:
            removed.append(Path(path).name)
            unlink(path)

        patch.setattr(os, "unlink", seen)
        store.clear()
    assert removed == ["current.json", "turn.json"]


@pytest.mark.parametrize("call", ["unlink", "rename"])
def test_a_refusal_in_clear_is_reported(
    call: str, store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    store.write(**turn)
    if call == "rename":
        current(store).write_text("[]")

    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(StoreError, match=r"cannot (remove|move aside) .*current\.json: Permission denied"):
        store.clear()


def test_a_writer_that_waited_while_the_link_went_away_writes_to_the_window(
    tmp_path: Path, store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(**turn)
    target = tmp_path / "turn.json"
    current(store).rename(target)
    current(store).symlink_to(target)
    take = fcntl.flock
    first = [True]

    def cleared_meanwhile(descriptor: int, how: int) -> None:
        if first and how & fcntl.LOCK_EX:
            first.clear()
            current(store).unlink()
            target.unlink()
        take(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", cleared_meanwhile)
    written = store.write(**turn)
    assert store.read() == written
    assert not target.exists()


def test_a_linked_sessions_directory_is_refused(tmp_path: Path, turn: dict[str, Any]) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "log" / "sessions").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError, match="npc"):
        CogLog(tmp_path / "log", session="npc").write(**turn)
    assert not list((tmp_path / "outside").iterdir())


# ---- the lock


def test_a_file_too_large_to_read_is_damage(
    store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(**turn)

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(json, "loads", exhausted)
        with pytest.raises(DamagedLogError, match="too large"):
            store.read()


def test_non_json_numbers_stay_text(store: CogLog, turn: dict[str, Any]) -> None:
    """Python's own reader takes NaN and writes it again, and then nobody else can read it."""
    entry = dict(store.write(**turn), score=float("nan"), far=float("inf"), near=0.5)
    text = json.dumps(entry).replace('"near": 0.5', '"near": 0.5, "huge": 1e999')
    current(store).write_text(text)
    read = store.read() or Entry()
    assert [read[key] for key in ("score", "far", "near", "huge")] == ["NaN", "Infinity", 0.5, "1e999"]
    json.dumps(read, allow_nan=False)

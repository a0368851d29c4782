from __future__ import annotations

import html
import json
import re
import stat
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from coglog_nb import CogLog, StoreError, ValidationError, artifact, built_files, html_form, paths, render, text_form
from coglog_nb.entry import as_entry, restore
from coglog_nb.fields import NAMES
from coglog_nb.limits import FIELD_LIMIT

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "\n</script><b>&amp;\"'`\\ ${x} {y} %{text} \u2028 \x1b[31m \r \0 🙂 __proto__"


class Pre(HTMLParser):
    """Collects what each `<pre>` would hold in a browser, as the parsing rules have it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag == "pre":
            self.open = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self.open = False
            # A parser drops one newline right after the tag.
            self.texts[-1] = self.texts[-1].removeprefix("\n")

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[-1] += data


def static_card(entry: Any) -> str:
    return html_form.static_card(as_entry(entry).view())


def plain_text(entry: Any) -> str:
    return text_form.plain_text(as_entry(entry).view())


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


def test_a_sessions_artifact_bears_its_name(tmp_path: Path, turn: dict[str, Any]) -> None:
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


def test_a_checkout_without_a_built_viewer_says_what_to_do(entry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_files, "__file__", "/nowhere/built_files.py")
    monkeypatch.setattr(built_files, "_cache", {})
    monkeypatch.setattr(html_form, "_fragments", {})
    with pytest.raises(StoreError, match="make build"):
        static_card(entry)


# ---- the static card


def test_the_static_card_holds_every_text_exactly(store: CogLog, turn: dict[str, Any]) -> None:
    texts: dict[str, Any] = {name: f"{HOSTILE} {name}" for name in turn}
    card = static_card(store.write(**texts))
    shown = Pre(card).texts
    for text in texts.values():
        # NUL has no form in HTML; its picture stands for it.
        assert text.replace("\0", "\u2400") in shown
    assert "<b>&amp;" not in card
    assert "\r" not in card


def test_the_static_card_names_all_seven_parts_and_the_turn(entry: Any) -> None:
    card = static_card(entry)
    for words in (
        *NAMES,
        "Turn 1",
        entry["timestamp"],
        "0.9.1",
        "present",
        "other",
        "self",
        "future",
        "(empty)",
        "_schema",
    ):
        assert words in card
    assert "window_size" in html.unescape(card)


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_neither_form_holds_addresses_or_unfilled_holes(make: Any, entry: Any) -> None:
    text = make(entry)
    assert not re.search(r"0x[0-9a-f]{6}| id=|%\{", text)


@pytest.mark.parametrize("make", [static_card, plain_text])
@pytest.mark.parametrize("character", ["x", "é", "語", "🙂"])
def test_no_more_than_20_kb_of_one_field(make: Any, character: str, store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**{**turn, "thinking": character * 50_000})
    text = make(entry)
    kept = text.count(character)
    assert len((character * kept).encode()) <= 20_480
    assert f"{50_000 - (kept if character != 'x' else FIELD_LIMIT):,}" in text
    assert "50,000" in text


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_a_field_of_20_kb_is_whole(make: Any, store: CogLog, turn: dict[str, Any]) -> None:
    assert "left out" not in make(store.write(**{**turn, "thinking": "y" * FIELD_LIMIT}))


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_missing_hidden_and_empty_are_told_apart(make: Any, entry: Any) -> None:
    stored = json.loads(json.dumps(entry))
    del stored["annotation"]
    old = restore(stored)
    old.show_thinking = False
    text = make(old)
    assert "(missing" in text
    assert "(not shown)" in text
    assert "(empty)" in text
    assert "Start from an example." not in text


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_the_session_is_named(make: Any, tmp_path: Path, turn: dict[str, Any]) -> None:
    assert "npc-1" in make(CogLog(tmp_path, session="npc-1").write(**turn))


@pytest.mark.parametrize("make", [static_card, plain_text])
def test_foreign_values_of_an_entry_are_text_too(make: Any, entry: Any) -> None:
    stored = json.loads(json.dumps(entry))
    stored["timestamp"] = stored["_schema"]["version"] = "<script>alert(1)</script>\x1b"
    text = make(restore(stored))
    assert "<script>" not in text or make is plain_text
    assert "\x1b" not in text or make is static_card


# ---- text


def test_the_text_reads_well_alone(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**{**turn, "assistant": "two\n\n  lines"})
    assert plain_text(entry).replace(entry["timestamp"], "TIME") == (
        "CogLog 0.9.1 · Turn 1 · TIME\n"
        "\n"
        "Fact layer\n"
        "  user\n"
        "    What is a fixed point?\n"
        "  thinking\n"
        "    Start from an example.\n"
        "  assistant\n"
        "    two\n"
        "\n"
        "      lines\n"
        "\n"
        "Interpretation layer\n"
        "  current_focus (present)\n"
        "    fixed points\n"
        "  theory_of_mind (other)\n"
        "    (empty)\n"
        "  self_narrative (self)\n"
        "    a tutor\n"
        "  annotation (future)\n"
        "    ask for one of cos(x)"
    )


def test_a_terminal_is_not_given_control_characters(store: CogLog, turn: dict[str, Any]) -> None:
    entry = store.write(**{**turn, "user": "\x1b]0;title\x07 \x9b31m \x7f \r tab\there"})
    text = plain_text(entry)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert "tab\there" in text


# ---- entries that somebody changed, or that another tool wrote


def test_a_changed_entry_becomes_no_code(entry: Any) -> None:
    entry["turn_id"] = '<img src=x onerror="alert(1)">'
    assert entry._repr_html_() is None
    for make in (static_card, plain_text, render):
        with pytest.raises(ValidationError, match="turn_id"):
            make(entry)


SPOILED = [
    dict.clear,
    lambda e: e.update(layers=5),
    lambda e: e["layers"].update(user=5),
    lambda e: e.pop("annotation"),
    lambda e: e.pop("_schema"),
    lambda e: e.update(_schema={1, 2}),
]


@pytest.mark.parametrize("spoil", SPOILED)
def test_what_is_no_entry_any_more_shows_itself_as_the_dict_that_it_is(spoil: Any, entry: Any) -> None:
    from IPython.lib.pretty import pretty

    spoil(entry)
    entry.show_thinking = False
    assert entry._repr_html_() is None
    assert pretty(entry) == repr(entry) == dict.__repr__(entry)
    for make in (static_card, plain_text, render):
        with pytest.raises(ValidationError, match="not an entry"):
            make(entry)


def test_other_tools_keys_are_shown_nowhere(entry: Any, store: CogLog, tmp_path: Path) -> None:
    """They may say again what the thinking said."""
    stored = json.loads(json.dumps(entry))
    stored["layers"]["thinking_summary"] = stored["raw_thinking"] = "SECRET"
    store.current_file.write_text(json.dumps(stored))
    read = store.read()
    assert read is not None
    assert read["raw_thinking"] == "SECRET"
    read.show_thinking = False
    for text in (render(read, tmp_path).read_text(), static_card(read), plain_text(read), repr(read)):
        assert "SECRET" not in text


def test_a_long_schema_or_time_is_cut(entry: Any) -> None:
    entry["_schema"] = {"version": "v" * 50_000, "more": "m" * 50_000}
    entry["timestamp"] = "t" * 50_000
    for text in (static_card(entry), plain_text(entry)):
        assert len(text) < 30_000
    assert "characters left out" in static_card(entry)

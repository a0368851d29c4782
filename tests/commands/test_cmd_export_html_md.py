"""`export turn.html` and `export turn.md`: the whole turn, and whatever it says is text there."""

from __future__ import annotations

import json
import random
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import mistune
import pytest

from coglog_nb import CogLog, Entry
from coglog_nb.fields import AXES, FIELDS, NAMES
from coglog_nb.html_form import page_source
from coglog_nb.text_form import markdown
from coglog_nb.validation import flatten
from coglog_nb.view import values_of

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run

HOSTILE = (
    "\n\nleading, trailing\n\n",
    "</script><script>globalThis.hacked = 1</script><!-- ]]> </noscript></title><img src=x onerror=hacked=1>",
    "%{title} %{data} %{static} %{text} %{before} %{part:user} {{ x }} {% y %} ${z} `${hacked}`",
    "\"'`\\ \\n \\u0041 &amp; &lt; \\u003c \\",
    "```\n# not a heading\n````` \n~~~\n``` text\n[link](javascript:hacked) <b>bold</b> | a | b |\n---",
    "__proto__ constructor \u2028\u2029 \ufeff \r \r\n \t \0 \x7f \x9b \x1b[31m",
    "    # indented\n\n- list\n\n> quote\n\n***\n\n<details>\n\n$x$",
    "日本語 🙂 👩‍👩‍👧 العربية e\u0301",
)
PIECES = [
    *"\\\"'`{}$%<>&\n\r\t\0\u2028\u0085#-~|*_[]() ",
    "</script>",
    "<!--",
    "%{data}",
    "```",
    "é",
    "🙂",
    "&#10;",
    "--",
]


def generated(count: int) -> list[str]:
    chance = random.Random(4)  # noqa: S311 - the same strings at every run
    return ["".join(chance.choices(PIECES, k=chance.randrange(1, 40))) for _ in range(count)]


class Page(HTMLParser):
    """What a browser makes of a page, as far as these tests ask."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.title = ""
        self.addresses: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        self.inside.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.inside[-1:] == ["script"]:
            attrs, text = self.scripts[-1]
            self.scripts[-1] = (attrs, text + data)
        elif self.inside[-1:] == ["title"]:
            self.title += data

    @property
    def turn(self) -> Any:
        (text,) = (text for attrs, text in self.scripts if attrs.get("id") == "turn")
        return json.loads(text)


def blocks_of(source: str) -> dict[str, Any]:
    """Read Markdown as its readers do: for each heading the text of its block, or the words that replace one."""
    found: dict[str, Any] = {}
    heading = ""
    for token in mistune.create_markdown(renderer=None, plugins=["table", "strikethrough", "url"])(source):
        assert isinstance(token, dict)
        if token["type"] == "heading":
            heading = "".join(child.get("raw", "") for child in token["children"])
            found[heading] = None
        elif token["type"] == "block_code":
            assert found[heading] is None
            assert token["marker"].startswith("`")
            found[heading] = token["raw"].rstrip("\n")
        elif token["type"] != "blank_line":
            assert token["type"] == "paragraph"
            assert found[heading] is None
            found[heading] = ("".join(child["raw"] for child in token["children"]),)
    return found


def heading_of(name: str) -> str:
    (field,) = (field for field in FIELDS if field.name == name)
    return f"{name} ({field.direction})" if field.direction else name


def as_markdown_reads(text: str) -> str:
    # The three ends of a line are one to Markdown's readers, and this one drops the last of a block.
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def entry_of(store: CogLog, texts: dict[str, str]) -> Entry:
    return store.write(**texts)  # type: ignore[arg-type]


def test_html_is_exported(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "turn.html"
    run("write", "--session", "mira", stdin=turn)
    result = run("export", str(file), "--session", "mira", "--theme", "dark")
    assert (result.code, result.out, result.err) == (0, f"coglog: exported → {file}\n", "")
    source = file.read_text(encoding="utf-8")
    page = Page(source)
    assert page.title == "CogLog · Turn 1 · session mira"
    assert page.turn == {
        "turn": {
            "entry": CogLog(session="mira").read(),
            "fields": [
                {key: getattr(field, key) for key in ("name", "label", "layer", "direction", "question")}
                for field in FIELDS
            ],
            "missing": [],
            "hidden": [],
        },
        "session": "mira",
        "theme": "dark",
    }
    assert "%{" not in source
    assert "coglog-static" in source
    assert page.addresses == []
    assert not re.search(r"https?://", re.sub(r"http://www\.w3\.org/\d+/\w+", "", source))


def test_html_is_small(store: CogLog, turn: dict[str, Any]) -> None:
    small = entry_of(store, {**dict.fromkeys(NAMES, "x")})
    assert len(page_source(small.view()).encode()) <= 60 * 1024
    large = entry_of(store, {**turn, "assistant": "日本語 " * 100_000})
    growth = len(page_source(large.view()).encode()) - len(page_source(small.view()).encode())
    assert growth < 1.03 * len(large["layers"]["assistant"].encode()), "the text stands there once"


def test_the_default_session_is_null(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    run("write", stdin=turn)
    run("export", str(tmp_path / "t.HTML"))
    page = Page((tmp_path / "t.HTML").read_text(encoding="utf-8"))
    assert page.turn["session"] is None
    assert page.turn["theme"] == "system"
    assert page.title == "CogLog · Turn 1"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text_in_html(text: str, store: CogLog) -> None:
    plain = page_source(entry_of(store, dict.fromkeys(NAMES, "x")).view())
    entry = entry_of(store, dict.fromkeys(NAMES, text))
    source = page_source(entry.view())
    page = Page(source)
    assert page.turn["turn"]["entry"] == entry
    assert len(page.scripts) == len(Page(plain).scripts)
    assert page.addresses == []
    (inside,) = re.findall(r'<script[^>]*id="turn"[^>]*>(.*?)</script>', source, re.DOTALL)
    assert not set(inside) & set("<>&\u2028\u2029\0\r\n")


def test_200_generated_strings_are_text_in_html_and_markdown(store: CogLog) -> None:
    texts = generated(200)
    for start in range(0, len(texts), len(NAMES)):
        some = (texts[start:] + ["x"] * len(NAMES))[: len(NAMES)]
        entry = entry_of(store, dict(zip(NAMES, some, strict=True)))
        assert Page(page_source(entry.view())).turn["turn"]["entry"] == entry
        found = blocks_of(markdown(entry.view()))
        for name, text in values_of(entry).items():
            assert found[heading_of(name)] == as_markdown_reads(text)


def test_keys_that_only_python_takes_for_harmless(store: CogLog, turn: dict[str, Any]) -> None:
    entry = entry_of(store, turn)
    entry["_schema"]["__proto__"] = {"polluted": "</script>"}
    entry["timestamp"] = '</title></script><b>"`# now'
    page = Page(page_source(entry.view()))
    assert page.turn["turn"]["entry"] == entry
    assert page.title == "CogLog · Turn 1"
    heading = next(iter(blocks_of(markdown(entry.view()))))
    assert heading == 'CogLog · Turn 1 · </title></script><b>"`# now'


def test_markdown_is_exported(run: Run, turn: dict[str, Any], tmp_path: Path) -> None:
    run("write", "--session", "mira-2_", stdin=turn)
    file = tmp_path / "turn.md"
    result = run("export", str(file), "--session", "mira-2_")
    assert (result.code, result.out) == (0, f"coglog: exported → {file}\n")
    entry = CogLog(session="mira-2_").read()
    assert entry is not None
    assert file.read_bytes().decode() == (
        f"# CogLog · Turn 1 · {entry['timestamp']} · session `mira-2_`\n"
        "\n## Fact layer\n"
        "\n### user\n\n```text\nWhat is a fixed point?\n```\n"
        "\n### thinking\n\n```text\nStart from an example.\n```\n"
        "\n### assistant\n\n```text\nA value that a function maps to itself.\n```\n"
        "\n## Interpretation layer\n"
        "\n### current_focus (present)\n\n```text\nfixed points\n```\n"
        "\n### theory_of_mind (other)\n\n(empty)\n"
        "\n### self_narrative (self)\n\n```text\na tutor\n```\n"
        "\n### annotation (future)\n\n```text\nask for one of cos(x)\n```\n"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text_in_markdown(text: str, store: CogLog) -> None:
    source = markdown(entry_of(store, dict.fromkeys(NAMES, text)).view())
    assert source.count(text) >= len(NAMES), "verbatim"
    found = blocks_of(source)
    assert list(found)[1:] == [
        "Fact layer",
        *("user", "thinking", "assistant"),
        "Interpretation layer",
        *map(heading_of, AXES),
    ]
    for name in NAMES:
        assert found[heading_of(name)] == as_markdown_reads(text)


@pytest.mark.parametrize("text", ["(empty)", "(not shown)", "(missing)"])
def test_words_in_parentheses_are_told_from_states(text: str, store: CogLog) -> None:
    found = blocks_of(markdown(entry_of(store, {**dict.fromkeys(NAMES, text), "annotation": ""}).view()))
    assert found["user"] == text
    assert found["annotation (future)"] == ("(empty)",)


def test_missing_and_hidden_in_both(run: Run, store: CogLog, turn: dict[str, Any], tmp_path: Path) -> None:
    entry_of(store, {**turn, "thinking": "a secret"})
    stored = json.loads(store.current_file.read_text(encoding="utf-8"))
    del stored["self_narrative"]
    store.current_file.write_text(json.dumps(stored), encoding="utf-8")
    options = (f"--coglog-dir={store.data_dir}", "--no-thinking")
    for ending in ("html", "md"):
        assert run("export", str(tmp_path / f"t.{ending}"), *options).code == 0
        text = (tmp_path / f"t.{ending}").read_text(encoding="utf-8")
        assert "a secret" not in text
        assert "(not shown)" in text
        assert "(missing)" in text
    found = blocks_of((tmp_path / "t.md").read_text(encoding="utf-8"))
    assert found["thinking"] == ("(not shown)",)
    assert found["self_narrative (self)"] == ("(missing) not in this entry",)
    data = Page((tmp_path / "t.html").read_text(encoding="utf-8")).turn["turn"]
    assert (data["missing"], data["hidden"]) == (["self_narrative"], ["thinking"])


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("turn.htm", "did you mean .html?"),
        ("turn.markdown", "did you mean .md?"),
        ("turn.mdd", "did you mean .md?"),
        ("turn.txt", "PATH ends in .json, .jsx, .html or .md"),
    ],
)
def test_an_unknown_ending_gets_the_known_ones(path: str, words: str, run: Run, turn: dict[str, Any]) -> None:
    run("write", stdin=turn)
    result = run("export", path)
    assert (result.code, result.out) == (2, "")
    assert words in result.err


def test_what_is_exported_is_what_is_stored(store: CogLog) -> None:
    texts = dict(zip(NAMES, HOSTILE, strict=False))
    entry = entry_of(store, texts)
    assert flatten(Page(page_source(entry.view())).turn["turn"]["entry"]) == texts

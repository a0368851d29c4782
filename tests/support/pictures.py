"""What the pictures of the README show, and how a stale one is told."""

from __future__ import annotations

import hashlib
import json

from jlab import QUICKSTART, ROOT, read

FOLDER = ROOT / "docs" / "images"
RECORD = FOLDER / "cards.json"
THEMES = ("light", "dark")
LIMIT = 250_000  # bytes a picture


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def picture(theme: str) -> str:
    """Return the file name of a theme's picture."""
    return f"card-{theme}.png"


def today() -> dict[str, str]:
    """Say what a picture made today would be made of."""
    static = ROOT / "coglog_nb" / "static"
    source = next(cell["source"] for cell in read(QUICKSTART)["cells"] if "%%coglog write" in cell["source"])
    return {
        **{name: _hash((static / name).read_bytes()) for name in ("card.js", "card-loader.js")},
        "turn": _hash(source.encode()),
    }


def on_disk() -> dict[str, str]:
    """Say which pictures there are."""
    return {picture(theme): _hash((FOLDER / picture(theme)).read_bytes()) for theme in THEMES}


def record() -> None:
    """Write down what the pictures were made of."""
    content = {"made_by": "scripts/take_pictures.py", "made_of": today(), "pictures": on_disk()}
    RECORD.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8", newline="\n")

"""Put what packaging/identity.toml says into pyproject.toml, CITATION.cff and SECURITY.md.

    python scripts/fill_identity.py            # write the three files
    python scripts/fill_identity.py --check    # write nothing; exit with 1 if a file needs a change

An empty place leaves no entry, and a second run changes nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # comes with pytest there

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("repository", "docs", "contact")

ADDRESS = re.compile(r"https://[^\s\"'<>]+")
MAIL = re.compile(r"[^\s\"'<>@]+@[^\s\"'<>@]+")

NO_CONTACT = "No address is set yet. Ask the person or the place that you have this copy from, and not in public."


def read_identity(root: Path) -> dict[str, str]:
    """Read the three places.

    Parameters
    ----------
    root : pathlib.Path
        The folder of the project.

    Returns
    -------
    dict of str to str
        The value of each place, ``""`` where it is empty.

    Raises
    ------
    ValueError
        If the file has another key, a place is missing, or a value is neither empty nor an address.
    """
    path = root / "packaging" / "identity.toml"
    values: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    if set(values) != set(PLACES):
        raise ValueError(f"{path}: the keys must be {', '.join(PLACES)}, not {', '.join(values) or 'none'}")
    for place, value in values.items():
        kinds = [ADDRESS, MAIL] if place == "contact" else [ADDRESS]
        if value and not any(kind.fullmatch(str(value)) for kind in kinds):
            what = "a mail address or an https:// address" if place == "contact" else "an https:// address"
            raise ValueError(f"{path}: {place} must be empty or {what}, not {value!r}")
    return values


def fill_pyproject(text: str, identity: dict[str, str]) -> str:
    """Replace the table ``[project.urls]``, or remove it if there is no address."""
    text = re.sub(r"\[project\.urls\]\n(?:[^\[\n].*\n)*\n", "", text)
    names = {"Repository": identity["repository"], "Documentation": identity["docs"]}
    lines = [f'{name} = "{address}"\n' for name, address in names.items() if address]
    if not lines:
        return text
    table = f"[project.urls]\n{''.join(lines)}\n"
    return text.replace("[project.optional-dependencies]\n", f"{table}[project.optional-dependencies]\n", 1)


def fill_citation(text: str, identity: dict[str, str]) -> str:
    """Replace the two keys for addresses, which are at the end."""
    text = re.sub(r"^(?:repository-code|url): .*\n", "", text, flags=re.MULTILINE)
    keys = {"repository-code": identity["repository"], "url": identity["docs"]}
    return text + "".join(f'{key}: "{address}"\n' for key, address in keys.items() if address)


def fill_security(text: str, identity: dict[str, str]) -> str:
    """Replace the paragraph that says where to report a weakness."""
    contact = identity["contact"]
    said = f"Write to <{contact}>, and not in public." if contact else NO_CONTACT
    return re.sub(
        r"(<!-- contact: .*-->\n).*\n(<!-- end of contact -->)", lambda found: f"{found[1]}{said}\n{found[2]}", text
    )


FILLS = {"pyproject.toml": fill_pyproject, "CITATION.cff": fill_citation, "SECURITY.md": fill_security}


def main(argv: list[str] | None = None, root: Path = ROOT) -> int:
    """Fill the files, or only say which of them need a change."""
    parser = argparse.ArgumentParser(description="Put packaging/identity.toml into the files that name it.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file needs a change")
    checks = parser.parse_args(argv).check
    identity = read_identity(root)
    changed = False
    for name, fill in FILLS.items():
        path = root / name
        before = path.read_text(encoding="utf-8")
        after = fill(before, identity)
        if after != before:
            changed = True
            print(f"{name} needs a change" if checks else f"{name} changed")
            if not checks:
                path.write_text(after, encoding="utf-8", newline="\n")
    return int(checks and changed)


if __name__ == "__main__":
    sys.exit(main())

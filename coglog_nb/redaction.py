"""Taking keys and tokens out of a message: an error may repeat what was sent with the request."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

NOT_SHOWN = "(key not shown)"

_MARK = "\ufdd0"
"""Stands for a key until all are found, so that none is looked for in the words that replace another."""
_SHORTEST_SECRET = 8  # anything shorter may be a word of the message

_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_?[0-9]+|_[A-Z0-9]{1,12})?$", re.IGNORECASE
)
_VALUE = r"[^\s'\"<>,;(){}\[\]&]"
_QUOTED = r"\"[^\"\r\n]+\"|'[^'\r\n]+'"
# A short rest is a key only if it has a digit: a package's name may begin like one.
_REST = r"(?:[A-Za-z0-9_*.-]{7,}|(?=[A-Za-z_*.-]*[0-9])[A-Za-z0-9_*.-]{5,})[A-Za-z0-9_*-]"
# How the keys of providers look.
_KEY = re.compile(
    rf"\b(?:(?:[srp]k|csk|gsk|xai|hf|gh[opsur]|github_pat|glpat|nvapi|r8|pplx|fw|tvly|jina|xox[abeprs])[-_]|AIza|AKIA"
    rf"|ASIA|ya29\.){_REST}"
    rf"|\b(?:api|key)[-_](?=[A-Za-z_*.-]*[0-9]){_REST}"
    r"|\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*){0,3}|\beyJ[\w-]{20,}",  # a JSON Web Token
    re.IGNORECASE,
)
_IN_URL = re.compile(r"(?<=://)[^\s/?#'\"<>]+(?=@)")
# What follows the name of one: in a header, in an argument, in JSON, or in a sentence.
_NAMED = re.compile(
    rf"(?<![A-Za-z0-9])((?:(?:api|access|secret|subscription|private|client|account|auth|signing|master)[-_ ]?key"
    rf"|(?<!unexpected )(?:api|access|secret)?token|password|passwd|pwd|passphrase|secret|credentials?)"
    rf"['\"]?\s*[=:]\s*)(?:{_QUOTED}|['\"]?{_VALUE}{{3,}})",
    re.IGNORECASE,
)
_HEADER = re.compile(
    rf"\b((?:proxy-)?authorization['\"]?\s*[:=]\s*['\"]?(?:(?:bearer|basic|token|digest|key|apikey|negotiate)\s+)?)"
    rf"(?!bearer\b|basic\b){_VALUE}+"
    rf"|\b((?:set-)?cookie['\"]?\s*[:=]\s*['\"]?)[\w.-]+={_VALUE}+(?:;\s*[\w.-]+={_VALUE}+)*"
    rf"|(?<!\S)(--(?:[\w-]{{1,40}}-)?(?:key|token|password|secret)\s+)(?!-){_VALUE}+",  # an option of a command
    re.IGNORECASE,
)
_AFTER_A_WORD = re.compile(
    rf"(?<=bearer )(?:{_VALUE}{{8,}}|[^\s'\",;)}}\]]*[0-9._-][^\s'\",;)}}\]]+)"
    rf"|(?:(?<=api key: )|(?<=provided: )|(?<=[?&]key=)|(?<=[?&]sig=)|(?<=key is )(?=\S*[0-9])){_VALUE}+",
    re.IGNORECASE,
)


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Take keys out of a text that becomes a message. A fact or a reply is never changed.

    Parameters
    ----------
    text : str
        The message.
    secrets : iterable of str, optional
        Keys that are known. Those in environment variables, those that the `llm` library stores, and what looks like a
        key are taken out as well.
    """
    text = text.replace(NOT_SHOWN, _MARK)
    known = {value for name, value in os.environ.items() if _SECRET_NAME.search(name)}
    known.update(_stored_keys(), secrets)
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _MARK)
    text = _IN_URL.sub(_MARK, text)
    for pattern in (_HEADER, _NAMED):
        text = pattern.sub(lambda match: next(filter(None, match.groups())) + _MARK, text)
    text = _AFTER_A_WORD.sub(_MARK, _KEY.sub(_MARK, text))
    return re.sub(f"{_MARK}+", NOT_SHOWN, text)


def _stored_keys() -> set[str]:
    """Return the keys that the `llm` library stores, read without importing it."""
    folder = os.environ.get("LLM_USER_PATH") or os.path.join(_settings_folder(), "io.datasette.llm")
    keys: object = None
    # A damaged file must not hide the message.
    with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, "keys.json"), encoding="utf-8") as file:
        keys = json.load(file)
    if not isinstance(keys, dict):
        return set()
    return {value for name, value in keys.items() if isinstance(value, str) and not name.startswith("//")}


def _settings_folder() -> str:
    if sys.platform == "win32":
        return os.environ.get("APPDATA") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support")
    return os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")

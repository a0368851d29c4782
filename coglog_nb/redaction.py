"""Taking keys and tokens out of a message: an error may repeat what was sent with the request."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

NOT_SHOWN = "(key not shown)"

_SHORTEST_SECRET = 8  # anything shorter may be a word of the message

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
# After a prefix, a short text counts as a key only if it has a digit: a package's name may begin like one.
_REST = r"(?:[A-Za-z0-9_*.-]{7,}|(?=[A-Za-z_*.-]*[0-9])[A-Za-z0-9_*.-]{5,})[A-Za-z0-9_*-]"
# How the providers' keys look, and what follows the word for one: a server may repeat the key that it refuses.
_SECRET = re.compile(
    rf"\b(?:(?:[srp]k|gsk|xai|hf|ghp|nvapi|r8)[-_]|AIza|AKIA){_REST}"
    rf"|\b(?:api|key)[-_](?=[A-Za-z_*.-]*[0-9]){_REST}"
    r"|(?<=bearer )(?:[^\s'\",;)}\]]{8,}|[^\s'\",;)}\]]*[0-9._-][^\s'\",;)}\]]+)"
    r"|(?<=authorization: basic )[^\s'\",;)}\]]+"
    r"|(?:(?<=api key: )|(?<=provided: )|(?<=[?&]key=))[^\s'\",;)}\]&]+",
    re.IGNORECASE,
)
# As a header, an argument, or an item of a dict or of JSON.
_NAMED_SECRET = re.compile(
    r"\b((?:x[-_])?(?:goog[-_])?(?:api|access|secret)[-_]?(?:key|token)['\"]?\s*[:=]\s*['\"]?)[^\s'\",;)}\]&]+",
    re.IGNORECASE,
)


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Take keys out of a text that becomes a message.

    Parameters
    ----------
    text : str
        The message.
    secrets : iterable of str, optional
        Keys that are known. Those in environment variables, and what looks like a key, are taken out as well.
    """
    known = {value for name, value in os.environ.items() if _SECRET_NAME.search(name)}
    known.update(secrets)
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, NOT_SHOWN)
    return _SECRET.sub(NOT_SHOWN, _NAMED_SECRET.sub(rf"\1{NOT_SHOWN}", text))

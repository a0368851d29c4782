"""Keys and tokens taken out of text that becomes a message: an error may repeat what was sent with it."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

NOT_SHOWN = "(key not shown)"

_SHORTEST_SECRET = 8  # anything shorter may be a word of the message

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
# How the providers' keys look, and what follows the word for one: a server may repeat the key that it refuses.
_SECRET = re.compile(
    r"\b(?:[srp]k-|[srp]k_|gsk[-_]|xai[-_]|hf_|ghp_|nvapi-|r8_|AIza|AKIA)[A-Za-z0-9_*.-]{6,}"
    r"|\b(?:api|key)[-_](?=[A-Za-z_*.-]*[0-9])[A-Za-z0-9_*.-]{6,}"
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
    """Take keys out of a text: those given, those in the environment, and what looks like one."""
    known = {value for name, value in os.environ.items() if _SECRET_NAME.search(name)}
    known.update(secrets)
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, NOT_SHOWN)
    return _SECRET.sub(NOT_SHOWN, _NAMED_SECRET.sub(rf"\1{NOT_SHOWN}", text))

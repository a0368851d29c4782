"""A failed call of a model in one sentence, without the keys that the library's own words may hold."""

from __future__ import annotations

from ..redaction import without_secrets

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 500
"""How many characters of the library's own words are shown."""

_STATUS = {
    400: "refused the request",
    401: "refused the key",
    402: "asks for payment",
    403: "refused the key, or does not let it use this model",
    404: "does not know this model, or is at another address",
    408: "timed out",
    413: "says that the prompt is too long",
    429: "has had too many requests, or the quota is used up: wait and run the cell again",
}


def error_text(error: BaseException) -> str:
    """Return an error's own words in one line, or an empty string if its `str` fails."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - whatever its class does there, the original failure is what matters
        return ""
    return " ".join(words.split())


def traceback_shows_secrets(error: BaseException, secrets: Iterable[str] = ()) -> bool:
    """Return True if a traceback would show a key: in the words or notes of an error, or of one that led to it."""
    secrets = set(secrets)
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        for words in (error_text(each), *getattr(each, "__notes__", ())):
            if without_secrets(str(words), secrets) != words:
                return True
        waiting += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
    return False


def error_sentence(model: str, error: BaseException, secrets: Iterable[str] = ()) -> str:
    """Return one sentence that says what went wrong in a call of a model.

    Parameters
    ----------
    model : str
        The model's name.
    error : BaseException
        What was raised. Its class name and its ``status_code`` tell the kind: the providers' libraries have no common
        base class.
    secrets : iterable of str, optional
        Keys that must not be in the sentence.
    """
    words = without_secrets(error_text(error), secrets)
    words = words if len(words) <= _LONGEST else words[:_LONGEST] + "\u2026"
    failure = _known_failure(error)
    if failure is None:
        return f"{model}: {type(error).__name__}{f': {words}' if words else ''}"
    return f"{model} {failure}{f' ({words})' if words else ''}"


def _known_failure(error: BaseException) -> str | None:  # noqa: PLR0911 - one line for each kind
    """Return what the model did, as the end of a sentence; None for a failure of unknown kind."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    if not isinstance(status, int):
        status = getattr(getattr(error, "response", None), "status_code", None)
    names = {each.__name__ for each in type(error).__mro__}
    if any("Timeout" in name for name in names):
        return "timed out"
    if isinstance(status, int) and status in _STATUS:
        return _STATUS[status] + _retry_after(error)
    if isinstance(status, int) and status >= 500:  # noqa: PLR2004 - HTTP's class of server errors
        return f"failed on its side (HTTP {status})"
    if "NeedsKeyException" in names:
        return "needs a key"
    if names & {"APIConnectionError", "ConnectError", "ConnectionError", "RemoteProtocolError", "NetworkError"}:
        return "can't be reached"
    if isinstance(error, RuntimeError) and "event loop" in error_text(error).lower():
        return "belongs to another event loop: await coglog_nb.aturn(...) runs it in this one"
    return None


def _retry_after(error: BaseException) -> str:
    headers = getattr(getattr(error, "response", None), "headers", None)
    seconds = headers.get("retry-after") if headers is not None else None
    return f"; it asks for {seconds} s" if isinstance(seconds, str) and seconds.strip().isdigit() else ""

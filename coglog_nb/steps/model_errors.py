"""What a model's own library says when a call fails, in one sentence, and never with a key in it."""

from __future__ import annotations

from ..redaction import without_secrets

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 500

_STATUS = {
    400: "refused the request",
    401: "refused the key",
    402: "wants payment",
    403: "refused the key, or does not let it use this model",
    404: "does not know this model, or is at another address",
    408: "timed out",
    413: "found the prompt too long",
    429: "has had too many requests, or the quota is used up: wait and run the cell again",
}


def told(error: BaseException) -> str:
    """Return an error's own words, in one line; one that can't say them has none."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - whatever its class does there, the failure is what is to be told
        return ""
    return " ".join(words.split())


def tells_secrets(error: BaseException, secrets: Iterable[str] = ()) -> bool:
    """Whether a traceback would show a key: in an error's own words, in its notes, or in those of what led to it."""
    secrets = set(secrets)
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        for words in (told(each), *getattr(each, "__notes__", ())):
            if without_secrets(str(words), secrets) != words:
                return True
        waiting += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
    return False


def sentence(model: str, error: BaseException, secrets: Iterable[str] = ()) -> str:
    """Say what went wrong in a call of a model.

    Parameters
    ----------
    model : str
        The model's name.
    error : BaseException
        What was raised. Its class and its ``status_code`` say what kind it is: the providers' libraries share no base.
    secrets : iterable of str, optional
        What must not be in the sentence.
    """
    said = without_secrets(told(error), secrets)
    said = said if len(said) <= _LONGEST else said[:_LONGEST] + "\u2026"
    what = _what(error)
    if what is None:
        return f"{model}: {type(error).__name__}{f': {said}' if said else ''}"
    return f"{model} {what}{f' ({said})' if said else ''}"


def _what(error: BaseException) -> str | None:  # noqa: PLR0911 - a line a kind
    """Say in words what kind of failure it is, or return None."""
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
    if isinstance(error, RuntimeError) and "event loop" in told(error).lower():
        return "belongs to another event loop: await coglog_nb.aturn(...) runs it in this one"
    return None


def _retry_after(error: BaseException) -> str:
    headers = getattr(getattr(error, "response", None), "headers", None)
    seconds = headers.get("retry-after") if headers is not None else None
    return f"; it asks for {seconds} s" if isinstance(seconds, str) and seconds.strip().isdigit() else ""

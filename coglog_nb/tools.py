"""CogLog as tools of a model: what they are called and take, and what runs a call of one.

`definitions` gives the three tools in a provider's own form, `dispatch` runs a call that the model made and gives the
message that answers it. Nothing here calls a model, and no provider's library is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from .entry import without_thinking
from .errors import CogLogError, InputError, UsageError
from .fields import FACT, FACTS, FIELDS, NAMES
from .json_schema import input_schema
from .jsontext import dump, kind, load_object
from .store import CogLog

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

READ, WRITE, CLEAR = TOOL_NAMES = ("coglog_read", "coglog_write", "coglog_clear")

FORMATS = ("ollama", "openai", "openai-responses", "anthropic")
"""The forms that `definitions` knows: Ollama's, those of OpenAI's two interfaces (chat first), and Anthropic's."""

NOTHING = "(no coglog found)"

GUIDE = (
    "CogLog carries your last turn into this one. Call coglog_read before you answer, and coglog_write with all seven"
    " fields after it: the next turn finds what you wrote there, and nothing older."
)
"""What a model is told of the three tools together."""

_FACT_GUIDE = "; ".join(f"{field.name}: {field.question}" for field in FIELDS if field.layer == FACT)
_AXIS_GUIDE = "; ".join(f"{field.name} ({field.direction}): {field.question}" for field in FIELDS if field.direction)

DESCRIPTIONS = {
    READ: (
        "Read the turn before this one: the entry as JSON, which says in _schema how to read it. It holds the facts"
        f" in layers ({', '.join(FACTS)}) and how you read them then: {_AXIS_GUIDE}."
        f" Gives {NOTHING} where nothing is stored yet."
    ),
    WRITE: (
        "Store this turn in the place of the last one, which is gone then. All seven fields are required. The facts are"
        f" verbatim and not empty: {_FACT_GUIDE}. The axes are free text, in the order of getting one's bearings, and"
        f" may overlap: {_AXIS_GUIDE}. An axis may be an empty string: choosing not to write is itself a metacognitive"
        " act. Gives the stored entry as JSON."
    ),
    CLEAR: "Forget the stored turn: nothing is left for the next one. Gives as JSON whether there was one.",
}

_NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def parameters(name: str, *, lengths: bool = True) -> dict[str, Any]:
    """Return the JSON Schema of what a tool takes, made anew at every call.

    Parameters
    ----------
    name : str
        One of `TOOL_NAMES`.
    lengths : bool, optional
        Whether it says in a keyword that facts aren't empty.
    """
    return input_schema(lengths=lengths) if name == WRITE else json.loads(json.dumps(_NO_ARGUMENTS))


def definitions(provider: str, *, strict: bool = True) -> list[dict[str, Any]]:
    """Return the three tools as a provider takes them.

    Parameters
    ----------
    provider : str
        ``"ollama"``, ``"openai"`` (chat completions), ``"openai-responses"`` or ``"anthropic"``.
    strict : bool, optional
        Whether OpenAI's two forms ask for strict mode, in which a model can't leave a field out; the others have none.
        False is for a server that speaks OpenAI's form and refuses it.

    Returns
    -------
    list of dict
        What goes in as ``tools=``, made anew at every call.

    Raises
    ------
    UsageError
        If there is no such form.
    """
    if provider not in FORMATS:
        raise UsageError(f"no such provider: {provider!r}; there are {', '.join(FORMATS)}")
    return [_definition(provider, name, strict=strict) for name in TOOL_NAMES]


def _definition(provider: str, name: str, *, strict: bool) -> dict[str, Any]:
    told = {"name": name, "description": DESCRIPTIONS[name]}
    if provider == "anthropic":
        return {**told, "input_schema": parameters(name)}
    if provider == "ollama":
        return {"type": "function", "function": {**told, "parameters": parameters(name)}}
    # Strict mode takes objects that require every key and allow no other, as these do, and not every keyword of JSON
    # Schema: that a fact isn't empty stands in its description.
    function = {**told, "parameters": parameters(name, lengths=not strict), "strict": strict}
    if provider == "openai-responses":
        return {"type": "function", **function}
    return {"type": "function", "function": function}


def run_tool(
    name: object, arguments: Mapping[str, object], store: CogLog, *, show_thinking: bool = True
) -> tuple[str, bool]:
    """Run one of the three tools.

    Parameters
    ----------
    name : str
        Which; anything else is an error that names the three.
    arguments : mapping
        The fields by name, for `coglog_write`. Keys that it doesn't know are ignored.
    store : CogLog
        The window.
    show_thinking : bool, optional
        Whether the entries in the results hold the thinking. The store keeps it in either case.

    Returns
    -------
    text : str
        The result: the words of the package `coglog-mcp` 0.9.1.
    failed : bool
        Whether the text is an error, which names every problem.
    """
    try:
        if name == READ:
            entry = store.read()
        elif name == WRITE:
            # What isn't there is no text: the store names all that is missing.
            entry = store.write(**{field: arguments.get(field) for field in NAMES})  # type: ignore[arg-type]
        elif name == CLEAR:
            return json.dumps(store.clear(), ensure_ascii=False), False
        else:
            raise UsageError(f"unknown tool: {name:.100}; there are {', '.join(TOOL_NAMES)}")
    except CogLogError as error:
        return _error(error), True
    if entry is None:
        return NOTHING, False
    return dump(entry if show_thinking else without_thinking(entry)), False


def _error(error: CogLogError) -> str:
    text = "Error: " + "\n".join(error.problems)
    # A name or a path in it may hold what UTF-8 cannot encode, and the answer has to be sent.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _Call:
    """A tool call of some provider, taken apart, and the shape of the message that answers it."""

    def __init__(self, form: str, name: object, arguments: object, call_id: object) -> None:
        self.form = form
        self.name = name
        self.arguments = arguments
        self.call_id = call_id

    def answer(self, text: str, *, failed: bool) -> dict[str, Any]:
        if self.form == "anthropic":
            return {"type": "tool_result", "tool_use_id": self.call_id, "content": text, "is_error": failed}
        if self.form == "openai-responses":
            return {"type": "function_call_output", "call_id": self.call_id, "output": text}
        if self.form == "openai":
            return {"role": "tool", "tool_call_id": self.call_id, "content": text}
        return {"role": "tool", "tool_name": self.name, "content": text}


def _get(part: object, key: str) -> object:
    """Return what an object or a mapping has under a name, or None."""
    return part.get(key) if isinstance(part, Mapping) else getattr(part, key, None)


def _take_apart(call: object) -> _Call:
    """Find out whose call it is.

    Raises
    ------
    InputError
        If it is none that any of the providers makes.
    """
    what = _get(call, "type")
    call_id = _get(call, "id")
    if what == "tool_use":
        made = _Call("anthropic", _get(call, "name"), _get(call, "input"), call_id)
    elif what == "function_call":
        made = _Call("openai-responses", _get(call, "name"), _get(call, "arguments"), _get(call, "call_id"))
    elif what in (None, "function"):
        function = _get(call, "function")
        arguments = _get(function, "arguments")
        # OpenAI's have a type, an id, and text for arguments. The arguments of Ollama's are an object; a newer server
        # gives them an id, its documentation a type. Either may lack one of its own, or have one of the other's.
        openai = [what, call_id, arguments if isinstance(arguments, str) else None].count(None) <= 1
        made = _Call("openai" if openai else "ollama", _get(function, "name"), arguments, call_id)
    else:
        raise InputError(f"no tool call of a function: its type is {what!r}")
    if not isinstance(made.name, str):
        raise InputError(
            f"no tool call: {type(call).__name__} has no tool's name; give one of the response's calls, an object of"
            " the provider's library or a dict"
        )
    if made.form != "ollama" and not isinstance(made.call_id, str):
        key = "call_id" if made.form == "openai-responses" else "id"
        raise InputError(f"no tool call: {made.name} has no {key}, without which it can't be answered")
    return made


def _arguments(given: object) -> Mapping[str, object]:
    """Return a call's arguments as a mapping.

    Raises
    ------
    InputError
        If they are none.
    """
    if given is None:
        return {}
    if isinstance(given, str):
        # A tool that takes nothing is at times called with nothing at all.
        return load_object(given) if given.strip() else {}
    if not isinstance(given, Mapping):
        what = kind(given) if isinstance(given, (list, int, float)) else type(given).__name__
        raise InputError(f"arguments: not an object but {what}")
    return given


def dispatch(call: object, store: CogLog | None = None) -> dict[str, Any]:
    """Run one tool call that a model made, and return the message that answers it.

    Parameters
    ----------
    call : object or mapping
        One call out of a response of Ollama, OpenAI (chat or responses) or Anthropic, as the provider's library gives
        it or as a dict; its arguments may be JSON text or an object.
    store : CogLog, optional
        The window; by default ``CogLog()``.

    Returns
    -------
    dict
        In the provider's own form: a message of the role ``tool`` (Ollama, OpenAI chat), a ``function_call_output``
        (OpenAI responses) or a ``tool_result`` block (Anthropic). What went wrong in the call is its text, which
        begins with ``Error:`` and names every problem, for the model to read and mend.

    Raises
    ------
    InputError
        If it is no tool call at all, so that there is nothing to answer; or `store` is no store.
    """
    if store is not None and not hasattr(store, "read"):
        raise InputError(f"store is {type(store).__name__}, not a CogLog: CogLog(directory) opens one")
    made = _take_apart(call)
    try:
        arguments = _arguments(made.arguments)
        text, failed = run_tool(made.name, arguments, CogLog() if store is None else store)
    except CogLogError as error:
        text, failed = _error(error), True
    return made.answer(text, failed=failed)


__all__ = ["DESCRIPTIONS", "FORMATS", "GUIDE", "TOOL_NAMES", "definitions", "dispatch", "parameters", "run_tool"]

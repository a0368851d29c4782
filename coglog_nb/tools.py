"""CogLog as tools for a model: their names, their parameters, and a function that runs a call.

`definitions` returns the three tools in a provider's format. `dispatch` runs a call that the model made and returns the
message that answers it. Nothing here calls a model or needs a provider's library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from .errors import CogLogError, InputError, UsageError
from .fields import FACT, FACTS, FIELDS, NAMES
from .json_schema import input_schema
from .jsontext import dump, kind, load_object
from .labels import NOTHING_STORED
from .store import CogLog
from .suggestions import did_you_mean
from .validation import missing_problem, unknown_keys, validate
from .view import without_thinking

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

READ, WRITE, CLEAR = TOOL_NAMES = ("coglog_read", "coglog_write", "coglog_clear")

FORMATS = ("ollama", "openai", "openai-responses", "anthropic")
"""The formats of `definitions`: Ollama's, those of OpenAI's two interfaces (chat first), and Anthropic's."""

GUIDE = (
    "CogLog carries your last turn into this one. Call coglog_read before you answer, and coglog_write with all seven"
    " fields afterwards: the next turn finds what you wrote, and nothing older."
)
"""What a model reads about the three tools together."""

_FACT_GUIDE = "; ".join(f"{field.name}: {field.question}" for field in FIELDS if field.layer == FACT)
_AXIS_GUIDE = "; ".join(f"{field.name} ({field.direction}): {field.question}" for field in FIELDS if field.direction)

DESCRIPTIONS = {
    READ: (
        "Read the previous turn: the entry as JSON, whose _schema says how to read it. It holds the facts in layers"
        f" ({', '.join(FACTS)}) and your interpretation of them: {_AXIS_GUIDE}."
        f" Returns {NOTHING_STORED} if nothing is stored yet."
    ),
    WRITE: (
        "Store this turn; it replaces the previous turn, which is lost. All seven fields are required. The facts are"
        f" verbatim and must not be empty: {_FACT_GUIDE}. The axes are free text and may overlap. Fill them in this"
        f" order, which helps you to get your bearings: {_AXIS_GUIDE}. An axis may be an empty string: choosing not to"
        " write is itself a metacognitive act. Returns the stored entry as JSON."
    ),
    CLEAR: "Remove the stored turn, so that the next turn finds nothing. Returns as JSON whether there was one.",
}

_NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def parameters(name: str, *, lengths: bool = True) -> dict[str, Any]:
    """Return the JSON Schema of a tool's parameters; each call makes a new one.

    Parameters
    ----------
    name : str
        One of `TOOL_NAMES`.
    lengths : bool, optional
        Whether a keyword says that facts must not be empty.
    """
    return input_schema(lengths=lengths) if name == WRITE else json.loads(json.dumps(_NO_ARGUMENTS))


def definitions(provider: str, *, strict: bool = True) -> list[dict[str, Any]]:
    """Return the three tools in a provider's format.

    Parameters
    ----------
    provider : str
        ``"ollama"``, ``"openai"`` (chat completions), ``"openai-responses"`` or ``"anthropic"``.
    strict : bool, optional
        Whether OpenAI's two formats ask for strict mode, in which a model can't leave out a field; the other formats
        have no such mode. Use False for a server that takes OpenAI's format but refuses strict mode.

    Returns
    -------
    list of dict
        The value for ``tools=``; each call makes a new one.

    Raises
    ------
    UsageError
        If the provider is unknown; the error suggests the nearest.
    """
    if provider not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"unknown provider {provider!r}: choose one of {known}{did_you_mean(str(provider), FORMATS)}")
    return [_definition(provider, name, strict=strict) for name in TOOL_NAMES]


def _definition(provider: str, name: str, *, strict: bool) -> dict[str, Any]:
    described = {"name": name, "description": DESCRIPTIONS[name]}
    if provider == "anthropic":
        return {**described, "input_schema": parameters(name)}
    if provider == "ollama":
        return {"type": "function", "function": {**described, "parameters": parameters(name)}}
    # Strict mode takes only objects that require every key and allow no other, as these do. It doesn't take every
    # keyword of JSON Schema, so only the description says that a fact must not be empty.
    function = {**described, "parameters": parameters(name, lengths=not strict), "strict": strict}
    if provider == "openai-responses":
        return {"type": "function", **function}
    return {"type": "function", "function": function}


def run_tool(
    name: object, arguments: Mapping[str, object] | str | None, store: CogLog, *, show_thinking: bool = True
) -> tuple[str, bool]:
    """Run one of the three tools.

    Parameters
    ----------
    name : str
        The tool's name; for any other name the result is an error that lists the three.
    arguments : mapping or str or None
        The fields by name, for `coglog_write`, or JSON text of them. Unknown keys are ignored.
    store : CogLog
        The window.
    show_thinking : bool, optional
        Whether the entries in the results hold the thinking. It is stored either way.

    Returns
    -------
    text : str
        The result, in the words of the package `coglog-mcp` 0.9.1.
    failed : bool
        Whether the text is an error; it then names every problem.
    """
    try:
        if name == READ:
            entry = store.read()
        elif name == WRITE:
            given = _arguments(arguments)
            fields = {field: given[field] for field in NAMES if field in given}
            if any(missing_problem(field, fields) for field in NAMES):
                validate(fields, keys=unknown_keys(given))  # raises; the store doesn't know the other keys
            entry = store.write(**fields)  # type: ignore[arg-type]  # it checks them
        elif name == CLEAR:
            return json.dumps(store.clear(), ensure_ascii=False), False
        else:
            raise UsageError(f"unknown tool: {name!s:.100}; there are {', '.join(TOOL_NAMES)}")
    except CogLogError as error:
        return _error(error), True
    if entry is None:
        return NOTHING_STORED, False
    return dump(entry if show_thinking else without_thinking(entry)), False


def _error(error: CogLogError) -> str:
    text = "Error: " + "\n".join(error.problems)
    # A name or a path in the text may hold what UTF-8 cannot encode, but the answer must be sent.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _Call:
    """The parts of a tool call, and the format of the message that answers it."""

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
    """Return an attribute of an object or a value of a mapping, or None."""
    return part.get(key) if isinstance(part, Mapping) else getattr(part, key, None)


def _parse_call(call: object) -> _Call:
    """Read a tool call, and find out which provider's format it has.

    Raises
    ------
    InputError
        If it has none of the formats.
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
        # OpenAI's calls have a type, an id, and text as arguments. Ollama's have an object as arguments; newer servers
        # add an id, and its documentation shows a type. So two of the three signs decide.
        openai = [what, call_id, arguments if isinstance(arguments, str) else None].count(None) <= 1
        made = _Call("openai" if openai else "ollama", _get(function, "name"), arguments, call_id)
    else:
        raise InputError(f"not a call of a function tool: its type is {what!r}")
    if not isinstance(made.name, str):
        raise InputError(
            f"not a tool call: {type(call).__name__} has no tool name; give one of the calls in the response, as an"
            " object of the provider's library or as a dict"
        )
    if made.form != "ollama" and not isinstance(made.call_id, str):
        key = "call_id" if made.form == "openai-responses" else "id"
        raise InputError(f"not a tool call: {made.name} has no {key}, which the answer needs")
    return made


def _arguments(given: object) -> Mapping[str, object]:
    """Return a call's arguments as a mapping, or raise an `InputError`."""
    if given is None:
        return {}
    if isinstance(given, str):
        # Models sometimes call a tool without parameters with an empty text.
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
        One call from a response of Ollama, OpenAI (chat or responses) or Anthropic, as an object of the provider's
        library or as a dict. Its arguments may be JSON text or an object.
    store : CogLog, optional
        The window; by default ``CogLog()``.

    Returns
    -------
    dict
        The answer in the provider's format: a message with the role ``tool`` (Ollama, OpenAI chat), a
        ``function_call_output`` (OpenAI responses) or a ``tool_result`` block (Anthropic). If the call failed, the
        text begins with ``Error:`` and names every problem, so that the model can correct it.

    Raises
    ------
    InputError
        If `call` is not a tool call, so that it can't be answered, or `store` is not a `CogLog`.
    """
    if store is not None and not hasattr(store, "read"):
        raise InputError(f"store is {type(store).__name__}, not a CogLog: CogLog(directory) opens one")
    made = _parse_call(call)
    try:
        arguments = _arguments(made.arguments)
        text, failed = run_tool(made.name, arguments, CogLog() if store is None else store)
    except CogLogError as error:
        text, failed = _error(error), True
    return made.answer(text, failed=failed)


__all__ = ["DESCRIPTIONS", "FORMATS", "GUIDE", "TOOL_NAMES", "definitions", "dispatch", "parameters", "run_tool"]

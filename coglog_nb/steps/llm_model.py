"""The models of the `llm` library."""

from __future__ import annotations

from ..errors import InputError, UsageError, how_to_install
from ..redaction import without_secrets
from ..suggestions import did_you_mean
from .async_bridge import run_in_background_loop, run_in_thread
from .model_base import Chat, Model
from .model_errors import error_text, traceback_shows_secrets

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .model_base import Messages, OnPiece


class LlmModel(Model):
    """A model of the `llm` library.

    Parameters
    ----------
    model : llm.Model or llm.AsyncModel
        The model.
    options : mapping of str to str, optional
        Its own options (``temperature``, ...), as ``llm -o`` takes them.

    Raises
    ------
    UsageError
        If it doesn't have an option, or doesn't take its value.
    """

    def __init__(self, model: Any, options: Mapping[str, str] | None = None) -> None:
        self._model = model
        self._options = dict(options or {})
        self.name = str(model.model_id)
        self._check_options()

    def _check_options(self) -> None:
        known = list(getattr(self._model.Options, "model_fields", {}))
        try:
            self._model.Options(**self._options)
        except ValueError as error:  # pydantic's own error is one
            problems = error.errors() if hasattr(error, "errors") else []
            for problem in problems:
                name = ".".join(str(part) for part in problem["loc"])
                if name not in known:
                    raise UsageError(
                        f"{self.name} has no option {name}{did_you_mean(name, known)}; it has"
                        f" {', '.join(known) or 'none'}"
                    ) from error
                raise UsageError(without_secrets(f"option {name} of {self.name}: {problem['msg']}")) from error
            raise UsageError(without_secrets(f"options of {self.name}: {error_text(error)}")) from error

    def chat(self) -> Chat:
        """Begin a conversation."""
        return _LlmChat(self._model, self._options)

    def secrets(self) -> set[str]:
        """Return the model's own key; those that `llm` stores are taken out of every message."""
        key = getattr(self._model, "key", None)
        return {key} if isinstance(key, str) else set()


class _LlmChat(Chat):
    def __init__(self, model: Any, options: dict[str, str]) -> None:
        super().__init__()
        self._model = model
        self._options = options
        # A conversation, not `messages=`: plugins that are older than that argument read the conversation.
        self._conversation: Any = None

    def _respond(self, model: Any, messages: Messages) -> Any:
        self._begin()
        system = next((message["content"] for message in messages if message["role"] == "system"), None)
        if self._conversation is None:
            self._conversation = model.conversation()
        elif not getattr(model, "supports_conversation", True):
            raise UsageError(f"{model.model_id} answers one message only: it can't be asked again about its answer")
        # Each prompt of a conversation sends the earlier ones again, with the system prompt.
        first = not self._conversation.responses
        return self._conversation.prompt(
            messages[-1]["content"], system=system if first else None, stream=model.can_stream, options=self._options
        )

    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        if _is_async_model(self._model):
            return run_in_background_loop(lambda forward: self.asend(messages, forward), on_piece)
        response = self._respond(self._model, messages)
        self._collect(response.stream_events(), on_piece)
        self._reply = response
        return response

    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        model = self._model if _is_async_model(self._model) else _async_form(self._model)
        if model is None:
            return await run_in_thread(lambda forward: self.send(messages, forward), on_piece)
        response = self._respond(model, messages)
        await self._acollect(response.astream_events(), on_piece)
        self._reply = await response.to_sync_response()
        return self._reply


def _is_async_model(model: Any) -> bool:
    import llm

    return isinstance(model, (llm.AsyncModel, llm.AsyncKeyModel))


def _async_form(model: Any) -> Any:
    """Return the asynchronous form of one of llm's models, or None if its plugin has none."""
    import llm

    try:
        found = llm.get_async_model(model.model_id)
    except llm.UnknownModelError:
        return None
    if getattr(model, "key", None) is not None:
        found.key = model.key
    return found


def llm_model_named(name: str) -> Any:
    """Return the model with an id or alias.

    Raises
    ------
    UsageError
        If `llm` isn't installed or has no such model.
    InputError
        If `llm` fails as it looks for the model.
    """
    if not name.strip():
        raise UsageError("no model: name one that llm knows (`llm models` lists them), or a callable")
    try:
        import llm
    except ImportError as error:
        if error.name != "llm":
            raise
        raise UsageError(
            f"the model {name} needs the llm library: {how_to_install('llm')}, or name a callable that takes messages"
            " and returns a reply"
        ) from error
    try:
        return llm.get_model(name)
    except llm.UnknownModelError as error:
        if "async model exists" in str(error):
            return llm.get_async_model(name)
        raise UsageError(
            f"unknown model {name}{did_you_mean(name, llm.get_model_aliases())}: `llm models` lists the known models,"
            " `llm install` adds a provider's, and a callable's name works too"
        ) from error
    except Exception as error:  # noqa: BLE001 - raised again
        # One of its settings files is damaged, or a plugin fails as it loads.
        words = without_secrets(f"{type(error).__name__}: {error_text(error)}")
        hides_secrets = traceback_shows_secrets(error)
        raise InputError(f"llm can't look for the model {name}: {words}") from (None if hides_secrets else error)

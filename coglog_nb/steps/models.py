"""Models behind one call: those of the `llm` library by name, and any Python callable ``messages -> reply``.

A reply may come whole or as a stream, and a callable may be asynchronous. Whoever sends gets the pieces as they come,
and the whole at the end, in the provider's own shape, ready for `capture`.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import queue
import threading
from abc import ABC, abstractmethod
from difflib import get_close_matches

from ..errors import InputError, UsageError
from ..replies.reader import read_reply
from ..replies.streams import Assembly, is_stream
from .model_errors import told

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
    from typing import Any

    Messages = list[dict[str, str]]
    OnPiece = Callable[[str, str], None]
    """What is called with each piece as it comes: "thinking" or "assistant", and its text."""


class Chat(ABC):
    """One conversation with a model: for the most part one message and its reply."""

    def __init__(self) -> None:
        self._assembly: Assembly | None = None
        self._some_came = False
        self._reply: object = None

    @property
    def reply(self) -> object:
        """The last reply as far as it came, in its provider's shape; None before there is any."""
        if self._reply is None and self._assembly is not None and self._some_came:
            return self._assembly.reply()
        return self._reply

    @abstractmethod
    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        """Send the whole conversation; returns the reply."""

    @abstractmethod
    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        """Send it without blocking the event loop."""

    def _begin(self) -> None:
        self._assembly = self._reply = None
        self._some_came = False

    def _collect(self, stream: Iterator[object], on_piece: OnPiece) -> object:
        self._assembly = assembly = Assembly()
        try:
            for chunk in stream:
                pieces = assembly.feed(chunk)
                self._some_came = True  # and not before: a chunk that is the provider's error is no part of a reply
                for kind, text in pieces:
                    on_piece(kind, text)
        finally:
            _close(stream)  # whoever interrupts ends the call, and not only the waiting for it
        self._rest(assembly, on_piece)
        return self._whole(assembly.reply())

    async def _acollect(self, stream: AsyncIterator[object], on_piece: OnPiece) -> object:
        self._assembly = assembly = Assembly()
        try:
            async for chunk in stream:
                pieces = assembly.feed(chunk)
                self._some_came = True
                for kind, text in pieces:
                    on_piece(kind, text)
        finally:
            await _aclose(stream)
        self._rest(assembly, on_piece)
        return self._whole(assembly.reply())

    def _rest(self, assembly: Assembly, on_piece: OnPiece) -> None:
        """Give the last characters, which might have begun a tag."""
        for kind, text in assembly.end():
            on_piece(kind, text)

    def _whole(self, reply: object) -> object:
        self._reply = reply
        return reply

    def _at_once(self, reply: object, on_piece: OnPiece) -> object:
        """Take a reply that came whole as one piece of each kind."""
        self._whole(reply)
        with contextlib.suppress(InputError):  # what is no reply is told by whoever captures it
            reading = read_reply(reply)
            for kind, text in (("thinking", reading.thinking), ("assistant", reading.answer)):
                if text:
                    on_piece(kind, text)
        return reply


def _close(stream: object) -> None:
    close = getattr(stream, "close", None)
    if callable(close):
        close()


async def _aclose(stream: object) -> None:
    for name in ("aclose", "close"):
        close = getattr(stream, name, None)
        if callable(close):
            done = close()
            if inspect.isawaitable(done):
                await done
            return


class Model(ABC):
    """Something that answers messages.

    Attributes
    ----------
    name : str
        What it is called in outputs.
    """

    name: str

    @abstractmethod
    def chat(self) -> Chat:
        """Begin a conversation."""

    def secrets(self) -> set[str]:
        """Return the keys that must stay out of every message."""
        return set()


# ---- callables


class CallableModel(Model):
    """A Python callable that takes messages and gives a reply.

    Parameters
    ----------
    function : callable
        Takes ``[{"role": ..., "content": ...}, ...]`` and returns any provider's reply, a stream of its chunks, or an
        awaitable of either.
    name : str, optional
        What it is called in outputs; by default its own name.
    """

    def __init__(self, function: Callable[[Messages], Any], name: str = "") -> None:
        self._function = function
        self.name = name or getattr(function, "__name__", "") or type(function).__name__

    def chat(self) -> Chat:
        """Begin a conversation."""
        return _CallableChat(self._function)


class _CallableChat(Chat):
    def __init__(self, function: Callable[[Messages], Any]) -> None:
        super().__init__()
        self._function = function

    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        self._begin()
        result = self._function(copy.deepcopy(messages))
        if inspect.isawaitable(result) or _is_async_stream(result):
            try:
                return _in_loop(lambda forward: self._afinish(result, forward), on_piece)
            except UsageError:
                if inspect.iscoroutine(result):
                    result.close()  # it never began; Python would complain that nobody awaited it
                raise
        if _is_manager(result):
            with result as opened:
                return self._finish(opened, on_piece)
        return self._finish(result, on_piece)

    def _finish(self, result: Any, on_piece: OnPiece) -> object:
        return self._collect(iter(result), on_piece) if is_stream(result) else self._at_once(result, on_piece)

    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        self._begin()
        return await self._afinish(self._function(copy.deepcopy(messages)), on_piece)

    async def _afinish(self, result: Any, on_piece: OnPiece) -> object:
        if inspect.isawaitable(result):
            result = await result
        if hasattr(result, "__aenter__") and not hasattr(result, "__aiter__"):
            async with result as opened:
                return await self._acollect(opened, on_piece)
        if _is_async_stream(result):
            return await self._acollect(result, on_piece)
        if _is_manager(result):
            with result as opened:
                return self._finish(opened, on_piece)
        return self._finish(result, on_piece)


def _is_async_stream(result: object) -> bool:
    return hasattr(result, "__aiter__") or (hasattr(result, "__aenter__") and not hasattr(result, "__enter__"))


def _is_manager(result: object) -> bool:
    """Whether it is a stream that is yet to be entered, such as `anthropic`'s ``messages.stream(...)``."""
    return hasattr(result, "__enter__") and not hasattr(result, "__iter__")


# ---- llm


class LlmModel(Model):
    """A model of the `llm` library.

    Parameters
    ----------
    model : llm.Model or llm.AsyncModel
        The model.
    options : mapping of str to str, optional
        Its own options (``temperature``, ...), as ``llm -o`` takes them.
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
        except ValueError as error:  # pydantic's own is one
            problems = error.errors() if hasattr(error, "errors") else []
            for problem in problems:
                name = ".".join(str(part) for part in problem["loc"])
                if name not in known:
                    close = get_close_matches(name, known, n=1)
                    raise UsageError(
                        f"{self.name} has no option {name}{f'; did you mean {close[0]}?' if close else ''};"
                        f" it has {', '.join(known) or 'none'}"
                    ) from error
                raise UsageError(f"option {name} of {self.name}: {problem['msg']}") from error
            raise UsageError(f"options of {self.name}: {error}") from error

    def chat(self) -> Chat:
        """Begin a conversation."""
        return _LlmChat(self._model, self._options)

    def secrets(self) -> set[str]:
        """Return the keys that `llm` would send."""
        import llm

        keys: object = {}
        with contextlib.suppress(OSError, ValueError):  # a damaged file of keys must not hide what is to be told
            keys = llm.load_keys()  # type: ignore[no-untyped-call]  # llm has no type on it
        found = {value for value in keys.values() if isinstance(value, str)} if isinstance(keys, dict) else set()
        key = getattr(self._model, "key", None)
        return found | ({key} if isinstance(key, str) else set())


class _LlmChat(Chat):
    def __init__(self, model: Any, options: dict[str, str]) -> None:
        super().__init__()
        self._model = model
        self._options = options
        # A conversation and not `messages=`: plugins made before llm had it read the conversation.
        self._conversation: Any = None

    def _respond(self, model: Any, messages: Messages) -> Any:
        self._begin()
        system = next((message["content"] for message in messages if message["role"] == "system"), None)
        if self._conversation is None:
            self._conversation = model.conversation()
        elif not getattr(model, "supports_conversation", True):
            raise UsageError(f"{model.model_id} answers one message only: it can't be asked again about its answer")
        # Each prompt of a conversation brings its earlier ones along, the system prompt too.
        first = not self._conversation.responses
        return self._conversation.prompt(
            messages[-1]["content"], system=system if first else None, stream=model.can_stream, options=self._options
        )

    def send(self, messages: Messages, on_piece: OnPiece) -> object:
        if _is_async_model(self._model):
            return _in_loop(lambda forward: self.asend(messages, forward), on_piece)
        response = self._respond(self._model, messages)
        self._collect(response.stream_events(), on_piece)
        return self._whole(response)

    async def asend(self, messages: Messages, on_piece: OnPiece) -> object:
        model = self._model if _is_async_model(self._model) else _async_twin(self._model)
        if model is None:
            return await _off_the_loop(lambda forward: self.send(messages, forward), on_piece)
        response = self._respond(model, messages)
        await self._acollect(response.astream_events(), on_piece)
        return self._whole(await response.to_sync_response())


def _is_async_model(model: Any) -> bool:
    import llm

    return isinstance(model, (llm.AsyncModel, llm.AsyncKeyModel))


def _async_twin(model: Any) -> Any:
    """Return the asynchronous form of one of llm's models; None where a plugin has none."""
    import llm

    try:
        twin = llm.get_async_model(model.model_id)
    except llm.UnknownModelError:
        return None
    if getattr(model, "key", None) is not None:
        twin.key = model.key
    return twin


# ---- which model


def find_model(model: object, *, options: Mapping[str, str] | None = None, name: str = "") -> Model:
    """Return the model that somebody means.

    Parameters
    ----------
    model : str, callable, or model of llm
        A model's id or alias in `llm`, one of its models, or a callable ``messages -> reply``.
    options : mapping, optional
        The model's own options, where it is one of llm's.
    name : str, optional
        What a callable is called in outputs.

    Raises
    ------
    UsageError
        If there is no such model, `llm` is not installed, or an option doesn't fit.
    InputError
        If it is none of these.
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, str):
        return LlmModel(_by_name(model), options)
    if hasattr(model, "model_id") and hasattr(model, "prompt"):
        return LlmModel(model, options)
    if callable(model):
        if options:
            raise UsageError(f"options are for llm's models; {name or 'a callable'} sets its own")
        return CallableModel(model, name)
    raise InputError(
        f"{name or 'the model'} is {type(model).__name__}: a model is an id that llm knows, one of llm's models, or a"
        " callable that takes messages and gives a reply"
    )


def _by_name(name: str) -> Any:
    if not name.strip():
        raise UsageError("no model: name one that llm knows (`llm models` lists them), or a callable")
    try:
        import llm
    except ImportError as error:
        if error.name != "llm":
            raise
        raise UsageError(
            f"the model {name} needs the llm library: pip install 'coglog-nb[llm]', or name a callable"
            " that takes messages and gives a reply"
        ) from error
    try:
        return llm.get_model(name)
    except llm.UnknownModelError as error:
        if "async model exists" in str(error):
            return llm.get_async_model(name)
        close = get_close_matches(name, llm.get_model_aliases(), n=1)
        raise UsageError(
            f"unknown model {name}{f'; did you mean {close[0]}?' if close else ''}: `llm models` lists those there are,"
            " `llm install` adds a provider's, and a callable's name works as well"
        ) from error
    except Exception as error:
        # A file of its settings that is damaged, or a plugin that fails as it loads.
        raise InputError(f"llm can't look for the model {name}: {type(error).__name__}: {told(error)}") from error


# ---- between threads and event loops


_LOOK_UP = 0.2
"""How often a wait looks up, in seconds: on Windows only then an interrupt is seen."""


class _Forward:
    """Hands pieces from another thread to the one that waits for them: only that one may write outputs."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()

    def __call__(self, kind: str, text: str) -> None:
        self._queue.put((kind, text))

    def end(self, _: object = None) -> None:
        self._queue.put(None)

    def pump(self, on_piece: OnPiece) -> None:
        """Hand on what comes; a callable that has a ``look_up`` is asked now and then whether it still wants it."""
        look_up = getattr(on_piece, "look_up", None)
        while True:
            try:
                piece = self._queue.get(timeout=_LOOK_UP)
            except queue.Empty:
                if look_up is not None:
                    look_up()
                continue
            if piece is None:
                return
            on_piece(*piece)


_loop: asyncio.AbstractEventLoop | None = None
_loop_lock = threading.Lock()


def _background_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of a thread of its own: always the same one, since a client's connections belong to one."""
    global _loop  # noqa: PLW0603 - one a process, as the thread is
    with _loop_lock:
        if _loop is None or _loop.is_closed() or not _loop.is_running():
            loop = asyncio.new_event_loop()
            started = threading.Event()
            loop.call_soon(started.set)
            try:
                threading.Thread(target=loop.run_forever, name="coglog-models", daemon=True).start()
            except RuntimeError as error:  # Pyodide has no threads
                loop.close()
                raise UsageError(
                    "an asynchronous model can't run here, where an event loop is running already and there are no"
                    " threads: await coglog_nb.aturn(...) instead"
                ) from error
            started.wait()
            _loop = loop
        return _loop


def _in_loop(make: Callable[[OnPiece], Coroutine[Any, Any, object]], on_piece: OnPiece) -> object:
    """Run a coroutine from synchronous code, whether or not this thread has an event loop running."""
    loop = _background_loop()
    forward = _Forward()
    future = asyncio.run_coroutine_threadsafe(make(forward), loop)
    future.add_done_callback(forward.end)
    try:
        forward.pump(on_piece)
        return future.result()
    except BaseException:
        future.cancel()  # the cell was interrupted: so is the call
        raise


async def _off_the_loop(send: Callable[[OnPiece], object], on_piece: OnPiece) -> object:
    """Run a synchronous call from asynchronous code, in a thread where there are any."""
    loop = asyncio.get_running_loop()

    def forward(kind: str, text: str) -> None:
        loop.call_soon_threadsafe(on_piece, kind, text)

    try:
        running: Awaitable[object] = loop.run_in_executor(None, send, forward)
    except RuntimeError:  # no threads: then it blocks, as any call does there
        return send(on_piece)
    return await running

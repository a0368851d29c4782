"""One turn with a model: read a(n), put the messages together, send them, capture the reply, write a(n+1)."""

from __future__ import annotations

from asyncio import CancelledError

from ..entry import Entry, restore, surrogate_problem
from ..errors import CogLogError, InputError, RefusedError, TurnError, ValidationError
from ..fields import AXES, FIELDS, INTERPRETATION
from ..prompt import LEFT_EMPTY, TEMPLATE, axis_question, messages
from ..redaction import without_secrets
from ..replies.captured import assemble
from ..replies.reader import read_reply
from .model_errors import sentence, tells_secrets

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping
    from typing import Any, NoReturn

    from ..replies.captured import Captured
    from ..replies.parsed_reply import ParsedReply
    from .models import Messages, Model, OnPiece


def _problem(name: str, text: object) -> str | None:
    """Say what is wrong with a text that goes into a turn; None if nothing is."""
    if not isinstance(text, str):
        return f"{name}: {name}= is {type(text).__name__}, not str; nothing is converted"
    if name == "thinking" and not text:
        return "thinking: thinking= is empty; a fact has to say something"
    return surrogate_problem(name, text)


def _no_piece(kind: str, text: str) -> None:
    """Take a piece of a reply that nobody watches."""


class Step:
    """What is sent for one turn, and what came of it so far.

    Parameters
    ----------
    user : str
        What the user says.
    previous : Entry or mapping, optional
        The stored turn, a(n); None where there is none.
    system : str, optional
        The system prompt.
    template : str, optional
        The instruction that asks for the block; by default the seeds' Option C, and none where `reflect` asks instead.
    thinking : str, optional
        The thinking fact, where the model gives none.
    ask_thinking : bool, optional
        Whether the model is asked to write its thinking down.
    reflect : bool, optional
        Whether four questions after the answer fill the axes.
    fmt, only, schema
        What of the stored turn is sent; see `coglog_nb.context`.

    Raises
    ------
    ValidationError
        If the user says nothing, or what UTF-8 cannot encode; if another text is none, or the thinking says nothing.
    """

    def __init__(
        self,
        user: str,
        previous: Mapping[str, Any] | None = None,
        *,
        system: str = "",
        template: str | None = None,
        thinking: str | None = None,
        ask_thinking: bool = False,
        reflect: bool = False,
        fmt: str = "markdown",
        only: str | Iterable[str] | None = None,
        schema: bool = True,
    ) -> None:
        if not isinstance(user, str) or not user:
            raise ValidationError("missing required field: user")
        texts = {"user": user, "system": system, "template": template, "thinking": thinking}
        problems = [_problem(name, text) for name, text in texts.items() if text is not None]
        if any(problems):  # before a model is asked, and paid
            raise ValidationError(filter(None, problems))
        if template is None:
            template = "" if reflect else TEMPLATE
        self.user = user
        self.previous = previous
        self.reflect = reflect
        self._thinking = thinking
        self._how: dict[str, Any] = {
            "system": system,
            "template": template,
            "ask_thinking": ask_thinking,
            "fmt": fmt,
            "only": only,
            "schema": schema,
        }
        self.messages: Messages = messages(user, previous, **self._how)
        self.reply: object = None
        """The model's answer, as far as it came."""
        self.captured: Captured | None = None
        """What was found in it."""

    def messages_shown(self, *, hides_thinking: bool) -> Messages:
        """Return the messages as outputs may hold them, and after them what `reflect` asks."""
        previous = self.previous
        if isinstance(previous, Entry) and hides_thinking:
            previous = restore(dict(previous))
            previous.show_thinking = False
        questions = [
            {"role": "user", "content": axis_question(field)}
            for field in FIELDS
            if self.reflect and field.layer == INTERPRETATION
        ]
        return [*messages(self.user, previous, **self._how, shown=True), *questions]

    def _exchanges(self) -> Generator[Messages, object, None]:
        """Give what is sent, one message after the other, and take each reply."""
        self.reply = yield self.messages
        reading = read_reply(self.reply)
        # Where the axes are asked for afterwards, the answer is all answer, whatever it ends with.
        self._capture(reading, {} if self.reflect else None)
        if not self.reflect or reading.refusal or not reading.answer:
            return
        axes: dict[str, str] = {}
        sent = [*self.messages, {"role": "assistant", "content": reading.answer}]
        for field in FIELDS:
            if field.layer == INTERPRETATION:
                question = {"role": "user", "content": axis_question(field)}
                answer = _note((yield [*sent, question]), field.name)
                sent += [question, {"role": "assistant", "content": answer}]
                note = answer.strip()
                axes[field.name] = "" if note.casefold().rstrip(".") == LEFT_EMPTY else note
                self._capture(reading, axes)  # where a later question fails, the notes before it are not lost

    @property
    def kept(self) -> object:
        """What is worth keeping of what came, for `capture`: the reply, with the axes that were asked for after it."""
        return self.captured if self.reflect and self.captured is not None else self.reply

    def _capture(self, reading: ParsedReply, axes: dict[str, str] | None) -> None:
        # What the caller gives stands in for a thinking that the model lacks, and never for its own.
        thinking = None if reading.thinking else self._thinking
        self.captured = assemble(reading, user=self.user, thinking=thinking, axes=axes)

    def run(self, model: Model, on_piece: OnPiece = _no_piece) -> Captured:
        """Send it and wait for what comes.

        Parameters
        ----------
        model : Model
            The model.
        on_piece : callable, optional
            Called with "thinking" or "assistant" and each piece of the answer, as it comes.

        Returns
        -------
        Captured
            What was found; it may be incomplete.

        Raises
        ------
        TurnError
            If the model failed; `reply` is what came before that.
        """
        chat = model.chat()
        exchanges = self._exchanges()
        sent = next(exchanges)
        while True:
            try:
                reply = chat.send(sent, on_piece)
            except CancelledError as error:  # nobody can have cancelled what waits here: it is the model's own
                self._fail(model, error, chat.reply)
            except BaseException as error:  # noqa: BLE001 - whatever it was, what came before it is kept, and it goes on
                self._failed(model, error, chat.reply)
            try:
                sent = self._go_on(model, exchanges, reply)
            except StopIteration:
                return self._found()
            on_piece = _no_piece  # the answer is what is watched, not the notes after it

    async def arun(self, model: Model, on_piece: OnPiece = _no_piece) -> Captured:
        """Do what `run` does without blocking the event loop."""
        chat = model.chat()
        exchanges = self._exchanges()
        sent = next(exchanges)
        while True:
            try:
                reply = await chat.asend(sent, on_piece)
            except BaseException as error:  # noqa: BLE001 - whatever it was, what came before it is kept, and it goes on
                self._failed(model, error, chat.reply)
            try:
                sent = self._go_on(model, exchanges, reply)
            except StopIteration:
                return self._found()
            on_piece = _no_piece

    def _go_on(self, model: Model, exchanges: Generator[Messages, object, None], reply: object) -> Messages:
        try:
            return exchanges.send(reply)
        except CogLogError as error:  # what came is no reply at all
            self._fail(model, error, reply)

    def _failed(self, model: Model, error: BaseException, came: object) -> NoReturn:
        if self.reply is None:
            self.reply = came
        if not isinstance(error, Exception):  # an interrupt, or a task that was cancelled
            raise error
        if isinstance(error, CogLogError) and not isinstance(error, (TurnError, InputError)) and self.reply is None:
            raise error  # misuse stays misuse; what came is lost to nobody, because nothing had
        self._fail(model, error, came)

    def _fail(self, model: Model, error: BaseException, came: object) -> NoReturn:
        """Say what went wrong, with what came before it."""
        if self.reply is None:
            self.reply = came
        secrets = model.secrets()
        if isinstance(error, CogLogError):
            said = [without_secrets(problem, secrets) for problem in error.problems]
        else:
            said = [sentence(model.name, error, secrets)]
        failure = TurnError(said, reply=self.reply, captured=self.captured)
        # The original goes along, unless what a traceback shows of it holds what nobody must see.
        raise failure from (None if tells_secrets(error, secrets) else error)

    def _found(self) -> Captured:
        assert self.captured is not None  # noqa: S101 - the first reply was captured, or raised
        return self.captured

    def complete(self, model_name: str, *, store_refusal: bool = False) -> dict[str, str]:
        """Return the seven fields, ready to be stored.

        Raises
        ------
        RefusedError
            If the model refused, unless that is to be stored.
        TurnError
            With every problem of what was captured.
        """
        captured = self._found()
        if captured.refusal and not store_refusal:
            raise RefusedError(
                f"{model_name} refused to answer; nothing was stored", reply=self.reply, captured=captured
            )
        if captured.refusal and not captured.complete:
            # A refusal brings no block; to store it all the same was the caller's word.
            axes = {name: captured.fields.get(name, "") for name in AXES}
            self._capture(read_reply(self.reply), axes)
            captured = self._found()
        if not captured.complete:
            raise TurnError(captured.problems, reply=self.reply, captured=captured)
        return dict(captured.fields)


def _note(reply: object, name: str) -> str:
    """Return what a model answers to an axis's question."""
    if isinstance(reply, str) and not reply.strip():
        return ""  # an axis may be empty
    reading = read_reply(reply)
    if reading.refusal or reading.cut or reading.failure:
        what = "refused" if reading.refusal else "cut at its limit of length" if reading.cut else "not whole"
        raise InputError(f"{name}: the answer to its question was {what}: {reading.answer.strip() or 'no words'}")
    return reading.answer

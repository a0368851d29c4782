"""One exchange with a model: put the messages together, send them, and capture the reply. Nothing is stored here."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Generator, Iterable
from typing import Any, NoReturn

from ..entry import Entry, restore
from ..errors import CogLogError, InputError, RefusedError, TurnError, ValidationError
from ..fields import AXES, FIELDS, INTERPRETATION
from ..prompt import LEFT_EMPTY, TEMPLATE, axis_question, messages
from ..redaction import without_secrets
from ..replies.captured import Captured, assemble
from ..replies.parsed_reply import ParsedReply
from ..replies.reader import read_reply
from ..validation import missing_problem, surrogate_problem
from .model_base import Messages, Model, OnPiece, ignore_piece
from .model_errors import error_sentence, traceback_shows_secrets

_AXIS_FIELDS = [field for field in FIELDS if field.layer == INTERPRETATION]


class Step:
    """What is sent to a model for one turn, and what has come of it so far.

    Parameters
    ----------
    user : str
        What the user says.
    previous : Entry, optional
        The turn that the model is shown, a(n); None for none.
    system : str, optional
        The system prompt.
    template : str, optional
        The instruction that asks for the block; by default the standard template, and none with `reflect`.
    thinking : str, optional
        The thinking fact, for a model that gives none.
    ask_thinking : bool, optional
        Whether the model is asked to write its thinking down.
    reflect : bool, optional
        Whether four questions after the answer fill the axes.
    fmt, only, schema
        What the model is shown of the turn; see `coglog_nb.context`.

    Attributes
    ----------
    messages : list of dict
        The messages that are sent first.
    reply : object
        The model's answer as far as it arrived; None before that.
    captured : Captured or None
        What was found in the answer.

    Raises
    ------
    ValidationError
        If `user` or `thinking` is empty, or a text isn't a `str` that UTF-8 can encode.
    """

    def __init__(
        self,
        user: str,
        previous: Entry | None = None,
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
        missing = missing_problem("user", {"user": user})
        if missing:
            raise ValidationError(missing)
        texts = {"user": user, "system": system, "template": template, "thinking": thinking}
        problems = [_text_problem(name, text) for name, text in texts.items() if text is not None]
        if any(problems):  # found before the user pays for a call
            raise ValidationError(filter(None, problems))
        if template is None:
            template = "" if reflect else TEMPLATE
        self.user = user
        self.previous = previous
        self.reflect = reflect
        self._thinking = thinking
        self._prompt_settings: dict[str, Any] = {
            "system": system,
            "template": template,
            "ask_thinking": ask_thinking,
            "fmt": fmt,
            "only": only,
            "schema": schema,
        }
        self.messages: Messages = messages(user, previous, **self._prompt_settings)
        self.reply: object = None
        self.captured: Captured | None = None

    def messages_shown(self, *, hides_thinking: bool) -> Messages:
        """Return the messages as outputs may hold them, followed by the questions that `reflect` asks."""
        previous = self.previous
        if previous is not None and hides_thinking:
            previous = restore(dict(previous))
            previous.show_thinking = False
        questions = [{"role": "user", "content": axis_question(field)} for field in _AXIS_FIELDS if self.reflect]
        return [*messages(self.user, previous, **self._prompt_settings, shown=True), *questions]

    @property
    def reply_to_keep(self) -> object:
        """What `capture` can make most of: the reply, or with `reflect` the answer with the axes that it noted."""
        return self.captured if self.reflect and self.captured is not None else self.reply

    def run(self, model: Model, on_piece: OnPiece = ignore_piece) -> Captured:
        """Send the messages and wait for the reply.

        Parameters
        ----------
        model : Model
            The model.
        on_piece : callable, optional
            Called with "thinking" or "assistant" and each piece of the answer as it arrives.

        Returns
        -------
        Captured
            What was found in the reply; it may be incomplete.

        Raises
        ------
        TurnError
            If the model failed; `reply` is what arrived before that.
        """
        chat = model.chat()
        exchanges = self._exchanges()
        to_send = next(exchanges)
        while True:
            try:
                reply = chat.send(to_send, on_piece)
            except CancelledError as error:  # nobody can have cancelled a synchronous call: it is the model's own error
                self._fail(model, error, chat.reply)
            except BaseException as error:  # noqa: BLE001 - `_send_failed` keeps what arrived, and raises again
                self._send_failed(model, error, chat.reply)
            try:
                to_send = self._take_reply(model, exchanges, reply)
            except StopIteration:
                return self._captured_reply()
            on_piece = ignore_piece  # the pieces are those of the answer, not of the notes after it

    async def arun(self, model: Model, on_piece: OnPiece = ignore_piece) -> Captured:
        """Do what `run` does without blocking the event loop."""
        chat = model.chat()
        exchanges = self._exchanges()
        to_send = next(exchanges)
        while True:
            try:
                reply = await chat.asend(to_send, on_piece)
            except BaseException as error:  # noqa: BLE001 - `_send_failed` keeps what arrived, and raises again
                self._send_failed(model, error, chat.reply)
            try:
                to_send = self._take_reply(model, exchanges, reply)
            except StopIteration:
                return self._captured_reply()
            on_piece = ignore_piece

    def complete(self, model_name: str, *, store_refusal: bool = False) -> dict[str, str]:
        """Return the seven fields, ready for the store.

        Parameters
        ----------
        model_name : str
            The model's name, for the error.
        store_refusal : bool, optional
            Whether a refusal is a turn, with the axes that it doesn't give left empty.

        Raises
        ------
        RefusedError
            If the model refused, unless `store_refusal`.
        TurnError
            If the reply is incomplete, with every problem.
        """
        captured = self._captured_reply()
        if captured.refusal and not store_refusal:
            raise RefusedError(
                f"{model_name} refused to answer; nothing was stored", reply=self.reply, captured=captured
            )
        if captured.refusal and not captured.complete:  # a refusal has no block
            axes = {name: captured.fields.get(name, "") for name in AXES}
            self._capture(read_reply(self.reply), axes)
            captured = self._captured_reply()
        if not captured.complete:
            raise TurnError(captured.problems, reply=self.reply, captured=captured)
        return dict(captured.fields)

    def _exchanges(self) -> Generator[Messages, object, None]:
        """Yield each list of messages to send, and take the reply to it."""
        self.reply = yield self.messages
        parsed = read_reply(self.reply)
        # With `reflect` the axes come later: all of the answer is the answer, even if it ends with a block.
        self._capture(parsed, {} if self.reflect else None)
        if not self.reflect or parsed.refusal or not parsed.answer:
            return
        axes: dict[str, str] = {}
        conversation = [*self.messages, {"role": "assistant", "content": parsed.answer}]
        for field in _AXIS_FIELDS:
            question = {"role": "user", "content": axis_question(field)}
            answer = _note_text((yield [*conversation, question]), field.name)
            conversation += [question, {"role": "assistant", "content": answer}]
            note = answer.strip()
            axes[field.name] = "" if note.casefold().rstrip(".") == LEFT_EMPTY else note
            self._capture(parsed, axes)  # after each one, so that a later failure doesn't lose it

    def _capture(self, parsed: ParsedReply, axes: dict[str, str] | None) -> None:
        # The caller's thinking fills in for missing thinking; it never replaces the model's own.
        thinking = None if parsed.thinking else self._thinking
        self.captured = assemble(parsed, {"user": self.user, "thinking": thinking}, axes=axes)

    def _captured_reply(self) -> Captured:
        assert self.captured is not None  # noqa: S101 - the first reply was captured, or an error was raised
        return self.captured

    def _take_reply(self, model: Model, exchanges: Generator[Messages, object, None], reply: object) -> Messages:
        """Hand a reply to `_exchanges`, and return the messages to send next; StopIteration if there are none."""
        try:
            return exchanges.send(reply)
        except CogLogError as error:  # it isn't a reply
            self._fail(model, error, reply)

    def _send_failed(self, model: Model, error: BaseException, arrived: object) -> NoReturn:
        """Raise the error of a call: as it is if it isn't the model's failure, else as a `TurnError`."""
        if self.reply is None:
            self.reply = arrived
        if not isinstance(error, Exception):  # an interrupt, or a cancelled task
            raise error
        if isinstance(error, CogLogError) and not isinstance(error, (TurnError, InputError)) and self.reply is None:
            raise error  # the caller's mistake, such as a wrong option; no reply is lost with it
        self._fail(model, error, arrived)

    def _fail(self, model: Model, error: BaseException, arrived: object) -> NoReturn:
        """Raise a `TurnError` that says what went wrong and holds what arrived before that."""
        if self.reply is None:
            self.reply = arrived
        secrets = model.secrets()
        if isinstance(error, CogLogError):
            problems = [without_secrets(problem, secrets) for problem in error.problems]
        else:
            problems = [error_sentence(model.name, error, secrets)]
        failure = TurnError(problems, reply=self.reply, captured=self.captured)
        # The original error stays attached, unless its traceback would show a key.
        raise failure from (None if traceback_shows_secrets(error, secrets) else error)


def _text_problem(name: str, text: object) -> str | None:
    """Return what is wrong with a text that goes into a turn, or None."""
    if not isinstance(text, str):
        return f"{name}: {name}= is {type(text).__name__}, not str; nothing is converted"
    if name == "thinking" and not text:
        return "thinking: thinking= is empty; a fact must say something"
    return surrogate_problem(name, text)


def _note_text(reply: object, name: str) -> str:
    """Return the text of a model's answer to an axis's question.

    Raises
    ------
    InputError
        If the answer was refused, cut, or isn't whole.
    """
    if isinstance(reply, str) and not reply.strip():
        return ""  # an axis may be empty
    parsed = read_reply(reply)
    if parsed.refusal or parsed.cut or parsed.failure or parsed.unclosed:
        what = "refused" if parsed.refusal else "cut at its limit of length" if parsed.cut else "not whole"
        raise InputError(f"{name}: the answer to its question was {what}: {parsed.answer.strip() or 'no words'}")
    return parsed.answer

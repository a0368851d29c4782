"""A model that answers from a list."""

from __future__ import annotations

from typing import Any

Messages = list[dict[str, str]]


class Scripted:
    """A callable model. It returns the replies of a list, raises those that are errors, and keeps what it was sent."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.sent: list[Messages] = []

    def __call__(self, messages: Messages) -> Any:
        self.sent.append([dict(message) for message in messages])
        messages.clear()  # a model may change what it is given
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply

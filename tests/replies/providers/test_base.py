"""A provider made by hand: what a new file has to bring, and what it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coglog_nb.replies.providers.base import Provider, Stream

if TYPE_CHECKING:
    from coglog_nb.replies.parsed_reply import ParsedReply


class SmallStream(Stream):
    @staticmethod
    def fits(chunk: Any) -> bool:
        return isinstance(chunk, tuple)

    def feed(self, chunk: Any) -> None:
        kind, text = chunk
        self.parsed.say(text, f"parts[{self.part_index(kind)}]")


class Small(Provider):
    name = "a small one"
    advice = "ask for it"
    stream = SmallStream

    def fits(self, reply: Any) -> bool:
        return isinstance(reply, str)

    def read(self, reply: Any, parsed: ParsedReply) -> None:
        parsed.say(reply, "text")


def test_a_reply_is_parsed_under_the_providers_name() -> None:
    parsed = Small().parse("Yes.")
    assert (parsed.provider, parsed.advice, parsed.answer) == ("a small one", "ask for it", "Yes.")


def test_a_piece_goes_on_with_a_part_of_its_kind() -> None:
    stream = Small().open_stream()
    assert not stream.has_parts
    for chunk in (("a", "1"), ("a", "2"), ("b", "3"), ("a", "4")):
        stream.feed(chunk)
    assert stream.has_parts
    assert stream.parsed.source("assistant") == "parts[0], parts[1], parts[2]"


def test_the_reply_so_far_is_finished_and_the_stream_goes_on() -> None:
    stream = Small().open_stream()
    stream.feed(("a", "<think>Hm</think>Ye"))
    so_far = stream.reply()
    assert (so_far.thinking, so_far.answer) == ("Hm", "Ye")
    stream.feed(("a", "s."))
    assert stream.reply().answer == "Yes."
    assert so_far.answer == "Ye", "what was returned doesn't change"

"""`coglog mcp` through the SDK's own client, and line by line with what no client should send."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client, ClientSession, StdioServerParameters, stdio_client

from coglog_nb import CogLog, __version__, cli, template, tools
from coglog_nb.fields import FIELDS, NAMES
from coglog_nb.json_schema import input_schema
from coglog_nb.jsontext import dump
from coglog_nb.locks import hold_window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

pytestmark = pytest.mark.slow

TIMEOUT = 60
DOCS = (Path(__file__).parents[1] / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCKS = [json.loads(code) for code in re.findall(r"^```json\n(.*?)^```$", DOCS, re.DOTALL | re.MULTILINE)]
COMMAND = (sys.executable, "-m", "coglog_nb", "mcp")
HELLO = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def request(number: object, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: object, name: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return request(number, "tools/call", name=name, **({} if arguments is None else {"arguments": arguments}))


def as_line(line: object) -> bytes:
    return line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"


def talk(
    *lines: object,
    directory: Path,
    options: Iterable[str] = (),
    module: str = "coglog_nb",
    greets: bool = True,
    quiet: bool = True,
) -> list[dict[str, Any]]:
    """Send lines to a server of its own, end its stdin, and return its answers, less the one to the greeting."""
    sent = [HELLO, *lines] if greets else lines
    done = subprocess.run(
        [sys.executable, "-m", module, *(["mcp", *options] if module == "coglog_nb" else options)],
        input=b"".join(map(as_line, sent)),
        capture_output=True,
        check=False,
        timeout=TIMEOUT,
        env={**os.environ, "COGLOG_DIR": str(directory)},
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    if quiet and module == "coglog_nb":
        assert done.stderr == b""
    answers = [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]  # each line whole, and nothing but these
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    if greets:
        (hello,) = (answer for answer in answers if answer["id"] == "hello")
        answers.remove(hello)
    return answers


def by_id(answers: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    assert len({json.dumps(answer["id"]) for answer in answers}) == len(answers), answers
    return {answer["id"]: answer for answer in answers}


def text_of(answer: dict[str, Any]) -> str:
    (block,) = answer["result"]["content"]
    assert block["type"] == "text"
    text: str = block["text"]
    return text


def has_room(pipe: IO[bytes]) -> bool:
    """Whether a pipe takes more; a server that reads on makes room in far less than the time that this waits."""
    return bool(select.select([], [pipe], [], 2)[1])


class Server:
    """A running server, spoken to line by line."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: IO[bytes] | None = None) -> None:
        self.process = process
        stdin = stdin or process.stdin
        assert stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = stdin, process.stdout
        self.watchdog = threading.Timer(TIMEOUT, process.kill)
        self.watchdog.start()

    def send(self, *lines: object) -> None:
        self.stdin.write(b"".join(map(as_line, lines)))
        self.stdin.flush()

    def flood(self, lines: Iterable[object], most: int) -> int:
        """Send lines, reading no answer, until no more are taken; return the number of bytes that were."""
        os.set_blocking(self.stdin.fileno(), False)
        sent = 0
        for line in map(as_line, lines):
            rest = memoryview(line)
            while rest:
                if sent > most or not has_room(self.stdin):
                    os.set_blocking(self.stdin.fileno(), True)
                    return sent
                taken = os.write(self.stdin.fileno(), rest[: select.PIPE_BUF])
                sent, rest = sent + taken, rest[taken:]
        raise AssertionError("there are too few lines")

    def ends(self, code: int = 0, said: bytes = b"") -> None:
        """Check that it ends by itself, and what it says then."""
        assert self.process.wait(TIMEOUT) == code
        assert self.process.stderr is not None
        assert self.process.stderr.read() == said

    def receive(self) -> dict[str, Any]:
        line = self.stdout.readline()
        assert line, "the server has stopped"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def running(directory: Path, *options: str) -> Iterator[Server]:
    with subprocess.Popen(
        [*COMMAND, "--coglog-dir", str(directory), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        server = Server(process)
        try:
            server.send(HELLO)
            assert server.receive()["id"] == "hello"
            yield server
        finally:
            server.watchdog.cancel()
            process.kill()


# --- through the SDK's client ----------------------------------------------------------------------------------------


def parameters(directory: Path, *options: str) -> StdioServerParameters:
    command, *words = COMMAND
    return StdioServerParameters(command=command, args=[*words, "--coglog-dir", str(directory), *options])


def text_in(result: Any) -> str:
    (block,) = result.content
    text: str = block.text
    return text


def test_the_sdks_session_reads_writes_and_clears(tmp_path: Path, turn: dict[str, Any]) -> None:
    async def main() -> None:
        with anyio.fail_after(TIMEOUT):
            async with (
                stdio_client(parameters(tmp_path / "log")) as (reading, writing),
                ClientSession(reading, writing) as session,
            ):
                hello = await session.initialize()
                assert (hello.server_info.name, hello.server_info.version) == ("coglog", __version__)
                assert hello.instructions == tools.GUIDE
                assert text_in(await session.call_tool("coglog_read")) == "(no coglog found)"
                written = await session.call_tool("coglog_write", turn)
                assert not written.is_error
                entry = CogLog(tmp_path / "log").read()
                assert entry is not None
                assert text_in(written) == text_in(await session.call_tool("coglog_read", {})) == dump(entry)
                assert entry["turn_id"] == 1
                assert text_in(await session.call_tool("coglog_clear")) == '{"cleared": true}'
                assert text_in(await session.call_tool("coglog_clear")) == (
                    '{"cleared": false, "reason": "no existing coglog"}'
                )
                failed = await session.call_tool("coglog_write", {"user": "", "annotation": 1})
                assert failed.is_error
                assert text_in(failed).startswith("Error: missing required field: user (it is empty; ")
                assert [name for name in NAMES if f"field: {name}" not in text_in(failed)] == []

    anyio.run(main)


def test_the_sdks_newest_client_reads_and_writes(tmp_path: Path, turn: dict[str, Any]) -> None:
    async def main() -> None:
        with anyio.fail_after(TIMEOUT):
            async with Client(
                stdio_client(parameters(tmp_path))
            ) as client:  # asks with the protocol of July 2026 first
                assert text_in(await client.call_tool("coglog_read", {})) == "(no coglog found)"
                assert json.loads(text_in(await client.call_tool("coglog_write", turn)))["turn_id"] == 1
                assert [tool.name for tool in (await client.list_tools()).tools] == list(tools.TOOL_NAMES)

    anyio.run(main)


def test_the_tools_say_what_they_take_and_do(tmp_path: Path) -> None:
    async def main() -> None:
        with anyio.fail_after(TIMEOUT):
            async with Client(stdio_client(parameters(tmp_path)), mode="legacy") as client:
                listed = {tool.name: tool for tool in (await client.list_tools()).tools}
                assert list(listed) == list(tools.TOOL_NAMES)
                for name, tool in listed.items():
                    assert tool.description == tools.DESCRIPTIONS[name]
                    assert tool.input_schema == tools.parameters(name)
                    assert tool.annotations is not None
                    assert tool.annotations.read_only_hint is (name == "coglog_read")
                    assert tool.annotations.destructive_hint is (None if name == "coglog_read" else True)
                    assert tool.annotations.open_world_hint is False
                assert listed["coglog_write"].input_schema == input_schema()
                for field in FIELDS:
                    assert field.question in (listed["coglog_write"].description or "")

    anyio.run(main)


def test_the_template_is_a_prompt(tmp_path: Path) -> None:
    async def main() -> None:
        with anyio.fail_after(TIMEOUT):
            async with Client(stdio_client(parameters(tmp_path)), mode="legacy") as client:
                (listed,) = (await client.list_prompts()).prompts
                got = await client.get_prompt(listed.name)
                assert [(message.role, message.content.model_dump()["text"]) for message in got.messages] == [
                    ("user", template())
                ]

    anyio.run(main)
    (refused,) = talk(request(1, "prompts/get", name="nope"), directory=tmp_path)
    assert "unknown prompt: nope" in refused["error"]["message"]


# --- like the package that it replaces --------------------------------------------------------------------------------


def test_it_answers_like_the_peer(tmp_path: Path, turn: dict[str, Any]) -> None:
    lines = [
        call(1, "coglog_read"),
        call(2, "coglog_write", {**turn, "user": "日本語 🙂 \u2028 </script>\t\\"}),
        call(3, "coglog_read", {}),
        call(4, "coglog_write", {**turn, "user": ""}),
        call(5, "coglog_write", {**turn, "annotation": None}),
        call(6, "coglog_write", {**turn, "extra": 1}),
        call(7, "coglog_clear"),
        call(8, "coglog_clear"),
        request(9, "ping"),
    ]
    ours = by_id(talk(*lines, directory=tmp_path / "ours"))
    theirs = by_id(talk(*lines, directory=tmp_path / "theirs", module="coglog_mcp"))
    assert ours.keys() == theirs.keys()
    for number in (1, 4, 5, 7, 8):
        # A client may match the beginning of an error; ours then says more.
        assert re.sub(r"(field: \w+(?: \(empty string is acceptable\))?) \(.*\)", r"\1", text_of(ours[number])) == (
            text_of(theirs[number])
        )
        assert ours[number]["result"]["isError"] is theirs[number]["result"].get("isError", False)
    for number in (2, 3, 6):  # entries, which differ in their time alone
        mine, other = (text_of(answers[number]).splitlines() for answers in (ours, theirs))
        assert [line for line in mine if "timestamp" not in line] == [line for line in other if "timestamp" not in line]
    assert ours[9]["result"] == theirs[9]["result"] == {}


def test_a_script_that_was_written_for_the_peer_goes_on_working(
    tmp_path: Path, store: CogLog, turn: dict[str, Any]
) -> None:
    entry = store.write(**turn)
    lines = ({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}, call(2, "coglog_read"))
    for module in ("coglog_nb", "coglog_mcp"):
        answers = talk(*lines, directory=tmp_path / "log", module=module, greets=False)
        assert text_of(by_id(answers)[2]) == dump(entry)


# --- what no client should send --------------------------------------------------------------------------------------

BAD_LINES: dict[str, tuple[object, int, str]] = {
    "no JSON": (b"{\n", -32700, "Parse error: "),
    "no UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', -32700, "not UTF-8 at byte 34"),
    "UTF-16": ('{"jsonrpc":"2.0"}'.encode("utf-16"), -32700, "looks like UTF-16"),
    "100,000 brackets": (b"[" * 100_000 + b"\n", -32700, "nested too deeply"),
    "100,000 brackets in a call": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"coglog_write","arguments":{"user":'
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}}}\n",
        -32700,
        "nested too deeply",
    ),
    "a number with 10,000 digits": (b'{"id":' + b"1" * 10_000 + b"}\n", -32700, "Parse error: "),
    "NaN": (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}\n', -32700, "NaN is not JSON"),
    "a field twice": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"user":"a","user":"b"}}}\n',
        -32700,
        'duplicate key "user"',
    ),
    "an id twice": (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n', -32700, 'duplicate key "id"'),
    "arguments twice": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"coglog_clear","arguments":{},"arguments":{}}}\n',
        -32700,
        'duplicate key "arguments"',
    ),
    "a batch": ([request(1, "ping"), request(2, "ping")], -32600, "a batch"),
    "an empty batch": ([], -32600, "a batch"),
    "null": (None, -32600, "not an object but null"),
    "a number": (7, -32600, "not an object but a number"),
    "a string": ("ping", -32600, "not an object but a string"),
    "an empty object": ({}, -32600, "jsonrpc must be"),
    "no version": ({"id": None, "method": "ping"}, -32600, "jsonrpc must be"),
    "an id that is null": ({**request(None, "ping")}, -32600, "id must be a string or an integer, not null"),
    "an id that is a list": ({**request([], "ping")}, -32600, "id must be a string or an integer, not an array"),
    "a notification without a method": ({"jsonrpc": "2.0"}, -32600, "it has no method"),
}
BAD_REQUESTS: dict[str, tuple[dict[str, Any], int, str]] = {
    "a method that is a number": ({**request(1, "x"), "method": 5}, -32600, "method must be a string, not a number"),
    "no method": ({"jsonrpc": "2.0", "id": 1}, -32600, "it has no method"),
    "params that are a list": ({**request(1, "ping"), "params": []}, -32600, "params must be an object, not an array"),
    "a call with null for params": ({**request(1, "tools/call"), "params": None}, -32602, "name must be a tool's name"),
    "a call without a name": (request(1, "tools/call"), -32602, "coglog_read, coglog_write, coglog_clear"),
    "a call of a number": (request(1, "tools/call", name=5), -32602, "name must be a tool's name"),
    "arguments that are a list": (call(1, "coglog_write", []), -32602, "arguments must be an object, not an array"),  # type: ignore[arg-type]
    "arguments that are a string": (call(1, "coglog_write", "{}"), -32602, "an object, not a string"),  # type: ignore[arg-type]
    "a prompt without a name": (request(1, "prompts/get"), -32602, "Invalid params: name: "),
    "a cursor that is a number": (request(1, "tools/list", cursor=5), -32602, "Invalid params: cursor: "),
    "meta that is a number": (request(1, "tools/call", name="coglog_read", _meta=5), -32602, "Invalid params: _meta: "),
    "an unknown method": (request(1, "coglog/read"), -32601, "Method not found"),
    "a method that UTF-8 cannot encode": (request(1, "\ud83d"), -32601, "Method not found"),
}


def test_a_line_that_is_no_message_is_answered_and_the_next_one_too(tmp_path: Path, turn: dict[str, Any]) -> None:
    lines = [line if isinstance(line, bytes) else as_line(line) for line, _, _ in BAD_LINES.values()]
    lines = [line if line.endswith(b"\n") else line + b"\n" for line in lines]
    answers = talk(call("w", "coglog_write", turn), *lines, call("r", "coglog_read"), directory=tmp_path)
    refused = [answer for answer in answers if answer["id"] is None]
    assert len(refused) == len(BAD_LINES)
    for (name, (_, code, message)), answer in zip(BAD_LINES.items(), refused, strict=True):
        assert answer["error"]["code"] == code, name
        assert message in answer["error"]["message"], name
    rest = by_id([answer for answer in answers if answer["id"] is not None])
    assert rest.keys() == {"w", "r"}
    assert text_of(rest["r"]) == text_of(rest["w"]) == (tmp_path / "current.json").read_text(encoding="utf-8")


def test_a_request_that_is_none_is_answered_under_its_id(tmp_path: Path) -> None:
    sent = [
        {**line, "id": number} if "id" in line else line for number, (line, _, _) in enumerate(BAD_REQUESTS.values())
    ]
    answers = by_id(talk(*sent, request("last", "ping"), directory=tmp_path))
    for number, (name, (_, code, message)) in enumerate(BAD_REQUESTS.items()):
        assert answers[number]["error"]["code"] == code, name
        assert message in answers[number]["error"]["message"], name
    assert answers["last"]["result"] == {}


def test_an_id_comes_back_as_it_was_sent(tmp_path: Path) -> None:
    ids = ["", "\ud83d", "日本語", -1, 0, 2**70]
    assert by_id(talk(*(request(number, "ping") for number in ids), directory=tmp_path)).keys() == set(ids)


def test_a_call_that_cannot_be_done_is_an_error_with_every_problem(tmp_path: Path, turn: dict[str, Any]) -> None:
    answers = by_id(
        talk(
            call(1, "coglog_write"),
            call(2, "coglog_write", {**turn, "user": "a\ud83d", "thinking": 5, "annotation": ["x"], "extra": "\ud83d"}),
            call(3, "coglog_delete"),
            call(4, "coglog_read", {"verbose": True}),
            {**call(5, "coglog_write"), "params": {"name": "coglog_write", "arguments": None}},
            directory=tmp_path / "log",
        )
    )
    for number in (1, 5):
        assert [name for name in NAMES if f"missing required field: {name}" not in text_of(answers[number])] == []
    assert text_of(answers[2]).splitlines()[:3] == [
        "Error: user: an unpaired surrogate (U+D83D) at position 1, which UTF-8 cannot encode",
        "missing required field: thinking (it is a number, not text)",
        "missing required field: annotation (empty string is acceptable) (it is an array, not text)",
    ]
    assert text_of(answers[3]).startswith("Error: unknown tool: coglog_delete")
    assert [answers[number]["result"]["isError"] for number in range(1, 6)] == [True, True, True, False, True]
    assert text_of(answers[4]) == "(no coglog found)"
    assert not (tmp_path / "log").exists()


def test_a_byte_order_mark_crlf_blank_lines_and_an_answer_nobody_asked_for_are_fine(tmp_path: Path) -> None:
    (answer,) = talk(
        b"\n\r\n",
        b"\xef\xbb\xbf" + json.dumps(request(1, "ping")).encode() + b"\r\n",
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 10, "error": {"code": 1, "message": "no"}},
        directory=tmp_path,
    )
    assert answer == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_an_unknown_protocol_version_gets_one_that_is_known(tmp_path: Path) -> None:
    strange = {**HELLO, "params": {"protocolVersion": "1999-12-31", "capabilities": {}, "clientInfo": {}}}
    strange["params"]["clientInfo"] = {"name": "old", "version": "0"}  # type: ignore[index]
    answers = by_id(talk(strange, call(1, "coglog_read"), directory=tmp_path, greets=False))
    assert answers["hello"]["result"]["protocolVersion"] == "2025-11-25"
    assert text_of(answers[1]) == "(no coglog found)"


def test_what_a_greeting_leaves_out_is_filled_in(tmp_path: Path) -> None:
    for params in ({}, {"clientInfo": {"name": "old"}}, {"clientInfo": {"version": None}, "protocolVersion": None}):
        greeting = {**HELLO, "params": params}
        answers = by_id(talk(greeting, call(1, "coglog_read"), directory=tmp_path, greets=False))
        assert answers["hello"]["result"]["protocolVersion"] == "2024-11-05"
        assert text_of(answers[1]) == "(no coglog found)"


def test_a_greeting_that_is_wrong_is_reported_and_may_be_given_again(tmp_path: Path) -> None:
    wrong: dict[str, Any] = {"protocolVersion": 5, "capabilities": [], "clientInfo": "old"}
    lines = [request(number, "initialize", **{key: wrong[key]}) for number, key in enumerate(wrong)]
    lines += [call(7, "coglog_read"), HELLO, call(8, "coglog_read")]
    answers = by_id(talk(*lines, directory=tmp_path, greets=False))
    for number, key in enumerate(wrong):
        assert answers[number]["error"]["code"] == -32602
        assert f"Invalid params: {key}: " in answers[number]["error"]["message"]
    assert "send initialize before tools/call" in answers[7]["error"]["message"]
    assert text_of(answers[8]) == "(no coglog found)"


def test_before_the_greeting_a_call_is_refused_and_after_it_served(tmp_path: Path, turn: dict[str, Any]) -> None:
    lines = (request(2, "ping"), call(1, "coglog_write", turn), HELLO, call(3, "coglog_read"))
    answers = by_id(talk(*lines, directory=tmp_path, greets=False))
    assert "send initialize before tools/call" in answers[1]["error"]["message"]
    assert answers[2]["result"] == {}
    assert text_of(answers[3]) == "(no coglog found)"


@pytest.mark.parametrize("same", [1, "1", ""])
def test_an_id_used_again_is_answered_again_like_the_peer(same: object, tmp_path: Path, turn: dict[str, Any]) -> None:
    """A script that always sends the same id tells the answers apart by their order."""
    lines = [
        {**HELLO, "id": same},
        call(same, "coglog_write", {**turn, "user": "first"}),
        request(same, "ping"),
        call(same, "coglog_read"),
        request(same, "nothing/like/it"),
        call(same, "coglog_write", {**turn, "user": "second"}),
        call(same, "coglog_clear"),
        {**HELLO, "id": same},
        call(same, "coglog_read"),
    ]

    def brief(answer: dict[str, Any]) -> Any:
        assert answer["id"] == same
        if "content" not in answer.get("result", ()):
            return answer.get("error", {}).get("code") or ("serverInfo" in answer["result"] or answer["result"])
        text = text_of(answer)
        return json.loads(text)["layers"]["user"] if "layers" in text else text

    ours, theirs = (
        [brief(answer) for answer in talk(*lines, directory=tmp_path / module, module=module, greets=False)]
        for module in ("coglog_nb", "coglog_mcp")
    )
    assert ours == theirs
    assert ours == [True, "first", {}, "first", -32601, "second", '{"cleared": true}', True, "(no coglog found)"]


def test_an_id_used_again_after_an_error_or_a_cancellation_is_answered(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path)
    store.write(**turn)
    with running(tmp_path) as server:
        with hold_window(str(store.current_file), 10):
            server.send(call(1, "coglog_write", turn), request(1, "tools/call"))
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
            server.send(request("x", "ping"), request("x", "ping"))
        answers = [server.receive() for _ in range(4)]
        assert [answer["id"] for answer in answers if "error" not in answer].count("x") == 2
        server.send(call(1, "coglog_read"))
        assert server.receive()["id"] == 1


def test_what_was_asked_is_done_in_its_order_and_answered_though_stdin_ends(
    tmp_path: Path, turn: dict[str, Any]
) -> None:
    lines = [
        call(number, "coglog_write", {**turn, "user": f"{number}"}) if number % 2 else call(number, "coglog_read")
        for number in range(1, 21)
    ]
    answers = by_id(talk(*lines, directory=tmp_path))
    for number in range(1, 21):
        entry = json.loads(text_of(answers[number]))
        assert entry["layers"]["user"] == f"{number if number % 2 else number - 1}"
        assert entry["turn_id"] == (number + 1) // 2


def test_stdin_that_ends_in_the_middle_of_a_line_loses_nothing(tmp_path: Path, turn: dict[str, Any]) -> None:
    cut = as_line(call(2, "coglog_write", {**turn, "user": "half"}))[:-30]
    answers = talk(call(1, "coglog_write", turn), cut, directory=tmp_path)
    assert [answer["error"]["code"] for answer in answers if answer["id"] is None] == [-32700]
    assert json.loads((tmp_path / "current.json").read_bytes())["layers"]["user"] == turn["user"]
    # Where only the line break is missing the message is whole.
    whole = as_line(call(3, "coglog_read"))[:-1]
    assert json.loads(text_of(talk(whole, directory=tmp_path)[0]))["turn_id"] == 1


def test_ten_megabytes_come_back(tmp_path: Path, turn: dict[str, Any]) -> None:
    long = "\u00e9\n" * 5_000_000
    answers = by_id(
        talk(
            call(1, "coglog_write", {**turn, "thinking": long}),
            call(2, "coglog_write", {**turn, "thinking": long, "user": ""}),
            call(3, "coglog_read"),
            directory=tmp_path,
        )
    )
    assert json.loads(text_of(answers[3]))["layers"]["thinking"] == long
    assert text_of(answers[2]) == "Error: missing required field: user (it is empty; a fact must say something)"


METHODS = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "logging/setLevel",
    "server/discover",
    "subscriptions/listen",
    "notifications/initialized",
    "\ud83d",
]


def noise(chance: random.Random, depth: int = 0) -> Any:
    """Any JSON at all, with the names that mean something more often than not."""
    plain = [None, True, -1, 2**70, 1.5, "", "\ud83d", "\0\u2028", "2025-06-18", "coglog_read"]
    if depth > 2 or chance.random() < 0.6:
        return chance.choice(plain)
    if chance.random() < 0.3:
        return [noise(chance, depth + 1)]
    keys = [*NAMES, "name", "arguments", "_meta", "progressToken", "protocolVersion", "\udc00"]
    return {chance.choice(keys): noise(chance, depth + 1) for _ in range(chance.randrange(4))}


@pytest.mark.parametrize("seed", range(3))
def test_whatever_comes_every_request_gets_one_answer(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same noise each time
    lines: list[Any] = []
    for number in range(300):
        called = {"name": chance.choice([*tools.TOOL_NAMES, "x"]), "arguments": {n: noise(chance) for n in NAMES}}
        params = chance.choice([called, noise(chance)])
        line = {"jsonrpc": "2.0", "id": number, "method": chance.choice(METHODS), "params": params}
        # The id stays: of what else there is, a third of the lines has something wrong.
        if chance.random() < 0.3:
            line[chance.choice(["jsonrpc", "method", "params"])] = noise(chance)
        lines.append(line)
        lines += [as_line(noise(chance))] if chance.random() < 0.1 else []
    answers = talk(*lines, directory=tmp_path, quiet=False)  # the SDK logs what it drops
    numbered = [answer for answer in answers if answer["id"] is not None]
    assert by_id(numbered).keys() == set(range(300))
    assert all("result" in answer or answer["error"]["message"] for answer in answers)


def test_stdin_and_stdout_may_be_files(
    tmp_path: Path, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In this process, too: then what it takes from `sys.stdin` and `sys.stdout` is as it was."""
    bad = [as_line(line) for line, _, _ in (*BAD_LINES.values(), *BAD_REQUESTS.values())]
    good = [
        request(2, "tools/list"),
        request(3, "prompts/list"),
        request(4, "prompts/get", name="coglog_template"),
        request(5, "prompts/get", name="x"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}},
        {"jsonrpc": "2.0", "id": 6, "result": {}},
        call(7, "coglog_write", turn),
        call(8, "coglog_read"),
    ]
    sent = [as_line(call(0, "coglog_read")), as_line(HELLO), *bad, *map(as_line, good)]
    (tmp_path / "in").write_bytes(b"".join(line if line.endswith(b"\n") else line + b"\n" for line in sent))
    with (tmp_path / "in").open() as stdin, (tmp_path / "out").open("w") as stdout, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", stdout)
        assert cli.main(["mcp", "--coglog-dir", str(tmp_path / "log"), "--lock-timeout", "5"]) == 0
        assert sys.stdout is stdout
    assert capfd.readouterr() == ("", "")
    answers = [json.loads(line) for line in (tmp_path / "out").read_bytes().splitlines()]
    assert len([answer for answer in answers if answer["id"] is None]) == len(BAD_LINES)
    (read,) = (answer for answer in answers if answer["id"] == 8)
    assert json.loads(text_of(read)) == CogLog(tmp_path / "log").read()
    (early,) = (answer for answer in answers if answer["id"] == 0)
    assert "send initialize before" in early["error"]["message"]


# --- the store's troubles --------------------------------------------------------------------------------------------


def test_a_damaged_store_is_reported_and_left_alone(tmp_path: Path, turn: dict[str, Any]) -> None:
    (tmp_path / "current.json").write_text("{torn", encoding="utf-8")
    answers = by_id(talk(call(1, "coglog_read"), call(2, "coglog_write", turn), directory=tmp_path))
    for answer in answers.values():
        assert answer["result"]["isError"]
        assert text_of(answer).startswith("Error: damaged log ")
    assert (tmp_path / "current.json").read_text(encoding="utf-8") == "{torn"
    answers = by_id(talk(call(1, "coglog_clear"), call(2, "coglog_write", turn), directory=tmp_path))
    assert (tmp_path / json.loads(text_of(answers[1]))["moved_to"]).read_text(encoding="utf-8") == "{torn"
    assert json.loads(text_of(answers[2]))["turn_id"] == 1


def test_a_directory_that_cannot_be_made_is_reported(tmp_path: Path, turn: dict[str, Any]) -> None:
    (tmp_path / "file").touch()
    answers = by_id(talk(call(1, "coglog_write", turn), call(2, "coglog_read"), directory=tmp_path / "file" / "log"))
    assert answers[1]["result"]["isError"]
    assert text_of(answers[1]).startswith("Error: cannot ")
    assert str(tmp_path / "file") in text_of(answers[1])
    assert 2 in answers


def test_while_a_write_waits_for_a_lock_a_ping_is_answered(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path)
    store.write(**turn)
    with running(tmp_path) as server:
        with hold_window(str(store.current_file), 10):
            server.send(call(1, "coglog_write", turn), request(2, "ping"))
            assert server.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}
            server.stdin.close()  # and what waits is still done
        assert json.loads(text_of(server.receive()))["turn_id"] == 2
        assert server.process.wait(TIMEOUT) == 0


def test_a_lock_that_is_not_had_is_an_error(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path)
    store.write(**turn)
    with hold_window(str(store.current_file), 10):
        (answer,) = talk(call(1, "coglog_write", turn), directory=tmp_path, options=["--lock-timeout", "0.05"])
    assert answer["result"]["isError"]
    assert text_of(answer).startswith("Error: ")
    assert "lock" in text_of(answer)


def test_a_request_that_was_called_off_keeps_nobody_waiting(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path)
    store.write(**turn)
    with running(tmp_path, "--lock-timeout", "600") as server:  # what is still waited for is waited for as long
        with hold_window(str(store.current_file), 10):
            server.send(call(1, "coglog_write", turn))
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
            server.send(request(2, "ping"))
            assert server.receive()["id"] == 2
        server.send(call(3, "coglog_read"))
        assert server.receive()["id"] == 3
        server.stdin.close()
        assert server.process.wait(TIMEOUT) == 0
        assert server.stdout.read() == b""


def test_what_else_prints_does_not_get_among_the_answers(tmp_path: Path) -> None:
    code = (
        "import sys; from coglog_nb import CogLog, cli; CogLog.read = lambda self: print('noise');"
        " sys.exit(cli.main(['mcp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=as_line(HELLO) + as_line(call(1, "coglog_read")),
        capture_output=True,
        check=True,
        timeout=TIMEOUT,
        env={**os.environ, "COGLOG_DIR": str(tmp_path)},
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["hello", 1]
    assert done.stderr.splitlines() == [b"noise"]


# --- a client that reads slowly or not at all ------------------------------------------------------------------------

LONG = "x" * 40_000
FULL: dict[str, Any] = dict.fromkeys(NAMES, LONG)
FLOODS: dict[str, Callable[[int], list[Any]]] = {
    "calls with long answers": lambda number: [call(number, "coglog_read")],
    "writes": lambda number: [call(number, "coglog_write", dict.fromkeys(NAMES, LONG[:500]))],
    "pings": lambda number: [request(number, "ping")],
    "unusable lines": lambda _: [{"padding": LONG[:200]}],
    "refused calls": lambda number: [request(number, "tools/call", name="coglog_write", arguments=[LONG[:200]])],
    "calls with one id": lambda _: [call(1, "coglog_read")],
    "cancelled calls": lambda number: [
        call(number, "coglog_read"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}},
    ],
}
MOST = 400_000
"""More bytes than fit into both pipes and the server's own room, with the short answers that stdout's pipe can hold."""
posix = pytest.mark.skipif(os.name == "nt", reason="only POSIX tells whether a pipe has room, and who holds its end")


def flood(kind: str) -> Iterator[Any]:
    return itertools.chain.from_iterable(map(FLOODS[kind], itertools.count()))


@posix
@pytest.mark.parametrize("kind", FLOODS)
def test_while_nobody_reads_the_server_does_not_read_either(kind: str, tmp_path: Path) -> None:
    CogLog(tmp_path).write(**FULL)
    with running(tmp_path) as server:
        assert server.flood(flood(kind), MOST) <= MOST


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux tells how much memory a process has")
def test_many_calls_in_a_row_need_no_more_memory_than_some(tmp_path: Path) -> None:
    turn: dict[str, Any] = dict.fromkeys(NAMES, LONG[:2000])
    CogLog(tmp_path).write(**turn)
    with running(tmp_path) as server:

        def memory() -> int:
            pages = Path(f"/proc/{server.process.pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGESIZE")

        def feed() -> None:
            for number in range(3000):
                server.send(call(number, "coglog_read"))

        feeder = threading.Thread(target=feed)
        feeder.start()
        for _ in range(500):
            server.receive()
        early = memory()
        numbers = {server.receive()["id"] for _ in range(2500)}
        assert memory() - early < 4_000_000
        assert len(numbers) == 2500
        feeder.join()


@posix
def test_when_the_client_reads_again_all_is_answered(tmp_path: Path) -> None:
    CogLog(tmp_path).write(**FULL)
    lines = [
        as_line(request(number, "tools/call", name="coglog_read", _meta={"x": LONG[:2000]})) for number in range(3000)
    ]
    with running(tmp_path) as server:
        sent = server.flood(lines, MOST)
        whole = b"".join(lines)[:sent].count(b"\n")
        assert 10 < whole < 3000
        server.stdin.close()  # in the middle of a line, perhaps
        answers = [json.loads(line) for line in server.stdout]
        assert [answer["id"] for answer in answers if answer["id"] is not None] == list(range(whole))
        assert all("result" in answer for answer in answers[:whole])
        server.ends()


# --- how it ends -----------------------------------------------------------------------------------------------------

UNREAD = b"coglog mcp: stdin has ended and nobody reads stdout; the remaining answers were not sent\n"


@contextmanager
def stuffed(directory: Path, *options: str) -> Iterator[Server]:
    """A running server whose stdout is full, and whose stdin still has lines."""
    CogLog(directory).write(**FULL)
    with running(directory, *options) as server:
        server.flood(flood("calls with long answers"), MOST)
        yield server


@posix
def test_with_a_full_stdout_it_ends_when_its_stdin_does(tmp_path: Path) -> None:
    with stuffed(tmp_path) as server:
        server.stdin.close()
        server.ends(said=UNREAD)


@posix
@pytest.mark.parametrize("rest", [b"", b"{}", b"\n", b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'])
def test_so_it_does_with_an_answer_that_never_fits_and_in_the_middle_of_a_line(rest: bytes, tmp_path: Path) -> None:
    CogLog(tmp_path).write(**FULL)
    with running(tmp_path) as server:
        server.send(call(1, "coglog_read"), rest)
        server.stdin.close()
        server.ends(said=UNREAD)


@posix
def test_so_it_does_with_a_socket_of_which_only_one_side_is_shut(tmp_path: Path) -> None:
    """Some clients, Node's among them, speak through sockets."""
    CogLog(tmp_path).write(**FULL)
    ours, theirs = socket.socketpair()
    with (
        ours,
        theirs,
        subprocess.Popen(
            [*COMMAND, "--coglog-dir", str(tmp_path)],
            stdin=theirs.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        server = Server(process, ours.makefile("wb"))
        try:
            server.send(HELLO)
            server.receive()
            server.flood(flood("calls with long answers"), MOST)
            ours.shutdown(socket.SHUT_WR)
            server.ends(said=UNREAD)
        finally:
            server.watchdog.cancel()
            process.kill()


@posix
def test_so_it_does_while_a_call_waits_for_a_lock(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path)
    store.write(**FULL)
    with running(tmp_path, "--lock-timeout", "600") as server, hold_window(str(store.current_file), 10):
        server.send(call(1, "coglog_read"), call(2, "coglog_write", turn))
        server.stdin.close()
        server.ends(said=UNREAD)


@posix
def test_an_interrupt_ends_it_with_a_full_stdout(tmp_path: Path) -> None:
    with stuffed(tmp_path) as server:
        server.process.send_signal(signal.SIGINT)
        server.ends(130)


@posix
def test_sigterm_ends_it_with_a_full_stdout(tmp_path: Path) -> None:
    with stuffed(tmp_path) as server:
        server.process.send_signal(signal.SIGTERM)
        server.ends(-signal.SIGTERM)


@posix
def test_a_client_that_goes_ends_it_with_a_full_stdout(tmp_path: Path) -> None:
    with stuffed(tmp_path) as server:
        server.stdout.close()
        server.ends()


@posix
def test_an_interrupt_ends_it_when_it_has_nothing_to_do(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.process.send_signal(signal.SIGINT)
        server.ends(130)
        assert server.stdout.read() == b""


@posix
def test_an_interrupt_ends_it_while_a_write_waits_for_a_lock(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path)
    store.write(**turn)
    with running(tmp_path, "--lock-timeout", "600") as server, hold_window(str(store.current_file), 10):
        server.send(*(call(number, "coglog_write", turn) for number in range(4)), request("last", "ping"))
        assert server.receive()["id"] == "last"
        server.process.send_signal(signal.SIGINT)
        server.ends(130)
    entry = store.read()
    assert entry is not None
    assert entry["turn_id"] == 1


@posix
def test_a_client_that_goes_ends_it_while_a_write_waits_for_a_lock(tmp_path: Path, turn: dict[str, Any]) -> None:
    store = CogLog(tmp_path)
    store.write(**turn)
    with running(tmp_path, "--lock-timeout", "600") as server, hold_window(str(store.current_file), 10):
        server.send(call(1, "coglog_write", turn))
        server.stdout.close()
        server.send(request(2, "ping"))
        server.ends()


@posix
def test_an_interrupt_in_writes_leaves_a_whole_turn(tmp_path: Path, turn: dict[str, Any]) -> None:
    log = tmp_path / "log"
    with running(log) as server:
        server.send(*(call(number, "coglog_write", {**turn, "user": "x" * 100_000}) for number in range(1, 6)))
        server.receive()
        server.process.send_signal(signal.SIGINT)
        server.stdout.read()
        server.ends(130)
    left = {path.name for path in log.iterdir()}
    entry = CogLog(log).read()
    assert entry is not None
    assert 1 <= entry["turn_id"] <= 5
    assert CogLog(log).write(**turn)["turn_id"] == entry["turn_id"] + 1
    assert left == {path.name for path in log.iterdir()}  # the interrupt left no file behind


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM")
def test_sigterm_leaves_a_whole_turn(tmp_path: Path, turn: dict[str, Any]) -> None:
    with running(tmp_path) as server:
        server.send(call(0, "coglog_write", turn))
        server.receive()
        server.send(*(call(number, "coglog_write", {**turn, "user": "x" * 100_000}) for number in range(1, 11)))
        server.receive()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(TIMEOUT) == -signal.SIGTERM
    entry = CogLog(tmp_path).read()
    assert entry is not None
    last = entry["turn_id"]
    assert 2 <= last <= 11
    (answer,) = talk(call(1, "coglog_write", turn), directory=tmp_path)
    assert json.loads(text_of(answer))["turn_id"] == last + 1


def test_it_ends_when_nobody_reads_its_answers(tmp_path: Path, turn: dict[str, Any]) -> None:
    with running(tmp_path) as server:
        server.stdout.close()
        server.send(call(1, "coglog_write", turn))
        assert server.process.wait(TIMEOUT) == 0  # though its stdin is open
    assert CogLog(tmp_path).read()


def test_a_stdin_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "for-writing", os.O_WRONLY | os.O_CREAT)
    try:
        done = subprocess.run(COMMAND, stdin=descriptor, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    finally:
        os.close(descriptor)
    assert (done.returncode, done.stdout) == (1, "")
    assert "coglog error: cannot read stdin" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux: full, whatever is written")
def test_a_stdout_that_takes_nothing_is_an_error(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "--coglog-dir", str(tmp_path)],
            input=as_line(HELLO),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=TIMEOUT,
        )
    assert done.returncode == 1
    assert done.stderr == b"coglog error: cannot write to stdout: No space left on device\n"


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_options_say_which_window_and_what_is_shown(tmp_path: Path, turn: dict[str, Any]) -> None:
    options = ["--coglog-dir", str(tmp_path / "there"), "--session", "mira", "--no-thinking"]
    answers = by_id(
        talk(call(1, "coglog_write", turn), call(2, "coglog_read"), directory=tmp_path / "env", options=options)
    )
    for answer in answers.values():
        assert turn["thinking"] not in text_of(answer)
        assert json.loads(text_of(answer))["layers"]["thinking"] == "(not shown)"
    stored = CogLog(tmp_path / "there", session="mira").read()
    assert stored is not None
    assert stored["layers"]["thinking"] == turn["thinking"]
    assert not (tmp_path / "env").exists()


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from coglog_nb.cli import main; sys.exit(main(sys.argv[1:]))"

    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *argv],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
            cwd=tmp_path,
        )

    done = run("mcp")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "pip install 'coglog-nb[mcp]'" in done.stderr
    helped = run("mcp", "--help")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert '"args": ["mcp"]' in helped.stdout


def test_a_wrong_call_of_the_command_says_so_and_serves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["mcp", "--sesion", "x"]) == 2
    assert "did you mean --session?" in capsys.readouterr().err
    assert cli.main(["mcp", "--session", "../x"]) == 1
    assert capsys.readouterr().out == ""


def test_only_the_command_imports_the_sdk() -> None:
    code = (
        "import sys; from coglog_nb import cli, tools; cli.main(['read']);"
        " print([name for name in ('mcp', 'anyio', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=TIMEOUT)
    assert done.stdout == "(no coglog found)\n[]\n"


@pytest.mark.parametrize("block", BLOCKS, ids=[next(iter(block)) for block in BLOCKS])
def test_what_the_documentation_has_for_a_client_starts_the_server(block: dict[str, Any], tmp_path: Path) -> None:
    ((key, servers),) = block.items()
    assert key in ("mcpServers", "servers")
    ((name, settings),) = servers.items()
    assert name == "coglog"
    assert set(settings) <= {"type", "command", "args", "env"}
    assert settings.get("type", "stdio") == "stdio"
    assert set(settings.get("env", {})) <= {"COGLOG_DIR"}
    scripts = Path(sys.executable).parent  # a client finds it on its PATH
    done = subprocess.run(
        [settings["command"], *settings["args"]],
        input=as_line(HELLO) + as_line(call(1, "coglog_read")),
        capture_output=True,
        check=True,
        timeout=TIMEOUT,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COGLOG_DIR": str(tmp_path)},
    )
    assert text_of(json.loads(done.stdout.splitlines()[1])) == "(no coglog found)"


def test_the_documentation_has_a_block_for_either_key() -> None:
    assert [next(iter(block)) for block in BLOCKS] == ["mcpServers", "mcpServers", "servers"]
    assert any("env" in block["mcpServers"]["coglog"] for block in BLOCKS[:2])


def test_a_long_talk_stays_in_step(tmp_path: Path, turn: dict[str, Any]) -> None:
    with running(tmp_path) as server:
        for number in range(1, 51):
            server.send(call(number, "coglog_write", turn))
            answer = server.receive()
            assert answer["id"] == number
            assert json.loads(text_of(answer))["turn_id"] == number
        server.stdin.close()
        assert server.process.wait(TIMEOUT) == 0

"""The tools in each provider's form: definitions and answers against the SDKs' own types, and the documented loops."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anthropic.types
import ollama
import openai.types.chat
import openai.types.responses
import openai.types.shared_params
import pytest
from provider_server import ProviderServer
from pydantic import TypeAdapter

from coglog_nb import CogLog, InputError, UsageError, tools
from coglog_nb.fields import FIELDS, NAMES
from coglog_nb.jsontext import dump

DOCS = (Path(__file__).parents[1] / "docs" / "mcp.md").read_text(encoding="utf-8")
LOOPS = [
    code for kind, code in re.findall(r"^```(\w*)\n(.*?)^```$", DOCS, re.DOTALL | re.MULTILINE) if kind == "python"
]


def chat_call(name: str, arguments: Any, call_id: Any = "call_1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def responses_call(name: str, arguments: Any, call_id: Any = "call_1") -> dict[str, Any]:
    return {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": name, "arguments": arguments}


def anthropic_call(name: str, arguments: Any, call_id: Any = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def ollama_call(name: str, arguments: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


MAKERS = {
    "ollama": ollama_call,
    "openai": chat_call,
    "openai-responses": responses_call,
    "anthropic": anthropic_call,
}
OBJECTS: dict[str, Any] = {
    "ollama": ollama.Message.ToolCall.model_validate,
    "openai": openai.types.chat.ChatCompletionMessageFunctionToolCall.model_validate,
    "openai-responses": openai.types.responses.ResponseFunctionToolCall.model_validate,
    "anthropic": anthropic.types.ToolUseBlock.model_validate,
}
PARAM_TYPES: dict[str, Any] = {
    "openai": openai.types.chat.ChatCompletionFunctionToolParam,
    "openai-responses": openai.types.responses.FunctionToolParam,
    "anthropic": anthropic.types.ToolParam,
}
ANSWER_TYPES: dict[str, Any] = {
    "openai": openai.types.chat.ChatCompletionToolMessageParam,
    "openai-responses": openai.types.responses.response_input_param.FunctionCallOutput,
    "anthropic": anthropic.types.ToolResultBlockParam,
}


def check(kind: Any, value: dict[str, Any]) -> None:
    """Check a dict against an SDK's TypedDict: its values, and that it has no other keys."""
    TypeAdapter(kind).validate_python(value)
    assert kind.__required_keys__ <= set(value) <= kind.__required_keys__ | kind.__optional_keys__


def text_of(answer: dict[str, Any]) -> str:
    text: str = answer["output"] if "output" in answer else answer["content"]
    return text


def test_definitions_are_what_the_sdks_take() -> None:
    for provider, kind in PARAM_TYPES.items():
        for definition in tools.definitions(provider):
            check(kind, definition)
    for definition in tools.definitions("openai"):
        check(openai.types.shared_params.FunctionDefinition, definition["function"])
    for definition in tools.definitions("ollama"):
        tool = ollama.Tool.model_validate(definition)
        assert tool.function is not None
        sent = tool.model_dump(exclude_none=True)["function"]
        assert sent["name"] == definition["function"]["name"]
        assert sent["description"] == definition["function"]["description"]
        properties = definition["function"]["parameters"]["properties"]
        assert sent["parameters"]["required"] == list(properties)
        assert {name: told["description"] for name, told in sent["parameters"]["properties"].items()} == {
            name: told["description"] for name, told in properties.items()
        }


def test_every_form_has_the_three_tools_and_the_questions() -> None:
    for provider in tools.FORMATS:
        told = [definition.get("function", definition) for definition in tools.definitions(provider)]
        assert [tool["name"] for tool in told] == ["coglog_read", "coglog_write", "coglog_clear"]
        for field in FIELDS:
            assert field.question in told[1]["description"]
            assert field.direction in told[1]["description"]
    with pytest.raises(UsageError, match="unknown provider 'gemini': choose one of ollama, openai"):
        tools.definitions("gemini")


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_strict_mode_gets_what_it_takes(provider: str) -> None:
    """Every key required, no other allowed, and of JSON Schema's keywords only those that strict mode knows."""
    for definition in tools.definitions(provider):
        told = definition.get("function", definition)
        assert told["strict"] is True
        parameters = told["parameters"]
        assert parameters["additionalProperties"] is False
        assert parameters["required"] == list(parameters["properties"])
        for schema in (parameters, *parameters["properties"].values()):
            assert set(schema) <= {"type", "properties", "required", "additionalProperties", "description", "title"}


def test_without_strict_mode_the_schema_is_whole() -> None:
    for provider in tools.FORMATS:
        for definition, plain in zip(
            tools.definitions(provider, strict=False), tools.definitions("anthropic"), strict=True
        ):
            told = definition.get("function", definition)
            assert told.get("strict", False) is False
            assert told.get("parameters", told.get("input_schema")) == plain["input_schema"]
            if provider in PARAM_TYPES:
                check(PARAM_TYPES[provider], definition)


@pytest.mark.parametrize("provider", tools.FORMATS)
@pytest.mark.parametrize("as_text", [True, False], ids=["JSON text", "an object"])
def test_a_call_is_run_and_answered(provider: str, as_text: bool, store: CogLog, turn: dict[str, Any]) -> None:
    make = MAKERS[provider]
    answer = tools.dispatch(make("coglog_write", json.dumps(turn) if as_text else turn), store)
    entry = store.read()
    assert entry is not None
    assert text_of(answer) == dump(entry)
    assert text_of(tools.dispatch(make("coglog_read", "{}" if as_text else {}), store)) == dump(entry)
    assert text_of(tools.dispatch(make("coglog_clear", "" if as_text else None), store)) == '{"cleared": true}'
    assert text_of(tools.dispatch(make("coglog_read", None), store)) == "(no coglog found)"
    if provider == "ollama":
        message = ollama.Message.model_validate(answer)
        assert (message.role, message.tool_name) == ("tool", "coglog_write")
        assert set(answer) <= set(ollama.Message.model_fields)
    else:
        check(ANSWER_TYPES[provider], answer)
        assert "_1" in json.dumps([answer.get(key) for key in ("tool_call_id", "call_id", "tool_use_id")])


@pytest.mark.parametrize("provider", tools.FORMATS)
def test_the_sdks_object_is_the_same_call(provider: str, store: CogLog, turn: dict[str, Any]) -> None:
    text = provider.startswith("openai")
    call = MAKERS[provider]("coglog_write", json.dumps(turn) if text else turn)
    made = tools.dispatch(OBJECTS[provider](call), store)
    plain = tools.dispatch(call, store)
    assert {key: value for key, value in made.items() if value != text_of(made)} == {
        key: value for key, value in plain.items() if value != text_of(plain)
    }
    assert json.loads(text_of(plain))["turn_id"] == json.loads(text_of(made))["turn_id"] + 1 == 2


def test_ollamas_call_stays_ollamas_where_its_server_gives_it_an_id(store: CogLog) -> None:
    answer = tools.dispatch({"id": "call_x", **ollama_call("coglog_read", {})}, store)
    assert answer == {"role": "tool", "tool_name": "coglog_read", "content": "(no coglog found)"}
    # As its documentation has it, with a type.
    answer = tools.dispatch({"type": "function", **ollama_call("coglog_read", {})}, store)
    assert answer == {"role": "tool", "tool_name": "coglog_read", "content": "(no coglog found)"}
    # And a chat call without its type is known by the text that its arguments are.
    answer = tools.dispatch({"id": "call_x", **ollama_call("coglog_read", "{}")}, store)
    assert answer == {"role": "tool", "tool_call_id": "call_x", "content": "(no coglog found)"}


BAD_ARGUMENTS: dict[str, tuple[Any, list[str]]] = {
    "nothing": (None, [f"missing required field: {name}" for name in NAMES]),
    "an empty fact": ({"user": ""}, ["missing required field: user (it is empty; a fact must say something)"]),
    "null": ({"user": None}, ["missing required field: user (it is null, not text)"]),
    "an array": ('{"annotation": []}', ["annotation (empty string is acceptable) (it is an array, not text)"]),
    "a misspelt key": (
        {"thinkng": "t"},
        ["field: thinking (not given)", "unknown key 'thinkng'; did you mean thinking?"],
    ),
    "no JSON": ("{user: 1}", ["invalid JSON: ", "line 1 column 2"]),
    "cut off": ('{"user": "a', ["invalid JSON: "]),
    "a JSON list": ("[]", ["not a JSON object but an array"]),
    "a list": ([], ["arguments: not an object but an array"]),
    "a number": (5, ["arguments: not an object but a number"]),
    "bytes": (b"{}", ["arguments: not an object but bytes"]),
    "a field twice": ('{"user": "a", "user": "b"}', ['duplicate key "user"']),
    "100,000 brackets": ('{"user": ' + "[" * 100_000, ["nested too deeply"]),
    "an unpaired surrogate": ('{"user": "\\ud83d"}', ["user: an unpaired surrogate (U+D83D) at position 0"]),
}


@pytest.mark.parametrize("provider", tools.FORMATS)
@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_a_bad_call_is_answered_with_every_problem(provider: str, case: str, store: CogLog) -> None:
    arguments, expected = BAD_ARGUMENTS[case]
    answer = tools.dispatch(MAKERS[provider]("coglog_write", arguments), store)
    assert text_of(answer).startswith("Error: ")
    assert [words for words in expected if words not in text_of(answer)] == []
    assert answer.get("is_error", True) is True
    assert not store.data_dir.exists()


@pytest.mark.parametrize("provider", tools.FORMATS)
def test_an_unknown_tool_and_a_store_in_trouble_are_answered(
    provider: str, store: CogLog, turn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = tools.dispatch(MAKERS[provider]("coglog_delete", "{}"), store)
    assert text_of(answer) == "Error: unknown tool: coglog_delete; there are coglog_read, coglog_write, coglog_clear"
    answer = tools.dispatch(MAKERS[provider]("coglog\ud83d", "{}"), store)
    assert r"unknown tool: coglog\ud83d; there are" in text_of(answer).encode().decode()  # it can be sent
    store.data_dir.mkdir()
    store.current_file.write_text("torn", encoding="utf-8")
    for name in ("coglog_read", "coglog_write"):
        assert text_of(tools.dispatch(MAKERS[provider](name, turn), store)).startswith("Error: damaged log ")
    assert store.current_file.read_text(encoding="utf-8") == "torn"
    monkeypatch.setenv("COGLOG_SESSION", "../x")
    assert text_of(tools.dispatch(MAKERS[provider]("coglog_read", {}))).startswith("Error: ")


def test_without_a_store_it_is_the_default_one(turn: dict[str, Any], home: Path) -> None:
    tools.dispatch(anthropic_call("coglog_write", turn))
    assert (home / ".coglog" / "current.json").exists()


@pytest.mark.parametrize(
    "call",
    [
        None,
        5,
        "coglog_read",
        [],
        {},
        {"name": "coglog_read"},
        {"type": "text", "text": "x"},
        {"type": "custom", "id": "1", "custom": {"name": "coglog_read", "input": ""}},
        {"type": "tool_use", "name": "coglog_read", "input": {}},
        {"type": "function_call", "id": "fc_1", "name": "coglog_read", "arguments": "{}"},
        {"type": "function", "id": None, "function": {"name": "coglog_read", "arguments": "{}"}},
        {"function": {"arguments": {}}},
        {"function": "coglog_read"},
    ],
    ids=repr,
)
def test_what_is_not_a_tool_call_is_an_error(call: Any, store: CogLog) -> None:
    with pytest.raises(InputError, match=r"not a (tool call|call of a function tool)"):
        tools.dispatch(call, store)


# --- the documented loops, through the providers' own clients --------------------------------------------------------


def _ollama_reply(calls: list[dict[str, Any]], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}


def _chat_reply(calls: list[dict[str, Any]], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def _responses_reply(calls: list[dict[str, Any]], text: str) -> dict[str, Any]:
    said = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    return {
        "id": "r",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "output": calls or [said],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _anthropic_reply(calls: list[dict[str, Any]], text: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": calls or [{"type": "text", "text": text}],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


REPLIES: dict[str, Any] = {
    "ollama": _ollama_reply,
    "openai": _chat_reply,
    "openai-responses": _responses_reply,
    "anthropic": _anthropic_reply,
}
PATHS = {
    "ollama": "/api/chat",
    "openai": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
}


@pytest.mark.slow
@pytest.mark.parametrize("provider", tools.FORMATS)
def test_the_documented_loop_runs_through_the_providers_client(
    provider: str, tmp_path: Path, turn: dict[str, Any]
) -> None:
    (loop,) = (code for code in LOOPS if f'definitions("{provider}")' in code)
    text = provider.startswith("openai")
    reply, make = REPLIES[provider], MAKERS[provider]

    def called(name: str, arguments: dict[str, Any], *ids: str) -> dict[str, Any]:
        given = json.dumps(arguments) if text else arguments
        made: dict[str, Any] = reply([make(name, given, *(ids if provider != "ollama" else ()))], "")
        return made

    script = [
        called("coglog_read", {}, "call_1"),
        called("coglog_write", {**turn, "user": ""}, "call_2"),  # the model gets the error, and corrects the call
        called("coglog_write", turn, "call_3"),
        reply([], "A value that a function maps to itself."),
    ]
    with ProviderServer(script).running() as server:
        done = subprocess.run(
            [sys.executable, "-c", loop],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            cwd=tmp_path,
            env={
                **{key: value for key, value in os.environ.items() if "proxy" not in key.lower()},
                "OLLAMA_HOST": server.url,
                "OPENAI_BASE_URL": f"{server.url}/v1",
                "OPENAI_API_KEY": "none",
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "none",
            },
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "A value that a function maps to itself.\n"
    assert [path for path, _ in server.requests] == [PATHS[provider]] * 4
    entry = CogLog(tmp_path / "my-log").read()
    assert entry is not None
    assert (entry["turn_id"], entry["layers"]["user"]) == (1, turn["user"])
    # What the model was shown of each call, in the order that it made them.
    last = json.dumps(server.requests[-1][1], ensure_ascii=False)
    shown = ["(no coglog found)", "Error: missing required field: user", json.dumps(dump(entry), ensure_ascii=False)]
    places = [last.index(words) for words in shown]
    assert places == sorted(places)
    first = server.requests[0][1]
    assert len(first["tools"]) == len(tools.TOOL_NAMES)
    if provider != "ollama":  # whose client sends what its type knows
        assert first["tools"] == tools.definitions(provider)
    assert tools.GUIDE in json.dumps(first)


def test_a_path_is_not_a_store(tmp_path: Path) -> None:
    call = {"function": {"name": "coglog_read", "arguments": {}}}
    with pytest.raises(InputError, match=r"store is str, not a CogLog: CogLog\(directory\) opens one"):
        tools.dispatch(call, str(tmp_path))  # type: ignore[arg-type] # what somebody may try


def test_a_long_name_is_shortened(store: CogLog) -> None:
    answer = tools.dispatch({"function": {"name": "x" * 10_000, "arguments": {}}}, store)
    assert len(answer["content"]) < 300


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (None, "missing required field: user (not given)"),
        ('{"user": 3}', "missing required field: user (it is a number, not text)"),
        ("[]", "not a JSON object but an array"),
        ([], "arguments: not an object but an array"),
        (3, "arguments: not an object but a number"),
    ],
)
def test_run_tool_takes_the_arguments_that_a_call_may_have(arguments: Any, problem: str, store: CogLog) -> None:
    text, failed = tools.run_tool("coglog_write", arguments, store)
    assert failed
    assert text.startswith(f"Error: {problem}")


@pytest.mark.parametrize("name", [None, 3, ["coglog_read"]])
def test_run_tool_with_a_name_that_is_no_text_lists_the_tools(name: object, store: CogLog) -> None:
    text, failed = tools.run_tool(name, {}, store)
    assert failed
    assert text == f"Error: unknown tool: {name}; there are coglog_read, coglog_write, coglog_clear"

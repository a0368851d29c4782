"""CogLog as an MCP server over stdin and stdout: three tools and one prompt, served by the official SDK.

Importing this module imports the SDK; only `coglog mcp` does so. The tools come from `tools`. They use the SDK's
low-level `Server`, which takes a tool's schema as it is. The SDK's `MCPServer` would make a schema from a function's
signature and add words of its own to the text of an error.

The lines to and from the client are in `mcp_wire`.
"""

from __future__ import annotations

import contextlib
import sys
from functools import partial

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptMessage,
    TextContent,
    Tool,
    ToolAnnotations,
)

from ._version import __version__
from .errors import CogLogError
from .mcp_wire import Wire
from .prompt import template
from .tools import CLEAR, DESCRIPTIONS, GUIDE, READ, TOOL_NAMES, WRITE, parameters, run_tool

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from typing import Any

    from mcp.server import ServerRequestContext

    from .store import CogLog

PROMPT = "coglog_template"

# A write destroys the turn that it replaces, as clearing does; writing the same text again makes a new turn.
_HINTS = {
    READ: ToolAnnotations(title="Read the last turn", read_only_hint=True, open_world_hint=False),
    WRITE: ToolAnnotations(
        title="Write this turn",
        read_only_hint=False,
        destructive_hint=True,
        idempotent_hint=False,
        open_world_hint=False,
    ),
    CLEAR: ToolAnnotations(
        title="Remove the stored turn",
        read_only_hint=False,
        destructive_hint=True,
        idempotent_hint=True,
        open_world_hint=False,
    ),
}

_PATIENCE = 5  # seconds, added to the longest wait for a lock; after that, unfinished calls are dropped


def make_server(store: CogLog, *, show_thinking: bool = True) -> Server[Any]:
    """Make a server of the SDK with CogLog's tools and prompt.

    Parameters
    ----------
    store : CogLog
        The window that the tools read and write.
    show_thinking : bool, optional
        Whether the entries in the results hold the thinking.
    """
    in_order = anyio.Lock()  # it is fair: calls run in the order they came, so a read sees the write before it

    async def list_tools(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=name,
                    title=_HINTS[name].title,
                    description=DESCRIPTIONS[name],
                    input_schema=parameters(name),
                    annotations=_HINTS[name],
                )
                for name in TOOL_NAMES
            ]
        )

    async def call_tool(_: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        run = partial(run_tool, params.name, params.arguments or {}, store, show_thinking=show_thinking)
        # In a thread, so that the server can answer a ping while the call waits for another writer's lock.
        async with in_order:
            text, failed = await anyio.to_thread.run_sync(run)
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)

    async def list_prompts(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListPromptsResult:
        about = "Asks for a coglog block at the end of each response: CogLog without tools"
        return ListPromptsResult(prompts=[Prompt(name=PROMPT, title="CogLog template", description=about)])

    async def get_prompt(_: ServerRequestContext[Any], params: GetPromptRequestParams) -> GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(code=INVALID_PARAMS, message=f"unknown prompt: {params.name}; there is {PROMPT}")
        content = TextContent(type="text", text=str(template()))
        return GetPromptResult(messages=[PromptMessage(role="user", content=content)])

    return Server(
        "coglog",
        version=__version__,
        title="CogLog",
        instructions=GUIDE,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def serve(store: CogLog, *, show_thinking: bool = True, patience: float = 10.0) -> None:
    """Serve one client over this process's stdin and stdout until stdin ends or the client closes stdout.

    Parameters
    ----------
    store : CogLog
        The window that the tools read and write.
    show_thinking : bool, optional
        Whether the entries in the results hold the thinking.
    patience : float, optional
        How long to wait for unfinished calls after stdin has ended, in seconds.

    Raises
    ------
    CogLogError
        If stdin can't be read, or stdout can't be written although the client is still there.
    """
    if sys.stdout is None:
        raise CogLogError("cannot serve: stdout is closed, but the answers go there")
    if sys.stdin is None:
        return  # there is nothing to serve
    if sys.stdin.isatty() and sys.stderr is not None:
        sys.stderr.write("coglog mcp: an MCP client starts this server; press Ctrl-D to exit\n")
    sys.stdout.flush()
    wire = Wire(sys.stdin.fileno(), sys.stdout.fileno())
    # Nothing else in this process may print between the answers.
    with contextlib.redirect_stdout(sys.stderr):
        wire.run(make_server(store, show_thinking=show_thinking), patience + _PATIENCE)
    if wire.unread and sys.stderr is not None:
        sys.stderr.write("coglog mcp: stdin has ended and nobody reads stdout; the remaining answers were not sent\n")
    if wire.failure is not None:
        raise wire.failure

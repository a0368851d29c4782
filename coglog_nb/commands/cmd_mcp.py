"""`mcp`: serve the tools to an MCP client over stdin and stdout."""

from __future__ import annotations

from argparse import Namespace

from ..errors import CogLogError, how_to_install
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    parser.epilog = (
        "An MCP client starts this server; in a terminal, press Ctrl-D to exit.\n"
        "Add to the client's settings, under mcpServers (VS Code: servers):\n"
        '  "coglog": {"command": "coglog", "args": ["mcp"]}\n'
        f"It needs the MCP SDK: {how_to_install('mcp')}"
    )


def run(args: Namespace, frontend: Frontend) -> Outcome:
    store = frontend.store(args)
    try:
        from ..mcp_server import serve  # imports the SDK
    except ImportError as error:
        raise CogLogError(f"mcp needs the MCP SDK, 2.x: {how_to_install('mcp')}; {error}") from error
    serve(store, show_thinking=frontend.shows_thinking(args), **_patience(args))
    return Outcome()


def _patience(args: Namespace) -> dict[str, float]:
    return {} if args.lock_timeout is None else {"patience": args.lock_timeout}

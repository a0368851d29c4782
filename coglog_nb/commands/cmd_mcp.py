"""`mcp`: the tools for an MCP client, over stdin and stdout."""

from __future__ import annotations

from argparse import Namespace

from ..errors import CogLogError
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    """Add how a client starts it; the common options say which window is served."""
    parser.epilog = (
        "An MCP client starts it by itself; its settings have, under mcpServers (VS Code: servers):\n"
        '  "coglog": {"command": "coglog", "args": ["mcp"]}\n'
        "It needs the MCP SDK: pip install 'coglog-nb[mcp]'"
    )


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Serve until the client goes."""
    store = frontend.store(args)
    try:
        from ..mcp_server import serve  # imports the SDK
    except ImportError as error:
        raise CogLogError(f"mcp needs the MCP SDK, 2.x: pip install 'coglog-nb[mcp]' ({error})") from error
    serve(store, show_thinking=frontend.shows_thinking(args), **_patience(args))
    return Outcome()


def _patience(args: Namespace) -> dict[str, float]:
    return {} if args.lock_timeout is None else {"patience": args.lock_timeout}

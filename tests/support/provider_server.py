"""A provider on the loopback: answers each request with the next JSON of a script, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class ProviderServer:
    """What a script of replies is played by.

    Attributes
    ----------
    url : str
        Where it listens: ``http://127.0.0.1:PORT``.
    requests : list of (str, dict)
        The path and the JSON of every request so far.
    """

    def __init__(self, replies: list[dict[str, Any]]) -> None:
        self._replies = list(replies)
        self.requests: list[tuple[str, dict[str, Any]]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 30

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                owner.requests.append((self.path, json.loads(body)))
                # A client tries again after a 500 and not after a 400: a script that has run out shows at once.
                status, reply = (200, owner._replies.pop(0)) if owner._replies else (400, {"error": "no more replies"})
                data = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Keep quiet: what matters is in `requests`."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator[ProviderServer]:
        """Serve for as long as the block lasts."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

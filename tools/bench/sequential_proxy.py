"""A proxy that passes responses on one at a time, each in one piece and a moment after the last.

A function that waits for two responses wakes once or twice, as they come together or apart: 5 % of its instructions,
decided by how fast the machine is. Behind this proxy they come apart wherever it runs.
"""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tools.bench.runtime_api import Server

# Longer than a counted function needs for one answer: callgrind makes it fifty times as slow.
APART_SECONDS = 0.05
# Of the connection, not of the answer.
OWN_TO_THE_CONNECTION = {"connection", "transfer-encoding", "content-length", "keep-alive"}


def handler(address: str, turn: threading.Lock) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # An answer of up to so many bytes goes out in one piece.
        wbufsize = 2**20

        def setup(self) -> None:
            super().setup()
            self.upstream = http.client.HTTPConnection(address)

        def finish(self) -> None:
            self.upstream.close()
            super().finish()

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.upstream.request(self.command, self.path, body, dict(self.headers))
            answer = self.upstream.getresponse()
            content = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in OWN_TO_THE_CONNECTION:
                    self.send_header(name, value)
            length = answer.getheader("Content-Length", "0") if self.command == "HEAD" else str(len(content))
            self.send_header("Content-Length", length)
            self.end_headers()
            self.wfile.write(content)
            with turn:
                time.sleep(APART_SECONDS)
                self.wfile.flush()

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = pass_on  # noqa: N815, the names that the server looks for

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def one_at_a_time(endpoint: str) -> Iterator[str]:
    """The address at which `endpoint` answers so."""
    server = Server(("127.0.0.1", 0), handler(urlsplit(endpoint).netloc, threading.Lock()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()

"""A proxy that forwards responses one at a time, each in one piece and with a delay after the previous one.

A function that waits for two responses wakes up once or twice, depending on whether they arrive together. This changes
its instruction count by 5 % with the speed of the machine. Behind this proxy, responses always arrive separately.
"""

import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tools.bench.runtime_api import Server

# Longer than a function needs to process one response under callgrind, which is fifty times slower.
APART_SECONDS = 0.05
# Headers of the connection, not of the response.
OWN_TO_THE_CONNECTION = {"connection", "transfer-encoding", "content-length", "keep-alive"}


@dataclass
class Proxy:
    url: str
    # The number of calls so far, by the operation's name.
    calls: Counter = field(default_factory=Counter)


def handler(address: str, turn: threading.Lock, calls: Counter) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Send responses of up to this size in one piece.
        wbufsize = 2**20

        def setup(self) -> None:
            super().setup()
            self.upstream = http.client.HTTPConnection(address)

        def finish(self) -> None:
            self.upstream.close()
            super().finish()

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with turn:
                calls[self.headers.get("X-Amz-Target", "").rpartition(".")[2]] += 1
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
def one_at_a_time(endpoint: str) -> Iterator[Proxy]:
    """Starts a proxy in front of `endpoint`."""
    calls: Counter = Counter()
    server = Server(("127.0.0.1", 0), handler(urlsplit(endpoint).netloc, threading.Lock(), calls))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Proxy(f"http://127.0.0.1:{server.server_port}", calls)
    finally:
        server.shutdown()
        server.server_close()

"""A server for tests. It answers as a test says, and remembers what it was sent."""

from __future__ import annotations

import hashlib
import json
import sys
import unittest
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from messaging_api import AsyncMessaging, Clock, Messaging

CHUNK = 64 * 1024


@dataclass(frozen=True)
class Received:
    """A request as it came. Of a large body, only size and digest are kept: tests measure what a client holds."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    size: int
    digest: str

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What to send for a request: a response, or nothing and the end of the connection."""

    status: int = 200
    json: Any = field(default_factory=dict[str, Any])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    text: str | None = None
    is_lost: bool = False


class Hurry(Clock):
    """A clock that does not wait, but remembers for how long it should have."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.time = 1_800_000_000.0

    def now(self) -> float:
        return self.time

    def random(self) -> float:
        return 0.5

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    async def async_sleep(self, seconds: float) -> None:
        self.sleep(seconds)


class StandIn:
    """The server, which listens on this machine only."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answer: Callable[[Received, int], Answer] = lambda request, nth: Answer()
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def script(self, *answers: Answer) -> None:
        """Answers the requests one after another, and the last answer again and again."""
        self.received.clear()
        self.answer = lambda request, nth: answers[min(nth, len(answers) - 1)]

    def client(self, **settings: Any) -> Messaging:
        return Messaging(**self._settings(settings))

    def async_client(self, **settings: Any) -> AsyncMessaging:
        return AsyncMessaging(**self._settings(settings))

    def _settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        return {"api_key": "sk_test_app_1", "base_url": self.url, "clock": Hurry(), **settings}

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        # Tests end connections before they are answered.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _handler_of(stand_in: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            request = self._request()
            if request.size < int(self.headers.get("content-length", 0)):
                # The client has gone away; an earlier test may have been this client.
                self.close_connection = True
                return
            stand_in.received.append(request)
            answer = stand_in.answer(request, len(stand_in.received) - 1)
            if answer.is_lost:
                self.close_connection = True
                return
            content = (json.dumps(answer.json) if answer.text is None else answer.text).encode()
            self.send_response(answer.status)
            headers = {"content-type": "application/json", "content-length": str(len(content)), **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def _request(self) -> Received:
            left = size = int(self.headers.get("content-length", 0))
            body, digest = b"", hashlib.sha256()
            while left > 0 and (chunk := self.rfile.read(min(left, CHUNK))):
                digest.update(chunk)
                left -= len(chunk)
                body += chunk if size <= CHUNK else b""
            headers = {name.lower(): value for name, value in self.headers.items()}
            return Received(self.command, self.path, headers, body, size - left, digest.hexdigest())

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


class OnStandIn(unittest.TestCase):
    """Tests that share a stand-in."""

    stand_in: StandIn

    @classmethod
    def setUpClass(cls) -> None:
        cls.stand_in = StandIn()
        cls.addClassCleanup(cls.stand_in.stop)

    def client(self, **settings: Any) -> Messaging:
        client = self.stand_in.client(**settings)
        self.addCleanup(client.close)
        return client

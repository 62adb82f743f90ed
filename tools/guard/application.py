"""The emulator's application in this process: a request that is passed on whole needs no HTTP between the two."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from urllib.parse import unquote

from multidict import CIMultiDict

from .messages import Answer, text
from .upstream import Upstream

LOGGER = logging.getLogger(__name__)
PHRASES = {status.value: status.phrase for status in HTTPStatus}

# An application as ASGI defines it: it gets the request, and functions that receive and send its messages.
Application = Callable[[dict, Callable, Callable], Awaitable[None]]


class Embedded(Upstream):
    """An emulator whose application runs in this event loop. Streams and WebSockets still use its address."""

    def __init__(self, host: str, port: int, application: Application):
        super().__init__(host, port)
        self.application = application
        self.running: set[asyncio.Task[None]] = set()

    async def ask(
        self, method: str, target: str, headers: CIMultiDict[str], body: bytes | None,
        is_chunked: bool = False, seconds: float | None = None,
    ) -> Answer:
        call = Call(body or b"")
        # A task of its own: the application keeps what it knows of the caller in the task's context, and it goes on with
        # a request for which nobody waits any more, as it does behind a server.
        task = asyncio.create_task(self.perform(self.scope(method, target, headers), call))
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            raise asyncio.TimeoutError
        return call.answer()

    def scope(self, method: str, target: str, headers: CIMultiDict[str]) -> dict:
        path, _, query = target.partition("?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "scheme": "http",
            "method": method,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode("latin-1"), value.encode()) for name, value in headers.items()],
            "client": (self.host, 0),
            "server": (self.host, self.port),
        }

    async def perform(self, scope: dict, call: "Call") -> None:
        try:
            await self.application(scope, call.receive, call.send)
        except Exception:
            # As behind a server: the response is 500.
            LOGGER.exception("The emulator failed.")


class Call:
    """The messages of one request."""

    def __init__(self, body: bytes):
        self.body: bytes | None = body
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.pieces: list[bytes] = []

    async def receive(self) -> dict:
        if self.body is None:
            # The next message would be that the client has disconnected.
            await asyncio.Event().wait()
        body, self.body = self.body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: dict) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], message.get("headers", [])
        elif message["type"] == "http.response.body":
            self.pieces.append(message.get("body", b""))

    def answer(self) -> Answer:
        headers = CIMultiDict([(name.decode("latin-1"), text(value)) for name, value in self.headers])
        return Answer(self.status, headers, b"".join(self.pieces), PHRASES.get(self.status, ""))

"""The guard itself: a server that handles each request as its service requires."""

import asyncio
import json
import socket
import threading
from concurrent.futures import Future
from pathlib import Path
from urllib.parse import urlsplit

import uvloop
from aiohttp import ClientError, web
from multidict import CIMultiDict

from .application import Application, Embedded
from .checker import Checker
from .exchange import Exchange
from .gateway import is_for_gateway, through_gateway
from .messages import Answer, HangUp, Reply
from .record import Record
from .refused import from_gateway
from .rules.gateway import GATEWAY_SECONDS
from .server import serve
from .services import SIGNED_CALLS, json_call, json_service
from .tables import Tables
from .tunnel import is_websocket, tunnel
from .upstream import Upstream


class Guard:
    """A proxy in front of the emulator at `upstream`, listening on the loopback interface. With the emulator's
    `application`, the guard must run in its event loop (`main`); otherwise it can run in a thread of its own (`start`)."""

    def __init__(
        self, upstream: str, port: int = 0, stale_reads: bool = False, record: Path | None = None,
        gateway_seconds: float = GATEWAY_SECONDS, application: Application | None = None,
    ):
        parts = urlsplit(upstream)
        self.address = (parts.hostname or "127.0.0.1", parts.port or 80)
        self.application = application
        self.gateway_seconds = gateway_seconds
        self.record = Record(record)
        self.checker = Checker(self.record)
        self.tables = Tables(stale_reads)
        # Raises OSError here, in the caller's thread, if the port is taken.
        self.socket = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.upstream: Upstream | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.ended: asyncio.Event | None = None
        self.started: Future[None] = Future()
        self.thread = threading.Thread(target=self.run, name="guard", daemon=True)

    def start(self) -> "Guard":
        self.thread.start()
        self.started.result()
        return self

    def stop(self) -> None:
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.ended.set)
            self.thread.join()
        self.socket.close()
        self.record.close()

    def __enter__(self) -> "Guard":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def refusals(self) -> list[dict]:
        """Returns all refusals and notes so far; thread-safe."""
        return self.record.refusals()

    # ------------------------------------------------------------ in the event loop

    def run(self) -> None:
        try:
            uvloop.run(self.main())
        except BaseException as error:
            if self.started.done():
                raise
            self.started.set_exception(error)

    async def main(self) -> None:
        """Serves until the event `ended` is set."""
        self.loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        self.upstream = Embedded(*self.address, self.application) if self.application else Upstream(*self.address)
        try:
            async with serve(self.handle, self.socket):
                self.started.set_result(None)
                await self.ended.wait()
        finally:
            await self.upstream.close()

    async def handle(self, client: web.BaseRequest) -> web.StreamResponse:
        if not client.raw_path.startswith("/") or not is_unicode(client.raw_path):
            return Reply(from_gateway(400, "Bad Request"), is_last=True)
        try:
            return await self.respond(Exchange(client, self.upstream))
        except (ClientError, OSError, asyncio.TimeoutError):
            # The emulator stopped or closed the connection: behave towards the client as if there were no guard.
            return HangUp()

    async def respond(self, exchange: Exchange) -> web.StreamResponse:
        if exchange.target.startswith("/_guard/"):
            return await self.report(exchange)
        # API Gateway has no WebSockets on an HTTP API, but the emulator does.
        if is_websocket(exchange):
            return await tunnel(exchange)
        if is_for_gateway(exchange):
            return await through_gateway(exchange, self.checker, self.gateway_seconds)
        service, operation = json_service(exchange)
        if service:
            return await json_call(exchange, service, operation, self.checker, self.tables)
        if call := SIGNED_CALLS.get(exchange.signed_for):
            return await call(exchange, self.checker)
        if exchange.signed_for == "cloudformation":
            self.tables.forget(exchange.scope)
        return await exchange.relay()

    async def report(self, exchange: Exchange) -> Reply:
        await exchange.body()
        status, body = 404, b"{}"
        if exchange.target == "/_guard/refusals" and exchange.method in ("GET", "HEAD"):
            status, body = 200, json.dumps(self.refusals()).encode()
        headers = CIMultiDict({"Content-Type": "application/json", "Content-Length": str(len(body))})
        return Reply(Answer(status, headers, body))


def is_unicode(text: str) -> bool:
    """Whether aiohttp could decode the bytes. API Gateway takes none that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

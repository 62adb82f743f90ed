"""The clients' side of the proxy: aiohttp's server, without an application."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from .messages import Reply
from .refused import from_gateway
from .upstream import LONGEST, MOST_HEADERS

LINGER_SECONDS = 10
SHUTDOWN_SECONDS = 0.2
LOGGER = logging.getLogger(__name__)

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Connection(web.RequestHandler):
    """A client's connection. Input that is not HTTP gets the response that API Gateway would send."""

    __slots__ = ()

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        if status == 400:
            return Reply(from_gateway(400, "Bad Request"), is_last=True)
        return super().handle_error(request, status, exc, message)


@asynccontextmanager
async def serve(handler: Handler, listener: socket.socket) -> AsyncIterator[None]:
    """Serves HTTP on a listening socket."""
    loop = asyncio.get_running_loop()
    manager = web.Server(handler)

    def connection() -> Connection:
        return Connection(
            manager, loop=loop, logger=LOGGER, access_log=None, auto_decompress=False, lingering_time=LINGER_SECONDS,
            max_line_size=LONGEST, max_field_size=LONGEST, max_headers=MOST_HEADERS,
        )

    server = await loop.create_server(connection, sock=listener, backlog=512)
    try:
        yield
    finally:
        server.close()
        await manager.shutdown(SHUTDOWN_SECONDS)

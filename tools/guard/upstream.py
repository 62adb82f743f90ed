"""The emulator's side of the proxy: aiohttp's client, with pooled connections."""

import functools
import io
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from .messages import Answer, forwarded

# The emulator closes a connection that is idle for 5 s.
IDLE_SECONDS = 3
# The rules and the emulator limit the lengths of lines and headers.
LONGEST = 1024 * 1024
MOST_HEADERS = 10_000
# aiohttp would send a larger body in one piece.
PIECEWISE = 1024 * 1024
# Headers that aiohttp would add.
ADDED_HEADERS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


class PlainRequest(aiohttp.ClientRequest):
    """A request without the Content-Length of 0 that aiohttp would add if there is no body."""

    def update_body_from_data(self, body: Any, _stacklevel: int = 3) -> None:
        if body is not None:
            super().update_body_from_data(body, _stacklevel + 1)


def one_spelling(headers: CIMultiDict[str]) -> CIMultiDict[str]:
    """Gives headers of the same name the same capitals. aiohttp would replace the first by the second otherwise."""
    if len(headers) == len(set(map(str.lower, headers))):
        return headers
    spelled: dict[str, str] = {}
    return CIMultiDict([(spelled.setdefault(name.lower(), name), value) for name, value in headers.items()])


@functools.cache
def timeout(seconds: float | None) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, sock_connect=None)


class Upstream:
    """The emulator. Create it in the event loop that uses it."""

    def __init__(self, host: str, port: int):
        self.host = host
        self.port = port
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE_SECONDS, happy_eyeballs_delay=None),
            request_class=PlainRequest,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=ADDED_HEADERS,
            auto_decompress=False,
            max_line_size=LONGEST,
            max_field_size=LONGEST,
            max_headers=MOST_HEADERS,
        )

    async def close(self) -> None:
        await self.session.close()

    def url(self, target: str) -> URL:
        """Returns a URL whose path is the whole target, exactly as the client wrote it: query, `..`, `%2F` and all."""
        return URL.build(scheme="http", host=self.host, port=self.port, path=target, encoded=True)

    def request(
        self, method: str, target: str, headers: CIMultiDict[str], body: bytes | AsyncIterator[bytes] | None,
        is_chunked: bool = False, seconds: float | None = None,
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """Sends a request when entered; returns when the headers of the response have arrived. Raises TimeoutError."""
        return self.session.request(
            method, self.url(target), headers=one_spelling(headers), chunked=is_chunked or None, allow_redirects=False,
            data=io.BytesIO(body) if isinstance(body, bytes) and len(body) > PIECEWISE else body,
            timeout=timeout(seconds),
        )

    async def ask(
        self, method: str, target: str, headers: CIMultiDict[str], body: bytes | None,
        is_chunked: bool = False, seconds: float | None = None,
    ) -> Answer:
        """Sends a request and returns the whole response."""
        async with self.request(method, target, headers, body, is_chunked, seconds) as response:
            content = await response.read()
            return Answer(response.status, forwarded(response.raw_headers), content, response.reason or "")

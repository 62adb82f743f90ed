"""Responses to clients, and headers in both directions."""

import functools
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from aiohttp import HttpVersion10, web
from aiohttp.abc import AbstractStreamWriter
from multidict import CIMultiDict

# Connection-specific headers (RFC 9110, 7.6.1).
HOP_BY_HOP = {b"connection", b"keep-alive", b"proxy-connection", b"te", b"transfer-encoding", b"upgrade"}

RawHeaders = Iterable[tuple[bytes, bytes]]


def text(value: bytes) -> str:
    """Decodes a header value, which aiohttp sends as UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def forwarded(headers: RawHeaders) -> CIMultiDict[str]:
    """Returns the headers that a proxy passes on, in their order and with their names as they are."""
    return CIMultiDict([(spelled(name), text(value)) for name, value in headers if not is_hop_by_hop(name)])


@functools.lru_cache(maxsize=1024)
def is_hop_by_hop(name: bytes) -> bool:
    return name.lower() in HOP_BY_HOP


@functools.lru_cache(maxsize=1024)
def spelled(name: bytes) -> str:
    return name.decode("latin-1")


@functools.lru_cache(maxsize=1024)
def lower(name: bytes) -> str:
    return name.decode("latin-1").lower()


@dataclass
class Answer:
    """A whole response, of the emulator or of the guard."""

    status: int
    headers: CIMultiDict[str]
    body: bytes = b""
    reason: str = ""

    def replace(self, data: dict) -> None:
        """Replaces the body with JSON."""
        self.body = json.dumps(data).encode()
        self.headers["Content-Length"] = str(len(self.body))
        if "x-amz-crc32" in self.headers:
            self.headers["x-amz-crc32"] = str(zlib.crc32(self.body))


class Reply(web.StreamResponse):
    """Sends a response with exactly these headers. A web.Response would add some of its own.

    Only public methods of the base class are replaced: those that the server calls.
    """

    def __init__(self, answer: Answer, is_last: bool = False):
        super().__init__(status=answer.status, reason=answer.reason, headers=answer.headers)
        self.rest = answer.body
        self.is_last = is_last
        self.is_bounded = True
        self.writer: AbstractStreamWriter | None = None

    @property
    def keep_alive(self) -> bool:
        return not self.is_last

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        if self.writer is None:
            self.writer = request.writer
            self.frame(request)
            await self.writer.write_headers(f"HTTP/1.1 {self.status} {self.reason}", self.headers)
        return self.writer

    def frame(self, request: web.BaseRequest) -> None:
        """Sets the body's length and whether the connection is kept."""
        has_body = request.method != "HEAD" and self.status not in (204, 304)
        is_old = request.version <= HttpVersion10
        if not has_body:
            self.rest = b""
        elif self.is_bounded:
            if "Content-Length" not in self.headers:
                self.headers["Content-Length"] = str(len(self.rest))
        elif is_old:
            self.is_last = True
        else:
            self.headers["Transfer-Encoding"] = "chunked"
            self.writer.enable_chunking()
        self.is_last = self.is_last or not request.keep_alive
        if self.is_last:
            self.headers["Connection"] = "close"
        elif is_old:
            self.headers["Connection"] = "keep-alive"

    async def write(self, data: bytes) -> None:
        await self.writer.write(data)

    async def write_eof(self, data: bytes = b"") -> None:
        rest, self.rest = self.rest, b""
        await self.writer.write_eof(rest + data)


class HangUp(web.StreamResponse):
    """Ends the connection without a response."""

    keep_alive = False

    async def prepare(self, request: web.BaseRequest) -> None:
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        return None

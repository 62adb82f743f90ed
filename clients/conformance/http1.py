"""Reads requests from a socket as they are, and makes the bytes of responses: HTTP/1.1 without a framework that would mend either."""

import asyncio
import gzip
import json
from dataclasses import dataclass, field
from http import HTTPStatus

# The largest upload of the vectors has 5 MiB.
MOST_BYTES = 32 * 1024 * 1024


@dataclass
class Request:
    """A request as it came. Names of headers are in lower case."""

    method: str
    target: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def line(self) -> str:
        return f"{self.method} {self.target}"

    def shown(self) -> dict:
        """Returns the request as people read it."""
        return {"request": self.line, "headers": self.headers, "body": self.body[:2000].decode(errors="replace")}


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Returns the next request, or `None` at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        key = name.strip().lower()
        headers[key] = f"{headers[key]}, {value.strip()}" if key in headers else value.strip()
    try:
        return Request(method, target, headers, await _read_body(reader, headers))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return await _read_chunks(reader)
    size = int(headers.get("content-length", "0"))
    if size > MOST_BYTES:
        raise ConnectionError("the body is too large")
    return await reader.readexactly(size)


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        body += (await reader.readexactly(size + 2))[:-2]
        if len(body) > MOST_BYTES:
            raise ConnectionError("the body is too large")
    while (await reader.readline()).strip():
        pass
    return body


def response_bytes(respond: dict, accepts_gzip: bool = True, closes: bool = False) -> bytes:
    """Returns the whole response that a step describes."""
    status = respond["status"]
    headers = {"content-type": "application/json", **respond.get("headers", {})}
    body = _body_of(respond)
    if respond.get("gzip") and accepts_gzip:
        headers["content-encoding"] = "gzip"
        body = gzip.compress(body, mtime=0)
    if status == HTTPStatus.NO_CONTENT:
        del headers["content-type"]
    elif respond.get("chunked"):
        headers["transfer-encoding"] = "chunked"
        body = _chunked(body)
    else:
        headers["content-length"] = str(len(body))
    if closes:
        headers["connection"] = "close"
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in headers.items() if value is not None)]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _body_of(respond: dict) -> bytes:
    if "text" in respond:
        return respond["text"].encode()
    return compact(respond["json"]).encode() if "json" in respond else b""


def _chunked(body: bytes) -> bytes:
    """Returns a body in two chunks."""
    half = len(body) // 2
    parts = [part for part in (body[:half], body[half:]) if part]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

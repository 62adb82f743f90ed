"""One request of a client: reads it, forwards it, and sends the response."""

import re
from collections.abc import AsyncIterator
from urllib.parse import parse_qs

from aiohttp import web

from .messages import Answer, Reply, forwarded, lower
from .upstream import Upstream

# If a request is refused before its body is read, read up to this many bytes to keep the connection.
WORTH_READING = 1024 * 1024

# Compiled here, because the emulator fills the cache of regular expressions, and these are needed in every request.
CREDENTIAL = re.compile(r"Credential=([^,\s]+)")
ACCOUNT = re.compile(r"\d{12}")


class Exchange:
    def __init__(self, client: web.BaseRequest, upstream: Upstream):
        self.client = client
        self.upstream = upstream
        self.method = client.method
        self.target = client.raw_path
        # As the rules see them: lower-case names, values byte by byte.
        self.headers = [(lower(name), value.decode("latin-1")) for name, value in client.raw_headers]
        self.named = dict(self.headers)
        self.is_chunked = "transfer-encoding" in self.named
        self.length = int(self.named.get("content-length") or 0)
        self.has_body = self.is_chunked or "content-length" in self.named
        self.expects_continue = "100-continue" in self.named.get("expect", "").lower()
        self.scope, self.signed_for = self.signer()

    def signer(self) -> tuple[tuple[str, str], str]:
        """Returns account and region, as the emulator distinguishes them, and the service."""
        match = CREDENTIAL.search(self.named.get("authorization", ""))
        credential = match[1] if match else ""
        if not match and "X-Amz-Credential=" in self.target:
            credential = parse_qs(self.target.partition("?")[2]).get("X-Amz-Credential", [""])[0]
        parts = credential.split("/")
        if len(parts) < 5:
            return ("", ""), ""
        account = parts[0] if ACCOUNT.fullmatch(parts[0]) else ""
        return (account, parts[-3]), parts[-2]

    @property
    def header_size(self) -> int:
        """The size of all header lines and the empty line after them."""
        return sum(len(name) + len(value) + 4 for name, value in self.headers) + 2

    # ------------------------------------------------------------ reading

    @property
    def is_worth_reading(self) -> bool:
        """Whether an unneeded body is short enough to be read, so that the connection can be kept."""
        return not self.expects_continue and not self.is_chunked and self.length <= WORTH_READING

    async def invite(self) -> None:
        """Asks for the body if the client waits for that."""
        if self.expects_continue:
            self.expects_continue = False
            writer = self.client.writer
            await writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            writer.output_size = 0

    async def pieces(self) -> AsyncIterator[bytes]:
        await self.invite()
        async for piece in self.client.content.iter_any():
            yield piece

    async def body(self) -> bytes:
        await self.invite()
        return await self.client.content.read()

    async def body_up_to(self, most: int) -> bytes | None:
        """Returns the body, or None as soon as it is longer than `most` bytes."""
        parts, size = [], 0
        async for piece in self.pieces():
            size += len(piece)
            if size > most:
                return None
            parts.append(piece)
        return b"".join(parts)

    # ------------------------------------------------------------ passing on

    async def ask(self, body: bytes, seconds: float | None = None) -> Answer:
        """Forwards the request with this body; returns the emulator's response."""
        headers = forwarded(self.client.raw_headers)
        headers.popall("Expect", None)
        if not self.is_chunked and len(body) != self.length:
            headers["Content-Length"] = str(len(body))
        data = body if self.has_body else None
        return await self.upstream.ask(self.method, self.target, headers, data, self.is_chunked, seconds)

    async def relay(self) -> Reply:
        """Forwards the request and sends the response, both piece by piece as they arrive."""
        headers = forwarded(self.client.raw_headers)
        data = self.pieces() if self.has_body else None
        if not self.has_body or not self.expects_continue:
            headers.popall("Expect", None)
        async with self.upstream.request(self.method, self.target, headers, data, self.is_chunked) as response:
            answer = Answer(response.status, forwarded(response.raw_headers), b"", response.reason or "")
            # The emulator may have responded without waiting for the body.
            reply = Reply(answer, is_last=not self.client.content.is_eof() and not self.is_worth_reading)
            reply.is_bounded = "Content-Length" in answer.headers
            await reply.prepare(self.client)
            async for piece in response.content.iter_any():
                await reply.write(piece)
            await reply.write_eof()
        return reply

    # ------------------------------------------------------------ refusing

    async def refuse_unread(self, answer: Answer) -> Reply:
        """Responds before the body was read. aiohttp reads the rest of it for a while, as closing at once would take
        the response from a client that is still sending."""
        if self.is_worth_reading:
            return Reply(answer)
        reply = Reply(answer, is_last=True)
        await reply.prepare(self.client)
        await reply.write_eof()
        self.client.transport.write_eof()
        return reply

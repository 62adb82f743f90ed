"""WebSockets to the emulator, message by message. Other protocols are not offered: the response is HTTP/1.1."""

import asyncio

from aiohttp import ClientWebSocketResponse, WSMessage, WSMsgType, web

from .exchange import Exchange
from .messages import forwarded

LARGEST = 16 * 1024 * 1024
# aiohttp makes its own.
HANDSHAKE = ("Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol")

Side = web.WebSocketResponse | ClientWebSocketResponse


def is_websocket(exchange: Exchange) -> bool:
    return exchange.method == "GET" and exchange.named.get("upgrade", "").lower() == "websocket"


async def tunnel(exchange: Exchange) -> web.StreamResponse:
    headers = forwarded(exchange.client.raw_headers)
    for name in HANDSHAKE:
        headers.popall(name, None)
    offered = [name.strip() for name in exchange.named.get("sec-websocket-protocol", "").split(",") if name.strip()]
    upstream = exchange.upstream
    url = upstream.url(exchange.target)
    async with upstream.session.ws_connect(url, headers=headers, protocols=offered, max_msg_size=LARGEST) as emulator:
        chosen = [emulator.protocol] if emulator.protocol else []
        client = web.WebSocketResponse(protocols=chosen, max_msg_size=LARGEST)
        await client.prepare(exchange.client)
        await asyncio.gather(pour(client, emulator), pour(emulator, client))
    return client


async def pour(source: Side, sink: Side) -> None:
    """Passes on messages until the source closes."""
    message: WSMessage
    async for message in source:
        if message.type is WSMsgType.TEXT:
            await sink.send_str(message.data)
        elif message.type is WSMsgType.BINARY:
            await sink.send_bytes(message.data)
    await sink.close(code=source.close_code or 1000)

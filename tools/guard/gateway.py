"""The guard as API Gateway: a function receives a whole request, as an event, and its whole response comes back, or none
comes in time. The rules limit the sizes and the time."""

import asyncio
import re

from .checker import Checker
from .exchange import Exchange
from .messages import Answer, Reply
from .refused import refused
from .request import LOCAL_PREFIX, Request
from .rules.gateway import ANSWER, BODY, GATEWAY_PAYLOAD, HEAD, SILENCE

GATEWAY_HOST = re.compile(r"[a-z0-9]+\.execute-api\.", re.IGNORECASE)


def is_for_gateway(exchange: Exchange) -> bool:
    host = exchange.named.get("host", "")
    return LOCAL_PREFIX.match(exchange.target) is not None or GATEWAY_HOST.match(host) is not None


async def through_gateway(exchange: Exchange, checker: Checker, seconds: float) -> Reply:
    headers = exchange.headers

    def fault(stage: str, seen: list[tuple[str, str]], body: bytes = b"", announced: int = 0) -> Answer | None:
        request = Request(
            "gateway", stage, {}, exchange.method, exchange.target, seen, body=body, announced=announced,
        )
        refusal = checker.check(request, exchange.scope[0]).refusal
        return refused("gateway", refusal) if refusal else None

    if answer := fault(HEAD, headers, announced=exchange.length):
        return await exchange.refuse_unread(answer)
    body = await exchange.body_up_to(GATEWAY_PAYLOAD)
    if body is None:
        return await exchange.refuse_unread(fault(HEAD, headers, announced=GATEWAY_PAYLOAD + 1))
    if answer := fault(BODY, headers, body):
        return Reply(answer)
    try:
        answer = await exchange.ask(body, seconds)
    except asyncio.TimeoutError:
        return Reply(fault(SILENCE, headers))
    received = [(name.lower(), value) for name, value in answer.headers.items()]
    return Reply(fault(ANSWER, received, answer.body) or answer)

"""The gateway's part of the guard: a request reaches a function whole, as an event, and its response comes back whole, or not in time.
How large and how late they may be is for the rules to say.
"""

import re
from typing import TYPE_CHECKING

from .rules import ANSWER, BODY, GATEWAY_PAYLOAD, HEAD, LOCAL_PREFIX, SILENCE, Request

if TYPE_CHECKING:
    from .guard import Exchange

GATEWAY_HOST = re.compile(r"[a-z0-9]+\.execute-api\.", re.IGNORECASE)


def is_for_gateway(target: str, host: str) -> bool:
    return LOCAL_PREFIX.match(target) is not None or GATEWAY_HOST.match(host) is not None


def through_gateway(exchange: "Exchange") -> bool:
    """Whether the client's connection goes on."""
    head = exchange.head
    # The gateway speaks nothing else, but the emulator does.
    if "upgrade" in head.named:
        return exchange.relay()

    def seen(stage: str, headers: list[tuple[str, str]], body: bytes = b"", announced: int = 0) -> Request:
        return Request("gateway", stage, {}, exchange.method, exchange.target, headers, body=body, announced=announced)

    if verdict := exchange.verdict(seen(HEAD, head.headers, announced=0 if head.is_chunked else head.length)):
        return exchange.say_unread(*verdict)
    raw = exchange.whole(GATEWAY_PAYLOAD)
    if raw is None:
        return exchange.say_unread(*exchange.verdict(seen(HEAD, head.headers, announced=GATEWAY_PAYLOAD + 1)))
    if verdict := exchange.verdict(seen(BODY, head.headers, exchange.unpacked(raw))):
        return exchange.say(*verdict)
    try:
        answer = exchange.upstream.ask(head.sent + raw, exchange.method, exchange.guard.gateway_seconds)
    except TimeoutError:
        return exchange.say(*exchange.verdict(seen(SILENCE, head.headers)))
    if verdict := exchange.verdict(seen(ANSWER, answer.head.headers, answer.body)):
        return exchange.say(*verdict)
    return exchange.give(answer)

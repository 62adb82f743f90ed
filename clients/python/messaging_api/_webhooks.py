"""Verifying deliveries to webhooks: Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from ._errors import MessagingError
from ._generated.errors import WebhookVerificationError
from ._generated.events import Event, event_of

_NAMES = ("webhook-id", "webhook-timestamp", "webhook-signature")


class DeliveryHeaders(Protocol):
    """The headers of a delivery, as any framework has them: what has ``items()``."""

    def items(self) -> Iterable[tuple[str, str | Sequence[str] | None]]:
        """Returns names, in any letter case, and values."""
        ...


def verify(
    body: bytes | str,
    headers: DeliveryHeaders,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Event:
    """Returns the event of a delivery that the service has signed.

    Args:
        body: What came, byte for byte, not parsed.
        headers: The headers of the request; their names have any letter case.
        secret: The signing secret of the webhook. While it is being replaced, pass both.
        tolerance: How old or how far in the future a delivery may be, in seconds.
        now: The time in seconds since 1970, instead of that of the machine.

    Raises:
        WebhookVerificationError: The signature does not match, or the delivery is not recent. Respond with 400.
    """
    if not isinstance(body, (bytes, bytearray, str)):
        raise MessagingError("body must be what came, as bytes or str. Read it before it is parsed.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    delivery, sent, signatures = (_header_of(headers, name) for name in _NAMES)
    if not (delivery and sent and signatures):
        raise WebhookVerificationError(f"Headers are missing: {', '.join(_NAMES)}.")
    current = time.time() if now is None else now
    if not (sent.isascii() and sent.isdigit()) or abs(current - int(sent)) > tolerance:
        raise WebhookVerificationError("The delivery is not recent. Check the clock of this machine.")
    signed = f"{delivery}.{sent}.".encode() + content
    given = [each[3:].encode() for each in signatures.split(" ") if each.startswith("v1,")]
    for each in [secret] if secret is None or isinstance(secret, str) else secret:
        expected = base64.b64encode(hmac.digest(_key_of(each), signed, hashlib.sha256))
        # Compares in constant time.
        if any(hmac.compare_digest(expected, signature) for signature in given):
            return _event_in(content)
    raise WebhookVerificationError("The signature does not match. Check the secret, and that the body is unchanged.")


def _event_in(content: bytes) -> Event:
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise WebhookVerificationError("The body is signed, but is not the JSON object of an event.")
    return event_of(body)


def _header_of(headers: DeliveryHeaders, name: str) -> str | None:
    value = next((value for key, value in headers.items() if key.lower() == name), None)
    return value if isinstance(value, str) or value is None else next(iter(value), None)


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (AttributeError, binascii.Error, ValueError):
        key = b""
    if not key:
        raise MessagingError("secret must be the signing secret of the webhook: whsec_ and base64.")
    return key

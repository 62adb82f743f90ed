"""Which requests are repeated after a failure, and when."""

from __future__ import annotations

from ._errors import MessagingError
from ._generated.errors import ConnectionError
from ._options import Clock

FIRST = 0.5
"""The bound of the first wait, in seconds. Each retry doubles it, up to the longest."""
LONGEST = 8.0
PATIENCE = 60.0
"""A longer ``Retry-After`` is left to the caller."""


def wait_after(error: MessagingError, is_safe: bool, retry: int, clock: Clock) -> float | None:
    """Returns how many seconds to wait before a request is repeated, or ``None`` if it must not be. ``is_safe`` says
    that a second execution has no second effect. Without it, only what the service has not executed is repeated."""
    is_lost = isinstance(error, ConnectionError)
    is_passing = is_lost or error.status in (502, 503, 504) or (error.status == 409 and error.retry_after is not None)
    is_unexecuted = error.status == 429 or (is_lost and error.was_refused)
    if not (is_unexecuted or (is_safe and is_passing)) or (error.retry_after or 0) > PATIENCE:
        return None
    return (error.retry_after or 0) + backoff(retry, clock)


def backoff(retry: int, clock: Clock) -> float:
    """Returns a wait from 0 up to a bound that doubles: full jitter, so that clients do not return together."""
    return clock.random() * min(LONGEST, FIRST * float(2**retry))


def is_temporary(error: MessagingError) -> bool:
    """Whether an error may pass: of the network, of a limit, or of the service."""
    return isinstance(error, ConnectionError) or error.status == 429 or (error.status or 0) >= 500

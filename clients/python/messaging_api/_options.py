"""How a client is made, and how a single call can differ. Times are in seconds."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict, Union

import anyio

ApiKey = Union[str, Callable[[], str]]
"""A key or session token, or a function that returns one. It is called again after a 401."""

AsyncApiKey = Union[str, Callable[[], Union[str, Awaitable[str]]]]
"""Like ``ApiKey``; the function may be a coroutine function."""


class Clock(Protocol):
    """Time and chance, which tests can replace. Time limits of requests are httpx's."""

    def now(self) -> float:
        """Returns the time in seconds since 1970."""
        ...

    def random(self) -> float:
        """Returns a number from 0 up to, but not including, 1."""
        ...

    def sleep(self, seconds: float) -> None:
        """Waits so long."""
        ...

    async def async_sleep(self, seconds: float) -> None:
        """Waits so long without blocking other tasks."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        return time.time()

    def random(self) -> float:
        return random.random()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def async_sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


class NotGiven:
    """The value of an argument that was not given, where ``None`` is a value."""


NOT_GIVEN = NotGiven()


class Options(TypedDict, total=False):
    """The options of a call, by the names that every method takes them under."""

    timeout: float
    """The time limit of each attempt."""
    max_retries: int
    """How often the request is repeated at most."""
    headers: Mapping[str, str]
    """More headers."""


class PostOptions(Options, total=False):
    """The options of a call that accepts an ``Idempotency-Key``."""

    idempotency_key: str
    """With the same key and input, a call has no second effect for 24 hours, not even in another process. Without it,
    each call has a random key, the same for its retries."""


_NAMES = frozenset({"timeout", "max_retries", "headers", "idempotency_key"})


def expect_known(options: Mapping[str, Any]) -> None:
    """Raises TypeError if an option has another name: a misspelled key would protect nothing."""
    for name in options.keys() - _NAMES:
        raise TypeError(f"options has no {name!r}. Known are {', '.join(sorted(_NAMES))}.")


@dataclass(frozen=True)
class Settings:
    """What all calls of a client have in common."""

    timeout: float = 35.0
    max_retries: int = 2
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    clock: Clock = field(default_factory=SystemClock)


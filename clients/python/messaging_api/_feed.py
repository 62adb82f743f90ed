"""Following the feed of an app's events."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Union

from ._clients import AsyncClient, SyncClient
from ._errors import MessagingError
from ._generated.events import Event, event_of
from ._generated.types import EventName
from ._options import Options
from ._namespace import AsyncNamespace, Namespace
from ._request import Sleep, Steps
from ._retry import backoff, is_temporary

OnPosition = Union[Callable[[str], object], None]


class _Position:
    """Where a reader of the feed is."""

    def __init__(
        self, after: str | None, types: Sequence[EventName] | None, interval: float, options: Mapping[str, Any]
    ) -> None:
        self.after, self._types, self.interval, self._options = after, types, interval, options

    def page(self, client: SyncClient | AsyncClient) -> Steps[tuple[list[Event], str]]:
        """Reads the next page, and waits out failures that pass."""
        types = ",".join(self._types) if self._types else None
        query = {"after": self.after, "types": types, "limit": 100}
        failures = 0
        while True:
            try:
                result = yield from client.rules.call("GET", "/v1/events", query=query, options=self._options)
                return [event_of(event) for event in result.data["data"]], result.data["nextAfter"]
            except MessagingError as error:
                if not is_temporary(error):
                    raise
            yield Sleep(self.interval + backoff(failures, client.rules.settings.clock))
            failures += 1

    def pause(self) -> Steps[None]:
        yield Sleep(self.interval)


class Feed(Namespace):
    """The feed of the app whose key the client has."""

    def follow(
        self, *, after: str | None = None, types: Sequence[EventName] | None = None, on_position: OnPosition = None,
        interval: float = 1, options: Options | None = None,
    ) -> Iterator[Event]:
        """Iterates over events for ever: those after a position, and new ones as they come. Failures that pass are
        waited out. To end it, leave the loop.

        Args:
            after: The position to continue after, ``"oldest"``, or nothing for the events from now on.
            types: Only events with these names.
            on_position: Called with each new position, after all events before it were processed. Store it, and begin
                there next time.
            interval: The time between two requests when nothing is new, in seconds.

        Raises:
            NotFoundError: 410: events after the position can no longer be read; ``additional_info`` has the oldest.
        """
        position = _Position(after, types, interval, options or {})
        while True:
            events, reached = self._client.run(position.page(self._client))
            yield from events
            if reached == position.after:
                self._client.run(position.pause())
                continue
            position.after = reached
            if on_position:
                on_position(reached)


class AsyncFeed(AsyncNamespace):
    """The feed of the app whose key the client has."""

    async def follow(
        self, *, after: str | None = None, types: Sequence[EventName] | None = None, on_position: OnPosition = None,
        interval: float = 1, options: Options | None = None,
    ) -> AsyncIterator[Event]:
        """Like ``Feed.follow``; ``on_position`` may be a coroutine function."""
        position = _Position(after, types, interval, options or {})
        while True:
            events, reached = await self._client.run(position.page(self._client))
            for event in events:
                yield event
            if reached == position.after:
                await self._client.run(position.pause())
                continue
            position.after = reached
            done = on_position(reached) if on_position else None
            if inspect.isawaitable(done):
                await done

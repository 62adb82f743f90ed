"""Lists: all objects one after another, or page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from ._clients import AsyncClient, SyncClient
from ._request import Result, Steps
from ._resource import Maker, Resource, made
from ._response import Response

Item = TypeVar("Item")


class Page(Generic[Item]):
    """One page of a list."""

    def __init__(self, result: Result, kind: Maker[Resource]) -> None:
        self.data: list[Item] = cast("list[Item]", made(kind, result.data["data"]))
        """The objects on this page. It may have fewer than asked for, or none, although more follow."""
        self.next_cursor: str | None = result.data.get("nextCursor")
        """The cursor of the next page; ``None`` on the last page only."""
        self.last_response: Response = result.response
        """The response that the page came in."""
        self.more: dict[str, Any] = {key: result.data[key] for key in result.data.keys() - {"data", "nextCursor"}}
        """What the page says beside its objects, such as ``countedUntil`` of usage, as the API has sent it."""


class _Pages(Generic[Item]):
    def __init__(self, path: str, kind: Maker[Resource], query: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        self._path, self._kind, self._query, self._options = path, kind, query, options

    def _steps(self, client: SyncClient | AsyncClient, cursor: str | None) -> Steps[Page[Item]]:
        query = {**self._query, "cursor": cursor}
        result = yield from client.rules.call("GET", self._path, query=query, options=self._options)
        return Page(result, self._kind)


class List(_Pages[Item]):
    """A list. ``for`` reads page after page, each when it is needed."""

    def __init__(
        self, client: SyncClient, path: str, kind: Maker[Resource], query: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        super().__init__(path, kind, query, options)
        self._client = client

    def page(self) -> Page[Item]:
        """Returns one page: the first, or the one of ``cursor``."""
        return self._client.run(self._steps(self._client, self._query.get("cursor")))

    def pages(self) -> Iterator[Page[Item]]:
        """Iterates over the pages. A page may be empty although more follow."""
        cursor, is_last = self._query.get("cursor"), False
        while not is_last:
            page = self._client.run(self._steps(self._client, cursor))
            yield page
            cursor, is_last = page.next_cursor, page.next_cursor is None

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.data


class AsyncList(_Pages[Item]):
    """A list. ``async for`` reads page after page, each when it is needed."""

    def __init__(
        self, client: AsyncClient, path: str, kind: Maker[Resource], query: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        super().__init__(path, kind, query, options)
        self._client = client

    async def page(self) -> Page[Item]:
        """Returns one page: the first, or the one of ``cursor``."""
        return await self._client.run(self._steps(self._client, self._query.get("cursor")))

    async def pages(self) -> AsyncIterator[Page[Item]]:
        """Iterates over the pages. A page may be empty although more follow."""
        cursor, is_last = self._query.get("cursor"), False
        while not is_last:
            page = await self._client.run(self._steps(self._client, cursor))
            yield page
            cursor, is_last = page.next_cursor, page.next_cursor is None

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.data:
                yield item

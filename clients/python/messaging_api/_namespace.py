"""What the classes of methods have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ._clients import AsyncClient, SyncClient
from ._lists import AsyncList, List
from ._request import Result
from ._resource import Maker, Resource

R = TypeVar("R", bound=Resource)


def resource_of(kind: Maker[R], result: Result) -> R:
    """Returns the resource of a result, with the response that it came in."""
    return kind(result.data if isinstance(result.data, dict) else {}, result.response)


class Namespace:
    """A group of methods."""

    def __init__(self, client: SyncClient) -> None:
        self._client = client

    def _call(self, kind: Maker[R], method: str, path: str, **parts: Any) -> R:
        return resource_of(kind, self._client.run(self._client.rules.call(method, path, **parts)))

    def _list(self, kind: Maker[R], path: str, query: Mapping[str, Any], options: Mapping[str, Any]) -> List[R]:
        return List(self._client, path, kind, query, options)


class AsyncNamespace:
    """A group of methods."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def _call(self, kind: Maker[R], method: str, path: str, **parts: Any) -> R:
        return resource_of(kind, await self._client.run(self._client.rules.call(method, path, **parts)))

    def _list(self, kind: Maker[R], path: str, query: Mapping[str, Any], options: Mapping[str, Any]) -> AsyncList[R]:
        return AsyncList(self._client, path, kind, query, options)


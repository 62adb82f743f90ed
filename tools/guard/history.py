"""The items that the last write of each table changed, for stale reads."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from .request import Request
from .stale import Image, stale_batch, stale_item, stale_page

# Account, region and name of a table.
Table = tuple[tuple[str, str], str]
Images = dict[Table, dict[tuple, Image]]

CHANGES = {"Get": stale_item, "BatchGet": stale_batch, "Query": stale_page, "Scan": stale_page}


class History:
    """The items that the last write of each table changed, as they were before it."""

    def __init__(self) -> None:
        self.writing: dict[Table, asyncio.Lock] = {}
        self.images: Images = {}

    @asynccontextmanager
    async def alone(self, tables: set[Table]) -> AsyncIterator[None]:
        """Lets one write at a time change these tables, so that the items read just before it are those that it replaces."""
        async with AsyncExitStack() as stack:
            for table in sorted(tables):
                await stack.enter_async_context(self.writing.setdefault(table, asyncio.Lock()))
            yield

    def forget(self, scope: tuple[str, str], table: str | None) -> None:
        """Forgets a table, or all of an account and region."""
        for known in [known for known in self.images if known[0] == scope and table in (None, known[1])]:
            del self.images[known]

    def take(self, tables: set[Table]) -> Images:
        return {table: self.images.pop(table) for table in tables if table in self.images}

    def put(self, images: Images) -> None:
        self.images.update(images)

    def make_stale(self, scope: tuple[str, str], request: Request, result: dict) -> bool:
        """Makes the result of a read stale; returns whether that changed anything."""
        is_changed = False
        for action in request.actions:
            is_part_of_batch = request.operation == "BatchGetItem" and action.kind == "Get"
            if action.fields.get("ConsistentRead") or action.schema is None or is_part_of_batch:
                continue
            images = self.images.get((scope, action.table))
            if images and CHANGES[action.kind](result, action, images):
                is_changed = True
        return is_changed

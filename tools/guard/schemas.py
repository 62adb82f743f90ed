"""The schemas of the tables that requests name, as far as they are known."""

import json

from multidict import CIMultiDict

from .actions import table_name
from .exchange import Exchange
from .schema import Schema

SIGNED = ("authorization", "x-amz-date", "x-amz-security-token")


async def call(exchange: Exchange, operation: str, data: dict) -> dict | None:
    """Calls DynamoDB in the caller's name, for the guard itself; None if that fails."""
    body = json.dumps(data).encode()
    headers = CIMultiDict({
        "Content-Type": "application/x-amz-json-1.0",
        "Content-Length": str(len(body)),
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        **{name: exchange.named[name] for name in SIGNED if name in exchange.named},
    })
    answer = await exchange.upstream.ask("POST", "/", headers, body)
    return json.loads(answer.body) if answer.status == 200 else None


def named_tables(data: dict) -> set[str]:
    """Returns the tables that a request names; malformed parts name none."""
    given = [data.get("TableName")]
    items = data.get("TransactItems")
    for item in items if isinstance(items, list) else ():
        for fields in item.values() if isinstance(item, dict) else ():
            given.append(fields.get("TableName") if isinstance(fields, dict) else None)
    batches = data.get("RequestItems")
    given += batches if isinstance(batches, dict) else ()
    return {table_name(name) for name in given if isinstance(name, str) and name}


class Schemas:
    """Schemas by account, region and table. One that is unknown is fetched before the rules see the request."""

    def __init__(self) -> None:
        self.known: dict[tuple, Schema] = {}

    def learn(self, scope: tuple[str, str], table: str, schema: Schema) -> None:
        self.known[scope, table] = schema

    def forget(self, scope: tuple[str, str], table: str | None) -> None:
        """Forgets a table, or all of an account and region."""
        for known in [known for known in self.known if known[0] == scope and table in (None, known[1])]:
            del self.known[known]

    async def of(self, exchange: Exchange, data: dict) -> dict[str, Schema]:
        """Returns the schemas of the tables that a request names, without those that do not exist."""
        found = {}
        for table in named_tables(data):
            schema = self.known.get((exchange.scope, table)) or await self.describe(exchange, table)
            if schema:
                found[table] = schema
        return found

    async def describe(self, exchange: Exchange, table: str) -> Schema | None:
        description = await call(exchange, "DescribeTable", {"TableName": table})
        if description is None:
            return None
        answer = await call(exchange, "DescribeTimeToLive", {"TableName": table}) or {}
        ttl = answer.get("TimeToLiveDescription") or {}
        attribute = ttl.get("AttributeName") if ttl.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None
        schema = Schema.of(description["Table"], attribute)
        self.learn(exchange.scope, table, schema)
        return schema

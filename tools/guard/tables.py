"""Handles DynamoDB requests: keeps schemas up to date and makes reads stale."""

import json

from .actions import Action, table_name
from .exchange import Exchange
from .history import History, Images
from .messages import Answer
from .request import Request
from .schema import Schema
from .schemas import Schemas, call
from .stale import Image
from .values import key_of

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
READS = ("GetItem", "BatchGetItem", "Query", "Scan")
WRITING = ("Put", "Update", "Delete")
# Operations that change a table's description.
TABLE_CHANGES = (
    "CreateTable", "DeleteTable", "UpdateTable", "UpdateTimeToLive",
    "RestoreTableFromBackup", "RestoreTableToPointInTime", "ImportTable",
)
# PartiQL operations; the guard does not find out which items they write.
STATEMENTS = ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")


class Tables:
    def __init__(self, stale_reads: bool):
        self.stale_reads = stale_reads
        self.schemas = Schemas()
        self.history = History()

    def forget(self, scope: tuple[str, str], table: str | None = None) -> None:
        """Forgets a table, or all of an account and region."""
        self.schemas.forget(scope, table)
        self.history.forget(scope, table)

    async def pass_on(self, exchange: Exchange, request: Request) -> Answer:
        scope, operation = exchange.scope, request.operation
        if operation in STATEMENTS:
            answer = await exchange.ask(request.body)
            self.history.forget(scope, None)
            return answer
        if operation in TABLE_CHANGES:
            answer = await exchange.ask(request.body)
            self.changed(scope, request, answer)
            return answer
        if self.stale_reads and operation in WRITES:
            return await self.write(exchange, request)
        answer = await exchange.ask(request.body)
        if answer.status == 400 and b"ResourceNotFoundException" in answer.body:
            for action in request.actions:
                self.forget(scope, action.table)
        if self.stale_reads and operation in READS and answer.status == 200:
            result = json.loads(answer.body)
            if self.history.make_stale(scope, request, result):
                answer.replace(result)
        return answer

    def changed(self, scope: tuple[str, str], request: Request, answer: Answer) -> None:
        table = request.data.get("TableName")
        self.forget(scope, table and table_name(table))
        if request.operation == "CreateTable" and answer.status == 200:
            description = json.loads(answer.body)["TableDescription"]
            self.schemas.learn(scope, description["TableName"], Schema.of(description))

    async def write(self, exchange: Exchange, request: Request) -> Answer:
        """Passes on a write, and remembers the items that it changes as they were before."""
        actions = [action for action in request.actions if action.kind in WRITING]
        tables = {(exchange.scope, action.table) for action in actions}
        async with self.history.alone(tables):
            before = await self.items(exchange, actions)
            # If the response is lost, the result of the last write is unknown.
            last = self.history.take(tables)
            answer = await exchange.ask(request.body)
            self.history.put(before if answer.status == 200 else last)
        return answer

    async def items(self, exchange: Exchange, actions: list[Action]) -> Images:
        """Returns the items as they are now; nothing if some cannot be read."""
        if any(action.key is None for action in actions):
            return {}
        images: Images = {}
        wanted: dict[str, dict] = {}
        for action in actions:
            given = action.fields.get("Item") or action.fields["Key"]
            images.setdefault((exchange.scope, action.table), {})[action.key] = Image(None)
            keys = wanted.setdefault(action.table, {"ConsistentRead": True, "Keys": []})["Keys"]
            keys.append({name: given[name] for name in action.schema.keys})
        schemas = {action.table: action.schema for action in actions}
        while wanted:
            answer = await call(exchange, "BatchGetItem", {"RequestItems": wanted})
            if answer is None:
                return {}
            for table, items in answer["Responses"].items():
                for item in items:
                    images[exchange.scope, table][key_of(item, schemas[table])].before = item
            wanted = answer.get("UnprocessedKeys") or {}
        return images

"""The actions of a DynamoDB request: one per item, whether alone, in a batch or in a transaction."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from .expressions import EXPRESSIONS, PLACEHOLDER, assignments, key_conditions
from .schema import Schema
from .values import key_of

SINGLE = {
    "PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete",
    "GetItem": "Get", "Query": "Query", "Scan": "Scan",
}
TRANSACTIONS = ("TransactWriteItems", "TransactGetItems")
READS_AND_WRITES = (*SINGLE, *TRANSACTIONS, "BatchGetItem", "BatchWriteItem")
PUT_ITEMS = ("PutItem", "BatchWriteItem", "TransactWriteItems")


@dataclass
class Action:
    """One read or write of a table."""

    kind: str
    table: str
    fields: dict
    schema: Schema | None

    @property
    def names(self) -> dict[str, str]:
        return self.fields.get("ExpressionAttributeNames") or {}

    @property
    def values(self) -> dict[str, dict]:
        return self.fields.get("ExpressionAttributeValues") or {}

    @cached_property
    def expressions(self) -> list[tuple[str, str]]:
        return [(name, self.fields[name]) for name in EXPRESSIONS if isinstance(self.fields.get(name), str)]

    @cached_property
    def placeholders(self) -> list[tuple[str, str]]:
        """The placeholders in use, each with the name of its expression."""
        return [(name, used) for name, text in self.expressions for used in PLACEHOLDER.findall(text)]

    @cached_property
    def key(self) -> tuple | None:
        """The item's key, comparable across requests; None if the table is unknown."""
        if self.schema is None:
            return None
        return key_of(self.fields.get("Item") or self.fields.get("Key") or {}, self.schema)

    @cached_property
    def assignments(self) -> list[tuple[str, dict | None]]:
        """The attributes that an update changes, each with its new value if that is given literally."""
        return assignments(self.fields.get("UpdateExpression") or "", self.names, self.values)

    def key_values(self) -> Iterator[tuple[str, str, dict, str | None]]:
        """Yields attribute, role, value and index of every key value in the request."""
        if self.schema is None:
            return
        given = self.fields.get("Item") or self.fields.get("Key") or {}
        if self.kind == "Query":
            conditions = key_conditions(self.fields.get("KeyConditionExpression") or "", self.names, self.values) or []
            given = {attribute: values[0] for attribute, operator, values in conditions if operator == "="}
        for attribute, role in self.schema.keys.items():
            if attribute in given:
                yield attribute, role, given[attribute], None
        if self.kind in ("Put", "Update"):
            changed = given if self.kind == "Put" else {name: value for name, value in self.assignments if value}
            for name, index in self.schema.indexes.items():
                for attribute, role in index.keys.items():
                    if attribute in changed and attribute not in self.schema.keys:
                        yield attribute, role, changed[attribute], name


def table_name(given: str) -> str:
    """Returns the table's name, given its name or its ARN."""
    return given.partition(":table/")[2].partition("/")[0] or given


def actions(operation: str, data: dict, schema: Callable[[str], Schema | None]) -> Iterator[Action]:
    """Reads the actions from the JSON body of a request."""

    def action(kind: str, table: str, fields: dict) -> Action:
        name = table_name(table)
        return Action(kind, name, fields, schema(name))

    if operation in SINGLE:
        yield action(SINGLE[operation], data.get("TableName") or "", data)
    elif operation in TRANSACTIONS:
        for item in data.get("TransactItems") or []:
            for kind, fields in item.items():
                if fields:
                    yield action(kind, fields.get("TableName") or "", fields)
    elif operation == "BatchWriteItem":
        for table, writes in (data.get("RequestItems") or {}).items():
            for write in writes:
                for kind, fields in write.items():
                    if fields:
                        yield action(kind.removesuffix("Request"), table, fields)
    elif operation == "BatchGetItem":
        for table, wanted in (data.get("RequestItems") or {}).items():
            yield action("BatchGet", table, wanted)
            for key in wanted.get("Keys") or []:
                yield action("Get", table, {"Key": key})

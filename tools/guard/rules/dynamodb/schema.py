"""Limits of DynamoDB that depend on the table: its key, its indexes and its TTL attribute."""

from ...actions import PUT_ITEMS, TRANSACTIONS
from ...request import Request
from ...rule import Refusal, Rule, invalid
from ...values import content
from .pages import API, GUIDE

QUERIES = ("Query", "Scan")
UPDATES = ("UpdateItem", "TransactWriteItems")


def key_update(request: Request) -> Refusal | None:
    for at, action in enumerate(request.actions):
        keys = action.schema.keys if action.schema else {}
        for attribute, _ in action.assignments:
            if attribute in keys:
                message = (
                    "One or more parameter values were invalid: "
                    f"Cannot update attribute {attribute}. This attribute is part of the key"
                )
                return cancelled(request, at, message) if request.operation in TRANSACTIONS else invalid(message)
    return None


def cancelled(request: Request, at: int, message: str) -> Refusal:
    """AWS checks against the table's schema only when the transaction runs, and then cancels it."""
    reasons: list[dict] = [{"Code": "None"} for _ in request.actions]
    reasons[at] = {"Code": "ValidationError", "Message": message}
    codes = ", ".join(reason["Code"] for reason in reasons)
    return Refusal(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        more={"CancellationReasons": reasons},
    )


def index_consistent_read(request: Request) -> Refusal | None:
    name = request.data.get("IndexName")
    schema = request.actions[0].schema
    index = schema.indexes.get(name) if schema and name else None
    if index is None or not index.is_global or not request.data.get("ConsistentRead"):
        return None
    return invalid("Consistent reads are not supported on global secondary indexes")


def ttl_type(request: Request) -> Refusal | None:
    for action in request.actions:
        attribute = action.schema.ttl if action.schema else None
        written = dict(action.assignments) if action.kind == "Update" else action.fields.get("Item") or {}
        if attribute and written.get(attribute) and content(written[attribute])[0] != "N":
            return invalid(f"{action.table}: an item whose {attribute} is not a number never expires")
    return None


RULES = [
    Rule(
        "dynamodb-key-update", "dynamodb", UPDATES, key_update,
        what="Update of an attribute that is part of the table's key",
        limit="none",
        url=f"{API}/API_UpdateItem.html",
    ),
    Rule(
        "dynamodb-index-consistent-read", "dynamodb", QUERIES, index_consistent_read,
        what="`ConsistentRead` on a global secondary index",
        limit="never",
        url=f"{API}/API_Query.html#API_Query_RequestParameters",
    ),
    Rule(
        "dynamodb-ttl-type", "dynamodb", (*PUT_ITEMS, "UpdateItem"), ttl_type, refused=False,
        what="TTL attribute that is not a number: the item never expires",
        limit="Number",
        url=f"{GUIDE}/howitworks-ttl.html",
    ),
]

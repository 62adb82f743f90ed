"""Limits of DynamoDB on the number and the size of the items in a request."""

from ...actions import PUT_ITEMS, TRANSACTIONS
from ...request import Request
from ...rule import Refusal, Rule, invalid
from ...values import item_size, value_size
from .pages import API, GUIDE

KIB = 1024
ITEM_SIZE = 400 * KIB
TRANSACTION_SIZE = 4 * KIB * KIB
BATCH_GET_KEYS = 100
BATCH_WRITE_REQUESTS = 25


def transaction_size(request: Request) -> Refusal | None:
    """An update counts at least what it sends; only the table knows the size of the whole item."""
    if len(request.body) <= TRANSACTION_SIZE:
        return None
    size = 0
    for action in request.actions:
        size += item_size(action.fields.get("Item") or action.fields.get("Key") or {})
        if action.kind == "Update":
            size += sum(value_size(value) for value in action.values.values())
    if size <= TRANSACTION_SIZE:
        return None
    return invalid(f"The aggregate size of the items in the transaction cannot exceed 4 MB; it is {size} bytes")


def batch_get_keys(request: Request) -> Refusal | None:
    """The model limits only the keys of each table."""
    if sum(action.kind == "Get" for action in request.actions) <= BATCH_GET_KEYS:
        return None
    return invalid("Too many items requested for the BatchGetItem call")


def batch_write_requests(request: Request) -> Refusal | None:
    """The model limits only the requests of each table."""
    if len(request.actions) <= BATCH_WRITE_REQUESTS:
        return None
    return invalid("Too many items requested for the BatchWriteItem call")


def same_item_twice(request: Request) -> Refusal | None:
    seen = set()
    for action in request.actions:
        if action.kind == "BatchGet" or action.key is None:
            continue
        if (action.table, action.key) in seen:
            if request.operation in TRANSACTIONS:
                return invalid("Transaction request cannot include multiple operations on one item")
            return invalid("Provided list of item keys contains duplicates")
        seen.add((action.table, action.key))
    return None


def large_item(request: Request) -> Refusal | None:
    """An item is never larger than its JSON."""
    if len(request.body) <= ITEM_SIZE:
        return None
    if all(item_size(action.fields.get("Item") or {}) <= ITEM_SIZE for action in request.actions):
        return None
    return invalid("Item size has exceeded the maximum allowed size")


RULES = [
    Rule(
        "dynamodb-transaction-size", "dynamodb", ("TransactWriteItems",), transaction_size,
        what="Size of all items of a transaction",
        limit="4 MB",
        url=f"{GUIDE}/Constraints.html#limits-dynamodb-transactions",
    ),
    Rule(
        "dynamodb-batch-get-keys", "dynamodb", ("BatchGetItem",), batch_get_keys,
        what="Keys in one `BatchGetItem`, of all tables together",
        limit="100",
        url=f"{API}/API_BatchGetItem.html",
    ),
    Rule(
        "dynamodb-batch-write-requests", "dynamodb", ("BatchWriteItem",), batch_write_requests,
        what="Requests in one `BatchWriteItem`, for all tables together",
        limit="25",
        url=f"{API}/API_BatchWriteItem.html",
    ),
    Rule(
        "dynamodb-same-item-twice", "dynamodb", (*TRANSACTIONS, "BatchGetItem", "BatchWriteItem"), same_item_twice,
        what="The same item more than once in a transaction or batch",
        limit="once",
        url=f"{GUIDE}/Constraints.html#limits-dynamodb-transactions",
    ),
    Rule(
        "dynamodb-item-size", "dynamodb", PUT_ITEMS, large_item,
        what="Size of an item that is put, including attribute names",
        limit="400 KB",
        url=f"{GUIDE}/CapacityUnitCalculations.html",
    ),
]

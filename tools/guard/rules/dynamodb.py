"""Limits of DynamoDB."""

from decimal import Decimal, InvalidOperation

from ..actions import READS_AND_WRITES, TRANSACTIONS
from ..request import Request
from ..rule import DOCS, Refusal, Rule, invalid
from ..values import content, digits, item_size, utf8, value_size

KIB = 1024
ITEM_SIZE = 400 * KIB
TRANSACTION_SIZE = 4 * KIB * KIB
BATCH_GET_KEYS = 100
BATCH_WRITE_REQUESTS = 25
KEY_SIZES = {"HASH": 2048, "RANGE": 1024}
EXPRESSION_SIZE = 4 * KIB
NESTING = 32
NUMBER_DIGITS = 38
DYNAMODB = f"{DOCS}/amazondynamodb/latest/developerguide"
DYNAMODB_API = f"{DOCS}/amazondynamodb/latest/APIReference"
QUERIES = ("Query", "Scan")
PUT_ITEMS = ("PutItem", "BatchWriteItem", "TransactWriteItems")
UPDATES = ("UpdateItem", "TransactWriteItems")


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


def key_empty(request: Request) -> Refusal | None:
    for action in request.actions:
        for attribute, _, value, index in action.key_values():
            kind, inner = content(value)
            if kind not in ("S", "B") or inner:
                continue
            empty = "string" if kind == "S" else "binary"
            what = f"The AttributeValue for a key attribute cannot contain an empty {empty} value."
            if index is None:
                return invalid(f"One or more parameter values are not valid. {what} Key: {attribute}")
            if action.kind == "Update":
                return invalid(
                    "One or more parameter values are not valid. The update expression attempted to update a secondary "
                    f"index key to a value that is not supported. {what}"
                )
            return invalid(
                "One or more parameter values are not valid. A value specified for a secondary index key is not "
                f"supported. {what} IndexName: {index}, IndexKey: {attribute}"
            )
    return None


def key_size(request: Request) -> Refusal | None:
    for action in request.actions:
        for _, role, value, _ in action.key_values():
            if content(value)[0] in ("S", "B") and value_size(value) > KEY_SIZES[role]:
                what = "Size of hashkey has exceeded the maximum size limit of2048 bytes"
                if role == "RANGE":
                    what = "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
                return invalid(f"One or more parameter values were invalid: {what}")
    return None


def set_empty(request: Request) -> Refusal | None:
    # The wording, with its mistakes, is that of AWS.
    sets = {
        "SS": "An string set  may not be empty",
        "NS": "An number set  may not be empty",
        "BS": "Binary sets should not be empty",
    }
    for kind, inner, _, placeholder in request.leaves:
        if kind in sets and not inner:
            message = f"One or more parameter values were invalid: {sets[kind]}"
            if placeholder:
                message = f"ExpressionAttributeValues contains invalid value: {message} for key {placeholder}"
            return invalid(message)
    return None


def number(request: Request) -> Refusal | None:
    for kind, inner, _, placeholder in request.leaves:
        for text in inner or () if kind == "NS" else (inner,) if kind == "N" else ():
            if message := number_fault(text):
                if placeholder:
                    message = f"ExpressionAttributeValues contains invalid value: {message} for key {placeholder}"
                return invalid(message)
    return None


def number_fault(text: object) -> str | None:
    if isinstance(text, str) and len(text) <= NUMBER_DIGITS and text.isdigit():
        return None
    try:
        parsed = Decimal(text)
    except (InvalidOperation, TypeError, ValueError):
        return f"The parameter cannot be converted to a numeric value: {text}"
    if not parsed.is_finite():
        return f"The parameter cannot be converted to a numeric value: {text}"
    if len(digits(text)) > NUMBER_DIGITS:
        return "Attempting to store more than 38 significant digits in a Number"
    if parsed and parsed.adjusted() > 125:
        return "Number overflow. Attempting to store a number with magnitude larger than supported range"
    if parsed and parsed.adjusted() < -130:
        return "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    return None


def nesting(request: Request) -> Refusal | None:
    if all(level <= NESTING for _, _, level, _ in request.leaves):
        return None
    return invalid(
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )


def expression_size(request: Request) -> Refusal | None:
    for action in request.actions:
        for name, text in action.expressions:
            if len(utf8(text)) > EXPRESSION_SIZE:
                return invalid(
                    f"Invalid {name}: Expression size has exceeded the maximum allowed size; "
                    f"expression size: {len(utf8(text))}"
                )
    return None


def placeholder_undefined(request: Request) -> Refusal | None:
    for action in request.actions:
        for expression, used in action.placeholders:
            if used.startswith("#") and used not in action.names:
                return invalid(
                    f"Invalid {expression}: An expression attribute name used in the document path is not defined; "
                    f"attribute name: {used}"
                )
            if used.startswith(":") and used not in action.values:
                return invalid(
                    f"Invalid {expression}: An expression attribute value used in expression is not defined; "
                    f"attribute value: {used}"
                )
    return None


def placeholder_unused(request: Request) -> Refusal | None:
    for action in request.actions:
        used = {placeholder for _, placeholder in action.placeholders}
        for holder, given in (("ExpressionAttributeNames", action.names), ("ExpressionAttributeValues", action.values)):
            unused = [placeholder for placeholder in given if placeholder not in used]
            if unused and not action.expressions:
                return invalid(f"{holder} can only be specified when using expressions")
            if unused:
                return invalid(f"Value provided in {holder} unused in expressions: keys: {{{', '.join(unused)}}}")
    return None


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
        "dynamodb-transaction-size", "dynamodb", ("TransactWriteItems",), transaction_size,
        what="Size of all items of a transaction",
        limit="4 MB",
        url=f"{DYNAMODB}/Constraints.html#limits-dynamodb-transactions",
    ),
    Rule(
        "dynamodb-batch-get-keys", "dynamodb", ("BatchGetItem",), batch_get_keys,
        what="Keys in one `BatchGetItem`, of all tables together",
        limit="100",
        url=f"{DYNAMODB_API}/API_BatchGetItem.html",
    ),
    Rule(
        "dynamodb-batch-write-requests", "dynamodb", ("BatchWriteItem",), batch_write_requests,
        what="Requests in one `BatchWriteItem`, for all tables together",
        limit="25",
        url=f"{DYNAMODB_API}/API_BatchWriteItem.html",
    ),
    Rule(
        "dynamodb-same-item-twice", "dynamodb", (*TRANSACTIONS, "BatchGetItem", "BatchWriteItem"), same_item_twice,
        what="The same item more than once in a transaction or batch",
        limit="once",
        url=f"{DYNAMODB}/Constraints.html#limits-dynamodb-transactions",
    ),
    Rule(
        "dynamodb-item-size", "dynamodb", PUT_ITEMS, large_item,
        what="Size of an item that is put, including attribute names",
        limit="400 KB",
        url=f"{DYNAMODB}/CapacityUnitCalculations.html",
    ),
    Rule(
        "dynamodb-key-empty", "dynamodb", READS_AND_WRITES, key_empty,
        what="Empty string or binary value of a key attribute of the table or an index",
        limit="1 byte at least",
        url=f"{DYNAMODB}/Constraints.html#limits-attributes",
    ),
    Rule(
        "dynamodb-key-size", "dynamodb", READS_AND_WRITES, key_size,
        what="Value of a key attribute of the table or an index",
        limit="2048 bytes partition key, 1024 bytes sort key",
        url=f"{DYNAMODB}/Constraints.html#limits-partition-sort-keys",
    ),
    Rule(
        "dynamodb-set-empty", "dynamodb", READS_AND_WRITES, set_empty,
        what="Empty set",
        limit="1 member at least",
        url=f"{DYNAMODB}/Constraints.html#limits-attributes",
    ),
    Rule(
        "dynamodb-number", "dynamodb", READS_AND_WRITES, number,
        what="Digits and magnitude of a number",
        limit="38 significant digits; 1E-130 to 9.9…E+125",
        url=f"{DYNAMODB}/Constraints.html#limits-data-types",
    ),
    Rule(
        "dynamodb-nesting", "dynamodb", READS_AND_WRITES, nesting,
        what="Depth of lists and maps, including the attribute itself",
        limit="32 levels",
        url=f"{DYNAMODB}/Constraints.html#limits-attributes",
    ),
    Rule(
        "dynamodb-expression-size", "dynamodb", READS_AND_WRITES, expression_size,
        what="Length of an expression",
        limit="4 KB",
        url=f"{DYNAMODB}/Constraints.html#limits-expression-parameters",
    ),
    Rule(
        "dynamodb-placeholder-undefined", "dynamodb", READS_AND_WRITES, placeholder_undefined,
        what="Placeholder in an expression that is not defined",
        limit="none",
        url=f"{DYNAMODB}/Expressions.ExpressionAttributeNames.html",
    ),
    Rule(
        "dynamodb-placeholder-unused", "dynamodb", READS_AND_WRITES, placeholder_unused,
        what="Expression attribute name or value that no expression uses",
        limit="none",
        url=f"{DYNAMODB}/Expressions.ExpressionAttributeValues.html",
    ),
    Rule(
        "dynamodb-key-update", "dynamodb", UPDATES, key_update,
        what="Update of an attribute that is part of the table's key",
        limit="none",
        url=f"{DYNAMODB_API}/API_UpdateItem.html",
    ),
    Rule(
        "dynamodb-index-consistent-read", "dynamodb", QUERIES, index_consistent_read,
        what="`ConsistentRead` on a global secondary index",
        limit="never",
        url=f"{DYNAMODB_API}/API_Query.html#API_Query_RequestParameters",
    ),
    Rule(
        "dynamodb-ttl-type", "dynamodb", (*PUT_ITEMS, "UpdateItem"), ttl_type, refused=False,
        what="TTL attribute that is not a number: the item never expires",
        limit="Number",
        url=f"{DYNAMODB}/howitworks-ttl.html",
    ),
]

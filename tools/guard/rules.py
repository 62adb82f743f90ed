"""What AWS refuses although the local emulator may take it: one table of rules, which the guard enforces.

`python -m tools.guard.rules --markdown` prints docs/aws-limits.md.
"""

import base64
import binascii
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from urllib.parse import parse_qsl, unquote_to_bytes
from xml.etree import ElementTree

KIB = 1024
ITEM_SIZE = 400 * KIB
TRANSACTION_ACTIONS = 100
TRANSACTION_SIZE = 4 * KIB * KIB
TRANSACTION_TOKEN = 36
BATCH_GET_KEYS = 100
BATCH_WRITE_REQUESTS = 25
KEY_SIZES = {"HASH": 2048, "RANGE": 1024}
EXPRESSION_SIZE = 4 * KIB
NESTING = 32
NUMBER_DIGITS = 38
MESSAGE_SIZE = KIB * KIB
BATCH_ENTRIES = 10
DELAY = 900
VISIBILITY = 43_200
WAIT = 20
OBJECT_SIZE = 5 * KIB**3
OBJECT_KEY = 1024
METADATA_SIZE = 2 * KIB
HEADER_SIZE = 8 * KIB
PRESIGNED = 604_800
DELETE_KEYS = 1000
SECRET_SIZE = 65_536
SECRET_NAME = 512
GATEWAY_PAYLOAD = 10 * KIB * KIB
GATEWAY_HEADERS = 10_240
GATEWAY_SECONDS = 30
LAMBDA_PAYLOAD = 6 * KIB * KIB


@dataclass(frozen=True)
class Refusal:
    """What AWS answers. `more` is what the answer holds besides code and message. `entries` are the messages of those
    entries of a batch that fail alone; the others of it are taken."""

    code: str
    message: str
    status: int = 400
    more: dict = field(default_factory=dict)
    entries: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Index:
    """A secondary index: attributes that are its keys with their roles; `attributes` is None where it holds all."""

    keys: dict[str, str]
    is_global: bool
    attributes: frozenset[str] | None


@dataclass(frozen=True)
class Schema:
    """What a table's description says."""

    keys: dict[str, str]
    indexes: dict[str, Index]
    ttl: str | None = None

    @classmethod
    def of(cls, description: dict, ttl: str | None = None) -> "Schema":
        keys = roles(description)
        indexes = {}
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index in description.get(kind) or []:
                projection = index.get("Projection") or {}
                attributes = None
                if projection.get("ProjectionType") != "ALL":
                    attributes = frozenset([*keys, *roles(index), *(projection.get("NonKeyAttributes") or [])])
                indexes[index["IndexName"]] = Index(roles(index), kind.startswith("Global"), attributes)
        return cls(keys, indexes, ttl)


def roles(description: dict) -> dict[str, str]:
    return {key["AttributeName"]: key["KeyType"] for key in description["KeySchema"]}


@dataclass
class Action:
    """One thing that a request wants of a table."""

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
        """Those that the expressions use, with the expression."""
        return [(name, used) for name, text in self.expressions for used in PLACEHOLDER.findall(text)]

    @cached_property
    def key(self) -> tuple | None:
        """Equal for equal items; None where the table is not known."""
        if self.schema is None:
            return None
        return key_of(self.fields.get("Item") or self.fields.get("Key") or {}, self.schema)

    @cached_property
    def assignments(self) -> list[tuple[str, dict | None]]:
        """Attributes that an update changes, with the value where one is simply set."""
        return assignments(self.fields.get("UpdateExpression") or "", self.names, self.values)

    def key_values(self) -> Iterator[tuple[str, str, dict, str | None]]:
        """Attribute, role, value and index of everything that becomes or names a key."""
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


@dataclass
class Request:
    """A call of AWS as the rules see it."""

    service: str
    operation: str
    data: dict = field(default_factory=dict)
    method: str = "POST"
    target: str = "/"
    headers: list[tuple[str, str]] = field(default_factory=list)
    header_size: int = 0
    body: bytes = b""
    schema: Callable[[str], Schema | None] = lambda table: None
    # Of a body that has not been read.
    announced: int = 0

    def header(self, name: str) -> str | None:
        return next((value for known, value in self.headers if known == name), None)

    @cached_property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    @property
    def path(self) -> str:
        """As the gateway has it on AWS, where the API's id is in the host."""
        return LOCAL_PREFIX.sub("", self.target, 1).partition("?")[0] or "/"

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.method} {self.path}" if self.service == "gateway" else self.operation

    @cached_property
    def object_key(self) -> bytes:
        """Of a path-style address."""
        path = self.target.partition("?")[0].lstrip("/")
        return unquote_to_bytes(path.partition("/")[2])

    @cached_property
    def actions(self) -> list[Action]:
        return list(actions(self))

    @cached_property
    def leaves(self) -> list[tuple[str, object, int, str | None]]:
        """Type, content, depth and placeholder of every attribute value that is sent."""
        found: list[tuple[str, object, int, str | None]] = []
        for action in self.actions:
            for holder in ("Item", "Key"):
                for value in (action.fields.get(holder) or {}).values():
                    collect(value, 1, None, found)
            for placeholder, value in action.values.items():
                collect(value, 1, placeholder, found)
        return found


# ---------------------------------------------------------------- DynamoDB: reading a request

EXPRESSIONS = ("ConditionExpression", "UpdateExpression", "ProjectionExpression", "FilterExpression", "KeyConditionExpression")
PLACEHOLDER = re.compile(r"[#:]\w+")
TOKEN = re.compile(r"[#:]?\w+|\S")
CLAUSES = ("SET", "REMOVE", "ADD", "DELETE")
KEY_CONDITION = re.compile(
    r"begins_with\s*\(\s*(?P<prefixed>#?[\w.-]+)\s*,\s*(?P<prefix>:\w+)\s*\)"
    r"|(?P<between>#?[\w.-]+)\s+BETWEEN\s+(?P<low>:\w+)\s+AND\s+(?P<high>:\w+)"
    r"|(?P<compared>#?[\w.-]+)\s*(?P<operator><=|>=|<|>|=)\s*(?P<operand>:\w+)",
    re.IGNORECASE,
)
SINGLE = {
    "PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete", "GetItem": "Get", "Query": "Query", "Scan": "Scan",
}
TRANSACTIONS = ("TransactWriteItems", "TransactGetItems")
READS_AND_WRITES = (*SINGLE, *TRANSACTIONS, "BatchGetItem", "BatchWriteItem")


def table_name(given: str) -> str:
    """Of a name or an ARN."""
    return given.partition(":table/")[2].partition("/")[0] or given


def actions(request: Request) -> Iterator[Action]:
    def action(kind: str, table: str, fields: dict) -> Action:
        name = table_name(table)
        return Action(kind, name, fields, request.schema(name))

    data = request.data
    if request.operation in SINGLE:
        yield action(SINGLE[request.operation], data.get("TableName") or "", data)
    elif request.operation in TRANSACTIONS:
        for item in data.get("TransactItems") or []:
            for kind, fields in item.items():
                if fields:
                    yield action(kind, fields.get("TableName") or "", fields)
    elif request.operation == "BatchWriteItem":
        for table, writes in (data.get("RequestItems") or {}).items():
            for write in writes:
                for kind, fields in write.items():
                    if fields:
                        yield action(kind.removesuffix("Request"), table, fields)
    elif request.operation == "BatchGetItem":
        for table, wanted in (data.get("RequestItems") or {}).items():
            yield action("BatchGet", table, wanted)
            for key in wanted.get("Keys") or []:
                yield action("Get", table, {"Key": key})


def content(value: object) -> tuple[str, object]:
    """Type and content of an attribute value; of no type where it is none."""
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.items()))
    return "", None


def collect(value: object, level: int, placeholder: str | None, into: list) -> None:
    kind, inner = content(value)
    into.append((kind, inner, level, placeholder))
    children = inner.values() if kind == "M" and isinstance(inner, dict) else inner if kind == "L" else ()
    for child in children or ():
        collect(child, level + 1, placeholder, into)


def raw(text: object) -> bytes:
    """Bytes of a base64 string; of nonsense its own."""
    if not isinstance(text, str):
        return b""
    try:
        return base64.b64decode(text)
    except binascii.Error:
        return text.encode()


def utf8(text: object) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else b""


def comparable(value: object) -> object:
    """Something of Python's that is equal and ordered as DynamoDB has it, for key values."""
    kind, inner = content(value)
    if kind == "N":
        try:
            return Decimal(inner)
        except (InvalidOperation, TypeError, ValueError):
            return Decimal(0)
    return raw(inner) if kind == "B" else utf8(inner)


def key_of(item: dict, schema: Schema) -> tuple | None:
    if any(attribute not in item for attribute in schema.keys):
        return None
    return tuple((content(item[attribute])[0], comparable(item[attribute])) for attribute in schema.keys)


def value_size(value: object) -> int:
    kind, inner = content(value)
    if kind == "S":
        return len(utf8(inner))
    if kind == "N":
        return number_size(inner)
    if kind == "B":
        return len(raw(inner))
    if kind == "SS":
        return sum(len(utf8(member)) for member in inner)
    if kind == "NS":
        return sum(number_size(member) for member in inner)
    if kind == "BS":
        return sum(len(raw(member)) for member in inner)
    if kind == "L":
        return 3 + sum(1 + value_size(member) for member in inner)
    if kind == "M":
        return 3 + sum(1 + len(utf8(name)) + value_size(member) for name, member in inner.items())
    return 1


def digits(number: object) -> str:
    """The significant ones."""
    mantissa = re.split("[eE]", str(number))[0].lstrip("+-")
    return mantissa.replace(".", "").lstrip("0").rstrip("0")


def number_size(number: object) -> int:
    return (len(digits(number)) + 1) // 2 + 1


def item_size(item: dict) -> int:
    return sum(len(utf8(name)) + value_size(value) for name, value in item.items())


def assignments(text: str, names: dict[str, str], values: dict[str, dict]) -> list[tuple[str, dict | None]]:
    tokens = TOKEN.findall(text)
    found: list[tuple[str, dict | None]] = []
    depth, clause, is_target = 0, "", False
    for at, token in enumerate(tokens):
        if token in ("(", "["):
            depth += 1
        elif token in (")", "]"):
            depth -= 1
        elif depth:
            continue
        elif token.upper() in CLAUSES:
            clause, is_target = token.upper(), True
        elif token == ",":
            is_target = True
        elif is_target:
            is_target = False
            rest = tokens[at + 1 : at + 4]
            ends = len(rest) == 2 or (len(rest) == 3 and (rest[2] == "," or rest[2].upper() in CLAUSES))
            is_simple = clause == "SET" and ends and rest[0] == "="
            found.append((names.get(token, token), values.get(rest[1]) if is_simple else None))
    return found


def key_conditions(text: str, names: dict[str, str], values: dict[str, dict]) -> list[tuple[str, str, list[dict]]] | None:
    """Attribute, operator and values; None where this is not understood."""
    found = []
    for match in KEY_CONDITION.finditer(text):
        part = match.groupdict()
        attribute = part["prefixed"] or part["between"] or part["compared"]
        operator = "begins_with" if part["prefixed"] else "BETWEEN" if part["between"] else part["operator"]
        used = [part[name] for name in ("prefix", "low", "high", "operand") if part[name]]
        if any(placeholder not in values for placeholder in used):
            return None
        found.append((names.get(attribute, attribute), operator, [values[placeholder] for placeholder in used]))
    rest = re.sub(r"\bAND\b|[()\s]", "", KEY_CONDITION.sub("", text), flags=re.IGNORECASE)
    return found if found and not rest else None


# ---------------------------------------------------------------- DynamoDB: rules


def invalid(message: str) -> Refusal:
    return Refusal("ValidationException", message)


def transaction_actions(request: Request) -> Refusal | None:
    items = request.data.get("TransactItems") or []
    if len(items) <= TRANSACTION_ACTIONS:
        return None
    return invalid(
        "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: "
        f"Member must have length less than or equal to {TRANSACTION_ACTIONS}"
    )


def transaction_size(request: Request) -> Refusal | None:
    """An item that is updated counts at least what is sent for it; how large it is the table alone knows."""
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


def transaction_token(request: Request) -> Refusal | None:
    token = request.data.get("ClientRequestToken")
    if token is None or 1 <= len(token) <= TRANSACTION_TOKEN:
        return None
    bound = "greater than or equal to 1" if not token else f"less than or equal to {TRANSACTION_TOKEN}"
    return invalid(
        f"1 validation error detected: Value '{token}' at 'clientRequestToken' failed to satisfy constraint: "
        f"Member must have length {bound}"
    )


def batch_get_keys(request: Request) -> Refusal | None:
    if sum(action.kind == "Get" for action in request.actions) <= BATCH_GET_KEYS:
        return None
    return invalid("Too many items requested for the BatchGetItem call")


def batch_write_requests(request: Request) -> Refusal | None:
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
    """As JSON an item is never smaller."""
    if len(request.body) <= ITEM_SIZE or all(item_size(action.fields.get("Item") or {}) <= ITEM_SIZE for action in request.actions):
        return None
    return invalid("Item size has exceeded the maximum allowed size")


def key_empty(request: Request) -> Refusal | None:
    for action in request.actions:
        for attribute, _, value, index in action.key_values():
            kind, inner = content(value)
            if kind not in ("S", "B") or inner:
                continue
            what = f"The AttributeValue for a key attribute cannot contain an empty {'string' if kind == 'S' else 'binary'} value."
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
    sets = {"SS": "An string set  may not be empty", "NS": "An number set  may not be empty", "BS": "Binary sets should not be empty"}
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
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
    )


def expression_size(request: Request) -> Refusal | None:
    for action in request.actions:
        for name, text in action.expressions:
            if len(utf8(text)) > EXPRESSION_SIZE:
                return invalid(
                    f"Invalid {name}: Expression size has exceeded the maximum allowed size; expression size: {len(utf8(text))}"
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
                message = f"One or more parameter values were invalid: Cannot update attribute {attribute}. This attribute is part of the key"
                return cancelled(request, at, message) if request.operation in TRANSACTIONS else invalid(message)
    return None


def cancelled(request: Request, at: int, message: str) -> Refusal:
    """What only the table's schema tells is found when the transaction runs."""
    reasons: list[dict] = [{"Code": "None"} for _ in request.actions]
    reasons[at] = {"Code": "ValidationError", "Message": message}
    codes = ", ".join(reason["Code"] for reason in reasons)
    return Refusal(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        more={"CancellationReasons": reasons},
    )


def limit(request: Request) -> Refusal | None:
    given = request.data.get("Limit")
    if given is None or given >= 1:
        return None
    return invalid(
        f"1 validation error detected: Value '{given}' at 'limit' failed to satisfy constraint: "
        "Member must have value greater than or equal to 1"
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
            return invalid(f"{action.table}: an item whose {attribute} is no number never expires")
    return None


# ---------------------------------------------------------------- SQS

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ENTRY_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
GROUP_ID = re.compile(r"[A-Za-z0-9!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]{1,128}")
SENDS = ("SendMessage", "SendMessageBatch")
BATCHES = ("SendMessageBatch", "DeleteMessageBatch", "ChangeMessageVisibilityBatch")
QUEUES = ("CreateQueue", "SetQueueAttributes")


def entries(request: Request) -> list[dict]:
    return request.data.get("Entries") or []


def parameter(value: object, name: str, reason: str) -> str:
    return f"Value {value} for parameter {name} is invalid. Reason: {reason}"


def for_each(code: str, fault: Callable[[dict, Request], str | None]) -> Callable[[Request], Refusal | None]:
    """Refuses a call, but of a batch only the entries that are at fault."""

    def check(request: Request) -> Refusal | None:
        if not request.operation.endswith("Batch"):
            message = fault(request.data, request)
            return Refusal(code, message) if message else None
        faults = {at: message for at, entry in enumerate(entries(request)) if (message := fault(entry, request))}
        return Refusal(code, next(iter(faults.values())), entries=faults) if faults else None

    return check


def within(given: object, most: int, least: int = 0) -> bool:
    return given is None or (isinstance(given, int) and least <= given <= most)


def queue_attribute(request: Request, name: str, most: int) -> Refusal | None:
    given = str((request.data.get("Attributes") or {}).get(name, "0"))
    if given.isdigit() and int(given) <= most:
        return None
    return Refusal("InvalidAttributeValue", f"Invalid value for the parameter {name}.")


def batch_entries(request: Request) -> Refusal | None:
    if not entries(request):
        return Refusal("EmptyBatchRequest", f"There should be at least one {request.operation}RequestEntry in the request.")
    if len(entries(request)) > BATCH_ENTRIES:
        return Refusal(
            "TooManyEntriesInBatchRequest",
            f"Maximum number of entries per request are {BATCH_ENTRIES}. You have sent {len(entries(request))}.",
        )
    return None


def batch_ids(request: Request) -> Refusal | None:
    seen = set()
    for entry in entries(request):
        given = entry.get("Id") or ""
        if not ENTRY_ID.fullmatch(given):
            return Refusal(
                "InvalidBatchEntryId",
                "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
                "It can be at most 80 letters long.",
            )
        if given in seen:
            return Refusal("BatchEntryIdsNotDistinct", f"Id {given} repeated.")
        seen.add(given)
    return None


def message_size(message: dict) -> int:
    """Body and attributes; system attributes do not count."""
    size = len(utf8(message.get("MessageBody")))
    for name, attribute in (message.get("MessageAttributes") or {}).items():
        size += len(utf8(name)) + len(utf8(attribute.get("DataType")))
        size += len(utf8(attribute.get("StringValue"))) + len(raw(attribute.get("BinaryValue")))
    return size


def batch_size(request: Request) -> Refusal | None:
    size = sum(message_size(entry) for entry in entries(request))
    if size <= MESSAGE_SIZE:
        return None
    return Refusal("BatchRequestTooLong", f"Batch requests cannot be longer than {MESSAGE_SIZE} bytes. You have sent {size} bytes.")


def large_message(request: Request) -> Refusal | None:
    if message_size(request.data) <= MESSAGE_SIZE:
        return None
    return Refusal(
        "InvalidParameterValue",
        f"One or more parameters are invalid. Reason: Message must be shorter than {MESSAGE_SIZE} bytes.",
    )


def characters(message: dict, _: Request) -> str | None:
    texts = [message.get("MessageBody")]
    texts += [attribute.get("StringValue") for attribute in (message.get("MessageAttributes") or {}).values()]
    if not any(text and FORBIDDEN.search(text) for text in texts):
        return None
    return (
        "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | "
        "#x10000 to #x10FFFF"
    )


def delay(request: Request) -> Refusal | None:
    if request.operation in QUEUES:
        return queue_attribute(request, "DelaySeconds", DELAY)
    return for_each("InvalidParameterValue", message_delay)(request)


def message_delay(message: dict, _: Request) -> str | None:
    given = message.get("DelaySeconds")
    return None if within(given, DELAY) else parameter(given, "DelaySeconds", f"DelaySeconds must be >= 0 and <= {DELAY}.")


def is_fifo(request: Request) -> bool:
    return str(request.data.get("QueueUrl")).endswith(".fifo")


def fifo_delay(message: dict, request: Request) -> str | None:
    given = message.get("DelaySeconds")
    if not is_fifo(request) or not given:
        return None
    return parameter(given, "DelaySeconds", "The request include parameter that is not valid for this queue type.")


def fifo_group(message: dict, request: Request) -> str | None:
    if not is_fifo(request) or message.get("MessageGroupId"):
        return None
    return "The request must contain the parameter MessageGroupId."


def group_id(message: dict, _: Request) -> str | None:
    given = message.get("MessageGroupId")
    if not given or GROUP_ID.fullmatch(given):
        return None
    return parameter(
        given, "MessageGroupId", "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."
    )


def visibility(request: Request) -> Refusal | None:
    if request.operation in QUEUES:
        return queue_attribute(request, "VisibilityTimeout", VISIBILITY)
    return for_each("InvalidParameterValue", message_visibility)(request)


def message_visibility(message: dict, _: Request) -> str | None:
    given = message.get("VisibilityTimeout")
    return None if within(given, VISIBILITY) else parameter(given, "VisibilityTimeout", f"Must be between 0 and {VISIBILITY}, if provided.")


def wait_time(request: Request) -> Refusal | None:
    if request.operation in QUEUES:
        return queue_attribute(request, "ReceiveMessageWaitTimeSeconds", WAIT)
    given = request.data.get("WaitTimeSeconds")
    if within(given, WAIT):
        return None
    return Refusal("InvalidParameterValue", parameter(given, "WaitTimeSeconds", f"Must be >= 0 and <= {WAIT}, if provided."))


def receive_count(request: Request) -> Refusal | None:
    given = request.data.get("MaxNumberOfMessages")
    if within(given, BATCH_ENTRIES, 1):
        return None
    return Refusal("InvalidParameterValue", parameter(given, "MaxNumberOfMessages", f"Must be between 1 and {BATCH_ENTRIES}, if provided."))


# ---------------------------------------------------------------- S3

UPLOADS = ("PutObject", "UploadPart")
WITH_METADATA = ("PutObject", "CopyObject", "CreateMultipartUpload")
PUTS = ("PutObject", "UploadPart", "CopyObject", "UploadPartCopy")
SUBRESOURCES = {"acl", "tagging", "retention", "legal-hold", "annotation", "encryption"}


def s3_operation(method: str, target: str, headers: dict[str, str]) -> str:
    """Named as the API names it, as far as rules tell operations apart."""
    path, _, query = target.partition("?")
    parameters = {part.partition("=")[0] for part in query.split("&")}
    if not path.lstrip("/").partition("/")[2]:
        return "DeleteObjects" if method == "POST" and "delete" in parameters else "Bucket"
    if method == "PUT" and not parameters & SUBRESOURCES:
        is_copy = "x-amz-copy-source" in headers
        if "partNumber" in parameters:
            return "UploadPartCopy" if is_copy else "UploadPart"
        return "CopyObject" if is_copy else "PutObject"
    if method == "POST" and "uploads" in parameters:
        return "CreateMultipartUpload"
    return f"Object {method}"


def metadata(request: Request) -> list[tuple[str, str]]:
    prefix = "x-amz-meta-"
    return [(name.removeprefix(prefix), value) for name, value in request.headers if name.startswith(prefix)]


def metadata_size(request: Request) -> Refusal | None:
    size = sum(len(name.encode("latin-1")) + len(value.encode("latin-1")) for name, value in metadata(request))
    if size <= METADATA_SIZE:
        return None
    return Refusal(
        "MetadataTooLarge",
        "Your metadata headers exceed the maximum allowed metadata size",
        more={"Size": size, "MaxSizeAllowed": METADATA_SIZE},
    )


def metadata_ascii(request: Request) -> Refusal | None:
    for name, value in metadata(request):
        if not value.isascii():
            return Refusal("InvalidArgument", f"x-amz-meta-{name} is not ASCII: it comes back encoded after RFC 2047")
    return None


def header_size(request: Request) -> Refusal | None:
    if request.header_size <= HEADER_SIZE:
        return None
    return Refusal(
        "RequestHeaderSectionTooLarge",
        "Your request header and query parameters used to make the request exceed the maximum allowed size.",
        more={"MaxSizeAllowed": HEADER_SIZE},
    )


def object_size(request: Request) -> Refusal | None:
    length = request.header("x-amz-decoded-content-length") or request.header("content-length") or "0"
    if not length.isdigit() or int(length) <= OBJECT_SIZE:
        return None
    return Refusal(
        "EntityTooLarge",
        "Your proposed upload exceeds the maximum allowed size",
        more={"ProposedSize": length, "MaxSizeAllowed": OBJECT_SIZE},
    )


def content_length(request: Request) -> Refusal | None:
    if request.header("content-length") is not None or request.header("x-amz-decoded-content-length") is not None:
        return None
    return Refusal("MissingContentLength", "You must provide the Content-Length HTTP header.", status=411)


def object_key(request: Request) -> Refusal | None:
    if len(request.object_key) <= OBJECT_KEY:
        return None
    return Refusal("KeyTooLongError", "Your key is too long", more={"Size": len(request.object_key), "MaxSizeAllowed": OBJECT_KEY})


def presigned_expiry(request: Request) -> Refusal | None:
    given = request.query.get("X-Amz-Expires", "0")
    if not given.isdigit() or int(given) <= PRESIGNED:
        return None
    return Refusal(
        "AuthorizationQueryParametersError",
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than "
        f"{PRESIGNED} seconds",
    )


def delete_keys(request: Request) -> Refusal | None:
    try:
        document = ElementTree.fromstring(request.body)
    except ElementTree.ParseError:
        return None
    if sum(element.tag.rpartition("}")[2] == "Object" for element in document) <= DELETE_KEYS:
        return None
    return Refusal(
        "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema"
    )


# ---------------------------------------------------------------- Secrets Manager

NAME = re.compile(r"[A-Za-z0-9/_+=.@-]*")
VALUES = ("CreateSecret", "PutSecretValue", "UpdateSecret")


def secret_size(request: Request) -> Refusal | None:
    sizes = {"secretString": len(utf8(request.data.get("SecretString"))), "secretBinary": len(raw(request.data.get("SecretBinary")))}
    for member, size in sizes.items():
        if size > SECRET_SIZE:
            return invalid(
                f"1 validation error detected: Value at '{member}' failed to satisfy constraint: "
                f"Member must have length less than or equal to {SECRET_SIZE}"
            )
    return None


def secret_name(request: Request) -> Refusal | None:
    name = request.data.get("Name") or ""
    if not 1 <= len(name) <= SECRET_NAME:
        bound = f"less than or equal to {SECRET_NAME}" if name else "greater than or equal to 1"
        return invalid(
            f"1 validation error detected: Value '{name}' at 'name' failed to satisfy constraint: Member must have length {bound}"
        )
    if NAME.fullmatch(name):
        return None
    return invalid("Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!")


def secret_token(request: Request) -> Refusal | None:
    token = request.data.get("ClientRequestToken")
    if token is None or 32 <= len(token) <= 64:
        return None
    return Refusal("InvalidParameterException", "ClientRequestToken must be 32-64 characters long.")


def recovery_window(request: Request) -> Refusal | None:
    if within(request.data.get("RecoveryWindowInDays"), 30, 7):
        return None
    return Refusal("InvalidParameterException", "RecoveryWindowInDays value must be between 7 and 30 days (inclusive).")


# ---------------------------------------------------------------- API gateway and Lambda

LOCAL_PREFIX = re.compile(r"^/_aws/execute-api/[^/?]*")
# Of any other body an event or a response holds the base64.
TEXT_TYPE = re.compile(r"text/.+|application/(json|javascript|xml)|.+\+(json|xml)")
# What the guard has before it when it asks: a request's head, its body, what came of it, and that nothing did.
HEAD, BODY, ANSWER, SILENCE = "Head", "Body", "Answer", "Silence"


def said_by_gateway(status: int, message: str) -> Refusal:
    return Refusal("", message, status)


def json_size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def body_size(request: Request) -> int:
    """Within an event or a response of payload format 2.0."""
    kind = (request.header("content-type") or "").partition(";")[0].strip().lower()
    is_encoded = request.header("content-encoding") not in (None, "", "identity")
    if TEXT_TYPE.fullmatch(kind) and not is_encoded:
        return json_size(request.body.decode("utf-8", "replace"))
    return 4 * -(-len(request.body) // 3)


def joined_headers(request: Request) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in request.headers:
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers


def gateway_headers(request: Request) -> Refusal | None:
    line = f"{request.method} {LOCAL_PREFIX.sub('', request.target, 1) or '/'} HTTP/1.1"
    if len(line) + sum(len(value) for _, value in request.headers) <= GATEWAY_HEADERS:
        return None
    return said_by_gateway(431, "Request Header Fields Too Large")


def gateway_payload(request: Request) -> Refusal | None:
    return said_by_gateway(413, "Request Entity Too Large") if request.announced > GATEWAY_PAYLOAD else None


def gateway_event(request: Request) -> Refusal | None:
    event = {
        "version": "2.0",
        "rawPath": request.path,
        "rawQueryString": request.target.partition("?")[2],
        "headers": joined_headers(request),
        "queryStringParameters": request.query,
        "requestContext": {"http": {"method": request.method, "path": request.path, "userAgent": request.header("user-agent")}},
        "body": "",
        "isBase64Encoded": True,
    }
    if json_size(event) + body_size(request) <= LAMBDA_PAYLOAD:
        return None
    return said_by_gateway(500, "Internal Server Error")


def gateway_timeout(_: Request) -> Refusal | None:
    return said_by_gateway(503, "Service Unavailable")


def lambda_response(answer: Request) -> Refusal | None:
    """Headers and body are those of the answer."""
    response = {"statusCode": 200, "headers": joined_headers(answer), "body": "", "isBase64Encoded": True}
    if json_size(response) + body_size(answer) <= LAMBDA_PAYLOAD:
        return None
    return said_by_gateway(500, "Internal Server Error")


# ---------------------------------------------------------------- the table


@dataclass(frozen=True)
class Rule:
    """`operations` are those it looks at, all of the service where it names none. Where `refused` is False AWS takes the
    request and does something else than was meant: it is noted and passed on."""

    name: str
    service: str
    operations: tuple[str, ...]
    what: str
    limit: str
    url: str
    check: Callable[[Request], Refusal | None]
    refused: bool = True


DOCS = "https://docs.aws.amazon.com"
DYNAMODB = f"{DOCS}/amazondynamodb/latest/developerguide"
DYNAMODB_API = f"{DOCS}/amazondynamodb/latest/APIReference"
SQS = f"{DOCS}/AWSSimpleQueueService/latest/SQSDeveloperGuide"
SQS_API = f"{DOCS}/AWSSimpleQueueService/latest/APIReference"
S3 = f"{DOCS}/AmazonS3/latest/userguide"
S3_API = f"{DOCS}/AmazonS3/latest/API"
SECRETS = f"{DOCS}/secretsmanager/latest/userguide"
SECRETS_API = f"{DOCS}/secretsmanager/latest/apireference"
GATEWAY = f"{DOCS}/apigateway/latest/developerguide"
LAMBDA = f"{DOCS}/lambda/latest/dg"

QUERIES = ("Query", "Scan")
PUT_ITEMS = ("PutItem", "BatchWriteItem", "TransactWriteItems")
UPDATES = ("UpdateItem", "TransactWriteItems")

RULES = [
    Rule("dynamodb-transaction-actions", "dynamodb", TRANSACTIONS, "Actions in one transaction", "100", f"{DYNAMODB_API}/API_TransactWriteItems.html", transaction_actions),
    Rule("dynamodb-transaction-size", "dynamodb", ("TransactWriteItems",), "Size of all items of a transaction", "4 MB", f"{DYNAMODB}/Constraints.html#limits-dynamodb-transactions", transaction_size),
    Rule("dynamodb-transaction-token", "dynamodb", ("TransactWriteItems",), "`ClientRequestToken`", "1 to 36 characters", f"{DYNAMODB_API}/API_TransactWriteItems.html#API_TransactWriteItems_RequestParameters", transaction_token),
    Rule("dynamodb-batch-get-keys", "dynamodb", ("BatchGetItem",), "Keys in one `BatchGetItem`", "100", f"{DYNAMODB_API}/API_BatchGetItem.html", batch_get_keys),
    Rule("dynamodb-batch-write-requests", "dynamodb", ("BatchWriteItem",), "Requests in one `BatchWriteItem`", "25", f"{DYNAMODB_API}/API_BatchWriteItem.html", batch_write_requests),
    Rule("dynamodb-same-item-twice", "dynamodb", (*TRANSACTIONS, "BatchGetItem", "BatchWriteItem"), "The same item more than once in a transaction or batch", "once", f"{DYNAMODB}/Constraints.html#limits-dynamodb-transactions", same_item_twice),
    Rule("dynamodb-item-size", "dynamodb", PUT_ITEMS, "Size of an item that is put, names of attributes included", "400 KB", f"{DYNAMODB}/CapacityUnitCalculations.html", large_item),
    Rule("dynamodb-key-empty", "dynamodb", READS_AND_WRITES, "Empty string or binary value of a key attribute of the table or an index", "1 byte at least", f"{DYNAMODB}/Constraints.html#limits-attributes", key_empty),
    Rule("dynamodb-key-size", "dynamodb", READS_AND_WRITES, "Value of a key attribute of the table or an index", "2048 bytes partition key, 1024 bytes sort key", f"{DYNAMODB}/Constraints.html#limits-partition-sort-keys", key_size),
    Rule("dynamodb-set-empty", "dynamodb", READS_AND_WRITES, "Empty set", "1 member at least", f"{DYNAMODB}/Constraints.html#limits-attributes", set_empty),
    Rule("dynamodb-number", "dynamodb", READS_AND_WRITES, "Digits and magnitude of a number", "38 significant digits; 1E-130 to 9.9…E+125", f"{DYNAMODB}/Constraints.html#limits-data-types", number),
    Rule("dynamodb-nesting", "dynamodb", READS_AND_WRITES, "Depth of lists and maps, the attribute itself counted", "32 levels", f"{DYNAMODB}/Constraints.html#limits-attributes", nesting),
    Rule("dynamodb-expression-size", "dynamodb", READS_AND_WRITES, "Length of an expression", "4 KB", f"{DYNAMODB}/Constraints.html#limits-expression-parameters", expression_size),
    Rule("dynamodb-placeholder-undefined", "dynamodb", READS_AND_WRITES, "Placeholder of an expression that is not defined", "none", f"{DYNAMODB}/Expressions.ExpressionAttributeNames.html", placeholder_undefined),
    Rule("dynamodb-placeholder-unused", "dynamodb", READS_AND_WRITES, "Name or value for expressions that no expression uses", "none", f"{DYNAMODB}/Expressions.ExpressionAttributeValues.html", placeholder_unused),
    Rule("dynamodb-key-update", "dynamodb", UPDATES, "Update of an attribute that is part of the table's key", "none", f"{DYNAMODB_API}/API_UpdateItem.html", key_update),
    Rule("dynamodb-limit", "dynamodb", QUERIES, "`Limit` of a query or scan", "1 at least", f"{DYNAMODB_API}/API_Query.html#API_Query_RequestParameters", limit),
    Rule("dynamodb-index-consistent-read", "dynamodb", QUERIES, "`ConsistentRead` on a global secondary index", "never", f"{DYNAMODB_API}/API_Query.html#API_Query_RequestParameters", index_consistent_read),
    Rule("dynamodb-ttl-type", "dynamodb", (*PUT_ITEMS, "UpdateItem"), "TTL attribute that is no number: the item never expires", "Number", f"{DYNAMODB}/howitworks-ttl.html", ttl_type, refused=False),
    Rule("sqs-batch-entries", "sqs", BATCHES, "Entries in a batch", "1 to 10", f"{SQS}/quotas-messages.html", batch_entries),
    Rule("sqs-batch-ids", "sqs", BATCHES, "Ids of a batch's entries", "distinct; 1 to 80 of letters, digits, `-`, `_`", f"{SQS}/quotas-messages.html", batch_ids),
    Rule("sqs-batch-size", "sqs", ("SendMessageBatch",), "Size of all messages of a batch, attributes included", "1 MiB", f"{SQS_API}/API_SendMessageBatch.html", batch_size),
    Rule("sqs-message-size", "sqs", ("SendMessage",), "Size of a message, attributes included", "1 MiB", f"{SQS_API}/API_SendMessage.html", large_message),
    Rule("sqs-message-characters", "sqs", SENDS, "Characters of a message", "#x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD, #x10000 to #x10FFFF", f"{SQS_API}/API_SendMessage.html", for_each("InvalidMessageContents", characters)),
    Rule("sqs-delay", "sqs", (*SENDS, *QUEUES), "`DelaySeconds`", "0 to 900", f"{SQS_API}/API_SendMessage.html", delay),
    Rule("sqs-fifo-delay", "sqs", SENDS, "`DelaySeconds` of a message to a FIFO queue", "0", f"{SQS_API}/API_SendMessage.html", for_each("InvalidParameterValue", fifo_delay)),
    Rule("sqs-fifo-group", "sqs", SENDS, "Message to a FIFO queue without `MessageGroupId`", "required", f"{SQS}/quotas-messages.html", for_each("MissingParameter", fifo_group)),
    Rule("sqs-group-id", "sqs", SENDS, "`MessageGroupId`", "1 to 128 of letters, digits, punctuation", f"{SQS}/quotas-messages.html", for_each("InvalidParameterValue", group_id)),
    Rule("sqs-visibility-timeout", "sqs", ("ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "ReceiveMessage", *QUEUES), "`VisibilityTimeout`", "0 to 43,200", f"{SQS_API}/API_ChangeMessageVisibility.html", visibility),
    Rule("sqs-wait-time", "sqs", ("ReceiveMessage", *QUEUES), "`WaitTimeSeconds`", "0 to 20", f"{SQS}/best-practices-setting-up-long-polling.html", wait_time),
    Rule("sqs-receive-count", "sqs", ("ReceiveMessage",), "`MaxNumberOfMessages`", "1 to 10", f"{SQS_API}/API_ReceiveMessage.html", receive_count),
    Rule("s3-key-length", "s3", (), "Key of an object, in UTF-8", "1024 bytes", f"{S3}/object-keys.html", object_key),
    Rule("s3-header-size", "s3", PUTS, "Header section of a `PUT`", "8 KB", f"{S3}/UsingMetadata.html", header_size),
    Rule("s3-metadata-size", "s3", WITH_METADATA, "User metadata, keys and values", "2 KB", f"{S3}/UsingMetadata.html", metadata_size),
    Rule("s3-content-length", "s3", UPLOADS, "Upload without `Content-Length`", "required", f"{S3_API}/ErrorResponses.html#ErrorCodeList", content_length),
    Rule("s3-object-size", "s3", UPLOADS, "Size of one upload", "5 GB", f"{S3}/upload-objects.html", object_size),
    Rule("s3-presigned-expiry", "s3", (), "Expiry of a presigned URL", "604,800 s", f"{S3_API}/sigv4-query-string-auth.html", presigned_expiry),
    Rule("s3-delete-keys", "s3", ("DeleteObjects",), "Keys in one `DeleteObjects`", "1000", f"{S3_API}/API_DeleteObjects.html", delete_keys),
    Rule("s3-metadata-ascii", "s3", WITH_METADATA, "User metadata that is not ASCII: it comes back encoded after RFC 2047", "US-ASCII", f"{S3}/UsingMetadata.html", metadata_ascii, refused=False),
    Rule("secrets-value-size", "secretsmanager", VALUES, "Value of a secret", "65,536 bytes", f"{SECRETS}/reference_limits.html", secret_size),
    Rule("secrets-name", "secretsmanager", ("CreateSecret",), "Name of a secret", "1 to 512 of ASCII letters, digits, `/_+=.@-`", f"{SECRETS_API}/API_CreateSecret.html", secret_name),
    Rule("secrets-token", "secretsmanager", VALUES, "`ClientRequestToken`", "32 to 64 characters", f"{SECRETS_API}/API_CreateSecret.html", secret_token),
    Rule("secrets-recovery-window", "secretsmanager", ("DeleteSecret",), "`RecoveryWindowInDays`", "7 to 30", f"{SECRETS_API}/API_DeleteSecret.html", recovery_window),
    Rule("gateway-headers", "gateway", (HEAD,), "Request line and values of the headers together", "10,240 bytes", f"{GATEWAY}/http-api-quotas.html", gateway_headers),
    Rule("gateway-payload", "gateway", (HEAD,), "Body of a request", "10 MB", f"{GATEWAY}/http-api-quotas.html", gateway_payload),
    Rule("gateway-event", "gateway", (BODY,), "Event that the function would get: the body in base64, of a text as JSON has it; path, query, headers", "6 MB", f"{LAMBDA}/gettingstarted-limits.html", gateway_event),
    Rule("gateway-timeout", "gateway", (SILENCE,), "Time until the function has answered", "30 s", f"{GATEWAY}/http-api-quotas.html", gateway_timeout),
    Rule("lambda-response", "gateway", (ANSWER,), "Response of the function: the body in base64, of a text as JSON has it; headers", "6 MB", f"{LAMBDA}/gettingstarted-limits.html", lambda_response),
]


def rules_for(service: str, operation: str) -> list[Rule]:
    return [rule for rule in RULES if rule.service == service and (not rule.operations or operation in rule.operations)]


SERVICES = {"dynamodb": "DynamoDB", "sqs": "SQS", "s3": "S3", "secretsmanager": "Secrets Manager", "gateway": "API gateway and Lambda"}
INTRODUCTION = """\
# Limits of AWS

What AWS refuses although the local emulator may take it. The guard ([tools/guard](../tools/guard)) stands between the code and
the emulator and refuses it in AWS's own words. The table is made from [rules.py](../tools/guard/rules.py):
`python -m tools.guard.rules --markdown > docs/aws-limits.md`.

Requests to the API pass the guard too: it answers in the gateway's place, with `{"message": …}` and `apigw-requestid`, what the gateway
would not let through or Lambda would not take.

What is *noted* AWS takes, but does something else than was meant; the guard passes it on and lists it.
"""


def markdown() -> str:
    parts = [INTRODUCTION]
    for service, title in SERVICES.items():
        parts.append(f"\n## {title}\n\n| Rule | What | Limit |\n|---|---|---|\n")
        for rule in RULES:
            if rule.service == service:
                limit = rule.limit if rule.refused else f"{rule.limit} (noted)"
                parts.append(f"| [{rule.name}]({rule.url}) | {rule.what} | {limit} |\n")
    return "".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] != ["--markdown"]:
        sys.exit("Usage: python -m tools.guard.rules --markdown")
    sys.stdout.write(markdown())

"""Stands before the AWS emulator: refuses what AWS would refuse, to code and to the API's clients, and passes everything else on as it is.

Usage: python -m tools.guard --upstream http://127.0.0.1:4566 [--port 0] [--stale-reads] [--record FILE]

`GET /_guard/refusals` lists what was refused so far. With `--stale-reads` a read that is not strongly consistent shows the items
of the table's last write as they were before it: once for the table and once for each index, as if the next read came from a
replica that had not heard of it yet. So whoever asks again gets there, as on AWS.
"""

import argparse
import base64
import functools
import json
import re
import secrets
import select
import signal
import socket
import socketserver
import sys
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from .gateway import is_for_gateway, through_gateway
from .rules import (
    GATEWAY_SECONDS, Action, Index, Refusal, Request, Schema, comparable, content, key_conditions, key_of, rules_for, s3_operation,
    table_name,
)

PIECE = 64 * 1024
# What is refused before its body was read: up to so much of it is read, so that the connection can go on.
WORTH_READING = 1024 * 1024
LINGER_SECONDS = 2
MOST_LINGER_SECONDS = 30
TARGETS = {"DynamoDB_20120810": "dynamodb", "AmazonSQS": "sqs", "secretsmanager": "secretsmanager"}


# ---------------------------------------------------------------- HTTP


class Head:
    """Of a request or an answer, with its lines as they came."""

    def __init__(self, lines: list[bytes]):
        self.lines = lines
        self.start = lines[0].decode("latin-1").rstrip("\r\n")
        self.headers = []
        for line in lines[1:-1]:
            name, _, value = line.decode("latin-1").partition(":")
            self.headers.append((name.strip().lower(), value.strip()))
        self.named = dict(self.headers)

    @property
    def sent(self) -> bytes:
        return b"".join(self.lines)

    @property
    def status(self) -> int:
        return int(self.start.split(" ", 2)[1])

    @property
    def closes(self) -> bool:
        connection = self.named.get("connection", "").lower()
        return "close" in connection or (self.start.rpartition(" ")[2] == "HTTP/1.0" and "keep-alive" not in connection)

    @property
    def is_chunked(self) -> bool:
        return self.named.get("transfer-encoding", "").lower().endswith("chunked")

    @property
    def length(self) -> int:
        return int(self.named.get("content-length", "0"))

    def with_body(self, body: bytes) -> bytes:
        """The same message with another body."""
        kept = [line for line in self.lines[1:-1] if not re.match(rb"(?i)(content-length|transfer-encoding|x-amz-crc32)\s*:", line)]
        new = [b"Content-Length: %d\r\n" % len(body)]
        if "x-amz-crc32" in self.named:
            new.append(b"x-amz-crc32: %d\r\n" % zlib.crc32(body))
        return b"".join([self.lines[0], *kept, *new, b"\r\n", body])


class TooLong(Exception):
    """A body is longer than it may be."""


class Wire:
    """One side of a conversation."""

    def __init__(self, connection: socket.socket):
        self.socket = connection
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = connection.makefile("rb", PIECE)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def head(self) -> Head | None:
        """None where the other side has hung up."""
        lines: list[bytes] = []
        while True:
            line = self.reader.readline()
            if not line.endswith(b"\n"):
                return None
            if not lines and line == b"\r\n":
                continue
            lines.append(line)
            if line in (b"\r\n", b"\n"):
                return Head(lines)

    def exactly(self, length: int) -> Iterator[bytes]:
        while length:
            piece = self.reader.read1(min(length, PIECE))
            if not piece:
                raise ConnectionResetError("the body ended early")
            length -= len(piece)
            yield piece

    def chunks(self, most: int = sys.maxsize) -> Iterator[bytes]:
        """With their sizes and the trailers, as they came."""
        while True:
            line = self.reader.readline()
            yield line
            size = int(line.partition(b";")[0], 16)
            if size == 0:
                break
            most -= size
            if most < 0:
                raise TooLong
            yield from self.exactly(size + 2)
        while line not in (b"\r\n", b""):
            line = self.reader.readline()
            yield line

    def rest(self) -> Iterator[bytes]:
        while piece := self.reader.read1(PIECE):
            yield piece

    def body(self, head: Head, most: int = sys.maxsize) -> Iterator[bytes]:
        """Of a request, as it came."""
        if not head.is_chunked and head.length > most:
            raise TooLong
        return self.chunks(most) if head.is_chunked else self.exactly(head.length)

    def close(self) -> None:
        self.reader.close()
        self.socket.close()


def unchunked(raw: bytes) -> bytes:
    parts = []
    at = 0
    while True:
        end = raw.index(b"\r\n", at)
        size = int(raw[at:end].partition(b";")[0], 16)
        if size == 0:
            return b"".join(parts)
        parts.append(raw[end + 2 : end + 2 + size])
        at = end + 2 + size + 2


@dataclass
class Answer:
    """Of the emulator, whole."""

    head: Head
    raw: bytes

    @property
    def body(self) -> bytes:
        return unchunked(self.raw) if self.head.is_chunked and self.raw else self.raw

    @property
    def sent(self) -> bytes:
        return self.head.sent + self.raw

    def with_json(self, data: dict) -> "Answer":
        head, _, body = self.head.with_body(json.dumps(data).encode()).partition(b"\r\n\r\n")
        return Answer(Head([*(line + b"\r\n" for line in head.split(b"\r\n")), b"\r\n"]), body)


def is_readable(connection: socket.socket) -> bool:
    """By poll(): select() knows no descriptor above 1023, and the tests have more connections than that."""
    waiting = select.poll()
    waiting.register(connection, select.POLLIN)
    return bool(waiting.poll(0))


class Upstream:
    """The emulator's side; its connection is kept as long as both want it."""

    def __init__(self, address: tuple[str, int]):
        self.address = address
        self.wire: Wire | None = None

    def connect(self, seconds: float | None = None) -> bool:
        """Whether the connection is a new one. An old one that is readable was closed by the emulator meanwhile."""
        is_new = self.wire is None or is_readable(self.wire.socket)
        if is_new:
            self.close()
            self.wire = Wire(socket.create_connection(self.address))
        self.wire.socket.settimeout(seconds)
        return is_new

    def begin(self, data: bytes, seconds: float | None = None) -> Head:
        """Sends a whole request and waits for the head of its answer; TimeoutError where none comes for so many seconds."""
        while True:
            is_new = self.connect(seconds)
            try:
                self.wire.send(data)
                if head := self.final_head():
                    return head
                raise ConnectionResetError("the emulator did not answer")
            except OSError as error:
                self.close()
                # An old connection may have been closed just now; then nobody has read this.
                if is_new or isinstance(error, TimeoutError):
                    raise

    def final_head(self) -> Head | None:
        while (head := self.wire.head()) and 100 <= head.status < 200 and head.status != 101:
            pass
        return head

    def body(self, head: Head, method: str) -> Iterator[bytes]:
        if method == "HEAD" or head.status in (204, 304):
            return iter(())
        if head.is_chunked:
            return self.wire.chunks()
        return self.wire.exactly(head.length) if "content-length" in head.named else self.wire.rest()

    def ask(self, data: bytes, method: str, seconds: float | None = None) -> Answer:
        head = self.begin(data, seconds)
        try:
            answer = Answer(head, b"".join(self.body(head, method)))
        except TimeoutError:
            self.close()
            raise
        if self.ends(head, method):
            self.close()
        return answer

    @staticmethod
    def ends(head: Head, method: str) -> bool:
        """Whether nothing can follow an answer on its connection."""
        is_bounded = method == "HEAD" or head.status in (204, 304) or head.is_chunked or "content-length" in head.named
        return head.closes or not is_bounded

    def close(self) -> None:
        if self.wire is not None:
            self.wire.close()
            self.wire = None


# ---------------------------------------------------------------- refusals in the words of each protocol

SQS_CODES = {
    "BatchEntryIdsNotDistinct", "BatchRequestTooLong", "EmptyBatchRequest", "InvalidBatchEntryId", "TooManyEntriesInBatchRequest",
}
SQS_TYPES = {
    "InvalidParameterValue": "com.amazon.coral.service#InvalidParameterValueException",
    "MissingParameter": "com.amazon.coral.service#MissingRequiredParameterException",
}


def response(status: int, headers: dict[str, str], body: bytes, method: str) -> bytes:
    lines = [f"HTTP/1.1 {status} {'OK' if status < 300 else 'Refused'}"]
    lines += [f"{name}: {value}" for name, value in {**headers, "Content-Length": len(body)}.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (b"" if method == "HEAD" else body)


def refused(request: Request, refusal: Refusal) -> tuple[int, dict[str, str], bytes]:
    identity = str(uuid.uuid4())
    if request.service == "s3":
        more = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in refusal.more.items())
        body = (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{refusal.code}</Code><Message>{escape(refusal.message)}</Message>'
            f"{more}<RequestId>{identity}</RequestId></Error>"
        )
        return refusal.status, {"Content-Type": "application/xml", "x-amz-request-id": identity}, body.encode()
    if request.service == "gateway":
        identity = base64.b64encode(secrets.token_bytes(11)).decode()
        body = json.dumps({"message": refusal.message}, separators=(",", ":"))
        return refusal.status, {"Content-Type": "application/json", "apigw-requestid": identity}, body.encode()
    headers = {"Content-Type": "application/x-amz-json-1.0", "x-amzn-RequestId": identity}
    message = "message"
    if request.service == "sqs":
        kind = SQS_TYPES.get(refusal.code, f"com.amazonaws.sqs#{refusal.code}")
        code = f"AWS.SimpleQueueService.{refusal.code}" if refusal.code in SQS_CODES else refusal.code
        headers["x-amzn-query-error"] = f"{code};Sender"
    elif request.service == "secretsmanager":
        headers["Content-Type"] = "application/x-amz-json-1.1"
        kind = refusal.code
        message = "message" if kind == "ValidationException" else "Message"
    elif refusal.code == "ValidationException":
        kind = "com.amazon.coral.validate#ValidationException"
    else:
        kind, message = f"com.amazonaws.dynamodb.v20120810#{refusal.code}", "Message"
    return refusal.status, headers, json.dumps({"__type": kind, message: refusal.message, **refusal.more}).encode()


# ---------------------------------------------------------------- stale reads

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
READS = ("GetItem", "BatchGetItem", "Query", "Scan")
WRITING = ("Put", "Update", "Delete")
TABLE = ""


@dataclass
class Image:
    """An item as it was before the last write, and to whom that was shown: the table or an index by its name."""

    before: dict | None
    shown: set[str] = field(default_factory=set)


def view(action: Action, index: Index | None) -> Callable[[dict], dict] | None:
    """What the action shows of an item; None where that takes more than names of attributes."""
    attributes = index.attributes if index and action.fields.get("Select") != "ALL_ATTRIBUTES" else None
    expression = action.fields.get("ProjectionExpression")
    if expression is not None:
        paths = [path.strip() for path in expression.split(",")]
        if not all(re.fullmatch(r"#?\w+", path) for path in paths):
            return None
        attributes = frozenset(action.names.get(path, path) for path in paths)
    elif action.fields.get("AttributesToGet"):
        attributes = frozenset(action.fields["AttributesToGet"])
    return lambda item: item if attributes is None else {name: value for name, value in item.items() if name in attributes}


def holds(conditions: list[tuple[str, str, list[dict]]], item: dict) -> bool:
    for attribute, operator, values in conditions:
        if attribute not in item or any(content(value)[0] != content(item[attribute])[0] for value in values):
            return False
        have, (first, *more) = comparable(item[attribute]), [comparable(value) for value in values]
        if not {
            "=": lambda: have == first,
            "<": lambda: have < first,
            "<=": lambda: have <= first,
            ">": lambda: have > first,
            ">=": lambda: have >= first,
            "begins_with": lambda: have.startswith(first),
            "BETWEEN": lambda: first <= have <= more[0],
        }[operator]():
            return False
    return True


def stale_item(answer: dict, action: Action, images: dict[tuple, Image]) -> bool:
    """Changes the answer of a GetItem to what it was before the last write; whether there was anything to change."""
    image, show = images.get(action.key), view(action, None)
    if image is None or show is None or TABLE in image.shown:
        return False
    shown = None if image.before is None else show(image.before)
    if shown == answer.get("Item"):
        return False
    image.shown.add(TABLE)
    answer.pop("Item", None)
    if shown is not None:
        answer["Item"] = shown
    return True


def stale_batch(answer: dict, action: Action, images: dict[tuple, Image]) -> bool:
    """The same for one table of a BatchGetItem."""
    show, schema = view(action, None), action.schema
    items = (answer.get("Responses") or {}).get(action.table)
    if show is None or items is None or any(key_of(item, schema) is None for item in items):
        return False
    left = ((answer.get("UnprocessedKeys") or {}).get(action.table) or {}).get("Keys") or []
    keys = {key_of(key, schema) for key in action.fields.get("Keys") or []} - {key_of(key, schema) for key in left}
    is_changed = False
    for key in keys & images.keys():
        image = images[key]
        current = next((item for item in items if key_of(item, schema) == key), None)
        shown = None if image.before is None else show(image.before)
        if TABLE in image.shown or shown == current:
            continue
        image.shown.add(TABLE)
        is_changed = True
        items[:] = [item for item in items if item is not current] + ([] if shown is None else [shown])
    return is_changed


def stale_page(answer: dict, action: Action, images: dict[tuple, Image]) -> bool:
    """The same for a Query or a Scan. What would take more than key conditions to tell is left as it is: a replica may well have
    heard of the write."""
    fields, schema = action.fields, action.schema
    reader = fields.get("IndexName") or TABLE
    index = schema.indexes.get(reader)
    show, items = view(action, index), answer.get("Items")
    conditions: list | None = []
    if action.kind == "Query":
        conditions = key_conditions(fields.get("KeyConditionExpression") or "", action.names, action.values)
    filters = ("FilterExpression", "QueryFilter", "ScanFilter", "KeyConditions", "TotalSegments")
    if show is None or items is None or conditions is None or any(fields.get(name) for name in filters):
        return False
    keys = index.keys if index else schema.keys
    sort = next((attribute for attribute, role in keys.items() if role == "RANGE"), None)
    if any(key_of(item, schema) is None or (sort and sort not in item) for item in items):
        return False
    is_paged = bool(fields.get("ExclusiveStartKey") or answer.get("LastEvaluatedKey"))
    by_key = {key_of(item, schema): item for item in items}
    is_changed = False
    for key, image in images.items():
        current, before = by_key.get(key), image.before
        belongs = before is not None and all(name in before for name in keys) and holds(conditions, before)
        if belongs and is_paged:
            # Between which pages it was then is not known.
            belongs = current is not None and (sort is None or before[sort] == current[sort])
        if belongs and current is None and len(items) >= (fields.get("Limit") or sys.maxsize):
            belongs = False
        shown = show(before) if belongs else None
        if reader in image.shown or shown == current:
            continue
        image.shown.add(reader)
        is_changed = True
        items[:] = [item for item in items if item is not current] + ([] if shown is None else [shown])
    if is_changed:
        if sort and action.kind == "Query":
            items.sort(key=lambda item: comparable(item[sort]), reverse=fields.get("ScanIndexForward") is False)
        answer["ScannedCount"] = answer["Count"] = len(items)
    return is_changed


class History:
    """What the last write of each table has changed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.writing: dict[tuple, threading.Lock] = {}
        self.images: dict[tuple, dict[tuple, Image]] = {}

    def alone(self, tables: set[tuple]) -> ExitStack:
        """Nobody else writes to these meanwhile: what was read before a write is what stood there."""
        with self.lock:
            locks = [self.writing.setdefault(table, threading.Lock()) for table in sorted(tables)]
        stack = ExitStack()
        for lock in locks:
            stack.enter_context(lock)
        return stack

    def forget(self, scope: tuple, table: str | None) -> None:
        """Without a table all of them."""
        with self.lock:
            for known in [known for known in self.images if known[0] == scope and table in (None, known[1])]:
                del self.images[known]

    def take(self, tables: set[tuple]) -> dict[tuple, dict[tuple, Image]]:
        with self.lock:
            return {table: self.images.pop(table) for table in tables if table in self.images}

    def put(self, images: dict[tuple, dict[tuple, Image]]) -> None:
        with self.lock:
            self.images.update(images)

    def stale(self, scope: tuple, request: Request, answer: dict) -> bool:
        """Changes the answer of a read; whether there was anything to change."""
        change = {"Get": stale_item, "BatchGet": stale_batch, "Query": stale_page, "Scan": stale_page}
        is_changed = False
        for action in request.actions:
            is_part_of_batch = request.operation == "BatchGetItem" and action.kind == "Get"
            if action.fields.get("ConsistentRead") or action.schema is None or is_part_of_batch:
                continue
            with self.lock:
                images = self.images.get((scope, action.table))
                if images and change[action.kind](answer, action, images):
                    is_changed = True
        return is_changed


# ---------------------------------------------------------------- the guard

# What changes what is known of a table.
TABLE_CHANGES = (
    "CreateTable", "DeleteTable", "UpdateTable", "UpdateTimeToLive", "RestoreTableFromBackup", "RestoreTableToPointInTime", "ImportTable",
)
STATEMENTS = ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")


@functools.lru_cache(maxsize=None)
def rules(service: str, operation: str) -> tuple:
    return tuple(rules_for(service, operation))


class Exchange:
    """One request and its answer."""

    def __init__(self, guard: "Guard", client: Wire, upstream: Upstream, head: Head):
        self.guard = guard
        self.client = client
        self.upstream = upstream
        self.head = head
        self.method, _, rest = head.start.partition(" ")
        self.target = rest.rpartition(" ")[0]
        self.scope, self.signed_for = self.signer()
        self.described: dict[str, Schema | None] = {}

    def signer(self) -> tuple[tuple[str, str], str]:
        """Account and region, as the emulator tells them apart, and the service."""
        match = re.search(r"Credential=([^,\s]+)", self.head.named.get("authorization", ""))
        credential = match[1] if match else ""
        if not match and "X-Amz-Credential=" in self.target:
            credential = parse_qs(self.target.partition("?")[2]).get("X-Amz-Credential", [""])[0]
        parts = credential.split("/")
        if len(parts) < 5:
            return ("", ""), ""
        account = parts[0] if re.fullmatch(r"\d{12}", parts[0]) else ""
        return (account, parts[-3]), parts[-2]

    def run(self) -> bool:
        """Whether the client's connection goes on."""
        if self.target.startswith("/_guard/"):
            return self.tell()
        if is_for_gateway(self.target, self.head.named.get("host", "")):
            return through_gateway(self)
        prefix, _, operation = self.head.named.get("x-amz-target", "").partition(".")
        service = TARGETS.get(prefix) if self.method == "POST" and self.target == "/" else None
        if service:
            return self.guarded(service, operation)
        if self.signed_for == "s3":
            return self.storage()
        if self.signed_for == "cloudformation":
            self.guard.forget(self.scope, None)
        return self.relay()

    # ------------------------------------------------------------ reading

    def whole(self, most: int = sys.maxsize) -> bytes | None:
        """The body as it came; None as soon as it is longer than that."""
        if "100-continue" in self.head.named.get("expect", "").lower():
            self.client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            return b"".join(self.client.body(self.head, most))
        except TooLong:
            return None

    def unpacked(self, raw: bytes) -> bytes:
        return unchunked(raw) if self.head.is_chunked else raw

    # ------------------------------------------------------------ the services

    def request(self, service: str, operation: str, data: dict | None = None, body: bytes = b"") -> Request:
        size = sum(len(line) for line in self.head.lines[1:])
        return Request(service, operation, data or {}, self.method, self.target, self.head.headers, size, body, self.schema)

    def guarded(self, service: str, operation: str) -> bool:
        """A call with a JSON body."""
        raw = self.whole()
        try:
            data = json.loads(self.unpacked(raw))
        except ValueError:
            data = None
        if not isinstance(data, dict):
            return self.give(self.upstream.ask(self.head.sent + raw, self.method))
        request = self.request(service, operation, data, raw)
        refusal, faults = self.guard.judge(request, self.scope)
        if refusal:
            return self.say(*refused(request, refusal))
        if faults:
            return self.send_the_others(request, faults)
        if service == "dynamodb":
            return self.give(self.table_call(request, raw))
        return self.give(self.upstream.ask(self.head.sent + raw, self.method))

    def verdict(self, request: Request) -> tuple[int, dict[str, str], bytes] | None:
        """What is answered instead, if anything is."""
        refusal, _ = self.guard.judge(request, self.scope)
        return refused(request, refusal) if refusal else None

    def storage(self) -> bool:
        operation = s3_operation(self.method, self.target, self.head.named)
        request = self.request("s3", operation)
        raw = b""
        # The one whose body matters.
        if operation == "DeleteObjects" and "expect" not in self.head.named:
            raw = b"".join(self.client.body(self.head))
            request.body = self.unpacked(raw)
        refusal, _ = self.guard.judge(request, self.scope)
        if refusal is None:
            return self.give(self.upstream.ask(self.head.sent + raw, self.method)) if raw else self.relay()
        if not raw and (self.head.is_chunked or self.head.length):
            return self.say_unread(*refused(request, refusal))
        return self.say(*refused(request, refusal))

    def send_the_others(self, request: Request, faults: dict[int, Refusal]) -> bool:
        """Of a batch to a queue some entries fail, and AWS takes the others."""
        entries = request.data["Entries"]
        failed = [
            {"Id": entries[at]["Id"], "SenderFault": True, "Code": fault.code, "Message": fault.message} for at, fault in faults.items()
        ]
        others = [entry for at, entry in enumerate(entries) if at not in faults]
        if not others:
            body = json.dumps({"Successful": [], "Failed": failed}).encode()
            return self.say(200, {"Content-Type": "application/x-amz-json-1.0"}, body)
        body = json.dumps({**request.data, "Entries": others}).encode()
        answer = self.upstream.ask(self.head.with_body(body), self.method)
        if answer.head.status == 200:
            data = json.loads(answer.body)
            data["Failed"] = [*(data.get("Failed") or []), *failed]
            answer = answer.with_json(data)
        return self.give(answer)

    # ------------------------------------------------------------ tables

    def table_call(self, request: Request, raw: bytes) -> Answer:
        def ask() -> Answer:
            return self.upstream.ask(self.head.sent + raw, self.method)

        operation = request.operation
        if operation in TABLE_CHANGES or operation in STATEMENTS:
            answer = ask()
            self.changed(request, answer)
            return answer
        if self.guard.stale_reads and operation in WRITES:
            return self.write(request, ask)
        answer = ask()
        if answer.head.status == 400 and b"ResourceNotFoundException" in answer.body:
            for action in request.actions:
                self.guard.forget(self.scope, action.table)
        if self.guard.stale_reads and operation in READS and answer.head.status == 200:
            data = json.loads(answer.body)
            if self.guard.history.stale(self.scope, request, data):
                return answer.with_json(data)
        return answer

    def changed(self, request: Request, answer: Answer) -> None:
        if request.operation in STATEMENTS:
            self.guard.history.forget(self.scope, None)
            return
        table = request.data.get("TableName")
        self.guard.forget(self.scope, table and table_name(table))
        if request.operation == "CreateTable" and answer.head.status == 200:
            description = json.loads(answer.body)["TableDescription"]
            self.guard.learn(self.scope, description["TableName"], Schema.of(description))

    def write(self, request: Request, ask: Callable[[], Answer]) -> Answer:
        """Remembers how the items were that this changes."""
        actions = [action for action in request.actions if action.kind in WRITING]
        tables = {(self.scope, action.table) for action in actions}
        history = self.guard.history
        with history.alone(tables):
            before = self.items(actions)
            # Where the answer gets lost nobody knows what the last write was.
            last = history.take(tables)
            answer = ask()
            history.put(before if answer.head.status == 200 else last)
        return answer

    def items(self, actions: list[Action]) -> dict[tuple, dict[tuple, Image]]:
        """As they are now; nothing where that cannot be told."""
        if any(action.key is None for action in actions):
            return {}
        images: dict[tuple, dict[tuple, Image]] = {}
        wanted: dict[str, dict] = {}
        for action in actions:
            given = action.fields.get("Item") or action.fields["Key"]
            images.setdefault((self.scope, action.table), {})[action.key] = Image(None)
            keys = wanted.setdefault(action.table, {"ConsistentRead": True, "Keys": []})["Keys"]
            keys.append({name: given[name] for name in action.schema.keys})
        schemas = {action.table: action.schema for action in actions}
        while wanted:
            answer = self.call("BatchGetItem", {"RequestItems": wanted})
            if answer is None:
                return {}
            for table, items in answer["Responses"].items():
                for item in items:
                    images[self.scope, table][key_of(item, schemas[table])].before = item
            wanted = answer.get("UnprocessedKeys") or {}
        return images

    def schema(self, table: str) -> Schema | None:
        known = self.guard.schemas.get((self.scope, table))
        if known is None and table not in self.described:
            self.described[table] = None
            if description := self.call("DescribeTable", {"TableName": table}):
                ttl = (self.call("DescribeTimeToLive", {"TableName": table}) or {}).get("TimeToLiveDescription") or {}
                attribute = ttl.get("AttributeName") if ttl.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None
                self.described[table] = Schema.of(description["Table"], attribute)
                self.guard.learn(self.scope, table, self.described[table])
        return known or self.described.get(table)

    def call(self, operation: str, data: dict) -> dict | None:
        """A call of our own, in the name of whoever asked; None where it fails."""
        body = json.dumps(data).encode()
        host, port = self.upstream.address
        signed = [
            f"{name}: {self.head.named[name]}" for name in ("authorization", "x-amz-date", "x-amz-security-token") if name in self.head.named
        ]
        lines = [
            "POST / HTTP/1.1", f"Host: {host}:{port}", "Content-Type: application/x-amz-json-1.0", f"Content-Length: {len(body)}",
            f"X-Amz-Target: DynamoDB_20120810.{operation}", *signed, "", "",
        ]
        answer = self.upstream.ask("\r\n".join(lines).encode("latin-1") + body, "POST")
        return json.loads(answer.body) if answer.head.status == 200 else None

    # ------------------------------------------------------------ answering

    def give(self, answer: Answer) -> bool:
        self.client.send(answer.sent)
        return not (self.head.closes or self.upstream.ends(answer.head, self.method))

    def say(self, status: int, headers: dict[str, str], body: bytes) -> bool:
        self.client.send(response(status, headers, body, self.method))
        return not self.head.closes

    def say_unread(self, status: int, headers: dict[str, str], body: bytes) -> bool:
        """An answer to a request whose body has not been read."""
        if not self.head.is_chunked and self.head.length <= WORTH_READING and "expect" not in self.head.named:
            for _ in self.client.exactly(self.head.length):
                pass
            return self.say(status, headers, body)
        self.say(status, {**headers, "Connection": "close"}, body)
        # Closing at once would take the answer from whoever still sends.
        self.client.socket.shutdown(socket.SHUT_WR)
        self.client.socket.settimeout(LINGER_SECONDS)
        ends = time.monotonic() + MOST_LINGER_SECONDS
        for _ in self.client.rest():
            if time.monotonic() > ends:
                break
        return False

    def tell(self) -> bool:
        for _ in self.client.body(self.head):
            pass
        headers = {"Content-Type": "application/json"}
        if self.target == "/_guard/refusals" and self.method in ("GET", "HEAD"):
            return self.say(200, headers, json.dumps(self.guard.refusals()).encode())
        return self.say(404, headers, b"{}")

    # ------------------------------------------------------------ passing on

    def relay(self) -> bool:
        """What there is nothing to say about, piece by piece."""
        if not self.head.is_chunked and not self.head.length:
            return self.relay_answer(self.upstream.begin(self.head.sent))
        self.upstream.connect()
        emulator = self.upstream.wire
        emulator.send(self.head.sent)
        if "100-continue" in self.head.named.get("expect", "").lower():
            head = emulator.head()
            if head is None or head.status >= 200:
                self.relay_answer(head)
                return False
            self.client.send(head.sent)
        try:
            for piece in self.client.body(self.head):
                emulator.send(piece)
        except BrokenPipeError:
            # It has said all it had to say.
            self.relay_answer(self.upstream.final_head())
            return False
        return self.relay_answer(self.upstream.final_head())

    def relay_answer(self, head: Head | None) -> bool:
        if head is None:
            raise ConnectionResetError("the emulator did not answer")
        if head.status == 101:
            return self.tunnel(head)
        waiting = head.sent
        for piece in self.upstream.body(head, self.method):
            if waiting:
                piece, waiting = waiting + piece, b""
            self.client.send(piece)
        if waiting:
            self.client.send(waiting)
        if self.upstream.ends(head, self.method):
            self.upstream.close()
            return False
        return not self.head.closes

    def tunnel(self, head: Head) -> bool:
        """After a change of protocol: both ways until one side hangs up."""
        self.client.send(head.sent)
        sides = (self.client, self.upstream.wire), (self.upstream.wire, self.client)

        def pour(source: Wire, sink: Wire) -> None:
            try:
                for piece in source.rest():
                    sink.send(piece)
                sink.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        other = threading.Thread(target=pour, args=sides[0], daemon=True)
        other.start()
        pour(*sides[1])
        other.join()
        return False


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512


class Guard:
    """The guard in a thread of its own."""

    def __init__(
        self, upstream: str, port: int = 0, stale_reads: bool = False, record: Path | None = None, gateway_seconds: float = GATEWAY_SECONDS
    ):
        parts = urlsplit(upstream)
        self.address = (parts.hostname or "127.0.0.1", parts.port or 80)
        self.stale_reads = stale_reads
        self.gateway_seconds = gateway_seconds
        self.schemas: dict[tuple, Schema] = {}
        self.history = History()
        self.lock = threading.Lock()
        self.counts: dict[str, dict] = {}
        self.log = record.open("a") if record else None
        self.conversations: set[socket.socket] = set()
        self.server = Server(("127.0.0.1", port), self.handler())
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    def handler(guard):  # noqa: N805, the server makes instances of what is returned
        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                guard.converse(self.request)

        return Handler

    def start(self) -> "Guard":
        self.thread.start()
        return self

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            conversations = list(self.conversations)
        for connection in conversations:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        if self.log:
            self.log.close()
            self.log = None

    def __enter__(self) -> "Guard":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def converse(self, connection: socket.socket) -> None:
        """With one client, until one of the two hangs up."""
        with self.lock:
            self.conversations.add(connection)
        upstream = Upstream(self.address)
        try:
            client = Wire(connection)
            while (head := client.head()) and Exchange(self, client, upstream, head).run():
                pass
        except OSError:
            # Whoever waits for an answer is hung up on, as the emulator would have done.
            return
        finally:
            with self.lock:
                self.conversations.discard(connection)
            upstream.close()

    # ------------------------------------------------------------ what it knows

    def learn(self, scope: tuple, table: str, schema: Schema) -> None:
        self.schemas[scope, table] = schema

    def forget(self, scope: tuple, table: str | None) -> None:
        for known in [known for known in list(self.schemas) if known[0] == scope and table in (None, known[1])]:
            self.schemas.pop(known, None)
        self.history.forget(scope, table)

    # ------------------------------------------------------------ judging

    def judge(self, request: Request, scope: tuple) -> tuple[Refusal | None, dict[int, Refusal]]:
        """What is refused; or the entries of a batch that fail."""
        faults: dict[int, Refusal] = {}
        for rule in rules(request.service, request.operation):
            try:
                refusal = rule.check(request)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                # Not even of the right form: that is for the emulator to say. It is listed, as it may be a fault of the rule.
                self.record("guard-fault", request, scope, f"{rule.name}: {error!r}", False)
                continue
            if refusal is None:
                continue
            self.record(rule.name, request, scope, refusal.message, rule.refused)
            if rule.refused and not refusal.entries:
                return refusal, {}
            if rule.refused:
                for at, message in refusal.entries.items():
                    faults.setdefault(at, Refusal(refusal.code, message))
        return None, faults

    def record(self, rule: str, request: Request, scope: tuple, message: str, is_refused: bool) -> None:
        with self.lock:
            first = {"rule": rule, "count": 0, "refused": is_refused, "operation": request.title, "first": message}
            known = self.counts.setdefault(rule, first)
            known["count"] += 1
            if self.log:
                line = {
                    "time": time.time(), "rule": rule, "refused": is_refused, "service": request.service,
                    "operation": request.title, "account": scope[0], "message": message,
                }
                self.log.write(json.dumps(line) + "\n")
                self.log.flush()

    def refusals(self) -> list[dict]:
        with self.lock:
            return [dict(known) for known in self.counts.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description="Refuses what AWS would refuse and passes everything else on to the emulator.")
    parser.add_argument("--upstream", required=True, help="address of the emulator")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--stale-reads", action="store_true", help="eventually consistent reads are one write old")
    parser.add_argument("--record", type=Path, help="file that gets a line of JSON for each refusal")
    options = parser.parse_args()
    ended = threading.Event()
    for end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(end, lambda *_: ended.set())
    with Guard(options.upstream, options.port, options.stale_reads, options.record) as guard:
        print(f"Listening on {guard.url}", flush=True)
        ended.wait()

"""The guard, before an emulator that this starts: for each rule a call that is refused, and one just inside the limit.

Usage: .tools/deploy/bin/python -B -m unittest tools/guard/test_guard.py
"""

import concurrent.futures
import contextlib
import http.client
import http.server
import itertools
import json
import os
import re
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from unittest import mock

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tools.guard import Guard, allow_connections, rules
from tools.guard.guard import Answer, Upstream
from tools.guard.rules import RULES, Request

ROOT = Path(__file__).resolve().parents[2]
EMULATOR = ROOT / ".tools" / "emulator" / "bin" / "ministack"
REGION = "us-east-1"
TABLE = "table"
KIB = 1024
SIGNED = "AWS4-HMAC-SHA256 Credential={}/20260101/us-east-1/{}/aws4_request, SignedHeaders=host, Signature=00"

emulator: "Emulator"
guard: Guard
stale_guard: Guard


class Emulator:
    """On a free port, with its files in a folder that goes with it."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            "GATEWAY_PORT": str(self.port),
            "BIND_HOST": "127.0.0.1",
            "LOG_LEVEL": "WARNING",
            "S3_DATA_DIR": str(Path(self.folder.name) / "s3"),
        }
        self.log = (Path(self.folder.name) / "log").open("w")
        self.process = subprocess.Popen(
            [EMULATOR], env=environment, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True, cwd=self.folder.name
        )
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{self.url}/_ministack/health", timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(Path(self.log.name).read_text())

    def stop(self) -> None:
        for attempt in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, attempt)
                self.process.wait(timeout=10)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self.log.close()
        self.folder.cleanup()


def setUpModule() -> None:
    global emulator, guard, stale_guard
    emulator = Emulator()
    guard = Guard(emulator.url).start()
    stale_guard = Guard(emulator.url, stale_reads=True).start()


def tearDownModule() -> None:
    guard.stop()
    stale_guard.stop()
    emulator.stop()


accounts = itertools.count(100_000_000_000)


def client(service: str, account: str, url: str):
    return boto3.client(
        service,
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=account,
        aws_secret_access_key="test",
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}),
    )


def exchange(port: int, data: bytes) -> bytes:
    """What is answered to these bytes, up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65536), b""))


class GuardTest(unittest.TestCase):
    """Each in an account of its own."""

    maxDiff = 4000

    def setUp(self) -> None:
        self.account = str(next(accounts))

    def guard(self) -> Guard:
        return guard

    def client(self, service: str):
        return client(service, self.account, self.guard().url)

    def counts(self) -> dict[str, int]:
        with urllib.request.urlopen(f"{self.guard().url}/_guard/refusals") as answer:
            return {known["rule"]: known["count"] for known in json.load(answer)}

    def judged(self, call) -> tuple[object, dict[str, int]]:
        """What the call answers or raises, and which rules spoke how often."""
        before = self.counts()
        try:
            outcome = call()
        except ClientError as error:
            outcome = error
        after = self.counts()
        return outcome, {rule: count - before.get(rule, 0) for rule, count in after.items() if count != before.get(rule, 0)}

    def refused(self, rule: str, code: str, call) -> ClientError:
        outcome, spoke = self.judged(call)
        self.assertIsInstance(outcome, ClientError, f"{rule} let this pass: {str(outcome)[:500]}")
        self.assertEqual(spoke, {rule: 1}, outcome)
        self.assertEqual(outcome.response["Error"]["Code"], code)
        self.assertTrue(outcome.response["Error"]["Message"])
        return outcome

    def passed(self, call):
        outcome, spoke = self.judged(call)
        self.assertNotIsInstance(outcome, ClientError, outcome)
        self.assertEqual(spoke, {})
        return outcome


def text(value: str) -> dict:
    return {"S": value}


def key(pk: str = "p", sk: str = "s") -> dict:
    return {"PK": text(pk), "SK": text(sk)}


def create_table(dynamodb, projection: str = "KEYS_ONLY") -> None:
    dynamodb.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
            {"AttributeName": "duePartition", "AttributeType": "S"},
            {"AttributeName": "dueAt", "AttributeType": "N"},
            {"AttributeName": "other", "AttributeType": "S"},
        ],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "due",
                "KeySchema": [{"AttributeName": "duePartition", "KeyType": "HASH"}, {"AttributeName": "dueAt", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": projection},
            },
            {
                "IndexName": "byOther",
                "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            },
        ],
        LocalSecondaryIndexes=[
            {
                "IndexName": "local",
                "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "other", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "ALL"},
            },
        ],
    )


class DynamoDbRules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.dynamodb = self.client("dynamodb")
        create_table(self.dynamodb)

    def put(self, **attributes):
        return lambda: self.dynamodb.put_item(TableName=TABLE, Item={**key(), **attributes})

    def update(self, expression: str, values: dict | None = None, names: dict | None = None, pk: str = "p"):
        optional = {"ExpressionAttributeValues": values, "ExpressionAttributeNames": names}
        given = {name: value for name, value in optional.items() if value is not None}
        return lambda: self.dynamodb.update_item(TableName=TABLE, Key=key(pk), UpdateExpression=expression, **given)

    def write(self, *actions: dict, **more):
        return lambda: self.dynamodb.transact_write_items(TransactItems=list(actions), **more)

    @staticmethod
    def transact_put(number: int, **attributes) -> dict:
        return {"Put": {"TableName": TABLE, "Item": {**key(f"p{number}"), **attributes}}}

    @staticmethod
    def transact_get(number: int) -> dict:
        return {"Get": {"TableName": TABLE, "Key": key(f"p{number}")}}

    def batch_get(self, keys: list[dict], **more):
        return lambda: self.dynamodb.batch_get_item(RequestItems={TABLE: {"Keys": keys, **more}})

    def batch_write(self, *items: dict):
        requests = [{"PutRequest": {"Item": item}} for item in items]
        return lambda: self.dynamodb.batch_write_item(RequestItems={TABLE: requests})

    def query(self, **more):
        given = {
            "TableName": TABLE, "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": text("p")}, **more,
        }
        return lambda: self.dynamodb.query(**given)

    def invalid(self, rule: str, call) -> str:
        return self.refused(rule, "ValidationException", call).response["Error"]["Message"]

    def test_dynamodb_transaction_actions(self) -> None:
        rule = "dynamodb-transaction-actions"
        self.invalid(rule, self.write(*(self.transact_put(number) for number in range(101))))
        self.invalid(rule, lambda: self.dynamodb.transact_get_items(TransactItems=[self.transact_get(n) for n in range(101)]))
        self.passed(self.write(*(self.transact_put(number) for number in range(100))))
        self.passed(lambda: self.dynamodb.transact_get_items(TransactItems=[self.transact_get(n) for n in range(100)]))

    def test_dynamodb_transaction_size(self) -> None:
        rule = "dynamodb-transaction-size"
        self.invalid(rule, self.write(*(self.transact_put(n, data=text("x" * 381_400)) for n in range(11))))
        set_data = {"Key": key("p99"), "TableName": TABLE, "UpdateExpression": "SET #d = :d", "ExpressionAttributeNames": {"#d": "d"}}
        update = {"Update": {**set_data, "ExpressionAttributeValues": {":d": text("x" * 381_400)}}}
        self.invalid(rule, self.write(update, *(self.transact_put(n, data=text("x" * 381_400)) for n in range(10))))
        self.passed(self.write(*(self.transact_put(n, data=text("x" * 380_900)) for n in range(11))))

    def test_dynamodb_transaction_token(self) -> None:
        self.invalid("dynamodb-transaction-token", self.write(self.transact_put(1), ClientRequestToken="x" * 37))
        self.invalid("dynamodb-transaction-token", self.write(self.transact_put(1), ClientRequestToken=""))
        self.passed(self.write(self.transact_put(1), ClientRequestToken="x" * 36))
        self.passed(self.write(self.transact_put(1), ClientRequestToken="x"))

    def test_dynamodb_batch_get_keys(self) -> None:
        self.invalid("dynamodb-batch-get-keys", self.batch_get([key(f"p{n}") for n in range(101)]))
        self.passed(self.batch_get([key(f"p{n}") for n in range(100)]))

    def test_dynamodb_batch_write_requests(self) -> None:
        self.invalid("dynamodb-batch-write-requests", self.batch_write(*(key(f"p{n}") for n in range(26))))
        self.passed(self.batch_write(*(key(f"p{n}") for n in range(25))))

    def test_dynamodb_same_item_twice(self) -> None:
        rule = "dynamodb-same-item-twice"
        check = {"ConditionCheck": {"TableName": TABLE, "Key": key("p1"), "ConditionExpression": "attribute_exists(PK)"}}
        self.invalid(rule, self.write(self.transact_put(1), check))
        self.invalid(rule, lambda: self.dynamodb.transact_get_items(TransactItems=[self.transact_get(1), self.transact_get(1)]))
        self.invalid(rule, self.batch_get([key(), key("q"), key()]))
        self.invalid(rule, self.batch_write(key(), {**key(), "a": text("a")}))
        self.passed(self.write(self.transact_put(1), self.transact_put(2)))
        self.passed(self.batch_get([key("p", "a"), key("p", "b")]))
        self.passed(self.batch_write(key("p", "a"), key("p", "b")))

    def test_dynamodb_item_size(self) -> None:
        rule = "dynamodb-item-size"
        # Names and keys: PK, SK, p, s and data are ten bytes.
        most = 400 * KIB - 10
        self.invalid(rule, self.put(data=text("x" * (most + 1))))
        self.invalid(rule, self.batch_write({**key(), "data": text("é" * (most // 2 + 1))}))
        self.invalid(rule, self.write({"Put": {"TableName": TABLE, "Item": {**key(), "data": text("x" * (most + 1))}}}))
        self.passed(self.put(data=text("x" * most)))
        # How large an item gets by an update is for the emulator to say.
        outcome, spoke = self.judged(self.update("SET more = :m", {":m": text("x" * 20)}))
        self.assertEqual((outcome.response["Error"]["Code"], spoke), ("ValidationException", {}))

    def test_dynamodb_item_size_of_every_type(self) -> None:
        sizes = [
            ({"S": "é"}, 2), ({"N": "-00120.500"}, 3), ({"N": "0"}, 1), ({"B": "AAAA"}, 3), ({"BOOL": True}, 1), ({"NULL": True}, 1),
            ({"SS": ["ab", "c"]}, 3), ({"NS": ["1", "123"]}, 5), ({"BS": ["AAAA"]}, 3), ({"L": []}, 3), ({"L": [{"S": "a"}]}, 5),
            ({"M": {"ab": {"S": "c"}}}, 7),
        ]
        for value, size in sizes:
            self.assertEqual(rules.value_size(value), size, value)

    def test_dynamodb_key_empty(self) -> None:
        rule = "dynamodb-key-empty"
        self.invalid(rule, lambda: self.dynamodb.get_item(TableName=TABLE, Key=key("")))
        self.invalid(rule, lambda: self.dynamodb.delete_item(TableName=TABLE, Key=key("p", "")))
        self.invalid(rule, self.write(self.transact_put(1, SK=text(""))))
        self.invalid(rule, self.batch_get([key(""), key()]))
        self.invalid(rule, self.query(ExpressionAttributeValues={":p": text("")}))
        self.assertIn("IndexName: byOther, IndexKey: other", self.invalid(rule, self.put(other=text(""))))
        self.invalid(rule, self.update("SET other = :o", {":o": text("")}))
        self.passed(self.put(other=text("x"), unrelated=text(""), PK=text("x"), SK=text("x")))
        self.passed(self.update("SET unrelated = :o", {":o": text("")}))

    def test_dynamodb_key_size(self) -> None:
        rule = "dynamodb-key-size"
        self.invalid(rule, self.put(PK=text("x" * 2049)))
        self.invalid(rule, self.put(SK=text("é" * 512 + "x")))
        self.invalid(rule, self.put(other=text("x" * 2049)))
        self.invalid(rule, lambda: self.dynamodb.get_item(TableName=TABLE, Key=key("x" * 2049)))
        self.invalid(rule, self.query(ExpressionAttributeValues={":p": text("x" * 2049)}))
        self.passed(self.put(PK=text("x" * 2048), SK=text("é" * 512)))
        self.passed(lambda: self.dynamodb.get_item(TableName=TABLE, Key=key("x" * 2048, "x" * 1024)))

    def test_dynamodb_set_empty(self) -> None:
        rule = "dynamodb-set-empty"
        for kind in ("SS", "NS", "BS"):
            self.invalid(rule, self.put(set={kind: []}))
        self.invalid(rule, self.put(map={"M": {"list": {"L": [{"SS": []}]}}}))
        self.assertIn("for key :s", self.invalid(rule, self.update("SET a = :s", {":s": {"SS": []}})))
        self.passed(self.put(set={"SS": [""]}, list={"L": []}, map={"M": {}}))

    def test_dynamodb_number(self) -> None:
        rule = "dynamodb-number"
        for wrong in ("1" * 39, "0." + "1" * 39, "-" + "1" * 39, "1E126", "1E-131", "one", "NaN"):
            self.invalid(rule, self.put(number={"N": wrong}))
        self.invalid(rule, self.put(numbers={"NS": ["1", "2" * 39]}))
        self.assertIn("for key :n", self.invalid(rule, self.update("SET a = :n", {":n": {"N": "1" * 39}})))
        for right in ("1" * 38, "0.0" + "1" * 38, "1" * 38 + "000", "9.9E125", "-1E-130", "0"):
            self.passed(self.put(number={"N": right}))

    def test_dynamodb_nesting(self) -> None:
        def nested(levels: int) -> dict:
            value = text("leaf")
            for level in range(levels - 1):
                value = {"L": [value]} if level % 2 else {"M": {"m": value}}
            return value

        self.invalid("dynamodb-nesting", self.put(deep=nested(33)))
        self.invalid("dynamodb-nesting", self.update("SET a = :v", {":v": nested(33)}))
        self.passed(self.put(deep=nested(32)))

    def test_dynamodb_expression_size(self) -> None:
        def condition(length: int):
            return lambda: self.dynamodb.put_item(
                TableName=TABLE, Item=key(), ConditionExpression="attribute_not_exists(absent)".ljust(length)
            )

        self.invalid("dynamodb-expression-size", condition(4 * KIB + 1))
        self.passed(condition(4 * KIB))

    def test_dynamodb_placeholder_undefined(self) -> None:
        rule = "dynamodb-placeholder-undefined"
        self.assertIn("attribute name: #a", self.invalid(rule, self.update("SET #a = :v", {":v": text("x")})))
        self.assertIn("attribute value: :w", self.invalid(rule, self.update("SET a = :w, b = :v", {":v": text("x")})))
        self.invalid(rule, self.batch_get([key()], ProjectionExpression="#a"))
        self.passed(self.update("SET #a = :v", {":v": text("x")}, {"#a": "a"}))

    def test_dynamodb_placeholder_unused(self) -> None:
        rule = "dynamodb-placeholder-unused"
        message = self.invalid(rule, self.update("SET a = :v", {":v": text("x"), ":w": text("x")}))
        self.assertIn("ExpressionAttributeValues unused in expressions: keys: {:w}", message)
        message = self.invalid(rule, self.update("SET #a = :v", {":v": text("x")}, {"#a": "a", "#ab": "b"}))
        self.assertIn("ExpressionAttributeNames unused in expressions: keys: {#ab}", message)
        self.invalid(rule, lambda: self.dynamodb.get_item(TableName=TABLE, Key=key(), ExpressionAttributeNames={"#a": "a"}))
        self.passed(self.update("SET #a = :v, #ab = :v", {":v": text("x")}, {"#a": "a", "#ab": "b"}))

    def test_dynamodb_key_update(self) -> None:
        rule = "dynamodb-key-update"
        self.invalid(rule, self.update("SET a = :v, SK = :v", {":v": text("s")}))
        self.invalid(rule, self.update("SET a = if_not_exists(b, :v) REMOVE #k", {":v": text("s")}, {"#k": "PK"}))
        update = {"TableName": TABLE, "Key": key(), "UpdateExpression": "SET SK = :v", "ExpressionAttributeValues": {":v": text("s")}}
        error = self.refused(rule, "TransactionCanceledException", self.write(self.transact_put(1), {"Update": update}))
        self.assertEqual([reason["Code"] for reason in error.response["CancellationReasons"]], ["None", "ValidationError"])
        self.passed(self.update("SET a = :v, duePartition = :v", {":v": text("s")}))
        self.passed(self.update("SET a = PK"))
        self.passed(self.update("SET #m = :m", {":m": {"M": {}}}, {"#m": "m"}))
        self.passed(self.update("SET #m.SK = :v", {":v": text("s")}, {"#m": "m"}))

    def test_dynamodb_limit(self) -> None:
        self.invalid("dynamodb-limit", self.query(Limit=0))
        self.invalid("dynamodb-limit", lambda: self.dynamodb.scan(TableName=TABLE, Limit=-1))
        self.passed(self.query(Limit=1))
        self.passed(lambda: self.dynamodb.scan(TableName=TABLE, Limit=1))

    def test_dynamodb_index_consistent_read(self) -> None:
        due = {"IndexName": "due", "KeyConditionExpression": "duePartition = :p"}
        self.invalid("dynamodb-index-consistent-read", self.query(**due, ConsistentRead=True))
        self.passed(self.query(**due))
        self.passed(self.query(IndexName="local", ConsistentRead=True))

    def test_dynamodb_ttl_type(self) -> None:
        self.dynamodb.update_time_to_live(TableName=TABLE, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
        for call in (
            self.put(ttl=text("1760000000")),
            self.update("SET #t = :t", {":t": text("1760000000")}, {"#t": "ttl"}),
            self.write(self.transact_put(1, ttl={"NULL": True})),
        ):
            outcome, spoke = self.judged(call)
            self.assertNotIsInstance(outcome, ClientError)
            self.assertEqual(spoke, {"dynamodb-ttl-type": 1})
        self.passed(self.put(ttl={"N": "1760000000"}))
        self.passed(self.update("SET #t = :t", {":t": {"N": "1760000000"}}, {"#t": "ttl"}))

    def test_a_table_that_others_have_made_or_changed_is_known_too(self) -> None:
        beside = client("dynamodb", self.account, emulator.url)
        beside.create_table(
            TableName="other", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "B"}],
        )
        put = {"TableName": "other", "Item": {"id": {"B": b""}}}
        self.invalid("dynamodb-key-empty", lambda: self.dynamodb.put_item(**put))
        beside.delete_table(TableName="other")
        # Found out from the first answer that there is no such table.
        self.judged(lambda: self.dynamodb.get_item(TableName="other", Key={"id": {"B": b"x"}}))
        outcome, spoke = self.judged(lambda: self.dynamodb.put_item(**put))
        self.assertEqual((outcome.response["Error"]["Code"], spoke), ("ResourceNotFoundException", {}))

    def test_what_the_emulator_refuses_comes_back_as_it_is(self) -> None:
        self.dynamodb.put_item(TableName=TABLE, Item=key())
        with self.assertRaises(self.dynamodb.exceptions.ConditionalCheckFailedException):
            self.dynamodb.put_item(TableName=TABLE, Item=key(), ConditionExpression="attribute_not_exists(PK)")


class SqsRules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.sqs = self.client("sqs")
        self.queue = self.sqs.create_queue(QueueName="queue")["QueueUrl"]
        self.fifo = self.sqs.create_queue(
            QueueName="queue.fifo", Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "true"}
        )["QueueUrl"]

    def send(self, queue: str | None = None, **more):
        return lambda: self.sqs.send_message(**{"QueueUrl": queue or self.queue, "MessageBody": "x", **more})

    def send_batch(self, *entries: dict, queue: str | None = None):
        full = [{"Id": str(at), "MessageBody": "x", **entry} for at, entry in enumerate(entries)]
        return lambda: self.sqs.send_message_batch(QueueUrl=queue or self.queue, Entries=full)

    def receive(self, **more):
        return lambda: self.sqs.receive_message(QueueUrl=self.queue, **more)

    def wrong(self, rule: str, call) -> None:
        self.refused(rule, "InvalidParameterValue", call)

    def fails(self, rule: str, code: str, call, failed: list[str], taken: list[str]) -> None:
        """Some entries of a batch do."""
        answer, spoke = self.judged(call)
        self.assertEqual(spoke, {rule: 1})
        self.assertEqual([entry["Id"] for entry in answer.get("Successful", [])], taken)
        self.assertEqual([(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in answer["Failed"]], [(i, code, True) for i in failed])

    def test_sqs_batch_entries(self) -> None:
        rule, many = "sqs-batch-entries", "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"
        self.refused(rule, many, self.send_batch(*({} for _ in range(11))))
        self.refused(rule, "AWS.SimpleQueueService.EmptyBatchRequest", self.send_batch())
        deletes = [{"Id": str(at), "ReceiptHandle": "x"} for at in range(11)]
        self.refused(rule, many, lambda: self.sqs.delete_message_batch(QueueUrl=self.queue, Entries=deletes))
        changes = [{**entry, "VisibilityTimeout": 1} for entry in deletes]
        self.refused(rule, many, lambda: self.sqs.change_message_visibility_batch(QueueUrl=self.queue, Entries=changes))
        self.assertEqual(len(self.passed(self.send_batch(*({} for _ in range(10))))["Successful"]), 10)

    def test_sqs_batch_ids(self) -> None:
        rule, wrong = "sqs-batch-ids", "AWS.SimpleQueueService.InvalidBatchEntryId"
        self.refused(rule, wrong, self.send_batch({"Id": "x" * 81}))
        self.refused(rule, wrong, self.send_batch({"Id": "a b"}))
        self.refused(rule, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", self.send_batch({"Id": "a"}, {"Id": "a"}))
        self.passed(self.send_batch({"Id": "x" * 80}, {"Id": "aA0_-"}))

    def test_sqs_batch_size(self) -> None:
        over = self.send_batch({"MessageBody": "x" * 600 * KIB}, {"MessageBody": "x" * (424 * KIB + 1)})
        self.refused("sqs-batch-size", "AWS.SimpleQueueService.BatchRequestTooLong", over)
        self.passed(self.send_batch({"MessageBody": "x" * 600 * KIB}, {"MessageBody": "x" * 424 * KIB}))

    def test_sqs_message_size(self) -> None:
        attributes = {"name": {"DataType": "String", "StringValue": "value"}}
        system = {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793"}}
        self.wrong("sqs-message-size", self.send(MessageBody="é" * 512 * KIB + "x"))
        self.wrong("sqs-message-size", self.send(MessageBody="x" * (KIB * KIB - 14), MessageAttributes=attributes))
        self.passed(self.send(MessageBody="x" * (KIB * KIB - 15), MessageAttributes=attributes, MessageSystemAttributes=system))
        self.passed(self.send(MessageBody="é" * 512 * KIB))

    def test_sqs_message_characters(self) -> None:
        rule, code = "sqs-message-characters", "InvalidMessageContents"
        for character in ("\0", "\x0b", "\x1f", "\ufffe", "\uffff"):
            self.refused(rule, code, self.send(MessageBody=f"a{character}"))
        attributes = {"name": {"DataType": "String", "StringValue": "a\x01"}}
        self.refused(rule, code, self.send(MessageAttributes=attributes))
        self.fails(rule, code, self.send_batch({"MessageBody": "\x08"}, {}), ["0"], ["1"])
        self.passed(self.send(MessageBody="\t\n\r \ud7ff\ue000\ufffd\U00010000\U0010ffff"))

    def test_sqs_delay(self) -> None:
        self.wrong("sqs-delay", self.send(DelaySeconds=901))
        self.wrong("sqs-delay", self.send(DelaySeconds=-1))
        self.refused("sqs-delay", "InvalidAttributeValue", lambda: self.sqs.create_queue(QueueName="slow", Attributes={"DelaySeconds": "901"}))
        self.fails("sqs-delay", "InvalidParameterValue", self.send_batch({}, {"DelaySeconds": 901}, {}), ["1"], ["0", "2"])
        self.fails("sqs-delay", "InvalidParameterValue", self.send_batch({"DelaySeconds": 901}), ["0"], [])
        self.passed(self.send(DelaySeconds=900))
        self.passed(self.send_batch({"DelaySeconds": 900}))

    def test_sqs_fifo_delay(self) -> None:
        self.wrong("sqs-fifo-delay", self.send(self.fifo, MessageGroupId="g", DelaySeconds=1))
        late = self.send_batch({"MessageGroupId": "g", "DelaySeconds": 1}, {"MessageGroupId": "g"}, queue=self.fifo)
        self.fails("sqs-fifo-delay", "InvalidParameterValue", late, ["0"], ["1"])
        self.passed(self.send(self.fifo, MessageGroupId="g", DelaySeconds=0))

    def test_sqs_fifo_group(self) -> None:
        self.refused("sqs-fifo-group", "MissingParameter", self.send(self.fifo))
        self.fails("sqs-fifo-group", "MissingParameter", self.send_batch({}, {"MessageGroupId": "g"}, queue=self.fifo), ["0"], ["1"])
        self.passed(self.send(self.fifo, MessageGroupId="g"))
        self.passed(self.send())

    def test_sqs_group_id(self) -> None:
        self.wrong("sqs-group-id", self.send(MessageGroupId="x" * 129))
        self.wrong("sqs-group-id", self.send(MessageGroupId="a b"))
        self.wrong("sqs-group-id", self.send(self.fifo, MessageGroupId="é"))
        self.fails("sqs-group-id", "InvalidParameterValue", self.send_batch({"MessageGroupId": "é"}, {}), ["0"], ["1"])
        self.passed(self.send(MessageGroupId="x" * 128))
        self.passed(self.send(self.fifo, MessageGroupId="aZ0!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))

    def test_sqs_visibility_timeout(self) -> None:
        rule = "sqs-visibility-timeout"
        self.sqs.send_message(QueueUrl=self.queue, MessageBody="x")
        self.wrong(rule, self.receive(VisibilityTimeout=43_201))
        handle = self.passed(self.receive(VisibilityTimeout=43_200))["Messages"][0]["ReceiptHandle"]

        def change(seconds: int):
            return lambda: self.sqs.change_message_visibility(QueueUrl=self.queue, ReceiptHandle=handle, VisibilityTimeout=seconds)

        self.wrong(rule, change(43_201))
        self.wrong(rule, change(-1))
        self.passed(change(43_200))
        attributes = {"VisibilityTimeout": "43201"}
        self.refused(rule, "InvalidAttributeValue", lambda: self.sqs.set_queue_attributes(QueueUrl=self.queue, Attributes=attributes))
        entries = [{"Id": name, "ReceiptHandle": handle, "VisibilityTimeout": time} for name, time in (("a", 43_201), ("b", 0))]
        batch = lambda: self.sqs.change_message_visibility_batch(QueueUrl=self.queue, Entries=entries)  # noqa: E731
        self.fails(rule, "InvalidParameterValue", batch, ["a"], ["b"])

    def test_sqs_wait_time(self) -> None:
        self.wrong("sqs-wait-time", self.receive(WaitTimeSeconds=21))
        create = lambda: self.sqs.create_queue(QueueName="long", Attributes={"ReceiveMessageWaitTimeSeconds": "21"})  # noqa: E731
        self.refused("sqs-wait-time", "InvalidAttributeValue", create)
        self.sqs.send_message(QueueUrl=self.queue, MessageBody="x")
        self.passed(self.receive(WaitTimeSeconds=20))

    def test_sqs_receive_count(self) -> None:
        self.wrong("sqs-receive-count", self.receive(MaxNumberOfMessages=11))
        self.wrong("sqs-receive-count", self.receive(MaxNumberOfMessages=0))
        self.passed(self.receive(MaxNumberOfMessages=10))

    def test_an_entry_that_fails_is_not_sent(self) -> None:
        self.send_batch({"MessageBody": "good"}, {"MessageBody": "bad", "DelaySeconds": 901})()
        received = self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10)["Messages"]
        self.assertEqual([message["Body"] for message in received], ["good"])


class S3Rules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.s3 = self.client("s3")
        self.bucket = f"bucket-{self.account}"
        self.s3.create_bucket(Bucket=self.bucket)

    def put(self, name: str = "key", **more):
        return lambda: self.s3.put_object(**{"Bucket": self.bucket, "Key": name, "Body": b"x", **more})

    def raw(self, *headers: str, body: bytes = b"", close: bool = True) -> bytes:
        lines = [
            f"PUT /{self.bucket}/raw HTTP/1.1", "Host: localhost", f"Authorization: {SIGNED.format(self.account, 's3')}",
            *headers, *(["Connection: close"] if close else []), "", "",
        ]
        return "\r\n".join(lines).encode("latin-1") + body

    def answers(self, *headers: str, body: bytes = b"") -> tuple[bytes, dict[str, int]]:
        answer, spoke = self.judged(lambda: exchange(guard.port, self.raw(*headers, body=body)))
        return answer, spoke

    def test_s3_key_length(self) -> None:
        self.refused("s3-key-length", "KeyTooLongError", self.put("x" * 1025))
        self.refused("s3-key-length", "KeyTooLongError", self.put("é" * 512 + "x"))
        self.refused("s3-key-length", "KeyTooLongError", lambda: self.s3.get_object(Bucket=self.bucket, Key="x" * 1025))
        # In folders, as no file's name may have 1024 bytes where the emulator keeps it.
        self.passed(self.put("/".join(["x" * 127] * 8) + "x"))

    def test_s3_metadata_size(self) -> None:
        error = self.refused("s3-metadata-size", "MetadataTooLarge", self.put(Metadata={"a": "x" * 1000, "b": "x" * 1047}))
        self.assertEqual((error.response["Error"]["Size"], error.response["Error"]["MaxSizeAllowed"]), ("2049", "2048"))
        create = lambda: self.s3.create_multipart_upload(Bucket=self.bucket, Key="k", Metadata={"a": "x" * 2048})  # noqa: E731
        self.refused("s3-metadata-size", "MetadataTooLarge", create)
        self.passed(self.put(Metadata={"a": "x" * 1000, "b": "x" * 1046}))
        self.assertEqual(len(self.s3.head_object(Bucket=self.bucket, Key="key")["Metadata"]["b"]), 1046)

    def test_s3_metadata_ascii(self) -> None:
        answer, spoke = self.answers("Content-Length: 1", "x-amz-meta-city: Z\xfcrich", body=b"x")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
        self.assertEqual(spoke, {"s3-metadata-ascii": 1})
        self.passed(self.put(Metadata={"city": "Zurich"}))

    def test_s3_header_size(self) -> None:
        base = len(self.raw("Content-Length: 1", "x-padding: ").partition(b"\r\n")[2])
        answer, spoke = self.answers("Content-Length: 1", f"x-padding: {'x' * (8 * KIB - base + 1)}", body=b"x")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer)
        self.assertIn(b"<Code>RequestHeaderSectionTooLarge</Code>", answer)
        self.assertEqual(spoke, {"s3-header-size": 1})
        answer, spoke = self.answers("Content-Length: 1", f"x-padding: {'x' * (8 * KIB - base)}", body=b"x")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
        self.assertEqual(spoke, {})

    def test_s3_content_length(self) -> None:
        answer, spoke = self.answers("Transfer-Encoding: chunked", body=b"1\r\nx\r\n0\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 411"), answer)
        self.assertIn(b"<Code>MissingContentLength</Code>", answer)
        self.assertEqual(spoke, {"s3-content-length": 1})
        answer, spoke = self.answers("Content-Length: 0")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
        self.assertEqual(spoke, {})

    def test_s3_object_size(self) -> None:
        answer, spoke = self.answers("Expect: 100-continue", f"Content-Length: {5 * KIB**3 + 1}")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer)
        self.assertIn(b"<Code>EntityTooLarge</Code>", answer)
        self.assertEqual(spoke, {"s3-object-size": 1})
        # Without waiting for leave to send.
        answer, _ = self.answers(f"Content-Length: {5 * KIB**3 + 1}", body=b"x" * 100_000)
        self.assertIn(b"<Code>EntityTooLarge</Code>", answer)
        # The emulator asks for the body; it need not get 5 GB.
        before = self.counts()
        with socket.create_connection(("127.0.0.1", guard.port), timeout=30) as connection:
            connection.sendall(self.raw("Expect: 100-continue", f"Content-Length: {5 * KIB**3}"))
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 100"))
        self.assertEqual(self.counts(), before)

    def test_s3_presigned_expiry(self) -> None:
        self.s3.put_object(Bucket=self.bucket, Key="key", Body=b"content")

        def fetch(seconds: int) -> bytes:
            signed = {"Bucket": self.bucket, "Key": "key"}
            # Version 4 has the limit.
            signer = boto3.client(
                "s3", endpoint_url=guard.url, region_name=REGION, aws_access_key_id=self.account, aws_secret_access_key="test",
                config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
            )
            url = signer.generate_presigned_url("get_object", Params=signed, ExpiresIn=seconds)
            with urllib.request.urlopen(url) as answer:
                return answer.read()

        before = self.counts().get("s3-presigned-expiry", 0)
        with self.assertRaises(urllib.error.HTTPError) as caught:
            fetch(604_801)
        self.assertIn(b"<Code>AuthorizationQueryParametersError</Code>", caught.exception.read())
        self.assertEqual(self.counts()["s3-presigned-expiry"], before + 1)
        self.assertEqual(self.passed(lambda: fetch(604_800)), b"content")

    def test_s3_delete_keys(self) -> None:
        def delete(count: int):
            objects = [{"Key": f"key-{number}"} for number in range(count)]
            return lambda: self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": objects, "Quiet": True})

        self.refused("s3-delete-keys", "MalformedXML", delete(1001))
        self.passed(delete(1000))

    def test_bodies_of_any_kind_go_through(self) -> None:
        content = os.urandom(3_000_000)
        self.passed(self.put(Body=content))
        answer = self.passed(lambda: self.s3.get_object(Bucket=self.bucket, Key="key"))
        self.assertEqual(answer["Body"].read(), content)
        part = self.passed(lambda: self.s3.get_object(Bucket=self.bucket, Key="key", Range="bytes=5-9"))
        self.assertEqual(part["Body"].read(), content[5:10])
        self.assertEqual(self.passed(lambda: self.s3.head_object(Bucket=self.bucket, Key="key"))["ContentLength"], 3_000_000)
        source = {"Bucket": self.bucket, "Key": "key"}
        self.passed(lambda: self.s3.copy_object(Bucket=self.bucket, Key="ünï c+%o", CopySource=source))
        self.passed(lambda: self.s3.delete_object(Bucket=self.bucket, Key="key"))
        listed = self.passed(lambda: self.s3.list_objects_v2(Bucket=self.bucket, Prefix="ünï c+"))
        self.assertEqual([entry["Key"] for entry in listed["Contents"]], ["ünï c+%o"])
        # What it may not be is not even sent.
        self.refused("s3-metadata-size", "MetadataTooLarge", self.put(Body=content, Metadata={"a": "x" * 3000}))

    def test_a_connection_goes_on_after_a_refusal(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", guard.port, timeout=30)
        headers = {"Authorization": SIGNED.format(self.account, "s3")}
        for method, expected in (("PUT", 400), ("PUT", 200), ("HEAD", 200), ("PUT", 400), ("GET", 200)):
            more = {"x-amz-meta-a": "x" * 3000} if expected == 400 else {}
            connection.request(method, f"/{self.bucket}/key", body=b"content" if method == "PUT" else None, headers={**headers, **more})
            answer = connection.getresponse()
            content = answer.read()
            self.assertEqual(answer.status, expected, content)
        self.assertEqual(content, b"content")
        connection.close()


class SecretsRules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.secrets = self.client("secretsmanager")

    def create(self, name: str, **more):
        return lambda: self.secrets.create_secret(**{"Name": name, "SecretString": "x", **more})

    def test_secrets_value_size(self) -> None:
        self.refused("secrets-value-size", "ValidationException", self.create("a", SecretString="é" * 32_768 + "x"))
        self.refused("secrets-value-size", "ValidationException", lambda: self.secrets.create_secret(Name="a", SecretBinary=b"x" * 65_537))
        self.passed(self.create("a", SecretString="é" * 32_768))
        put = lambda size: lambda: self.secrets.put_secret_value(SecretId="a", SecretString="x" * size)  # noqa: E731
        self.refused("secrets-value-size", "ValidationException", put(65_537))
        self.passed(put(65_536))

    def test_secrets_name(self) -> None:
        self.refused("secrets-name", "ValidationException", self.create("x" * 513))
        self.refused("secrets-name", "ValidationException", self.create("a b"))
        self.refused("secrets-name", "ValidationException", self.create("é"))
        self.passed(self.create("x" * 512))
        self.passed(self.create("aZ0/_+=.@-"))

    def test_secrets_token(self) -> None:
        for length in (31, 65):
            self.refused("secrets-token", "InvalidParameterException", self.create("a", ClientRequestToken="x" * length))
        self.passed(self.create("a", ClientRequestToken="x" * 32))
        self.passed(self.create("b", ClientRequestToken="x" * 64))

    def test_secrets_recovery_window(self) -> None:
        self.create("a")()
        for days in (6, 31):
            delete = lambda: self.secrets.delete_secret(SecretId="a", RecoveryWindowInDays=days)  # noqa: B023, E731
            self.refused("secrets-recovery-window", "InvalidParameterException", delete)
        self.passed(lambda: self.secrets.delete_secret(SecretId="a", RecoveryWindowInDays=7))


class Function(http.server.BaseHTTPRequestHandler):
    """Stands in the place of the emulator and of a function: answers so many bytes of a type, after so many seconds, as it is told."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        self.server.received.append(len(self.body()))
        time.sleep(float(self.headers.get("X-Seconds", "0")))
        content = self.headers.get("X-Byte", "x").encode() * int(self.headers.get("X-Size", "2"))
        self.send_response(200)
        self.send_header("Content-Type", self.headers.get("X-Type", "text/plain"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    do_GET = do_POST = answer

    def body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def log_message(self, *_: object) -> None:
        pass


class GatewayRules(GuardTest):
    PATH = "/_aws/execute-api/0a51a51a/v1/things"
    MIB = KIB * KIB
    # Of an event or a response, for all that is not the body.
    FRAME = 2 * KIB

    def setUp(self) -> None:
        super().setUp()
        self.function = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Function)
        self.function.daemon_threads = True
        self.function.received = []
        threading.Thread(target=self.function.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.between = Guard(f"http://127.0.0.1:{self.function.server_address[1]}", gateway_seconds=2).start()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.between.port, timeout=60)
        self.addCleanup(self.function.server_close)
        self.addCleanup(self.function.shutdown)
        self.addCleanup(self.between.stop)
        self.addCleanup(self.connection.close)

    def guard(self) -> Guard:
        return self.between

    def ask(self, body: bytes | list[bytes] | None = None, path: str = PATH, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Header names with `_` for `-`. A list is sent in chunks."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        is_list = isinstance(body, list)
        self.connection.request("POST", path, iter(body) if is_list else body, named, encode_chunked=is_list)
        return self.answer(self.connection.getresponse())

    def answer(self, answer: http.client.HTTPResponse) -> tuple[int, dict[str, str], bytes]:
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def sent(self, data: bytes) -> tuple[int, dict[str, str], bytes]:
        """Byte for byte; whoever waits for more of the request does not get it."""
        with socket.create_connection(("127.0.0.1", self.between.port), timeout=30) as connection:
            connection.sendall(data)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            return self.answer(answer)

    def says(self, rule: str, status: int, message: str, call, reached: bool = False) -> None:
        before = len(self.function.received)
        (given, headers, body), spoke = self.judged(call)
        self.assertEqual((given, body, spoke), (status, json.dumps({"message": message}, separators=(",", ":")).encode(), {rule: 1}))
        self.assertEqual(headers["content-type"], "application/json")
        self.assertRegex(headers["apigw-requestid"], r"^[\w+/]{15}=$")
        self.assertEqual(len(self.function.received) - before, reached)

    def passes(self, call) -> None:
        (status, _, body), spoke = self.judged(call)
        self.assertEqual((status, spoke), (200, {}), body[:200])

    def test_gateway_payload(self) -> None:
        too_large = lambda call: self.says("gateway-payload", 413, "Request Entity Too Large", call)  # noqa: E731
        # What no event can hold has been read.
        fits = lambda call: self.says("gateway-event", 500, "Internal Server Error", call)  # noqa: E731
        most = 10 * self.MIB
        head = f"POST {self.PATH} HTTP/1.1\r\nHost: a\r\n".encode()
        # Before anything of it has come.
        too_large(lambda: self.sent(head + b"Content-Length: %d\r\n\r\n" % (most + 1)))
        too_large(lambda: self.sent(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (most + 1)))
        too_large(lambda: self.sent(head + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n%x\r\n" % (most - 2)))
        too_large(lambda: self.ask(b"x" * (most + 1)))
        too_large(lambda: self.ask([b"x" * self.MIB] * 10 + [b"x"]))
        fits(lambda: self.ask(b"x" * most))
        fits(lambda: self.ask([b"x" * self.MIB] * 10))

    def test_gateway_event(self) -> None:
        too_large = lambda *given, **more: self.says("gateway-event", 500, "Internal Server Error", lambda: self.ask(*given, **more))  # noqa: E731
        fits = lambda *given, **more: self.passes(lambda: self.ask(*given, **more))  # noqa: E731
        text, binary = 6 * self.MIB, 6 * self.MIB // 4 * 3
        for kind in ("application/json", "application/problem+json; charset=utf-8", "Text/Plain", "application/xml", "image/svg+xml"):
            too_large(b"x" * text, Content_Type=kind)
            fits(b"x" * (text - self.FRAME), Content_Type=kind)
        # As JSON has it.
        too_large(b'"' * (text // 2), Content_Type="application/json")
        fits(b'"' * (text // 2 - self.FRAME), Content_Type="application/json")
        for kind in ("multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/octet-stream", ""):
            too_large(b"x" * binary, Content_Type=kind)
            fits(b"x" * (binary - self.FRAME), Content_Type=kind)
        too_large(b"x" * binary)
        too_large([b"x" * (binary // 2)] * 2, Content_Type="image/png")
        fits([b"x" * (binary // 2 - self.FRAME)] * 2, Content_Type="image/png")
        too_large(b"x" * (text - self.FRAME), Content_Type="application/json", X_Long="x" * self.FRAME)
        too_large(b"x" * (text - self.FRAME), f"{self.PATH}?x={'y' * self.FRAME}", Content_Type="application/json")
        too_large(b"x" * (text - self.FRAME), f"{self.PATH}/{'y' * self.FRAME}", Content_Type="application/json")

    def test_gateway_headers(self) -> None:
        def get(more: int, path: str = self.PATH, host: str = "a") -> tuple[int, dict[str, str], bytes]:
            return self.sent(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nX-Name: {'x' * more}\r\n\r\n".encode())

        too_large = lambda *given: self.says("gateway-headers", 431, "Request Header Fields Too Large", lambda: get(*given))  # noqa: E731
        most = 10_240 - len("GET /v1/things HTTP/1.1") - len("a") - len("close")
        too_large(most + 1)
        self.passes(lambda: get(most))
        too_large(1, self.PATH + "?" + "y" * (most - 1))
        self.passes(lambda: get(1, self.PATH + "?" + "y" * (most - 2)))
        host = "0a51a51a.execute-api.localhost:4566"
        too_large(most + 2 - len(host), "/v1/things", host)
        self.passes(lambda: get(most + 1 - len(host), "/v1/things", host))
        # The body of what is refused for its head is not taken for the next request.
        self.says("gateway-headers", 431, "Request Header Fields Too Large", lambda: self.ask(b"GET / HTTP/1.1\r\n\r\n", X_Long="x" * 10_240))
        self.passes(self.ask)

    def test_gateway_timeout(self) -> None:
        self.passes(self.ask)
        late = lambda: self.ask(b"body", X_Seconds="4")  # noqa: E731
        self.says("gateway-timeout", 503, "Service Unavailable", late, reached=True)
        # Nobody gets the late answer.
        self.passes(lambda: self.ask(X_Seconds="1"))
        self.assertEqual(self.ask(X_Size="5")[2], b"xxxxx")
        self.passes(lambda: self.ask(path="/elsewhere", X_Seconds="3"))

    def test_lambda_response(self) -> None:
        too_large = lambda **given: self.says("lambda-response", 500, "Internal Server Error", lambda: self.ask(**given), reached=True)  # noqa: E731
        fits = lambda **given: self.passes(lambda: self.ask(**given))  # noqa: E731
        text, binary = 6 * self.MIB, 6 * self.MIB // 4 * 3
        too_large(X_Size=str(text), X_Type="text/html; charset=utf-8")
        fits(X_Size=str(text - self.FRAME), X_Type="text/html; charset=utf-8")
        too_large(X_Size=str(text // 2), X_Byte='"', X_Type="application/json")
        fits(X_Size=str(text // 2 - self.FRAME), X_Byte='"', X_Type="application/json")
        too_large(X_Size=str(binary), X_Type="image/png")
        fits(X_Size=str(binary - self.FRAME), X_Type="image/png")

    def test_a_body_is_asked_for_where_the_client_waits_for_that(self) -> None:
        head = f"POST {self.PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", self.between.port), timeout=30) as connection:
            connection.sendall(head)
            self.assertEqual(connection.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(b"body")
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            self.assertEqual((answer.status, answer.read()), (200, b"xx"))
        self.assertEqual(self.function.received, [4])

    def test_what_was_asked_for_is_listed(self) -> None:
        self.ask(b"x" * (5 * self.MIB), f"{self.PATH}?token=secret")
        (listed,) = self.between.refusals()
        self.assertEqual((listed["rule"], listed["operation"], listed["first"]), ("gateway-event", "POST /v1/things", "Internal Server Error"))

    def test_only_the_gateway_has_these_limits(self) -> None:
        self.passes(lambda: self.ask(b"x" * (10 * self.MIB + 1), "/bucket/key", X_Long="x" * 10_240))


class StaleReads(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.dynamodb = self.client("dynamodb")
        create_table(self.dynamodb)

    def guard(self) -> Guard:
        return stale_guard

    def put(self, sk: str, value: str | None = None, due: int | None = None) -> None:
        item = key("p", sk)
        if value is not None:
            item["value"] = text(value)
        if due is not None:
            item |= {"duePartition": text("d"), "dueAt": {"N": str(due)}}
        self.dynamodb.put_item(TableName=TABLE, Item=item)

    def delete(self, sk: str) -> None:
        self.dynamodb.delete_item(TableName=TABLE, Key=key("p", sk))

    def get(self, sk: str, **more) -> str | None:
        item = self.dynamodb.get_item(TableName=TABLE, Key=key("p", sk), **more).get("Item")
        return item and item["value"]["S"]

    def strictly(self, sk: str) -> str | None:
        return self.get(sk, ConsistentRead=True)

    def batch(self, *sks: str, **more) -> dict[str, str]:
        keys = [key("p", sk) for sk in sks]
        answer = self.dynamodb.batch_get_item(RequestItems={TABLE: {"Keys": keys, **more}})
        return {item["SK"]["S"]: item["value"]["S"] for item in answer["Responses"][TABLE]}

    def query(self, **more) -> list[tuple[str, str]]:
        given = {"KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": text("p")}, **more}
        answer = self.dynamodb.query(TableName=TABLE, **given)
        self.assertEqual((answer["Count"], answer["ScannedCount"]), (len(answer["Items"]), len(answer["Items"])))
        return [(item["SK"]["S"], item["value"]["S"]) for item in answer["Items"]]

    def due(self, until: int = 100, **more) -> list[tuple[str, int]]:
        answer = self.dynamodb.query(
            TableName=TABLE, IndexName="due", KeyConditionExpression="#d = :d AND dueAt <= :now",
            ExpressionAttributeNames={"#d": "duePartition"},
            ExpressionAttributeValues={":d": text("d"), ":now": {"N": str(until)}}, **more,
        )
        for item in answer["Items"]:
            self.assertEqual(set(item), {"PK", "SK", "duePartition", "dueAt"})
        return [(item["SK"]["S"], int(item["dueAt"]["N"])) for item in answer["Items"]]

    def test_a_get_is_one_write_old_once(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        self.put("a", "3")
        self.assertEqual(self.strictly("a"), "3")
        self.assertEqual([self.get("a"), self.get("a")], ["2", "3"])
        self.assertEqual(self.strictly("a"), "3")

    def test_what_was_not_there_is_not_there_yet(self) -> None:
        self.put("a", "1")
        self.assertEqual(self.strictly("a"), "1")
        self.assertEqual([self.get("a"), self.get("a")], [None, "1"])

    def test_what_was_deleted_is_still_there(self) -> None:
        self.put("a", "1")
        self.delete("a")
        self.assertIsNone(self.strictly("a"))
        self.assertEqual([self.get("a"), self.get("a")], ["1", None])

    def test_only_the_last_write_is_unknown(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        self.assertEqual([self.get("a"), self.get("b")], ["1", None])

    def test_a_read_that_shows_no_difference_uses_nothing_up(self) -> None:
        self.put("b", "1")
        self.put("a", "1")
        self.assertEqual([self.get("b"), self.get("a"), self.get("a")], ["1", None, "1"])

    def test_an_update_and_projections(self) -> None:
        self.put("a", "1")
        update = {"UpdateExpression": "SET #v = :v", "ExpressionAttributeNames": {"#v": "value"}, "ExpressionAttributeValues": {":v": text("2")}}
        self.dynamodb.update_item(TableName=TABLE, Key=key("p", "a"), **update)
        names = {"ProjectionExpression": "#v", "ExpressionAttributeNames": {"#v": "value"}}
        self.assertEqual(self.dynamodb.get_item(TableName=TABLE, Key=key("p", "a"), **names)["Item"], {"value": text("1")})
        self.assertEqual(self.get("a"), "2")

    def test_a_write_that_fails_is_none(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        with self.assertRaises(ClientError):
            self.dynamodb.delete_item(TableName=TABLE, Key=key("p", "a"), ConditionExpression="attribute_not_exists(PK)")
        self.assertEqual([self.get("a"), self.get("b")], ["1", None])

    def test_a_transaction_and_a_batch_are_one_write(self) -> None:
        self.put("a", "1")
        self.put("c", "1")

        def put(sk: str, value: str) -> dict:
            return {"Put": {"TableName": TABLE, "Item": {**key("p", sk), "value": text(value)}}}

        check = {"ConditionCheck": {"TableName": TABLE, "Key": key("p", "c"), "ConditionExpression": "attribute_exists(PK)"}}
        self.dynamodb.transact_write_items(TransactItems=[put("a", "2"), put("b", "2"), check])
        self.assertEqual([self.get("a"), self.get("b"), self.get("c")], ["1", None, "1"])
        self.assertEqual([self.get("a"), self.get("b"), self.get("c")], ["2", "2", "1"])
        requests = [{"DeleteRequest": {"Key": key("p", "a")}}, {"PutRequest": {"Item": {**key("p", "b"), "value": text("3")}}}]
        self.dynamodb.batch_write_item(RequestItems={TABLE: requests})
        self.assertEqual([self.get("a"), self.get("b")], ["2", "2"])
        self.assertEqual([self.get("a"), self.get("b")], [None, "3"])
        answer = self.dynamodb.transact_get_items(TransactItems=[{"Get": {"TableName": TABLE, "Key": key("p", "b")}}])
        self.assertEqual(answer["Responses"][0]["Item"]["value"], text("3"))

    def test_a_batch_of_reads(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        self.put("b", "2")
        self.assertEqual(self.batch("a", "b", ConsistentRead=True), {"a": "1", "b": "2"})
        self.assertEqual(self.batch("a", "b"), {"a": "1", "b": "1"})
        self.assertEqual(self.batch("a", "b"), {"a": "1", "b": "2"})
        self.delete("b")
        self.assertEqual([self.batch("a", "b"), self.batch("a", "b")], [{"a": "1", "b": "2"}, {"a": "1"}])
        self.put("c", "1")
        self.assertEqual([self.batch("c"), self.batch("c")], [{}, {"c": "1"}])

    def test_a_query_of_the_table(self) -> None:
        for sk in ("a", "b", "c"):
            self.put(sk, "1")
        self.put("b", "2")
        now = [("a", "1"), ("b", "2"), ("c", "1")]
        self.assertEqual(self.query(ConsistentRead=True), now)
        self.assertEqual(self.query(), [("a", "1"), ("b", "1"), ("c", "1")])
        self.assertEqual(self.query(), now)
        self.delete("b")
        self.assertEqual(self.query(ScanIndexForward=False), [("c", "1"), ("b", "2"), ("a", "1")])
        self.assertEqual(self.query(), [("a", "1"), ("c", "1")])
        self.put("d", "1")
        before = {"KeyConditionExpression": "PK = :p AND SK < :s", "ExpressionAttributeValues": {":p": text("p"), ":s": text("c")}}
        self.assertEqual(self.query(**before), [("a", "1")])
        self.assertEqual(self.query(), [("a", "1"), ("c", "1")])
        self.assertEqual(self.query(), [("a", "1"), ("c", "1"), ("d", "1")])

    def test_a_scan(self) -> None:
        self.put("a", "1")
        self.put("b", "1")
        scan = lambda: sorted(item["SK"]["S"] for item in self.dynamodb.scan(TableName=TABLE)["Items"])  # noqa: E731
        self.assertEqual([scan(), scan()], [["a"], ["a", "b"]])
        self.delete("a")
        self.assertEqual([scan(), scan()], [["a", "b"], ["b"]])

    def test_a_query_of_an_index(self) -> None:
        self.put("a", "1", due=10)
        self.assertEqual([self.due(), self.due()], [[], [("a", 10)]])
        self.put("b", "1", due=20)
        # The table's readers have not seen it either.
        self.assertEqual([self.due(), self.get("b"), self.due(), self.get("b")], [[("a", 10)], None, [("a", 10), ("b", 20)], "1"])
        # Moved behind what is asked for, and in front of it.
        self.put("a", "1", due=500)
        self.assertEqual([self.due(), self.due()], [[("a", 10), ("b", 20)], [("b", 20)]])
        self.put("a", "1", due=30)
        self.assertEqual([self.due(), self.due()], [[("b", 20)], [("b", 20), ("a", 30)]])
        self.put("a", "1", due=5)
        self.assertEqual([self.due(), self.due()], [[("b", 20), ("a", 30)], [("a", 5), ("b", 20)]])
        # Out of the index, but still in the table.
        self.put("a", "1")
        self.assertEqual([self.due(), self.due()], [[("a", 5), ("b", 20)], [("b", 20)]])

    def test_pages_and_limits(self) -> None:
        for due in (1, 2, 3):
            self.put(f"{due}", "1", due=due)
        self.delete("1")
        # There is no place for it on this page.
        self.assertEqual(self.due(Limit=2), [("2", 2), ("3", 3)])
        self.put("2", "1", due=4)
        page = self.due(Limit=1)
        self.assertEqual(page, [("3", 3)])
        self.put("3", "2", due=3)
        self.assertEqual(self.query(Limit=1), [("2", "1")])
        self.assertEqual(self.query(Limit=2), [("2", "1"), ("3", "1")])
        self.assertEqual(self.query(Limit=2), [("2", "1"), ("3", "2")])

    def test_what_takes_more_to_tell_is_as_it_is(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        values = {":p": text("p"), ":v": text("2")}
        filtered = {"FilterExpression": "#v = :v", "ExpressionAttributeNames": {"#v": "value"}, "ExpressionAttributeValues": values}
        self.assertEqual(self.query(**filtered), [("a", "2")])
        self.assertEqual(self.get("a"), "1")

    def test_tables_and_accounts_know_nothing_of_each_other(self) -> None:
        other = client("dynamodb", str(next(accounts)), stale_guard.url)
        create_table(other)
        self.put("a", "1")
        other.put_item(TableName=TABLE, Item={**key("p", "a"), "value": text("theirs")})
        self.assertEqual([self.get("a"), self.get("a")], [None, "1"])
        self.assertNotIn("Item", other.get_item(TableName=TABLE, Key=key("p", "a")))
        self.put("a", "2")
        self.dynamodb.delete_table(TableName=TABLE)
        create_table(self.dynamodb)
        self.assertIsNone(self.get("a"))

    def test_a_write_whose_answer_was_lost_leaves_nothing_that_is_two_writes_old(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        ask = Upstream.ask

        def lose(upstream: Upstream, data: bytes, method: str) -> Answer:
            answer = ask(upstream, data, method)
            if b"PutItem" in data:
                raise ConnectionResetError
            return answer

        with mock.patch.object(Upstream, "ask", lose), self.assertRaises(BotoCoreError):
            self.put("a", "3")
        self.assertEqual([self.get("a"), self.strictly("a")], ["3", "3"])

    def test_a_statement_ends_what_is_known(self) -> None:
        self.put("a", "1")
        self.put("a", "2")
        self.dynamodb.execute_statement(Statement=f"UPDATE \"{TABLE}\" SET other = 'x' WHERE PK = 'p' AND SK = 'a'")
        self.assertEqual(self.get("a"), "2")

    def test_without_being_asked_for_nothing_is_stale(self) -> None:
        fresh = client("dynamodb", self.account, guard.url)
        for value in ("1", "2"):
            fresh.put_item(TableName=TABLE, Item={**key("p", "a"), "value": text(value)})
            self.assertEqual(fresh.get_item(TableName=TABLE, Key=key("p", "a"))["Item"]["value"], text(value))


class Recorder:
    """Stands in the emulator's place: keeps what it gets and answers what it is told, as soon as one of the `ends` has come."""

    def __init__(self, *answers: bytes, ends: tuple[bytes, ...] = (b"\r\n\r\n",), hangs_up: bool = False):
        self.received = b""
        self.connections = 0
        recorder, answers = self, list(answers)

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                recorder.connections += 1
                while data := self.request.recv(65536):
                    recorder.received += data
                    if recorder.received.endswith(ends):
                        answer = answers.pop(0)
                        self.request.sendall(answer)
                        if hangs_up or b"Connection: close" in answer:
                            return

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Connections(GuardTest):
    def test_a_kept_connection_works_beyond_a_thousand_others(self) -> None:
        allow_connections()
        with contextlib.ExitStack() as others:
            for _ in range(1100):
                others.enter_context(open(os.devnull))
            dynamodb = self.client("dynamodb")
            for _ in range(3):
                self.assertEqual(dynamodb.list_tables()["TableNames"], [])


class Passing(unittest.TestCase):
    def carried(self, sent: bytes, answer: bytes) -> None:
        """Both ways byte for byte."""
        with Recorder(answer, ends=(sent,)) as recorder, Guard(recorder.url) as between:
            self.assertEqual(exchange(between.port, sent), answer)
            self.assertEqual(recorder.received, sent)

    def test_requests_and_answers_are_not_touched(self) -> None:
        strange = b"X-oDD:   spaced \r\nx-twice: 1\r\nX-Twice: 2\r\nHost: a.b:1\r\n"
        closing = b"Connection: close\r\n"
        spaced = b'{ "a" : "\\u00e9" }\n'
        answer = b"HTTP/1.1 200 Fine Thing\r\nX-oDD:  a \r\n" + closing
        cases = [
            (b"GET /a%2fb//c?x=%20+&y&X=;z HTTP/1.1\r\n" + strange + closing + b"\r\n", answer + b"Content-Length: 3\r\n\r\nabc"),
            (b"GET / HTTP/1.1\r\n" + strange + closing + b"\r\n", answer + b"\r\nto the end"),
            (b"HEAD / HTTP/1.1\r\n" + closing + b"\r\n", answer + b"Content-Length: 1000\r\n\r\n"),
            (b"DELETE / HTTP/1.1\r\n" + closing + b"\r\n", b"HTTP/1.1 204 No Content\r\n" + closing + b"\r\n"),
            (
                b"PUT /b/k HTTP/1.1\r\n" + closing + b"Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nTrailer: END\r\n\r\n",
                answer + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n",
            ),
            (
                b"POST /_aws/execute-api/0a51a51a/v1/a%2fb?x=;z HTTP/1.1\r\n" + strange + closing + b"Content-Length: 6\r\n\r\nabcEND",
                answer + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            ),
            (
                b"PUT /_aws/execute-api/0a51a51a HTTP/1.1\r\n" + closing + b"Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\n\r\n",
                answer + b"\r\nto the end",
            ),
            (b"HEAD /_aws/execute-api/0a51a51a/ HTTP/1.1\r\n" + closing + b"\r\n", answer + b"Transfer-Encoding: chunked\r\n\r\n"),
            (b"POST /_aws/x HTTP/1.1\r\n" + closing + b"Content-Length: 6\r\n\r\nabcEND", answer + b"Content-Length: 0\r\n\r\n"),
            (
                b"POST / HTTP/1.1\r\nx-amz-TARGET: DynamoDB_20120810.ListTables\r\n" + closing
                + b"Content-Length: %d\r\n\r\n" % len(spaced) + spaced,
                answer + b"Content-Length: 2\r\n\r\n{}",
            ),
        ]
        for sent, answer in cases:
            with self.subTest(sent):
                self.carried(sent, answer)

    def test_both_sides_keep_their_connection(self) -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        with Recorder(answer, answer) as recorder, Guard(recorder.url) as between:
            connection = http.client.HTTPConnection("127.0.0.1", between.port)
            for _ in range(2):
                connection.request("GET", "/")
                self.assertEqual(connection.getresponse().read(), b"ok")
            self.assertEqual(recorder.connections, 1)
            connection.close()

    def test_a_connection_that_the_emulator_has_closed_is_opened_again(self) -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        with Recorder(answer, answer, hangs_up=True) as recorder, Guard(recorder.url) as between:
            connection = http.client.HTTPConnection("127.0.0.1", between.port)
            for _ in range(2):
                connection.request("GET", "/")
                self.assertEqual(connection.getresponse().read(), b"ok")
            self.assertEqual(recorder.connections, 2)
            connection.close()

    def test_an_emulator_that_is_gone_is_a_connection_that_ends(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with Guard(f"http://127.0.0.1:{port}") as between:
            self.assertEqual(exchange(between.port, b"GET / HTTP/1.1\r\n\r\n"), b"")

    def test_after_a_change_of_protocol_bytes_go_both_ways(self) -> None:
        hello = b"GET / HTTP/1.1\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
        answers = (b"HTTP/1.1 101 Switching Protocols\r\n\r\nwelcome", b"bye")
        with Recorder(*answers, ends=(hello, b"END")) as recorder, Guard(recorder.url) as between:
            with socket.create_connection(("127.0.0.1", between.port), timeout=10) as connection:
                connection.sendall(hello)
                got = b""
                while not got.endswith(b"welcome"):
                    got += connection.recv(100)
                connection.sendall(b"END")
                self.assertEqual(connection.recv(100), b"bye")
            self.assertEqual(recorder.received, hello + b"END")

    def test_other_services_go_through(self) -> None:
        account = str(next(accounts))
        self.assertEqual(client("lambda", account, guard.url).list_functions()["Functions"], [])
        self.assertEqual(client("apigatewayv2", account, guard.url).get_apis()["Items"], [])
        self.assertEqual(client("sts", account, guard.url).get_caller_identity()["Account"], account)
        with urllib.request.urlopen(f"{guard.url}/_ministack/health") as answer:
            self.assertEqual(answer.status, 200)

    def test_many_at_once(self) -> None:
        account = str(next(accounts))
        shared = client("dynamodb", account, stale_guard.url)
        create_table(shared)

        def work(number: int) -> None:
            own = client("dynamodb", account, stale_guard.url)
            for step in range(20):
                item = {**key(str(number)), "step": {"N": str(step)}}
                own.put_item(TableName=TABLE, Item=item)
                own.get_item(TableName=TABLE, Key=key(str(number)))
                read = own.get_item(TableName=TABLE, Key=key(str(number)), ConsistentRead=True)
                self.assertEqual(read["Item"], item)

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(work, range(32)))


class Table(unittest.TestCase):
    def test_every_rule_has_its_documentation(self) -> None:
        for rule in RULES:
            self.assertTrue(rule.url.startswith("https://docs.aws.amazon.com/"), rule.name)
            self.assertTrue(rule.what and rule.limit, rule.name)

    def test_every_rule_has_a_name_and_a_test_of_its_own(self) -> None:
        names = [rule.name for rule in RULES]
        self.assertEqual(len(names), len(set(names)))
        tests = {name for case in (DynamoDbRules, SqsRules, S3Rules, SecretsRules, GatewayRules) for name in dir(case)}
        self.assertEqual([name for name in names if f"test_{name.replace('-', '_')}" not in tests], [])

    def test_the_page_is_up_to_date(self) -> None:
        page = (ROOT / "docs" / "aws-limits.md").read_text()
        self.assertEqual(page, rules.markdown(), "python -m tools.guard.rules --markdown > docs/aws-limits.md")

    def test_nonsense_is_for_the_emulator_to_refuse(self) -> None:
        nonsense = Guard("http://127.0.0.1:1")
        data = {"TableName": 5, "Item": [], "Key": 7, "TransactItems": [3], "RequestItems": [1], "Limit": "x", "Entries": {"a": 1}}
        for rule in RULES:
            for operation in rule.operations or ("GetObject",):
                refusal, faults = nonsense.judge(Request(rule.service, operation, dict(data)), ("", ""))
                self.assertFalse(faults)
        nonsense.server.server_close()


class CommandLine(unittest.TestCase):
    def test_it_listens_records_and_ends(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "refusals"
            command = [sys.executable, "-B", "-m", "tools.guard", "--port", "0", "--upstream", emulator.url, "--record", record]
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            try:
                line = process.stdout.readline()
                url = re.fullmatch(r"Listening on (http://127\.0\.0\.1:\d+)\n", line)[1]
                secrets = client("secretsmanager", str(next(accounts)), url)
                for _ in range(2):
                    with self.assertRaises(ClientError):
                        secrets.create_secret(Name="a b", SecretString="x")
                with urllib.request.urlopen(f"{url}/_guard/refusals") as answer:
                    (listed,) = json.load(answer)
                known = (listed["rule"], listed["count"], listed["refused"], listed["operation"])
                self.assertEqual(known, ("secrets-name", 2, True, "CreateSecret"))
                self.assertIn("Invalid name", listed["first"])
            finally:
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=10), 0)
                process.stdout.close()
            lines = [json.loads(line) for line in record.read_text().splitlines()]
            self.assertEqual([(line["rule"], line["operation"]) for line in lines], [("secrets-name", "CreateSecret")] * 2)


if __name__ == "__main__":
    unittest.main()

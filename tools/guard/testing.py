"""Shared by the guard's tests: an emulator, the guard in its process, and one with stale reads over HTTP."""

import atexit
import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from tools.stack import emulator as program
from tools.stack.project import free_port

from . import Guard

REGION = "us-east-1"
TABLE = "table"
KIB = 1024
SIGNED = "AWS4-HMAC-SHA256 Credential={}/20260101/us-east-1/{}/aws4_request, SignedHeaders=host, Signature=00"


@dataclass(frozen=True)
class Address:
    """Where a guard listens."""

    url: str
    port: int


class Emulator:
    """An emulator on a free port, and the guard in its process, with the files in a temporary folder."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        port = next(port for port in iter(free_port, None) if port != self.port)
        self.guard = Address(f"http://127.0.0.1:{port}", port)
        surrounding = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        environment = program.environment(surrounding, self.port, Path(self.folder.name) / "files")
        self.log = (Path(self.folder.name) / "log").open("w")
        self.process = subprocess.Popen(
            program.command(self.port, "--guard-port", str(port)),
            env=environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=self.folder.name,
        )
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{self.guard.url}/_ministack/health", timeout=1).close()
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


@functools.cache
def emulator() -> Emulator:
    """Starts the emulator when the first test needs it; it stops with the process."""
    started = Emulator()
    atexit.register(started.stop)
    return started


@functools.cache
def shared_guard(stale_reads: bool = False) -> Guard | Address:
    if not stale_reads:
        return emulator().guard
    started = Guard(emulator().url, stale_reads=True).start()
    atexit.register(started.stop)
    return started


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
    """Sends these bytes and returns the response up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65536), b""))


class GuardTest(unittest.TestCase):
    """The base of all test cases; each test has its own AWS account."""

    maxDiff = 4000

    def setUp(self) -> None:
        self.account = str(next(accounts))

    def guard(self) -> Guard | Address:
        return shared_guard()

    def client(self, service: str):
        return client(service, self.account, self.guard().url)

    def counts(self) -> dict[str, int]:
        with urllib.request.urlopen(f"{self.guard().url}/_guard/refusals") as answer:
            return {known["rule"]: known["count"] for known in json.load(answer)}

    def observe(self, call) -> tuple[object, dict[str, int]]:
        """Returns the call's response or error, and how often each rule was broken."""
        before = self.counts()
        try:
            outcome = call()
        except ClientError as error:
            outcome = error
        after = self.counts()
        return outcome, {
            rule: count - before.get(rule, 0) for rule, count in after.items() if count != before.get(rule, 0)
        }

    def refused(self, rule: str, code: str, call) -> ClientError:
        outcome, broken = self.observe(call)
        self.assertIsInstance(outcome, ClientError, f"{rule} let this pass: {str(outcome)[:500]}")
        self.assertEqual(broken, {rule: 1}, outcome)
        self.assertEqual(outcome.response["Error"]["Code"], code)
        self.assertTrue(outcome.response["Error"]["Message"])
        return outcome

    def passed(self, call):
        outcome, broken = self.observe(call)
        self.assertNotIsInstance(outcome, ClientError, outcome)
        self.assertEqual(broken, {})
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
                "KeySchema": [
                    {"AttributeName": "duePartition", "KeyType": "HASH"},
                    {"AttributeName": "dueAt", "KeyType": "RANGE"},
                ],
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
                "KeySchema": [
                    {"AttributeName": "PK", "KeyType": "HASH"},
                    {"AttributeName": "other", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )

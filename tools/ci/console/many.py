"""Puts a very large log and very many numbers into the table of a stack, as the service itself would have stored them over time."""

import json
import secrets
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from tools.stack.project import REGION
from tools.stack.stack import Stack, send

MESSAGES, NUMBERS = 100_000, 1_000
# Of all messages, those with one contact: a conversation is long, too.
IN_CONVERSATION = 2_000
USER, OTHER = "+12025550171", "+12025550172"
# What BatchWriteItem takes, and how many run at once.
BATCH, AT_ONCE = 25, 2
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
EPOCH = 1_400_000_000
# The emulator reads the account and the region, and checks no signature.
CREDENTIAL = f"AWS4-HMAC-SHA256 Credential=test/20260101/{REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=none"


def ksuid(seconds: int) -> str:
    """Makes an id of a time, as the service does."""
    number, text = (seconds - EPOCH) << 128 | secrets.randbits(128), ""
    for _ in range(27):
        number, digit = divmod(number, 62)
        text = DIGITS[digit] + text
    return text


def seed(stack: Stack) -> dict[str, str]:
    """Returns the values of a demo organization with so many messages and numbers."""
    values = stack.populate()
    table, database = stack.resource("Table"), stack.client("dynamodb")
    items = patterns(values, database, table)
    made = [*messages(items), *numbers(items)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda at: put(stack, table, made[at : at + BATCH]), range(0, len(made), BATCH)))
    return values


def put(stack: Stack, table: str, items: list[dict]) -> None:
    """Writes items past the guard, and without the AWS SDK, which both take as long as the emulator itself."""
    body = {"RequestItems": {table: [{"PutRequest": {"Item": item}} for item in items]}}
    request = urllib.request.Request(f"http://127.0.0.1:{stack.emulator_port}/", json.dumps(body).encode())
    request.add_header("X-Amz-Target", "DynamoDB_20120810.BatchWriteItem")
    request.add_header("Content-Type", "application/x-amz-json-1.0")
    request.add_header("Authorization", CREDENTIAL)
    with urllib.request.urlopen(request, timeout=60) as answer:
        if json.load(answer).get("UnprocessedItems"):
            raise AssertionError("the emulator has left items out")


def patterns(values: dict[str, str], database, table: str) -> dict[str, dict]:
    """Makes a message and a number through the API, and returns their items by the class of their keys."""
    base_url = values["BASE_URL"]
    body = {"from": USER, "type": "text", "text": {"body": "x"}}
    message = send("POST", f"{base_url}/v1/playground/chat/inbound", values["TEST_APP_KEY"], body)["id"]
    body = {"number": "+12025550100", "test": True}
    number = send("POST", f"{base_url}/v1/organization/phone-numbers", values["ADMIN_KEY"], body)["id"]
    organization, ours = values["ORGANIZATION_ID"], values["TEST_CHAT_NUMBER_ID"]
    places = {
        "MSG": (f"MSG#{organization}#{message}", "MSG"),
        "MSGLIST": (f"MSGLIST#{organization}#{ours}", message.rpartition("_")[2]),
        "CONV": (f"CONV#{organization}#{ours}#{USER}", message.rpartition("_")[2]),
        "NUM": (f"NUM#{organization}#test", number.rpartition("_")[2]),
    }
    found = {}
    for kind, (partition, sort) in places.items():
        item = database.get_item(TableName=table, Key={"PK": {"S": partition}, "SK": {"S": sort}}).get("Item")
        if item is None:
            raise AssertionError(f"no item of the class {kind} is where the test expects it: {partition} {sort}")
        found[kind] = item
    # Counting these would take longer than everything else.
    found["MSG"].pop("metered", None)
    return found


def messages(items: dict[str, dict]) -> Iterator[dict]:
    now = int(time.time()) - 3600
    for number in range(MESSAGES):
        at = now - number * 20
        new, user = ksuid(at), USER if number < IN_CONVERSATION else OTHER
        text = f"Message {number + 1} of {MESSAGES}"
        yield moved(items["MSG"], new, at, textBody=text, fromPhoneNumber=user, providerMessageId=f"wamid.{new}")
        yield moved(items["MSGLIST"], new, at)
        if number < IN_CONVERSATION:
            yield moved(items["CONV"], new, at)


def moved(item: dict, new: str, at: int, **fields: str) -> dict:
    """Returns a message's item with another id, time and texts."""
    old = (item.get("id") or item["messageId"])["S"].rpartition("_")[2]
    text = json.dumps({**item, **{name: {"S": value} for name, value in fields.items()}}).replace(old, new)
    day = datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    times = {name: {"S": day} for name in ("createdAt", "updatedAt", "sentAt") if name in item}
    return {**json.loads(text), **times}


def numbers(items: dict[str, dict]) -> Iterator[dict]:
    for number in range(NUMBERS - 1):
        new = ksuid(int(time.time()) - 3600 - number)
        old = items["NUM"]["id"]["S"].rpartition("_")[2]
        moved_item = json.loads(json.dumps(items["NUM"]).replace(old, new))
        yield {**moved_item, "number": {"S": f"+1{2012012000 + number}"}}

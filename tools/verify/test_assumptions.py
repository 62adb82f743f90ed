"""Tests of the two decisive checks with servers that behave in each of the possible ways."""

import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

import boto3
from botocore.config import Config

from tools.verify.aws import Aws
from tools.verify.client import Client
from tools.verify.report import Broken, Skipped
from tools.verify.subjects import throttling, transactions
from tools.verify.target import Target

TOKEN = """<GetFederationTokenResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetFederationTokenResult><Credentials>
<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration>
</Credentials></GetFederationTokenResult></GetFederationTokenResponse>"""
REFUSED = """<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code>
<Message>Cannot call GetFederationToken with session credentials</Message></Error></ErrorResponse>"""
# Ways in which IAM might evaluate the partition keys of a transaction; each returns whether it is allowed.
BY_ITEM = lambda keys: all(key.startswith(transactions.OWN) for key in keys)
FIRST_ITEM = lambda keys: keys[0].startswith(transactions.OWN)
ALL = lambda keys: True
NONE = lambda keys: False


class Server:
    """An HTTP server whose responses a function returns: (status, content type, body)."""

    def __init__(self, respond):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status, kind, answer = respond(self.path, self.headers.get("x-amz-target", ""), body)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer.encode())

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        class Many(ThreadingHTTPServer):
            request_queue_size = 200

        self.server = Many(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def dynamodb(allows, single=BY_ITEM, token: tuple[int, str] = (200, TOKEN)):
    """STS and a table: `allows` decides about the items of a transaction, `single` about single writes."""

    def fault(name: str) -> tuple[int, str, str]:
        return 400, "application/x-amz-json-1.0", json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": name})

    def respond(path: str, action: str, body: bytes) -> tuple[int, str, str]:
        if not action:
            return token[0], "text/xml", token[1]
        asked = json.loads(body)
        if action.endswith("DescribeTable"):
            return 200, "application/x-amz-json-1.0", json.dumps({"Table": {"TableArn": "arn:aws:dynamodb:eu-west-1:1:table/t"}})
        if action.endswith("PutItem"):
            is_allowed, name = single([asked["Item"]["PK"]["S"]]), "ConditionalCheckFailedException"
        else:
            keys = [item["Put"]["Item"]["PK"]["S"] for item in asked["TransactItems"]]
            is_allowed, name = allows(keys), "TransactionCanceledException"
        return fault(name if is_allowed else "AccessDeniedException")

    return respond


class Transactions(unittest.TestCase):
    def attempt(self, respond) -> str:
        with Server(respond) as server:
            client = lambda service, **more: boto3.client(
                service,
                endpoint_url=server.url,
                region_name="eu-west-1",
                **{"aws_access_key_id": "a", "aws_secret_access_key": "s", **more},
                config=Config(retries={"total_max_attempts": 1}),
            )
            aws = Aws(client, "stack")
            aws.outputs = {"TableName": "t"}
            return transactions.restricted(target(server, aws))

    def test_conditions_that_hold_for_each_item(self) -> None:
        self.assertIn("denied on another one", self.attempt(dynamodb(BY_ITEM)))

    def test_conditions_that_do_not_hold(self) -> None:
        for allows, said in ((ALL, "not evaluated there"), (FIRST_ITEM, "only one item"), (NONE, "within the class is denied")):
            with self.subTest(said), self.assertRaisesRegex(Broken, said):
                self.attempt(dynamodb(allows))

    def test_credentials_that_restrict_nothing_show_nothing(self) -> None:
        with self.assertRaisesRegex(Broken, "restrict nothing"):
            self.attempt(dynamodb(ALL, single=ALL))

    def test_without_restricted_credentials_it_is_skipped(self) -> None:
        with self.assertRaisesRegex(Skipped, "VERIFY_ROLE_ARN"):
            self.attempt(dynamodb(BY_ITEM, token=(403, REFUSED)))


def target(server: Server, aws: Aws | None = None, **options: str) -> Target:
    return Target(Client(server.url), mock.Mock(), mock.Mock(), None, aws, options)


def bucket(burst: int, rate: float, by_route: bool):
    """A stage that throttles with token buckets."""
    lock, left = threading.Lock(), {}

    def respond(path: str, action: str, body: bytes) -> tuple[int, str, str]:
        with lock:
            name, now = path if by_route else "", time.monotonic()
            tokens, since = left.get(name, (burst, now))
            tokens = min(burst, tokens + (now - since) * rate)
            left[name] = (tokens - 1 if tokens >= 1 else tokens, now)
            is_over = tokens < 1
        return (429, "application/json", '{"message":"Too Many Requests"}') if is_over else (401, "application/json", '{"error":"Missing"}')

    return respond


class Throttling(unittest.TestCase):
    def scope(self, respond, burst: str = "10") -> str:
        with Server(respond) as server:
            return throttling.scope(target(server, RATE="10", BURST=burst))

    def test_a_limit_that_all_routes_share(self) -> None:
        self.assertIn("rate 10, burst 10", self.scope(bucket(10, 10, by_route=False)))

    def test_a_limit_for_each_route(self) -> None:
        with self.assertRaisesRegex(Broken, "limit of its own"):
            self.scope(bucket(10, 10, by_route=True))

    def test_no_limit(self) -> None:
        with self.assertRaisesRegex(Broken, "none of 60 requests"):
            self.scope(bucket(10**6, 10, by_route=False))

    def test_a_429_of_another_shape(self) -> None:
        with self.assertRaisesRegex(Broken, "another shape"):
            self.scope(lambda *_: (429, "application/json", '{"error":"slow down"}'))

    def test_a_limit_that_one_machine_cannot_exceed_is_not_tried(self) -> None:
        sent = []
        with self.assertRaisesRegex(Skipped, "RequestsPerSecond=2"):
            self.scope(lambda *request: sent.append(request), burst="1000")
        self.assertEqual(sent, [])


class PublicRoute(unittest.TestCase):
    def through(self, respond) -> str:
        with Server(respond) as server, mock.patch.object(throttling, "PUBLIC_RATE", 1000):
            verified = target(server)
            verified.first = {"ADMIN_KEY": "key"}
            return throttling.public_route(verified)

    def test_a_limit_of_its_own(self) -> None:
        limit = bucket(20, 1, by_route=True)
        said = self.through(lambda path, *rest: throttled(limit(path, *rest)) if path == throttling.PUBLIC else OKAY)
        self.assertRegex(said, "^2[0-9] of 80")

    def test_no_limit(self) -> None:
        with self.assertRaisesRegex(Broken, "none of 80"):
            self.through(lambda *_: OKAY)

    def test_a_limit_that_other_routes_share(self) -> None:
        limit = bucket(20, 0.01, by_route=False)
        with self.assertRaisesRegex(Broken, "another route meanwhile: 429"):
            self.through(lambda *asked: throttled(limit(*asked)))


OKAY = (200, "application/json", "{}")


def throttled(reply: tuple[int, str, str]) -> tuple[int, str, str]:
    return reply if reply[0] == 429 else OKAY


if __name__ == "__main__":
    unittest.main()

"""Tries the checks of a deployment against services that answer in the ways in which AWS may, where the emulator cannot."""

import json
import unittest
from unittest import mock

import boto3
from botocore.config import Config

from tools.stack.template import source
from tools.verify.aws import Aws
from tools.verify.report import Broken, Skipped
from tools.verify.subjects import deployment, uploads
from tools.verify.target import Target
from tools.verify.test_assumptions import Server, target

JSON = "application/json"
ROUTES = sorted(
    resource["Properties"]["RouteKey"] for resource in source()["Resources"].values() if resource["Type"] == "AWS::ApiGatewayV2::Route"
)
TOPIC, KEY = "arn:aws:sns:eu-west-1:123456789012:messaging-api-CarrierInbound-1", "arn:aws:kms:eu-west-1:123456789012:key/1"
CARRIER = {"Effect": "Allow", "Principal": {"Service": "sms-voice.amazonaws.com"}, "Action": ["kms:GenerateDataKey*", "kms:Decrypt"]}
ACCOUNT = {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "kms:*"}


class NoServer:
    url = "http://127.0.0.1:9"


NOWHERE = NoServer()


def deployed(server: Server, resources: list[tuple[str, str, str]] = (), **parameters: str) -> Target:
    """A target whose stack has these resources, as type, logical id and identifier."""
    client = lambda service: boto3.client(
        service,
        endpoint_url=server.url,
        region_name="eu-west-1",
        aws_access_key_id="a",
        aws_secret_access_key="s",
        config=Config(retries={"total_max_attempts": 1}),
    )
    aws = Aws(client, "messaging-api")
    aws.outputs = {"ApiId": "api", "TableName": "table"}
    aws.parameters = {"SmsCarrier": "none", "KmsKeyArn": "", "AccountConcurrency": "10", **parameters}
    aws.resources = [
        {"ResourceType": kind, "LogicalResourceId": name, "PhysicalResourceId": identifier} for kind, name, identifier in resources
    ]
    return target(server, aws)


class Routes(unittest.TestCase):
    def check(self, routes: list[str], status: str = "DEPLOYED", message: str = "Successfully deployed stage") -> str:
        def respond(path: str, *_: object) -> tuple[int, str, str]:
            if "/routes" in path:
                return 200, JSON, json.dumps({"items": [{"routeKey": key, "routeId": key} for key in routes]})
            if "/deployments/" in path:
                return 200, JSON, json.dumps({"deploymentId": "d", "deploymentStatus": status, "deploymentStatusMessage": "too many"})
            return 200, JSON, json.dumps({"autoDeploy": True, "deploymentId": "d", "lastDeploymentStatusMessage": message})

        with Server(respond) as server:
            return deployment.routes(deployed(server))

    def test_all_are_deployed(self) -> None:
        self.assertEqual(self.check(ROUTES), f"{len(ROUTES)} routes")

    def test_what_is_not(self) -> None:
        with self.assertRaisesRegex(Broken, "missing: .'GET /v1/health'"):
            self.check([key for key in ROUTES if key != "GET /v1/health"])
        with self.assertRaisesRegex(Broken, "too many"):
            self.check(ROUTES, status="FAILED")
        with self.assertRaisesRegex(Broken, "throttled"):
            self.check(ROUTES, message="Deployment attempt failed: throttled")


class Names(unittest.TestCase):
    def check(self, stack: str, *resources: tuple[str, str, str]) -> str:
        found = deployed(NOWHERE, list(resources))
        found.aws.stack = stack
        return deployment.names(found)

    def test_names_that_cloudformation_chooses(self) -> None:
        stack = "messaging-api-production-in-eu-central-1"
        said = self.check(
            stack,
            ("AWS::IAM::Role", "WorkerRole", f"{stack[:39]}-WorkerRole-1A2B3C4D5E6F"),
            ("AWS::Lambda::Function", "NotificationsFunction", f"{stack[:28]}-NotificationsFunction-1A2B3C4D5E6F"),
            ("AWS::SQS::Queue", "JobQueue", f"https://sqs.eu-west-1.amazonaws.com/123456789012/{stack}-JobQueue-1A2B3C4D5E6F"),
            ("AWS::S3::Bucket", "Bucket", f"{stack}-bucket-1a2b3c4d5e6f"),
            ("AWS::SSM::Parameter", "TableInUse", "CFN-TableInUse-1A2B3C4D5E6F"),
            ("AWS::SecretsManager::Secret", "PlatformSecret", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:PlatformSecret-1A2B-x"),
            ("AWS::Scheduler::Schedule", "Every", f"{stack[:25]}-SweepFunctionEveryMinute-1A2B3C4D5E6F"),
        )
        self.assertEqual(said, "7 names")

    def test_names_that_the_policies_do_not_cover(self) -> None:
        with self.assertRaisesRegex(Broken, "WorkerRole is messaging-ap-WorkerRole-1, not messaging-api"):
            self.check("messaging-api", ("AWS::IAM::Role", "WorkerRole", "messaging-ap-WorkerRole-1"))


class CarrierPath(unittest.TestCase):
    def check(self, *statements: dict, key: str = KEY, confirmed: str = "1", carrier: str = "aws") -> str:
        attributes = {"SubscriptionsConfirmed": confirmed, "SubscriptionsPending": "0", **({"KmsMasterKeyId": key} if key else {})}
        entries = "".join(f"<entry><key>{name}</key><value>{value}</value></entry>" for name, value in attributes.items())

        def respond(path: str, action: str, body: bytes) -> tuple[int, str, str]:
            if action == "TrentService.GetKeyPolicy":
                return 200, "application/x-amz-json-1.1", json.dumps({"Policy": json.dumps({"Statement": list(statements)})})
            answer = f"<GetTopicAttributesResult><Attributes>{entries}</Attributes></GetTopicAttributesResult>"
            return 200, "text/xml", f'<GetTopicAttributesResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">{answer}</GetTopicAttributesResponse>'

        with Server(respond) as server:
            return deployment.carrier(deployed(server, [("AWS::SNS::Topic", "CarrierInbound", TOPIC)], SmsCarrier=carrier))

    def test_a_key_that_the_carrier_may_use(self) -> None:
        self.assertEqual(self.check(ACCOUNT, CARRIER), "aws")

    def test_a_key_that_it_may_not_use(self) -> None:
        for statements, key in (((ACCOUNT,), KEY), ((ACCOUNT, {**CARRIER, "Effect": "Deny"}), KEY), ((), "alias/aws/sns"), ((), "")):
            with self.subTest(key), self.assertRaisesRegex(Broken, "may not use the key"):
                self.check(*statements, key=key)

    def test_without_a_carrier_any_key_will_do(self) -> None:
        self.assertEqual(self.check(key="alias/aws/sns", carrier="none"), "none")

    def test_a_subscription_that_is_gone(self) -> None:
        with self.assertRaisesRegex(Broken, "0 subscriptions"):
            self.check(CARRIER, confirmed="0")


class Concurrency(unittest.TestCase):
    def quota(self, quota: int) -> str:
        limit = {"ConcurrentExecutions": quota, "UnreservedConcurrentExecutions": quota}
        with Server(lambda *_: (200, JSON, json.dumps({"AccountLimit": limit}))) as server:
            return deployment.concurrency(deployed(server, AccountConcurrency="50"))

    def test_a_quota_that_is_enough_and_one_that_is_not(self) -> None:
        self.assertIn("the account has 1000", self.quota(1000))
        with self.assertRaisesRegex(Broken, "AccountConcurrency is 50; the account has 10"):
            self.quota(10)


class Shards(unittest.TestCase):
    def shards(self, open_ones: int, concurrency: str) -> str:
        ended = {"ShardId": "old", "SequenceNumberRange": {"StartingSequenceNumber": "1", "EndingSequenceNumber": "2"}}
        ready = [{"ShardId": str(n), "SequenceNumberRange": {"StartingSequenceNumber": "1"}} for n in range(open_ones)]

        def respond(path: str, action: str, body: bytes) -> tuple[int, str, str]:
            answer = {"Table": {"LatestStreamArn": "arn:aws:dynamodb:eu-west-1:1:table/t/stream/2026"}}
            if action.endswith("DescribeStream"):
                answer = {"StreamDescription": {"Shards": [ended, *ready]}}
            return 200, "application/x-amz-json-1.0", json.dumps(answer)

        with Server(respond) as server:
            return deployment.shards(deployed(server, AccountConcurrency=concurrency))

    def test_as_many_as_were_calculated(self) -> None:
        self.assertEqual((self.shards(4, "10"), self.shards(9, "1000")), ("4 open", "9 open"))

    def test_more_than_the_smallest_account_has_room_for(self) -> None:
        with self.assertRaisesRegex(Broken, "5 open shards, calculated for 4"):
            self.shards(5, "10")


class Loops(unittest.TestCase):
    def check(self, answer: str) -> str:
        with Server(lambda *_: (200, JSON, json.dumps({"RecursiveLoop": answer}))) as server:
            return deployment.loops(deployed(server, [("AWS::Lambda::Function", "WorkerFunction", "w"), ("AWS::Lambda::Function", "AppsFunction", "a")]))

    def test_loops(self) -> None:
        self.assertEqual(self.check("Allow"), "WorkerFunction")
        with self.assertRaisesRegex(Broken, "WorkerFunction: Terminate"):
            self.check("Terminate")


class Origins(unittest.TestCase):
    def check(self, allows) -> str:
        with CorsServer(allows) as server:
            verified = target(server)
            verified.first = mock.MagicMock()
            verified.first.call.return_value = {"uploadUrl": f"{server.url}/incoming/x"}
            return uploads.origins(verified)

    def test_only_the_installations_own(self) -> None:
        self.assertIn("http://127.0.0.1", self.check(lambda origin: "127.0.0.1" in origin))
        for allows in (lambda _: True, lambda _: False):
            with self.assertRaisesRegex(Broken, "Access-Control-Allow-Origin for"):
                self.check(allows)


class CorsServer(Server):
    """A bucket that answers preflights."""

    def __init__(self, allows):
        super().__init__(lambda *_: (403, "text/xml", ""))

        def preflight(handler) -> None:
            origin = handler.headers["Origin"]
            handler.send_response(200 if allows(origin) else 403)
            if allows(origin):
                handler.send_header("Access-Control-Allow-Origin", origin)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        self.server.RequestHandlerClass.do_OPTIONS = preflight


class Stackless(unittest.TestCase):
    def test_without_credentials_it_is_skipped(self) -> None:
        with self.assertRaises(Skipped):
            deployment.routes(target(NoServer()))


if __name__ == "__main__":
    unittest.main()

"""Compares infra/deployer-policy.json with the actions that CloudFormation calls for the resources of the translated template,
which the schema of each resource type lists, and infra/permissions-boundary.json with the stack's roles."""

import json
import unittest
from collections.abc import Iterator
from fnmatch import fnmatchcase

from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from tools.ci.privileges import listed
from tools.stack.project import REGION, ROOT
from tools.stack.template import Evaluation, translated, complete

TEMPLATE = translated()
# IAM counts a managed policy's characters without white space.
LARGEST_POLICY = 6144

# Actions, by pattern, that CloudFormation calls only for features that the template does not use.
NOT_NEEDED = {
    "apigateway:*CertificateTo*": "mutual TLS",
    "apigateway:*CertificateFrom*": "mutual TLS",
    "dynamodb:*Replica": "global tables",
    "dynamodb:*Item": "imports of data",
    "dynamodb:Query": "imports of data",
    "dynamodb:Scan": "imports of data",
    "dynamodb:ImportTable": "imports of data",
    "dynamodb:*ableKinesisStreamingDestination": "streams to Kinesis",
    "dynamodb:UpdateKinesisStreamingDestination": "streams to Kinesis",
    "dynamodb:UpdateContributorInsights": "contributor insights",
    "dynamodb:PutResourcePolicy": "resource policies of tables",
    "dynamodb:DeleteResourcePolicy": "resource policies of tables",
    "ec2:*": "functions in a VPC",
    "elasticfilesystem:*": "file systems",
    "s3files:*": "file systems",
    "s3tables:*": "metadata tables",
    "firehose:*": "log delivery to Firehose",
    "kinesis:*": "streams to Kinesis",
    "kms:*": "keys of the customer; keys that AWS manages admit everyone in the account by their own policy",
    "iam:AttachRolePolicy": "managed policies",
    "iam:DetachRolePolicy": "managed policies",
    "lambda:AssociateRuntimeAlias": "runtime aliases",
    "lambda:PassCapacityProvider": "capacity providers",
    "lambda:PublishVersion": "versions",
    "lambda:PutFunctionCodeSigningConfig": "code signing",
    "lambda:PutFunctionScalingConfig": "capacity providers",
    "lambda:PutRuntimeManagementConfig": "pinned runtimes",
    "sms-voice:*ProtectConfiguration": "protect configurations",
    "sms-voice:*DefaultSenderId": "sender ids",
    "sms-voice:*DefaultMessageFeedbackEnabled": "feedback on messages",
    "sns:PutDataProtectionPolicy": "data protection",
    "logs:*KmsKey": "keys of the customer",
    "logs:CreateLogStream": "imports of data",
    "logs:DescribeLogStreams": "imports of data",
    "logs:PutLogEvents": "imports of data",
    "logs:DeleteDataProtectionPolicy": "data protection",
    "logs:PutDataProtectionPolicy": "data protection",
    "logs:DeleteIndexPolicy": "field indexes",
    "logs:PutIndexPolicy": "field indexes",
    "logs:DeleteResourcePolicy": "resource policies of log groups",
    "logs:PutBearerTokenAuthentication": "bearer tokens",
    "logs:PutLogGroupDeletionProtection": "protected log groups",
    "s3:CreateBucketMetadataTableConfiguration": "metadata tables",
    "s3:UpdateBucketMetadata*": "metadata tables",
    "s3:PutAccelerateConfiguration": "transfer acceleration",
    "s3:PutAnalyticsConfiguration": "analytics",
    "s3:PutIntelligentTieringConfiguration": "tiering",
    "s3:PutInventoryConfiguration": "inventories",
    "s3:PutMetricsConfiguration": "request metrics",
    "s3:PutObjectAcl": "access control lists",
    "s3:PutObjectLockConfiguration": "object lock",
    "s3:PutReplicationConfiguration": "replication",
    "s3:REST.PUT.OBJECT": "log delivery",
    "s3:getObject": "APIs that are imported from S3",
    "secretsmanager:*Replicat*": "replicated secrets",
    "secretsmanager:GetSecretValue": "drift detection of a secret's value",
}

# Other actions that the policy allows, by pattern, each with its caller.
BESIDES = {
    "cloudformation:*": "sam deploy, make restore, make undeploy",
    "iam:CreateServiceLinkedRole": "API Gateway, for an account's first domain name",
    "lambda:InvokeFunction": "make organization",
    "lambda:ListEventSourceMappings": "an operator who looks for a mapping",
    "logs:*LogDelivery": "API Gateway, on behalf of whoever switches on its access log",
    "logs:ListLogDeliveries": "API Gateway, on behalf of whoever switches on its access log",
    "logs:*MetricFilter*": "metric filters of the access log",
    "s3:AbortMultipartUpload": "sam deploy, make undeploy PURGE=yes",
    "s3:PutObject": "sam deploy uploads the functions",
    "secretsmanager:ListSecrets": "make undeploy",
}


def actions(policy: dict) -> set[str]:
    return {action for statement in policy["Statement"] for action in listed(statement["Action"])}


def covers(patterns: Iterator[str], action: str) -> bool:
    return any(fnmatchcase(action, pattern) for pattern in patterns)


def called() -> dict[str, set[str]]:
    """Returns the actions that CloudFormation calls to create, read, update and delete the template's resources, each with
    the resource types that need it."""
    found: dict[str, set[str]] = {}
    for kind in {resource["Type"] for resource in TEMPLATE["Resources"].values()}:
        handlers = PROVIDER_SCHEMA_MANAGER.get_resource_schema(REGION, kind).schema["handlers"]
        for name, handler in handlers.items():
            for action in handler["permissions"] if name != "list" else ():
                found.setdefault(action, set()).add(kind)
    return found


class DeployerPolicy(unittest.TestCase):
    def setUp(self):
        self.policy = json.loads((ROOT / "infra" / "deployer-policy.json").read_text())
        self.allowed = actions(self.policy)
        self.called = called()

    def test_what_cloudformation_calls_is_allowed(self):
        missing = {
            action: kinds
            for action, kinds in self.called.items()
            if not covers(self.allowed, action) and not covers(NOT_NEEDED, action)
        }
        self.assertEqual(missing, {})

    def test_what_is_allowed_is_called(self):
        unused = [
            action
            for action in sorted(self.allowed)
            if not any(fnmatchcase(known, action) for known in self.called) and not covers(BESIDES, action)
        ]
        self.assertEqual(unused, [])

    def test_the_lists_have_no_leftovers(self):
        self.assertEqual([pattern for pattern in NOT_NEEDED if not any(fnmatchcase(a, pattern) for a in self.called)], [])
        self.assertEqual([pattern for pattern in BESIDES if not any(fnmatchcase(a, pattern) for a in self.allowed)], [])

    def test_roles_are_created_and_passed_under_the_stacks_name_only(self):
        for statement in self.policy["Statement"]:
            if any(action.startswith("iam:") for action in listed(statement["Action"])):
                for resource in listed(statement["Resource"]):
                    self.assertRegex(resource, r":role/(messaging-api\*|aws-service-role/ops\.apigateway\.)")

    def test_what_has_no_resource_yet_is_allowed_on_all(self):
        # The service authorization reference lists no resource type for these actions, so a pattern of ARNs never applies.
        for action in ("sms-voice:CreateConfigurationSet",):
            allowed = [statement for statement in self.policy["Statement"] if covers(actions({"Statement": [statement]}), action)]
            self.assertTrue(any(statement["Effect"] == "Allow" and statement["Resource"] == "*" for statement in allowed), action)

    def test_iam_accepts_its_size(self):
        for name in ("deployer-policy.json", "permissions-boundary.json"):
            policy = json.loads((ROOT / "infra" / name).read_text())
            self.assertLessEqual(len(json.dumps(policy, separators=(",", ":"))), LARGEST_POLICY)


class Boundary(unittest.TestCase):
    def test_the_boundary_admits_exactly_what_the_roles_allow(self):
        boundary = json.loads((ROOT / "infra" / "permissions-boundary.json").read_text())
        resources = complete()["Resources"].values()
        roles = [resource["Properties"] for resource in resources if resource["Type"] == "AWS::IAM::Role"]
        used = {action for role in roles for policy in role["Policies"] for action in actions(policy["PolicyDocument"])}
        self.assertEqual(actions(boundary), used)


class Money(unittest.TestCase):
    """Numbers are bought and given up by a person, never by this software."""

    BY_A_PERSON = ("sms-voice:RequestPhoneNumber", "sms-voice:ReleasePhoneNumber")

    def test_no_role_no_boundary_and_no_deployer_may_buy_a_number_or_give_one_up(self):
        resources = complete()["Resources"].values()
        roles = [resource["Properties"] for resource in resources if resource["Type"] == "AWS::IAM::Role"]
        policies = [policy["PolicyDocument"] for role in roles for policy in role["Policies"]]
        self.assertTrue(any(covers(actions(policy), "sms-voice:SendTextMessage") for policy in policies))
        policies += [json.loads((ROOT / "infra" / f"{name}.json").read_text()) for name in ("permissions-boundary", "deployer-policy")]
        for policy in policies:
            allows = [statement for statement in policy["Statement"] if statement["Effect"] == "Allow"]
            self.assertFalse(any("NotAction" in statement for statement in allows))
            for action in self.BY_A_PERSON:
                self.assertFalse(covers(actions({"Statement": allows}), action), policy)
        for role in roles:
            self.assertNotIn("ManagedPolicyArns", role)

    def test_a_stack_without_a_carrier_may_send_nothing(self):
        template = translated()
        self.assertEqual(template["Parameters"]["SmsCarrier"]["Default"], "none")
        resources = Evaluation(template).resources()
        self.assertNotIn("sms-voice:Send", json.dumps(resources))
        self.assertNotIn("AWS::SMSVOICE::ConfigurationSet", {resource["Type"] for resource in resources.values()})
        kinds = {resource["Type"] for resource in complete()["Resources"].values()}
        self.assertIn("AWS::SMSVOICE::ConfigurationSet", kinds)


if __name__ == "__main__":
    unittest.main()

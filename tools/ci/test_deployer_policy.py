"""Compares the deployer's policies in infra with the actions that CloudFormation calls for the resources of the translated
template, which the schema of each resource type lists, and infra/permissions-boundary.json with the stack's roles."""

import json
import unittest
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import cfnlint
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from tools.ci.privileges import listed
from tools.operate.policies import BOUNDARY, DEPLOYER, LARGEST_POLICY, LONGEST_STACK_NAME, prefix, render, size
from tools.stack.project import REGION, ROOT
from tools.stack.template import Evaluation, translated, complete

TEMPLATE = translated()
# A stack's name of the greatest length, and the longest ARNs of a boundary and a key.
NAME = "messaging-api-production-in-eu-central-1"
BOUNDARY_ARN = f"arn:aws-us-gov:iam::123456789012:policy/{NAME}-permissions-boundary"
KEY_ARN = "arn:aws-us-gov:kms:us-gov-east-1:123456789012:key/mrk-1234567890abcdef1234567890abcdef"
# Actions that the service authorization reference lists without a resource type, or did until lately: then a pattern of ARNs
# never applies.
ON_ALL = (
    "sms-voice:CreateConfigurationSet",
    "sns:GetSubscriptionAttributes",
    "sns:ListSubscriptions",
    "sns:ListTopics",
    "sns:SetSubscriptionAttributes",
    "sns:Unsubscribe",
    "logs:DescribeIndexPolicies",
)

# Actions, by pattern, that CloudFormation calls only for features that the template does not use.
NOT_NEEDED = {
    "apigateway:*agResource": "no actions of IAM, which knows tags as PUT and DELETE of /tags",
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
    "iam:*UserPolicy": "policies of users",
    "iam:*GroupPolicy": "policies of groups",
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
    "sns:ListSubscriptions": "an operator who looks for a subscription",
    "sns:ListTopics": "an operator who looks for a topic",
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


def deployer(**options: str) -> list[dict]:
    """The policies for whoever deploys a stack, as `make policies` writes them."""
    return [render(name, **{"stack": "messaging-api", **options}) for name in DEPLOYER]


def statements(policies: list[dict]) -> list[dict]:
    return [statement for policy in policies for statement in policy["Statement"]]


class DeployerPolicy(unittest.TestCase):
    def setUp(self):
        self.statements = statements(deployer(key=KEY_ARN))
        self.allowed = actions({"Statement": self.statements})
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
        for statement in self.statements:
            if any(action.startswith("iam:") for action in listed(statement["Action"])):
                for resource in listed(statement["Resource"]):
                    self.assertRegex(resource, r":role/(messaging-api\*|aws-service-role/ops\.apigateway\.)")

    def test_what_has_no_resource_is_allowed_on_all(self):
        data = json.loads((Path(cfnlint.__file__).parent / "data" / "AdditionalSpecs" / "Policies.json").read_text())
        without = {
            f"{service}:{action}" for service, found in data.items() if "Actions" in found
            for action, entry in found["Actions"].items() if not entry.get("Resources")
        }
        self.assertIn("sns:listtopics", without)
        for action in {*ON_ALL, *(action for action in self.called if action.lower() in without and not covers(NOT_NEEDED, action))}:
            allowed = [statement for statement in self.statements if covers(actions({"Statement": [statement]}), action)]
            self.assertTrue(any(statement["Effect"] == "Allow" and statement["Resource"] == "*" for statement in allowed), action)

    def test_keys_are_managed_only_if_they_are_the_stacks_own(self):
        for statement in self.statements:
            keys = [action for action in listed(statement["Action"]) if action.startswith("kms:") and action != "kms:ListAliases"]
            if keys and statement["Resource"] != KEY_ARN:
                self.assertIn("Condition", statement, statement["Sid"])
        tag = TEMPLATE["Resources"]["CarrierKey"]["Properties"]["Tags"]
        self.assertEqual(tag, [{"Key": "messaging-api-stack", "Value": {"Ref": "AWS::StackName"}}])


class Rendered(unittest.TestCase):
    """The policies as `make policies` writes them, with and without a boundary, for short and long names."""

    FORMS = [{"boundary": boundary, "key": key} for boundary in ("", BOUNDARY_ARN) for key in ("", KEY_ARN)]

    def test_iam_accepts_their_size(self):
        self.assertEqual(len(NAME), LONGEST_STACK_NAME)
        for form in self.FORMS:
            for name in (*DEPLOYER, BOUNDARY):
                with self.subTest(name, **form):
                    policy = render(name, NAME, "aws-us-gov", **form)
                    self.assertLessEqual(size(policy), LARGEST_POLICY)
                    # The stack of another installation is not covered.
                    self.assertNotIn('messaging-api*"', json.dumps(policy))
                    self.assertNotIn('"arn:aws:', json.dumps(policy))

    def test_a_boundary_binds_every_change_of_a_role(self):
        bounded = statements(deployer(boundary=BOUNDARY_ARN))
        for action in ("iam:CreateRole", "iam:PutRolePolicy", "iam:PutRolePermissionsBoundary"):
            [statement] = [found for found in bounded if action in listed(found["Action"])]
            self.assertEqual(statement["Condition"], {"StringEquals": {"iam:PermissionsBoundary": BOUNDARY_ARN}})
        self.assertNotIn("iam:DeleteRolePermissionsBoundary", actions({"Statement": bounded}))
        without = actions({"Statement": statements(deployer())})
        self.assertEqual(without - actions({"Statement": bounded}), {"iam:DeleteRolePermissionsBoundary"})

    def test_the_names_that_cloudformation_shortens_are_covered(self):
        # The name of a role, a function, a schedule and a configuration set has 64 characters at most: 25 for the stack if the
        # logical id has 25 too, and 12 for the suffix, with two hyphens.
        role = f"{NAME[:25]}-{'NotificationsFunctionOther'[:25]}-1A2B3C4D5E6F"
        self.assertLessEqual(len(role), 64)
        for service, kind in (("iam", "role/"), ("lambda", "function:"), ("scheduler", "schedule/default/"), ("sms-voice", "configuration-set/")):
            found = statements(deployer(stack=NAME))
            patterns = [pattern for statement in found for pattern in listed(statement["Resource"]) if pattern.split(":")[2:3] == [service]]
            arn = f"arn:aws:{service}:{'' if service == 'iam' else 'eu-central-1'}:123456789012:{kind}{role}"
            self.assertTrue(any(fnmatchcase(arn, pattern) for pattern in patterns), (arn, patterns))
        # What other resources' names leave for the stack's: 63 of a bucket, 80 of a queue.
        for kind, most in (("AWS::S3::Bucket", 63), ("AWS::SQS::Queue", 80)):
            longest = max(len(name) for name, resource in TEMPLATE["Resources"].items() if resource["Type"] == kind)
            self.assertGreaterEqual(most - 14 - longest, LONGEST_STACK_NAME, kind)

    def test_buckets_have_names_in_lower_case(self):
        self.assertEqual(prefix("s3", "Messaging-API"), "messaging-api")
        self.assertIn("arn:aws:s3:::messaging-api*", json.dumps(deployer(stack="Messaging-API")))
        self.assertIn("arn:aws:sqs:*:*:Messaging-API*", json.dumps(deployer(stack="Messaging-API")))


class Boundary(unittest.TestCase):
    def test_the_boundary_admits_exactly_what_the_roles_allow(self):
        boundary = json.loads((ROOT / "infra" / "permissions-boundary.json").read_text())
        resources = complete()["Resources"].values()
        roles = [resource["Properties"] for resource in resources if resource["Type"] == "AWS::IAM::Role"]
        used = {action for role in roles for policy in role["Policies"] for action in actions(policy["PolicyDocument"])}
        used |= actions(complete()["Resources"]["KeyPolicy"]["Properties"]["PolicyDocument"])
        self.assertEqual(actions(boundary), used)


class Money(unittest.TestCase):
    """Numbers are bought and given up by a person, never by this software."""

    BY_A_PERSON = ("sms-voice:RequestPhoneNumber", "sms-voice:ReleasePhoneNumber")

    def test_no_role_no_boundary_and_no_deployer_may_buy_a_number_or_give_one_up(self):
        resources = complete()["Resources"].values()
        roles = [resource["Properties"] for resource in resources if resource["Type"] == "AWS::IAM::Role"]
        policies = [policy["PolicyDocument"] for role in roles for policy in role["Policies"]]
        self.assertTrue(any(covers(actions(policy), "sms-voice:SendTextMessage") for policy in policies))
        policies += [render(name, "messaging-api") for name in (BOUNDARY, *DEPLOYER)]
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

"""`make policies`: writes the IAM policies of one stack to .deploy: two for whoever deploys it, and the boundary of its roles.

Usage: python -m tools.operate.policies

Variables, from the environment or as `make policies NAME=value`: STACK, REGION (for its partition), BOUNDARY (the ARN of the
boundary, once it exists) and KEY (the ARN of the stack's KmsKeyArn). Calls nothing of AWS.
"""

import copy
import json
import os
import re
import sys

import boto3

from tools.operate.deploy import stack_name
from tools.operate.steps import Refused
from tools.stack.project import ROOT, say, shown

# The files in infra, for stacks whose names begin with this, in the partition `aws`.
PATTERN, PARTITION = "messaging-api*", "arn:aws:"
DEPLOYER, BOUNDARY = ("deployer-policy-data", "deployer-policy-code"), "permissions-boundary"
# IAM counts the characters of a managed policy without white space.
LARGEST_POLICY = 6144
LONGEST_STACK_NAME = 40
# CloudFormation names resources `<stack>-<logical id>-<suffix>`. Where 64 characters are not enough, it gives half of the 50
# that the suffix leaves to each of the other two, as its open source does (cloudformation-cli-java-plugin, IdentifierUtils).
SHORT, LEFT_OF_SHORT = ("iam", "lambda", "scheduler", "sms-voice"), 25

ROLE_CHANGES = ("iam:CreateRole", "iam:PutRolePermissionsBoundary", "iam:PutRolePolicy")
# What DynamoDB, SQS and Lambda do with a customer's key on behalf of whoever creates what it encrypts.
KEY_ACTIONS = ["kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:RevokeGrant"]


def prefix(service: str, stack: str) -> str:
    """Returns with what the names of a stack's resources begin in a service."""
    if service in SHORT:
        return stack[:LEFT_OF_SHORT]
    return stack.lower() if service == "s3" else stack


def resource(pattern: str, stack: str, partition: str) -> str:
    service = pattern.split(":")[2] if pattern.startswith("arn:") else ""
    own = pattern.replace(PATTERN, f"{prefix(service, stack)}*")
    return re.sub(f"^{PARTITION}", f"arn:{partition}:", own)


def changed(node: object, stack: str, partition: str) -> object:
    match node:
        case dict():
            return {key: changed(value, stack, partition) for key, value in node.items()}
        case list():
            return [changed(value, stack, partition) for value in node]
        case str():
            return resource(node, stack, partition)
    return node


def render(name: str, stack: str, partition: str = "aws", boundary: str = "", key: str = "") -> dict:
    """Returns a policy of infra for a stack. With a boundary, whoever deploys can give roles only what it admits; with a key,
    they can encrypt with it."""
    policy = changed(json.loads((ROOT / "infra" / f"{name}.json").read_text()), stack, partition)
    statements = policy["Statement"]
    for statement in [found for found in statements if found["Sid"] == "Roles"] if boundary else ():
        statement["Action"] = [each for each in statement["Action"] if each not in (*ROLE_CHANGES, "iam:DeleteRolePermissionsBoundary")]
        bounded = copy.deepcopy(statement) | {"Sid": "BoundedRoles", "Action": list(ROLE_CHANGES)}
        statements.append(bounded | {"Condition": {"StringEquals": {"iam:PermissionsBoundary": boundary}}})
    if key and name == BOUNDARY:
        next(found for found in statements if found["Sid"] == "TheKey")["Resource"] = key
    elif key and name == DEPLOYER[0]:
        statements.append({"Sid": "GivenKey", "Effect": "Allow", "Action": KEY_ACTIONS, "Resource": key})
    return policy


def size(policy: dict) -> int:
    return len(json.dumps(policy, separators=(",", ":")))


def partition_of(region: str) -> str:
    return boto3.Session().get_partition_for_region(region) if region else "aws"


def main() -> None:
    value = lambda name: os.environ.get(name, "").strip()
    try:
        stack = stack_name()
        if len(stack) > LONGEST_STACK_NAME:
            raise Refused(f"STACK={stack} has {len(stack)} characters. The policies have room for {LONGEST_STACK_NAME}.")
        folder, partition = ROOT / ".deploy", partition_of(value("REGION"))
        folder.mkdir(exist_ok=True)
        for name in (*DEPLOYER, BOUNDARY):
            policy = render(name, stack, partition, value("BOUNDARY"), value("KEY"))
            path = folder / f"{stack}.{name}.json"
            path.write_text(json.dumps(policy, indent=2) + "\n")
            say(f"{shown(path)}: {size(policy):,} of {LARGEST_POLICY:,} characters")
    except Refused as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

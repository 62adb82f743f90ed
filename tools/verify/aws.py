"""The stack behind the API, as AWS shows it to its operator."""

import json
from collections.abc import Callable, Iterator
from functools import cached_property

from botocore.exceptions import BotoCoreError, ClientError

from tools.verify.report import Skipped

# The shortest lifetime of temporary credentials that STS accepts.
SESSION_SECONDS = 900


class Aws:
    """Reads the stack. `client` makes a client for a service, in the stack's account and region, with optional credentials."""

    def __init__(self, client: Callable, stack: str):
        self.client = client
        self.stack = stack

    @cached_property
    def described(self) -> dict:
        return self.client("cloudformation").describe_stacks(StackName=self.stack)["Stacks"][0]

    @cached_property
    def outputs(self) -> dict[str, str]:
        return {output["OutputKey"]: output["OutputValue"] for output in self.described.get("Outputs", [])}

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The stack's parameters; the values of secret ones are hidden."""
        return {entry["ParameterKey"]: entry.get("ParameterValue", "") for entry in self.described.get("Parameters", [])}

    @cached_property
    def resources(self) -> list[dict]:
        pages = self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=self.stack)
        return [resource for page in pages for resource in page["StackResourceSummaries"]]

    def physical(self, kind: str) -> dict[str, str]:
        """The names of the stack's resources of a type, by their logical ids."""
        return {
            resource["LogicalResourceId"]: resource["PhysicalResourceId"]
            for resource in self.resources
            if resource["ResourceType"] == kind and resource.get("PhysicalResourceId")
        }

    def throttle(self) -> tuple[float, int]:
        """The rate and burst of the stage."""
        settings = self.client("apigatewayv2").get_stage(ApiId=self.outputs["ApiId"], StageName="$default")["DefaultRouteSettings"]
        return float(settings["ThrottlingRateLimit"]), int(settings["ThrottlingBurstLimit"])

    def log_lines(self, group: str, since: float, pattern: str) -> Iterator[str]:
        """The lines of a log group since a time in seconds."""
        pages = self.client("logs").get_paginator("filter_log_events").paginate(
            logGroupName=group, startTime=int(since * 1000), filterPattern=pattern
        )
        for page in pages:
            for event in page["events"]:
                yield event["message"]

    def restricted_table(self, leading_keys: str, role: str) -> tuple[object, str]:
        """A DynamoDB client that may only write items of one class, and the table's name."""
        table = self.outputs["TableName"]
        arn = self.client("dynamodb").describe_table(TableName=table)["Table"]["TableArn"]
        statement = {
            "Effect": "Allow",
            "Action": ["dynamodb:PutItem", "dynamodb:ConditionCheckItem"],
            "Resource": arn,
            "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [leading_keys]}},
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        sts = self.client("sts")
        try:
            if role:
                made = sts.assume_role(RoleArn=role, RoleSessionName="verify", Policy=policy, DurationSeconds=SESSION_SECONDS)
            else:
                made = sts.get_federation_token(Name="verify", Policy=policy, DurationSeconds=SESSION_SECONDS)
        except (ClientError, BotoCoreError) as error:
            raise Skipped(
                f"No restricted credentials: {error}. An IAM user may get them; with a role's credentials, set VERIFY_ROLE_ARN to a role "
                "that they may assume and that may write the table (docs/first-deployment.md)."
            ) from error
        keys = made["Credentials"]
        return self.client(
            "dynamodb",
            aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"],
            aws_session_token=keys["SessionToken"],
        ), table

"""An installation as a whole: its stack, and the resources that remain when the stack is deleted."""

import os
from dataclasses import dataclass, field

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from tools.operate.steps import Refused, wait_until
from tools.stack.project import say

# How long CloudFormation may take to delete a stack.
DELETION_SECONDS = 3600
# The states of a stack whose creation failed.
FAILED_CREATIONS = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
# S3 deletes this many objects in one request.
OBJECTS = 1000


def session() -> tuple[boto3.Session, str]:
    """Returns a session in the chosen region, and the account of its credentials."""
    found = boto3.Session(region_name=os.environ.get("REGION", "").strip() or None)
    if found.region_name is None:
        raise Refused("There is no region. Add REGION=eu-central-1 to the command, or set AWS_DEFAULT_REGION.")
    try:
        return found, found.client("sts").get_caller_identity()["Account"]
    except (BotoCoreError, ClientError) as error:
        raise Refused(f"Your environment has no valid AWS credentials: {error}") from error


@dataclass
class Kept:
    """The resources that a deletion of the stack keeps, by name."""

    tables: list[str] = field(default_factory=list)
    buckets: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        parts = (("table", self.tables), ("bucket", self.buckets), ("secret", self.secrets))
        return [f"   {kind} {name}" for kind, names in parts for name in names]


class Installation:
    def __init__(self, aws: boto3.Session, stack: str):
        self.stack = stack
        self.cloudformation, self.dynamodb = aws.client("cloudformation"), aws.client("dynamodb")
        self.s3, self.secrets = aws.client("s3"), aws.client("secretsmanager")

    def live(self) -> dict | None:
        """Returns the stack, or `None` if there is none of this name."""
        try:
            return self.cloudformation.describe_stacks(StackName=self.stack)["Stacks"][0]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise

    def generations(self) -> list[str]:
        """Returns the ids of the stacks of this name: the live one, and those deleted within the last 90 days."""
        pages = self.cloudformation.get_paginator("list_stacks").paginate()
        return [entry["StackId"] for page in pages for entry in page["StackSummaries"] if entry["StackName"] == self.stack]

    def resources(self, stack_ids: list[str]) -> Kept:
        """Returns the resources of these stacks that hold data, including those that no longer exist."""
        found = Kept()
        lists = {
            "AWS::DynamoDB::Table": found.tables,
            "AWS::S3::Bucket": found.buckets,
            "AWS::SecretsManager::Secret": found.secrets,
        }
        for stack_id in stack_ids:
            for resource in [*self.listed(stack_id), *self.skipped(stack_id)]:
                if resource["ResourceType"] in lists and resource.get("PhysicalResourceId"):
                    lists[resource["ResourceType"]].append(resource["PhysicalResourceId"])
        return found

    def listed(self, stack_id: str) -> list[dict]:
        """Returns the resources of a stack."""
        pages = self.cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack_id)
        return [resource for page in pages for resource in page["StackResourceSummaries"]]

    def skipped(self, stack_id: str) -> list[dict]:
        """Returns the resources that the stack left behind when it was deleted or replaced them."""
        pages = self.cloudformation.get_paginator("describe_stack_events").paginate(StackName=stack_id)
        events = [event for page in pages for event in page["StackEvents"]]
        return [event for event in events if event.get("ResourceStatus") == "DELETE_SKIPPED"]

    def kept(self, live: dict | None) -> Kept:
        """Returns the existing resources that hold data, of the stack and of deleted stacks of its name."""
        found = self.resources(self.generations())
        outputs = {output["OutputKey"]: output["OutputValue"] for output in (live or {}).get("Outputs", [])}
        if "TableName" in outputs:
            # A restored table that the stack uses is not a resource of the stack.
            found.tables.append(outputs["TableName"])
        pages = self.secrets.get_paginator("list_secrets").paginate(
            Filters=[{"Key": "name", "Values": [f"{self.stack}/profiles/"]}]
        )
        found.secrets += [entry["ARN"] for page in pages for entry in page["SecretList"]]
        return self.existing(found)

    def existing(self, found: Kept) -> Kept:
        found.tables = [name for name in dict.fromkeys(found.tables) if self.has_table(name)]
        found.buckets = [name for name in dict.fromkeys(found.buckets) if self.has_bucket(name)]
        found.secrets = [name for name in dict.fromkeys(found.secrets) if self.has_secret(name)]
        return found

    def has_table(self, name: str) -> bool:
        try:
            self.dynamodb.describe_table(TableName=name)
        except self.dynamodb.exceptions.ResourceNotFoundException:
            return False
        return True

    def has_bucket(self, name: str) -> bool:
        try:
            self.s3.head_bucket(Bucket=name)
        except ClientError as error:
            if error.response["Error"]["Code"] in ("404", "NoSuchBucket"):
                return False
            raise
        return True

    def has_secret(self, name: str) -> bool:
        try:
            return "DeletedDate" not in self.secrets.describe_secret(SecretId=name)
        except self.secrets.exceptions.ResourceNotFoundException:
            return False

    def delete(self, stack_id: str) -> None:
        self.cloudformation.delete_stack(StackName=stack_id)
        status = lambda: self.cloudformation.describe_stacks(StackName=stack_id)["Stacks"][0]["StackStatus"]
        wait_until(f"the deletion of {self.stack}", DELETION_SECONDS, lambda: status() in ("DELETE_COMPLETE", "DELETE_FAILED"))
        if status() == "DELETE_FAILED":
            raise Refused(f"Stack {self.stack} could not be deleted; see its events. Run this again when the cause is fixed.")

    def clear_failed_creation(self) -> None:
        """Removes what is left of a first deployment that failed. CloudFormation can only delete such a stack, and its
        rollback cannot delete the table, which is protected from the start. The table is empty, because the stack never ran."""
        live = self.live()
        if live is None or live["StackStatus"] not in FAILED_CREATIONS:
            return
        say(f"The creation of {self.stack} failed before ({live['StackStatus']}). Removing what is left of it:")
        left = self.existing(self.resources([live["StackId"]]))
        self.delete(live["StackId"])
        self.purge(self.existing(left))

    def purge(self, kept: Kept) -> None:
        for name in kept.tables:
            say(f"   deletes table {name}")
            self.dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
            wait_until(f"table {name}", 600, lambda name=name: self.is_active(name))
            self.dynamodb.delete_table(TableName=name)
        for name in kept.buckets:
            say(f"   empties and deletes bucket {name}")
            self.empty(name)
            self.s3.delete_bucket(Bucket=name)
        for name in kept.secrets:
            say(f"   deletes secret {name}")
            self.secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)

    def is_active(self, table: str) -> bool:
        return self.dynamodb.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE"

    def empty(self, bucket: str) -> None:
        """Deletes all objects with all their versions, and aborts unfinished uploads."""
        for page in self.s3.get_paginator("list_object_versions").paginate(Bucket=bucket, PaginationConfig={"PageSize": OBJECTS}):
            found = page.get("Versions", []) + page.get("DeleteMarkers", [])
            objects = [{"Key": entry["Key"], "VersionId": entry["VersionId"]} for entry in found]
            if objects:
                answer = self.s3.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})
                if answer.get("Errors"):
                    raise Refused(f"Bucket {bucket} could not be emptied: {answer['Errors'][0]}")
        for page in self.s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket):
            for upload in page.get("Uploads", []):
                self.s3.abort_multipart_upload(Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])

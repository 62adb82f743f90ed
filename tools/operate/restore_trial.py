"""The stack of the restore drill: how the drill acts on it, and what it reads from it."""

import json
import os
import subprocess
import sys
import urllib.error

from tools.stack.environment import write_environment
from tools.stack.placeholders import Placeholders
from tools.stack.project import LOCAL, ROOT, say
from tools.stack.stack import STACK, Stack


class Trial:
    def __init__(self, stack: Stack):
        self.stack = stack
        self.values = stack.populate()
        self.made = Placeholders(stack, self.values)
        self.dynamodb, self.s3 = stack.client("dynamodb"), stack.client("s3")
        self.cloudformation = stack.client("cloudformation")
        self.admin, self.app = self.values["ADMIN_KEY"], self.values["APP_ID"]
        self.bucket = stack.resource("Bucket")
        self.environment = LOCAL / f"env-{stack.port}"
        write_environment(self.environment, self.values)

    def status(self, method: str, path: str, credential: str, body: dict | None = None) -> int:
        try:
            self.stack.call(method, path, credential, body)
            return 200
        except urllib.error.HTTPError as error:
            return error.code

    def lives(self, app_key: str) -> bool:
        """Whether an app key is valid: reading a media id that does not exist returns 404 with a valid key, 401 otherwise."""
        return self.status("GET", "/v1/media/none", app_key) == 404

    def post(self, path: str, body: dict) -> dict:
        return self.stack.call("POST", path, self.admin, body)

    def restore(self, *options: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-B", "-m", "tools.operate.restore", "--settle", "0.5", *options]
        environment = {**os.environ, "LOCAL_ENV": str(self.environment)}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        say("".join(f"      | {line}\n" for line in (done.stdout + done.stderr).splitlines()).rstrip())
        return done

    def recover(self, source: str, target: str) -> None:
        self.dynamodb.restore_table_to_point_in_time(
            SourceTableName=source, TargetTableName=target, UseLatestRestorableTime=True
        )
        self.dynamodb.get_waiter("table_exists").wait(TableName=target)

    def items(self, table: str) -> dict[tuple[str, str], dict]:
        pages = self.dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
        return {(item["PK"]["S"], item["SK"]["S"]): item for page in pages for item in page["Items"]}

    def classes(self, table: str, *wanted: str) -> dict[tuple[str, str], dict]:
        return {key: item for key, item in self.items(table).items() if key[0].startswith(wanted)}

    def table_in_use(self) -> str:
        outputs = self.cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["Outputs"]
        return next(output["OutputValue"] for output in outputs if output["OutputKey"] == "TableName")

    def say_something(self, text: str) -> None:
        body = {"from": self.made.make_user_number(), "type": "text", "text": {"body": text}}
        self.stack.call("POST", "/v1/playground/chat/inbound", self.values["TEST_APP_KEY"], body)

    def invoke_operator(self) -> dict:
        request = {"operation": "createAdminKey", "organizationId": self.values["ORGANIZATION_ID"]}
        function = self.stack.resource("OperatorFunction")
        try:
            return self.stack.client("lambda").invoke(FunctionName=function, Payload=json.dumps(request))
        except self.stack.client("lambda").exceptions.TooManyRequestsException:
            return {"FunctionError": "stopped"}

    def policies(self) -> str:
        """Returns every policy of every function's role."""
        iam, found = self.stack.client("iam"), []
        for resource in self.cloudformation.describe_stack_resources(StackName=STACK)["StackResources"]:
            if resource["ResourceType"] == "AWS::IAM::Role":
                role = resource["PhysicalResourceId"]
                for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
                    found.append(json.dumps(iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]))
        return "\n".join(found)

    def reservations(self) -> dict[str, int]:
        api, found = self.stack.client("lambda"), {}
        for resource in self.cloudformation.describe_stack_resources(StackName=STACK)["StackResources"]:
            if resource["ResourceType"] == "AWS::Lambda::Function":
                answer = api.get_function_concurrency(FunctionName=resource["PhysicalResourceId"])
                if "ReservedConcurrentExecutions" in answer:
                    found[resource["LogicalResourceId"].removesuffix("Function")] = answer["ReservedConcurrentExecutions"]
        return found

    def credentials_without_key(self) -> set[str]:
        proven = {item["valueHash"]["S"] for item in self.classes(self.copy, "AKEY#", "APPKEY#").values()}
        credentials = self.classes(self.copy, "CRED#").items()
        return {key[0] for key, item in credentials if item["holder"]["S"] != "session"} - {f"CRED#{value}" for value in proven}

"""A deployed stack, and the switch that stops it."""

import time
from collections.abc import Callable

from botocore.exceptions import ClientError

from tools.operate.steps import Refused, Steps, wait_until
from tools.operate.table import Table
from tools.stack.project import say
from tools.stack.template import Evaluation

PARAMETERS = ("RestoredTableName", "RestoredTableStreamArn")
# The time in seconds within which every function except the worker ends.
PROMPT = 60


class Deployment:
    """A deployed stack, and the switch that stops it."""

    def __init__(self, client: Callable, name: str):
        self.name = name
        self.client = client
        self.cloudformation, self.functions_api, self.sqs = client("cloudformation"), client("lambda"), client("sqs")
        self.read()

    def read(self) -> None:
        try:
            stack = self.cloudformation.describe_stacks(StackName=self.name)["Stacks"][0]
        except ClientError as error:
            raise Refused(f"Stack {self.name} does not exist in this account and region: {error}") from error
        self.status = stack["StackStatus"]
        self.parameters = {entry["ParameterKey"]: entry.get("ParameterValue", "") for entry in stack.get("Parameters", [])}
        outputs = {entry["OutputKey"]: entry["OutputValue"] for entry in stack.get("Outputs", [])}
        if not set(PARAMETERS) <= set(self.parameters):
            raise Refused(f"Stack {self.name} was deployed from an older release that does not support restored tables. Deploy this release first.")
        self.table_name, self.bucket = outputs["TableName"], outputs["BucketName"]
        pages = self.cloudformation.get_paginator("list_stack_resources").paginate(StackName=self.name)
        self.resources = [resource for page in pages for resource in page["StackResourceSummaries"]]

    def physical(self, kind: str) -> dict[str, str]:
        return {
            resource["LogicalResourceId"]: resource["PhysicalResourceId"]
            for resource in self.resources
            if resource["ResourceType"] == kind and resource.get("PhysicalResourceId")
        }

    def template(self) -> dict:
        """The processed template."""
        body = self.cloudformation.get_template(StackName=self.name, TemplateStage="Processed")["TemplateBody"]
        if not isinstance(body, dict):
            raise Refused(f"The processed template of {self.name} is not JSON.")
        return body

    def reservations(self) -> dict[str, int]:
        """The reserved concurrency of functions in the template, by the function's name; most have none."""
        resources = Evaluation(self.template(), self.parameters).resources()
        found = {}
        for logical_id, name in self.physical("AWS::Lambda::Function").items():
            reserved = resources[logical_id]["Properties"].get("ReservedConcurrentExecutions")
            if reserved is not None:
                found[name] = int(reserved)
        return found

    def functions(self) -> dict[str, dict]:
        """The functions that use the table, by name."""
        found = {}
        for name in self.physical("AWS::Lambda::Function").values():
            configuration = self.functions_api.get_function_configuration(FunctionName=name)
            if "TABLE_NAME" in configuration.get("Environment", {}).get("Variables", {}):
                found[name] = configuration
        return found

    def mappings(self) -> dict[str, dict]:
        get = self.functions_api.get_event_source_mapping
        return {name: get(UUID=uuid) for name, uuid in self.physical("AWS::Lambda::EventSourceMapping").items()}

    def reserved(self, function: str) -> int | None:
        return self.functions_api.get_function_concurrency(FunctionName=function).get("ReservedConcurrentExecutions")

    def uses(self, table: Table) -> bool:
        """Whether the functions and the stream mapping use this table. A table restored under its old name has another stream."""
        found = table.describe() or {}
        sources = [mapping["EventSourceArn"] for mapping in self.mappings().values()]
        is_listening = (found.get("StreamSpecification") or {}).get("StreamEnabled") and found.get("LatestStreamArn") in sources
        return bool(is_listening) and all(
            function["Environment"]["Variables"]["TABLE_NAME"] == table.name for function in self.functions().values()
        )

    def is_stopped(self) -> bool:
        return any(self.reserved(function) == 0 for function in self.functions())

    def stop(self, steps: Steps, settle: float | None) -> None:
        """Stops all functions: requests get a 503 from the gateway, and messages stay in their queues."""
        running = {name: mapping for name, mapping in self.mappings().items() if mapping["State"] not in ("Disabled", "Disabling")}
        if running:
            steps(f"disable {', '.join(sorted(running))}", lambda: self.set_mappings(running, enabled=False))
        functions = self.functions()
        started = {name: self.reserved(name) for name in functions}
        started = {name: reserved for name, reserved in started.items() if reserved != 0}
        kept = self.reservations()
        for name, reserved in started.items():
            if reserved not in (None, kept.get(name)):
                say(f"   Note: {name} has a reserved concurrency of {reserved}. Starting the service sets the template's.")
        stop = self.functions_api.put_function_concurrency
        if started:
            steps(
                f"stop {len(started)} functions (reserved concurrency 0)",
                lambda: [stop(FunctionName=name, ReservedConcurrentExecutions=0) for name in started],
            )
        if not steps.dry_run:
            self.settle(functions, settle)

    def set_mappings(self, mappings: dict[str, dict], enabled: bool) -> None:
        wanted = "Enabled" if enabled else "Disabled"
        uuids = [mapping["UUID"] for mapping in mappings.values()]
        state = lambda uuid: self.functions_api.get_event_source_mapping(UUID=uuid)["State"]
        wait_until("event source mappings", 300, lambda: all(state(uuid) in ("Enabled", "Disabled") for uuid in uuids))
        for uuid in uuids:
            self.functions_api.update_event_source_mapping(UUID=uuid, Enabled=enabled)
        wait_until("event source mappings", 300, lambda: all(state(uuid) == wanted for uuid in uuids))

    def settle(self, functions: dict[str, dict], seconds: float | None) -> None:
        """Waits until running functions end. Only the worker may take long; its queue then shows messages in flight."""
        timeouts = [configuration["Timeout"] for configuration in functions.values()]
        seconds = max(limit for limit in timeouts if limit <= PROMPT) if seconds is None else seconds
        say(f"   Waiting {seconds:g} s for running functions, and up to {max(timeouts)} s for the worker ...")
        time.sleep(seconds)
        queue = self.physical("AWS::SQS::Queue")["JobQueue"]
        deadline = time.monotonic() + max(timeouts) - seconds
        while time.monotonic() < deadline:
            attributes = self.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["ApproximateNumberOfMessagesNotVisible"])
            if attributes["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "0":
                return
            time.sleep(5)

    def start(self, steps: Steps) -> None:
        stopped = [name for name in self.functions() if self.reserved(name) == 0]
        if stopped:
            steps(f"start {len(stopped)} functions", lambda: self.release(stopped))
        resting = {name: mapping for name, mapping in self.mappings().items() if mapping["State"] not in ("Enabled", "Enabling")}
        if resting:
            steps(f"enable {', '.join(sorted(resting))}", lambda: self.set_mappings(resting, enabled=True))

    def release(self, functions: list[str]) -> None:
        """Gives functions the concurrency of the template again."""
        kept = self.reservations()
        for name in functions:
            if name in kept:
                self.functions_api.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=kept[name])
            else:
                self.functions_api.delete_function_concurrency(FunctionName=name)

    def switch(self, table: Table) -> None:
        """Updates two parameters of the stack and keeps the template."""
        values = dict(zip(PARAMETERS, (table.name, table.describe()["LatestStreamArn"])))
        parameters = [
            {"ParameterKey": name, "ParameterValue": values[name]} if name in values else {"ParameterKey": name, "UsePreviousValue": True}
            for name in self.parameters
        ]
        try:
            self.cloudformation.update_stack(
                StackName=self.name,
                UsePreviousTemplate=True,
                Parameters=parameters,
                Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
            )
        except ClientError as error:
            if "No updates are to be performed" not in str(error):
                raise
        status = lambda: self.cloudformation.describe_stacks(StackName=self.name)["Stacks"][0]["StackStatus"]
        wait_until(f"stack {self.name}", 3600, lambda: not status().endswith("_IN_PROGRESS"))
        self.read()
        if not self.uses(table):
            raise Refused(f"The update of {self.name} ended with {self.status}, and the stack uses {self.table_name}. See the stack's events.")
        awake = [name for name in self.functions() if self.reserved(name) != 0]
        if awake:
            say(f"   Note: the update itself started {', '.join(awake)}; during the update they may have written to the old table.")

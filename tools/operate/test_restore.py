"""Restores a table on an emulator of its own, as an operator would, and checks the result over HTTP.

The emulator's point-in-time recovery copies the table as it is now: the restore point is the moment of the copy.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from tools.operate.drill import Receiver, eventually, expect
from tools.stack.environment import write_environment
from tools.stack.invoke import Placeholders
from tools.stack.project import LOCAL, ROOT, free_port, say
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

    # ------------------------------------------------------------ tools

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

    def policies(self) -> str:
        """Returns every policy of every function's role."""
        iam, found = self.stack.client("iam"), []
        for resource in self.cloudformation.describe_stack_resources(StackName=STACK)["StackResources"]:
            if resource["ResourceType"] == "AWS::IAM::Role":
                role = resource["PhysicalResourceId"]
                for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
                    found.append(json.dumps(iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]))
        return "\n".join(found)

    # ------------------------------------------------------------ the story

    def before(self) -> None:
        """Creates the objects that exist at the restore point."""
        say("\n-- Objects of every kind")
        self.receiver, hooks = Receiver(), f"/v1/organization/apps/{self.values['TEST_APP_ID']}/webhooks"
        events = ["messages.chat.received"]
        self.hook = self.post(hooks, {"url": self.receiver.url, "events": events})
        self.unwanted = Receiver()
        self.deleted_hook = self.post(hooks, {"url": self.unwanted.url, "events": events})["id"]
        self.hooks = hooks
        self.keys = f"/v1/organization/apps/{self.app}/keys"
        self.revoked = self.post(self.keys, {"name": "Revoked"})
        self.leaver = self.post("/v1/organization/admin-keys", {"name": "Leaver"})
        self.doomed = self.post("/v1/organization/apps", {"name": "Doomed", "test": True})["id"]
        self.doomed_key = self.post(f"/v1/organization/apps/{self.doomed}/keys", {})["key"]
        self.post(f"/v1/organization/apps/{self.doomed}/webhooks", {"url": self.unwanted.url, "events": events})
        self.session = self.made.make_spare_session_token()
        self.kept_media, self.deleted_media = self.made.make_media_id(), self.made.make_media_id()
        upload = {"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 100}
        self.stack.call("POST", "/v1/media/uploads", self.values["APP_KEY"], upload)
        self.say_something("Before")
        eventually("both webhooks receive a message", lambda: "Before" in self.receiver.texts() and "Before" in self.unwanted.texts())
        self.own_table = self.table_in_use()
        expect("the stack works on its own table", self.own_table, self.stack.resource("Table"))
        self.copy = f"{self.own_table}-restored"
        self.recover(self.own_table, self.copy)

    def since(self) -> None:
        """Makes changes after the restore point."""
        say("\n-- Changes after the restore point")
        delete = lambda path, credential=self.admin: self.stack.call("DELETE", path, credential)
        delete(f"{self.keys}/{self.revoked['id']}")
        delete(f"/v1/organization/admin-keys/{self.leaver['id']}")
        delete(f"/v1/organization/apps/{self.doomed}")
        delete(f"{self.hooks}/{self.deleted_hook}")
        delete(f"/v1/media/{self.deleted_media}", self.values["APP_KEY"])
        self.stack.operate({"operation": "revokeSession", "sessionToken": self.session})
        rotate = f"{self.hooks}/{self.hook['id']}/rotate-secret"
        self.secret = self.post(rotate, {"gracePeriodSeconds": 0})["secret"]
        self.lost = self.post(self.keys, {"name": "Lost"})
        self.orphan = self.made.make_media_id()
        # Counters that are wrong in the restored table.
        o = self.values["ORGANIZATION_ID"]
        self.pending = f"RATE#{o}#{self.app}", "PENDING"
        counts = f"ORG#{o}", "COUNT"
        for (partition, sort), name in ((counts, "apps"), (counts, "testApps"), (self.pending, "uploads")):
            self.dynamodb.update_item(
                TableName=self.copy,
                Key={"PK": {"S": partition}, "SK": {"S": sort}},
                UpdateExpression="SET #name = :wrong",
                ExpressionAttributeNames={"#name": name},
                ExpressionAttributeValues={":wrong": {"N": "99"}},
            )
        # A message whose media no longer has bytes.
        self.message = next(key for key in self.classes(self.copy, "MSG#") if key[1] == "MSG")
        inbound = {"id": {"S": "1"}, "expiresAt": {"S": "2999-01-01T00:00:00.000Z"}, "isRemoved": {"BOOL": False}}
        self.dynamodb.update_item(
            TableName=self.copy,
            Key={"PK": {"S": self.message[0]}, "SK": {"S": "MSG"}},
            UpdateExpression="SET inboundMedia = :inbound",
            ExpressionAttributeValues={":inbound": {"M": inbound}},
        )
        expect("the revoked key is refused", self.lives(self.revoked["key"]), False)

    def refusals(self) -> None:
        say("\n-- Rejected options")
        self.dynamodb.create_table(
            TableName="foreign",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
        before = self.items(self.copy)
        for what, options, answer in (
            ("a table that does not exist", ("--table", "nowhere", "--revoke-all"), "Table nowhere does not exist"),
            ("a table with another key", ("--table", "foreign", "--revoke-all"), "the table does not belong to this stack"),
            ("no choice", ("--table", self.copy), f"use --old-table {self.own_table}"),
            ("another old table", ("--table", self.copy, "--old-table", "foreign"), "only this table records"),
        ):
            done = self.restore(*options)
            expect(what, (done.returncode, answer in done.stderr), (1, True))
        done = self.restore("--table", self.copy, "--old-table", self.own_table, "--dry-run")
        expect("a dry run reports what would be done", (done.returncode, "would revoke app key" in done.stdout), (0, True))
        done = self.restore("--table", self.copy, "--old-table", self.own_table, "--dry-run", "--keep", self.revoked["id"], self.doomed)
        expect("a key and an app may be kept", ("revoke app key" in done.stdout, "remove app" in done.stdout), (False, False))
        expect("and does nothing", self.items(self.copy), before)
        expect("the service runs on", self.lives(self.values["APP_KEY"]), True)
        expect("on its table", self.table_in_use(), self.own_table)

    def stopped(self) -> None:
        say("\n-- Stopped")
        self.restore("--stop")
        code = self.status("GET", "/v1/organization/settings", self.admin)
        expect("requests are refused by the gateway", code in (429, 503), True)
        expect("the operator too", "FunctionError" in self.invoke_operator(), True)

    def invoke_operator(self) -> dict:
        request = {"operation": "createAdminKey", "organizationId": self.values["ORGANIZATION_ID"]}
        function = self.stack.resource("OperatorFunction")
        try:
            return self.stack.client("lambda").invoke(FunctionName=function, Payload=json.dumps(request))
        except self.stack.client("lambda").exceptions.TooManyRequestsException:
            return {"FunctionError": "stopped"}

    def restored(self) -> None:
        say("\n-- Restored")
        wrong = self.own_table
        old = self.items(wrong)
        done = self.restore("--table", self.copy, "--old-table", self.own_table)
        expect("the restoration succeeds", done.returncode, 0)
        expect("the stack works on the copy", self.table_in_use(), self.copy)
        functions = self.stack.client("lambda").list_functions()["Functions"]
        tables = {function["Environment"]["Variables"].get("TABLE_NAME", self.copy) for function in functions}
        expect("every function too", tables, {self.copy})
        expect("reserved concurrency is the template's again", self.reservations(), {"Notifications": 100, "Deliver": 150, "Sending": 100})
        policies = self.policies()
        expect("no policy names the old table", (f"table/{wrong}\"" in policies, f"table/{self.copy}\"" in policies), (False, True))
        expect("each with its leading keys", policies.count("LeadingKeys") > 30, True)
        watch = self.stack.client("cloudwatch")
        alarms = [alarm for page in watch.get_paginator("describe_alarms").paginate() for alarm in page["MetricAlarms"]]
        dimensions = [pair for alarm in alarms for pair in alarm.get("Dimensions", [])]
        watched = {pair["Value"] for pair in dimensions if pair["Name"] == "TableName"}
        board = watch.get_dashboard(DashboardName=watch.list_dashboards()["DashboardEntries"][0]["DashboardName"])["DashboardBody"]
        expect("alarms and dashboard watch the copy", (watched, f'"{self.copy}"' in board, f'"{wrong}"' in board), ({self.copy}, True, False))
        self.settings()
        expect("nothing was written to the table before", self.items(wrong), old)

        expect("the revoked key is still refused", self.lives(self.revoked["key"]), False)
        expect("the admin key of a former member is rejected too", self.status("GET", "/v1/organization/settings", self.leaver["key"]), 401)
        expect("the deleted app's key too", self.lives(self.doomed_key), False)
        expect("the revoked session too", self.status("GET", "/v1/organization/playground/chat/phone-numbers/user", self.session), 401)
        expect("a key made since is lost", self.lives(self.lost["key"]), False)
        expect("the other keys work", (self.lives(self.values["APP_KEY"]), self.lives(self.values["TEST_APP_KEY"])), (True, True))
        expect("the admin key works", self.status("GET", "/v1/organization/settings", self.admin), 200)
        expect("the session works", self.status("GET", "/v1/organization/playground/chat/phone-numbers/user", self.values["SESSION_TOKEN"]), 200)
        expect("the deleted app is not there", self.status("GET", f"/v1/organization/apps/{self.doomed}", self.admin), 404)
        expect("the deleted webhook is not there", self.status("GET", f"{self.hooks}/{self.deleted_hook}", self.admin), 404)
        expect("no credential without its key", self.credentials_without_key(), set())
        counts = self.items(self.copy)[f"ORG#{self.values['ORGANIZATION_ID']}", "COUNT"]
        counted = {name: counts[name]["N"] for name in ("apps", "liveApps", "testApps")}
        expect("the apps are counted anew", counted, {"apps": "1", "liveApps": "1", "testApps": "1"})
        expect("the pending uploads too", self.items(self.copy)[self.pending]["uploads"]["N"], "1")
        self.media(done.stdout)

    def reservations(self) -> dict[str, int]:
        api, found = self.stack.client("lambda"), {}
        for resource in self.cloudformation.describe_stack_resources(StackName=STACK)["StackResources"]:
            if resource["ResourceType"] == "AWS::Lambda::Function":
                answer = api.get_function_concurrency(FunctionName=resource["PhysicalResourceId"])
                if "ReservedConcurrentExecutions" in answer:
                    found[resource["LogicalResourceId"].removesuffix("Function")] = answer["ReservedConcurrentExecutions"]
        return found

    def settings(self) -> None:
        table = self.dynamodb.describe_table(TableName=self.copy)["Table"]
        ttl = self.dynamodb.describe_time_to_live(TableName=self.copy)["TimeToLiveDescription"]
        backups = self.dynamodb.describe_continuous_backups(TableName=self.copy)["ContinuousBackupsDescription"]
        expect("items expire by ttl", (ttl["TimeToLiveStatus"], ttl["AttributeName"]), ("ENABLED", "ttl"))
        expect("the stream shows keys", table["StreamSpecification"], {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        recovery = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        expect("point-in-time recovery is on", recovery, "ENABLED")
        expect("the copy cannot be deleted", table["DeletionProtectionEnabled"], True)
        mappings = self.stack.client("lambda").list_event_source_mappings()["EventSourceMappings"]
        streams = [mapping["EventSourceArn"] for mapping in mappings if ":dynamodb:" in mapping["EventSourceArn"]]
        expect("the dispatch listens to the copy alone", streams, [table["LatestStreamArn"]])
        expect("every mapping is enabled", {mapping["State"] for mapping in mappings}, {"Enabled"})

    def credentials_without_key(self) -> set[str]:
        proven = {item["valueHash"]["S"] for item in self.classes(self.copy, "AKEY#", "APPKEY#").values()}
        credentials = self.classes(self.copy, "CRED#").items()
        return {key[0] for key, item in credentials if item["holder"]["S"] != "session"} - {f"CRED#{value}" for value in proven}

    def media(self, report: str) -> None:
        key, o = self.values["APP_KEY"], self.values["ORGANIZATION_ID"]
        self.kept_object = f"media/{o}/{self.kept_media}"
        kept = self.stack.call("GET", f"/v1/media/{self.kept_media}", key)
        with urllib.request.urlopen(kept["url"], timeout=30) as answer:
            expect("a kept medium is there with its bytes", answer.read()[:5], b"%PDF-")
        expect("the deleted one is not", self.status("GET", f"/v1/media/{self.deleted_media}", key), 404)
        expect("bytes without an item are told", f"media/{o}/{self.orphan}" in report, True)
        names = {entry["Key"] for entry in self.s3.list_objects_v2(Bucket=self.bucket, Prefix="media/")["Contents"]}
        expect("and left", f"media/{o}/{self.orphan}" in names, True)
        self.stack.client("lambda").invoke(FunctionName=self.stack.resource("SweepFunction"), Payload="{}")
        eventually("the sweep removes the hidden item", lambda: not self.classes(self.copy, f"MEDIA#{o}#{self.deleted_media}"))
        inbound = lambda: self.items(self.copy)[self.message]["inboundMedia"]["M"]
        eventually("and notes that a message's medium is gone", lambda: inbound()["isRemoved"]["BOOL"])

    def goes_on(self) -> None:
        say("\n-- In operation again")
        old = self.items(self.own_table)
        fresh = self.post(self.keys, {"name": "Fresh"})
        expect("a new key works", self.lives(fresh["key"]), True)
        expect("it is in the copy", any(item["id"]["S"] == fresh["id"] for item in self.classes(self.copy, "APPKEY#").values()), True)
        heard = len(self.unwanted.received)
        self.say_something("After")
        eventually("the webhook hears of a new message", lambda: "After" in self.receiver.texts())
        expect("signed with the secret that was rotated since", self.receiver.is_signed(self.secret), True)
        expect("deleted webhooks hear nothing", len(self.unwanted.received), heard)
        eventually("the delivery is in the copy", lambda: any(
            item["status"]["S"] == "DELIVERED" and item["eventType"]["S"] == "messages.chat.received"
            for item in self.classes(self.copy, f"DLV#{self.values['ORGANIZATION_ID']}#{self.hook['id']}").values()
        ))
        expect("the table before is as it was", self.items(self.own_table), old)

    def again(self) -> None:
        say("\n-- A second run")
        updated = self.cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["LastUpdatedTime"]
        before = self.items(self.copy)
        done = self.restore("--table", self.copy, "--old-table", self.own_table)
        expect("it has nothing to do", (done.returncode, "Nothing to do." in done.stdout), (0, True))
        expect("no item is changed", self.items(self.copy), before)
        again = self.cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["LastUpdatedTime"]
        expect("nor the stack", again, updated)
        done = self.restore("--table", self.copy, "--delete-objects")
        expect("bytes without an item are deleted on request", "delete these 2 objects" in done.stdout, True)
        # Change a parameter, so that the deployment has something to do.
        os.environ["PLATFORM_BASE_URL"] = f"http://127.0.0.1:{free_port()}"
        self.stack.deploy()
        expect("a deployment keeps the restored table", self.table_in_use(), self.copy)
        expect("and the service runs", self.lives(self.values["APP_KEY"]), True)

    def without_the_old_table(self) -> None:
        """The table was deleted by accident and restored from a backup under its old name."""
        say("\n-- The old table is deleted")
        backup = self.dynamodb.create_backup(TableName=self.copy, BackupName="last")["BackupDetails"]["BackupArn"]
        self.dynamodb.update_table(TableName=self.copy, DeletionProtectionEnabled=False)
        self.dynamodb.delete_table(TableName=self.copy)
        self.dynamodb.restore_table_from_backup(TargetTableName=self.copy, BackupArn=backup)
        # Bytes that were deleted by mistake, in a bucket with versioning.
        self.s3.put_bucket_versioning(Bucket=self.bucket, VersioningConfiguration={"Status": "Enabled"})
        self.s3.put_object(Bucket=self.bucket, Key=self.kept_object, Body=b"%PDF-1.4")
        self.s3.delete_object(Bucket=self.bucket, Key=self.kept_object)
        done = self.restore("--table", self.copy)
        expect("a choice is needed", (done.returncode, "The old table no longer exists" in done.stderr), (1, True))
        done = self.restore("--table", self.copy, "--revoke-all")
        expect("everything is revoked", done.returncode, 0)
        expect("recoverable bytes are reported", self.kept_object in done.stdout.split("recoverable")[-1].split("without an item")[0], True)
        expect("and their item is left", bool(self.classes(self.copy, f"MEDIA#{self.values['ORGANIZATION_ID']}#{self.kept_media}")), True)
        expect("no key works", [self.lives(self.values[name]) for name in ("APP_KEY", "TEST_APP_KEY")], [False, False])
        expect("nor does the admin key", self.status("GET", "/v1/organization/settings", self.admin), 401)
        request = {"operation": "createAdminKey", "organizationId": self.values["ORGANIZATION_ID"]}
        self.admin = self.stack.operate(request)["adminKey"]
        apps = self.stack.call("GET", "/v1/organization/apps", self.admin)["data"]
        expect("the operator's new key sees the apps", len(apps), 2)
        webhook = self.stack.call("GET", f"{self.hooks}/{self.hook['id']}", self.admin)
        expect("the webhook is disabled", "disabledAt" in webhook, True)
        webhook = self.stack.call("PUT", f"{self.hooks}/{self.hook['id']}", self.admin, {"url": self.receiver.url})
        expect("until it is changed", "disabledAt" in webhook, False)
        count = self.items(self.copy)[f"ORG#{self.values['ORGANIZATION_ID']}", "COUNT"]["adminKeys"]["N"]
        expect("the admin keys are counted anew", count, "1")

    def run(self) -> None:
        try:
            for part in (
                self.before, self.since, self.refusals, self.stopped, self.restored, self.goes_on, self.again, self.without_the_old_table,
            ):
                part()
        finally:
            self.environment.unlink()


def main() -> None:
    """Runs the drill with the functions that are built."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    with Stack(free_port()) as stack:
        stack.start()
        # With the dashboard and the alarms that name the table.
        stack.deploy(Monitoring="full")
        Trial(stack).run()
    say(f"\nRestored in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()

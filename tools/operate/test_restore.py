"""Restores a table on an emulator of its own, as an operator would, and checks the result over HTTP.

The emulator's point-in-time recovery copies the table as it is now: the restore point is the moment of the copy.
"""

import os
import signal
import time

from tools.operate.drill import eventually, expect
from tools.operate.restore_outcome import Outcome
from tools.stack.project import free_port, say
from tools.stack.stack import STACK, Stack


class Drill(Outcome):
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
        Drill(stack).run()
    say(f"\nRestored in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()

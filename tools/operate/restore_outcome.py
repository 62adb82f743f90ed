"""What the restore drill expects of a stack that works on a restored table."""

import urllib.request

from tools.operate.drill import eventually, expect
from tools.operate.restore_objects import ChangedObjects
from tools.stack.project import say


class Outcome(ChangedObjects):
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
        usage = self.stack.call("GET", "/v1/organization/usage", self.admin)
        expect("usage names the time that may not be counted", len(usage["gaps"]), 1)
        expect("no credential without its key", self.credentials_without_key(), set())
        counts = self.items(self.copy)[f"ORG#{self.values['ORGANIZATION_ID']}", "COUNT"]
        counted = {name: counts[name]["N"] for name in ("apps", "liveApps", "testApps")}
        expect("the apps are counted anew", counted, {"apps": "1", "liveApps": "1", "testApps": "1"})
        expect("the pending uploads too", self.items(self.copy)[self.pending]["uploads"]["N"], "1")
        self.media(done.stdout)

    def settings(self) -> None:
        table = self.dynamodb.describe_table(TableName=self.copy)["Table"]
        ttl = self.dynamodb.describe_time_to_live(TableName=self.copy)["TimeToLiveDescription"]
        backups = self.dynamodb.describe_continuous_backups(TableName=self.copy)["ContinuousBackupsDescription"]
        expect("items expire by ttl", (ttl["TimeToLiveStatus"], ttl["AttributeName"]), ("ENABLED", "ttl"))
        view = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        expect("the stream shows items before and after", table["StreamSpecification"], view)
        recovery = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        expect("point-in-time recovery is on", recovery, "ENABLED")
        expect("the copy cannot be deleted", table["DeletionProtectionEnabled"], True)
        mappings = self.stack.client("lambda").list_event_source_mappings()["EventSourceMappings"]
        streams = [mapping["EventSourceArn"] for mapping in mappings if ":dynamodb:" in mapping["EventSourceArn"]]
        expect("the dispatch and the meter listen to the copy alone", streams, [table["LatestStreamArn"]] * 2)
        expect("every mapping is enabled", {mapping["State"] for mapping in mappings}, {"Enabled"})

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

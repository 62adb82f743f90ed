"""The objects of the restore drill: those of the restore point, and the changes after it."""

from tools.operate.drill import Receiver, eventually, expect
from tools.operate.restore_trial import Trial
from tools.stack.project import say


class ChangedObjects(Trial):
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

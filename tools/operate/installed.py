"""A stack that a drill has deployed: its API, its operator, and what happens in it."""

import json
from collections.abc import Callable

from tools.stack.stack import Stack, send


class Installed:
    def __init__(self, stack: Stack, resource: Callable[[str], str]):
        self.stack, self.resource = stack, resource
        self.dynamodb = stack.client("dynamodb")
        self.base_url = f"http://localhost:{stack.port}/_aws/execute-api/{resource('Api')}"

    def call(self, method: str, path: str, credential: str, body: dict | None = None) -> dict:
        return send(method, self.base_url + path, credential, body)

    def invoke(self, function: str, request: dict) -> dict:
        answer = self.stack.client("lambda").invoke(FunctionName=self.resource(function), Payload=json.dumps(request))
        return json.loads(answer["Payload"].read())

    def populate(self) -> None:
        """Creates an organization with a test app, whose events its feed lists."""
        self.admin = self.invoke("OperatorFunction", {"operation": "createOrganization", "name": "Drill"})["adminKey"]
        app = self.call("POST", "/v1/organization/apps", self.admin, {"name": "Drill", "test": True})
        self.key = self.call("POST", f"/v1/organization/apps/{app['id']}/keys", self.admin, {})["key"]
        self.number = self.call("GET", "/v1/playground/phone-numbers/system", self.key)["numbers"][0]

    def receive(self) -> str:
        """Lets the app receive a message. Returns its id."""
        sms = {"from": "+442079460123", "to": self.number, "text": "Hi"}
        return self.call("POST", "/v1/playground/sms/inbound", self.key, sms)["id"]

    def told(self) -> list[str]:
        """The ids of the messages whose events were dispatched."""
        return [event["data"]["id"] for event in self.call("GET", "/v1/events?after=oldest&limit=100", self.key)["data"]]

    def counted(self) -> int:
        rows = self.call("GET", "/v1/organization/usage?mode=test", self.admin)["data"]
        return sum(row["messages"] for row in rows)

    def events_are_due(self) -> None:
        """Lets the five minutes pass after which the sweep dispatches events."""
        table = self.resource("Table")
        for item in self.dynamodb.scan(TableName=table)["Items"]:
            if item["PK"]["S"].startswith("EVT#") and "dueAt" in item:
                key = {name: item[name] for name in ("PK", "SK")}
                values = {":now": {"N": "0"}}
                self.dynamodb.update_item(TableName=table, Key=key, UpdateExpression="SET dueAt = :now", ExpressionAttributeValues=values)

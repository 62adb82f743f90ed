"""`make invoke EVENT=events/<function>/<operation>.json`: sends one sample event to a function of the local stack.

A sample names what it needs as ${NAME}: what `.local/env` holds, or one of the objects below, which is made for it.
"""

import json
import re
import secrets
import sys
import urllib.request
from pathlib import Path

from stack import ENV, Stack, read_environment

PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
PDF = b"%PDF-1.4\n%%EOF\n"


class Placeholders:
    """The values that sample events name."""

    def __init__(self, stack: Stack, values: dict[str, str]):
        self.stack = stack
        self.values = values

    def fill(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda match: self.value(match[1]), text)

    def value(self, name: str) -> str:
        made = getattr(self, f"make_{name.lower()}", None)
        if name not in self.values and made is None:
            sys.exit(f"Nothing is known of ${{{name}}}.")
        return self.values[name] if made is None else made()

    def post(self, path: str, key: str, body: dict) -> dict:
        return self.stack.call("POST", path, self.values[key], body)

    def make_unique(self) -> str:
        return secrets.token_hex(16)

    def make_free_number(self) -> str:
        return f"+4930{secrets.randbelow(10**9):09}"

    def make_admin_key_id(self) -> str:
        return self.post("/v1/organization/admin-keys", "ADMIN_KEY", {"name": "Sample"})["id"]

    def make_app_key_id(self) -> str:
        return self.post(f"/v1/organization/apps/{self.values['APP_ID']}/keys", "ADMIN_KEY", {})["id"]

    def make_spare_app_id(self) -> str:
        return self.post("/v1/organization/apps", "ADMIN_KEY", {"name": "Spare"})["id"]

    def make_calling_app_id(self) -> str:
        app = self.values["APP_ID"]
        self.stack.call("PUT", f"/v1/organization/apps/{app}/calling", self.values["ADMIN_KEY"], {})
        return app

    def make_webhook_id(self) -> str:
        body = {"url": "https://example.com/hooks", "events": ["messages.sms.received"]}
        return self.post(f"/v1/organization/apps/{self.values['APP_ID']}/webhooks", "ADMIN_KEY", body)["id"]

    def make_phone_number_id(self) -> str:
        return self.post("/v1/organization/phone-numbers", "ADMIN_KEY", {"number": self.make_free_number()})["id"]

    def make_user_number(self) -> str:
        return self.post("/v1/playground/chat/phone-numbers/user", "TEST_APP_KEY", {})["number"]

    def make_system_number(self) -> str:
        path = "/v1/playground/phone-numbers/system"
        return self.stack.call("GET", path, self.values["TEST_APP_KEY"])["numbers"][0]

    def make_spare_session_token(self) -> str:
        request = {"operation": "createSession", "organizationId": self.values["ORGANIZATION_ID"]}
        return self.stack.operate(request)["sessionToken"]

    def make_uploaded_media_id(self) -> str:
        announced = {"fileName": "sample.pdf", "mimeType": "application/pdf", "fileSize": len(PDF)}
        upload = self.post("/v1/media/uploads", "APP_KEY", announced)
        request = urllib.request.Request(upload["uploadUrl"], data=PDF, headers=upload["headers"], method="PUT")
        urllib.request.urlopen(request, timeout=30).close()
        return upload["id"]

    def make_media_id(self) -> str:
        upload = self.make_uploaded_media_id()
        return self.post(f"/v1/media/{upload}/complete", "APP_KEY", {})["id"]


def invoke(stack: Stack, values: dict[str, str], path: Path) -> dict:
    """What the function answers; the folder of the event names the function."""
    event = Placeholders(stack, values).fill(path.read_text())
    function = stack.resource(f"{path.resolve().parent.name.capitalize()}Function")
    answer = stack.client("lambda").invoke(FunctionName=function, Payload=event)
    reply = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        sys.exit(f"The function failed: {reply.get('errorMessage', reply)}")
    return reply


def main() -> None:
    path = Path(sys.argv[1])
    if not path.is_file():
        sys.exit(f"There is no event {path}. Say EVENT=events/<function>/<operation>.json.")
    values = read_environment(ENV)
    port = int(values["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])
    reply = invoke(Stack(port), values, path)
    body = reply.get("body")
    if body:
        reply["body"] = json.loads(body)
    print(json.dumps(reply, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()

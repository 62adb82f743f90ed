"""`make invoke EVENT=events/<function>/<operation>.json`: sends one sample event to a function of the local stack.

A sample contains placeholders of the form ${NAME}: a value from `.local/env`, or one of the objects below, which is
created for the sample.
"""

import contextlib
import hashlib
import hmac
import json
import re
import secrets
import sys
import time
import urllib.request
from pathlib import Path

from tools.stack.environment import read_environment, stack_port
from tools.stack.project import ENV
from tools.stack.stack import Stack

# How often, a second apart, the status of a new template is read. The simulated platform decides after a second.
TEMPLATE_REVIEW_TRIES = 30
PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
# Filled in last, because it depends on the rest of the body.
SIGNATURE = "${SIGNATURE}"
PDF = b"%PDF-1.4\n%%EOF\n"


# The profiles that samples have connected, by the admin key of the organization.
PROFILES: dict[str, str] = {}


class Placeholders:
    """The values of placeholders in sample events."""

    def __init__(self, stack: Stack, values: dict[str, str]):
        self.stack = stack
        self.values = values
        self.kept = None
        self.tested_webhook = None
        self.recovery_id = None
        self.begun: tuple[str, str, str] | None = None
        # The paths of objects that were created and of which there may be only a few.
        self.to_delete: list[str] = []

    def fill(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda match: self.value(match[1]), text)

    def value(self, name: str) -> str:
        made = getattr(self, f"make_{name.lower()}", None)
        if name not in self.values and made is None:
            sys.exit(f"Unknown placeholder ${{{name}}}.")
        return self.values[name] if made is None else made()

    def post(self, path: str, key: str, body: dict) -> dict:
        return self.stack.call("POST", path, self.values[key], body)

    def make_unique(self) -> str:
        return secrets.token_hex(16)

    def onboarding_link(self) -> tuple[str, str]:
        """Creates a test link, and returns its id and token."""
        body = {"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed", "test": True}
        made = self.post("/v1/organization/chat/onboarding-links", "ADMIN_KEY", body)
        return made["id"], made["url"].split("#")[1]

    def make_onboarding_link_id(self) -> str:
        return self.onboarding_link()[0]

    def make_onboarding_token(self) -> str:
        return self.onboarding_link()[1]

    def begun_onboarding(self) -> tuple[str, str, str]:
        """Begins the signup of a new link, once, and returns its token, the state and the cookie."""
        if self.begun is None:
            token = self.make_onboarding_token()
            request = urllib.request.Request(f"{self.stack.base_url}/v1/onboarding/signup", method="PUT")
            request.add_header("Authorization", f"Bearer {token}")
            with urllib.request.urlopen(request, timeout=30) as answer:
                state = json.load(answer)["url"].split("state=")[1]
                self.begun = (token, state, answer.headers["Set-Cookie"].split(";")[0])
        return self.begun

    def make_begun_onboarding_token(self) -> str:
        return self.begun_onboarding()[0]

    def make_onboarding_state(self) -> str:
        return self.begun_onboarding()[1]

    def make_onboarding_cookie(self) -> str:
        return self.begun_onboarding()[2]

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
        path = f"/v1/organization/apps/{self.values['APP_ID']}/webhooks"
        webhook = self.post(path, "ADMIN_KEY", body)["id"]
        self.to_delete.append(f"{path}/{webhook}")
        return webhook

    def clean_up(self) -> None:
        """Deletes webhooks and templates, of which there may be only a few. The sample may have deleted its own."""
        for path in self.to_delete:
            with contextlib.suppress(Exception):
                self.stack.call("DELETE", path, self.values["ADMIN_KEY"])

    def tested(self) -> dict:
        """Creates a webhook and a delivery, once per sample. Returns the delivery."""
        if self.tested_webhook is None:
            webhook = self.make_webhook_id()
            path = f"/v1/organization/apps/{self.values['APP_ID']}/webhooks/{webhook}/test"
            self.tested_webhook = self.post(path, "ADMIN_KEY", {})
        return self.tested_webhook

    def make_tested_webhook_id(self) -> str:
        return self.tested()["webhookId"]

    def make_delivery_id(self) -> str:
        return self.tested()["id"]

    def make_recovery_id(self) -> str:
        """Starts a recovery, once per sample, because a webhook has one at a time."""
        if self.recovery_id is None:
            path = f"/v1/organization/apps/{self.values['APP_ID']}/webhooks/{self.make_tested_webhook_id()}/recover"
            self.recovery_id = self.post(path, "ADMIN_KEY", {"since": "2026-01-01T00:00:00Z"})["id"]
        return self.recovery_id

    def make_event_id(self) -> str:
        return self.tested()["eventId"]

    def make_phone_number_id(self) -> str:
        return self.post("/v1/organization/phone-numbers", "ADMIN_KEY", {"number": self.make_free_number()})["id"]

    def make_own_phone_number_id(self) -> str:
        body = {"number": self.make_free_number(), "appIds": [self.values["APP_ID"]]}
        return self.post("/v1/organization/phone-numbers", "ADMIN_KEY", body)["id"]

    def make_user_number(self) -> str:
        return self.post("/v1/playground/chat/phone-numbers/user", "TEST_APP_KEY", {})["number"]

    def make_system_number(self) -> str:
        path = "/v1/playground/phone-numbers/system"
        return self.stack.call("GET", path, self.values["TEST_APP_KEY"])["numbers"][0]

    def make_simulation_id(self) -> str:
        return self.post("/v1/playground/simulations", "TEST_APP_KEY", {"scenario": "account_rejected"})["id"]

    def sms(self) -> dict:
        """Sends an SMS message from the test app."""
        body = {"from": self.make_system_number(), "to": "+12025550123", "text": "Sample"}
        return self.post("/v1/sms", "TEST_APP_KEY", body)

    def make_sms_number_id(self) -> str:
        return self.sms()["phoneNumberId"]

    def make_sms_message_id(self) -> str:
        return self.sms()["id"]

    def make_account(self) -> str:
        return str(secrets.randbelow(10**12) + 10**12)

    def signup(self) -> dict:
        body = {"code": secrets.token_hex(8), "wabaId": self.make_account(), "test": True}
        return self.post("/v1/organization/chat/business-profiles/callback", "ADMIN_KEY", body)

    def make_chat_profile_id(self) -> str:
        """The samples of a run share one profile, because an organization may attempt 20 signups per hour."""
        organization = self.values["ADMIN_KEY"]
        if organization not in PROFILES:
            PROFILES[organization] = self.signup()["id"]
        return PROFILES[organization]

    def make_chat_template_id(self) -> str:
        """A rejected template, which can be edited any number of times."""
        # A name of its own: another sample may delete its template at the same time.
        profile, name = self.make_chat_profile_id(), f"sample_{secrets.token_hex(4)}_rejected"
        path = "/v1/organization/chat/templates"
        body = {"type": "BODY", "text": "Hello, your order is on its way."}
        wanted = {"chatBusinessProfileId": profile, "name": name, "language": "en_US", "category": "UTILITY"}
        self.post(path, "ADMIN_KEY", {**wanted, "components": [body]})
        listed = f"{path}?chatBusinessProfileId={profile}&name={name}"
        for _ in range(TEMPLATE_REVIEW_TRIES):
            template = self.stack.call("GET", listed, self.values["ADMIN_KEY"])["data"][0]
            if template["status"] == "REJECTED":
                break
            time.sleep(1)
        self.to_delete.append(f"{path}/{template['id']}")
        return template["id"]

    def make_doomed_profile_id(self) -> str:
        """Connects an account for a sample that disconnects it."""
        return self.signup()["id"]

    def later(self) -> dict:
        """Creates a simulated account whose third number appeared after the signup, once per sample."""
        if self.kept is None:
            self.kept = self.signup()
            self.post("/v1/organization/chat/templates/sync", "ADMIN_KEY", {"chatBusinessProfileId": self.kept["id"]})
        return self.kept

    def make_later_account(self) -> str:
        return self.later()["providerWabaId"]

    def make_later_number(self) -> str:
        first = next(number for number in self.later()["phoneNumbers"] if number["verified"])
        return f"+{int(first['displayPhoneNumber'][1:]) + 2}"

    def make_chat_number_id(self) -> str:
        page = self.stack.call("GET", "/v1/organization/chat/phone-numbers?limit=100", self.values["TEST_ADMIN_KEY"])
        own = self.values["TEST_APP_ID"]
        return next(number["id"] for number in page["data"] if any(app["appId"] == own for app in number["apps"]))

    def make_chat_message_id(self) -> str:
        body = {"from": self.make_user_number(), "type": "text", "text": {"body": "Hello"}}
        return self.post("/v1/playground/chat/inbound", "TEST_APP_KEY", body)["id"]

    def make_chat_group_id(self) -> str:
        body = {"chatPhoneNumberId": self.make_chat_number_id(), "subject": "Sample"}
        return self.post("/v1/chat/groups", "TEST_APP_KEY", body)["id"]

    def session(self) -> dict:
        return self.stack.operate({"operation": "createSession", "organizationId": self.values["ORGANIZATION_ID"]})

    def make_allowed_queue_arn(self) -> str:
        arn = self.values["EVENT_QUEUE_ARN"]
        self.stack.operate({"operation": "allowDestination", "organizationId": self.values["ORGANIZATION_ID"], "arn": arn})
        return arn

    def make_spare_session_token(self) -> str:
        return self.session()["sessionToken"]

    def make_spare_session_id(self) -> str:
        return self.session()["id"]

    def make_uploaded_media_id(self, key: str = "APP_KEY") -> str:
        announced = {"fileName": "sample.pdf", "mimeType": "application/pdf", "fileSize": len(PDF)}
        upload = self.post("/v1/media/uploads", key, announced)
        request = urllib.request.Request(upload["uploadUrl"], data=PDF, headers=upload["headers"], method="PUT")
        urllib.request.urlopen(request, timeout=30).close()
        return upload["id"]

    def make_asset(self) -> str:
        with urllib.request.urlopen(f"{self.stack.base_url}/api_reference", timeout=30) as page:
            return re.search(r"assets/(style-[^\"]+)", page.read().decode()).group(1)

    def make_media_id(self, key: str = "APP_KEY") -> str:
        upload = self.make_uploaded_media_id(key)
        return self.post(f"/v1/media/{upload}/complete", key, {})["id"]

    def make_test_media_id(self) -> str:
        return self.make_media_id("TEST_APP_KEY")


def signed(event: str, secret: str) -> str:
    """Returns the event with its body signed as the platform does."""
    parsed = json.loads(event)
    signature = hmac.new(secret.encode(), parsed.get("body", "").encode(), hashlib.sha256).hexdigest()
    return event.replace(SIGNATURE, f"sha256={signature}")


def filled(placeholders: Placeholders, text: str) -> str:
    """Returns the event with all placeholders replaced."""
    event = placeholders.fill(text)
    return signed(event, placeholders.values["PLATFORM_APP_SECRET"]) if SIGNATURE in event else event


def invoke(stack: Stack, values: dict[str, str], path: Path) -> dict:
    """Returns the function's response; the event's folder names the function."""
    placeholders = Placeholders(stack, {**values, "SIGNATURE": SIGNATURE})
    try:
        event = filled(placeholders, path.read_text())
        function = stack.resource(f"{path.resolve().parent.name.capitalize()}Function")
        answer = stack.client("lambda").invoke(FunctionName=function, Payload=event)
        reply = json.loads(answer["Payload"].read())
    finally:
        placeholders.clean_up()
    if "FunctionError" in answer:
        sys.exit(f"The function failed: {reply.get('errorMessage', reply)}")
    return reply


def main() -> None:
    path = Path(sys.argv[1])
    if not path.is_file():
        sys.exit(f"Event file {path} does not exist. Usage: make invoke EVENT=events/<function>/<operation>.json")
    values = read_environment(ENV)
    reply = invoke(Stack(stack_port(ENV)), values, path)
    body = reply.get("body")
    if body and reply["headers"].get("content-type") == "application/json":
        reply["body"] = json.loads(body)
    print(json.dumps(reply, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()

"""Chat: connected accounts, templates, phone numbers, messages and groups."""

import secrets
import threading
import time

from tools.stack.objects.base import Objects

# How often, a second apart, the status of a new template is read. The simulated platform decides after a second.
TEMPLATE_REVIEW_TRIES = 30
# The profiles that samples have connected, by the admin key of the organization.
PROFILES: dict[str, str] = {}
# Held while a profile is connected, so that samples that are filled at the same time share it, too.
CONNECTING = threading.Lock()


class ChatObjects(Objects):
    kept: dict | None = None

    def make_account(self) -> str:
        return str(secrets.randbelow(10**12) + 10**12)

    def signup(self) -> dict:
        body = {"code": secrets.token_hex(8), "wabaId": self.make_account(), "test": True}
        return self.post("/v1/organization/chat/business-profiles/callback", "ADMIN_KEY", body)

    def make_chat_profile_id(self) -> str:
        """The samples of a run share one profile, because an organization may attempt 20 signups per hour."""
        organization = self.values["ADMIN_KEY"]
        with CONNECTING:
            if organization not in PROFILES:
                PROFILES[organization] = self.signup()["id"]
        return PROFILES[organization]

    def make_doomed_profile_id(self) -> str:
        """Connects an account for a sample that disconnects it."""
        return self.signup()["id"]

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

    def make_spare_number_id(self) -> str:
        """A number that no app sends from."""
        return next(number["id"] for number in self.later()["phoneNumbers"] if number["verified"])

    def make_user_number(self) -> str:
        return self.post("/v1/playground/chat/phone-numbers/user", "TEST_APP_KEY", {})["number"]

    def make_chat_message_id(self) -> str:
        body = {"from": self.make_user_number(), "type": "text", "text": {"body": "Hello"}}
        return self.post("/v1/playground/chat/inbound", "TEST_APP_KEY", body)["id"]

    def make_chat_group_id(self) -> str:
        body = {"chatPhoneNumberId": self.make_chat_number_id(), "subject": "Sample"}
        return self.post("/v1/chat/groups", "TEST_APP_KEY", body)["id"]

    def make_simulation_id(self) -> str:
        return self.post("/v1/playground/simulations", "TEST_APP_KEY", {"scenario": "account_rejected"})["id"]

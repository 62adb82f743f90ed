"""What belongs to an organization itself: keys, sessions, apps, phone numbers and SMS messages."""

from tools.stack.objects.base import Objects


class OrganizationObjects(Objects):
    def make_admin_key_id(self) -> str:
        return self.post("/v1/organization/admin-keys", "ADMIN_KEY", {"name": "Sample"})["id"]

    def session(self) -> dict:
        return self.stack.operate({"operation": "createSession", "organizationId": self.values["ORGANIZATION_ID"]})

    def make_spare_session_token(self) -> str:
        return self.session()["sessionToken"]

    def make_spare_session_id(self) -> str:
        return self.session()["id"]

    def make_app_key_id(self) -> str:
        return self.post(f"/v1/organization/apps/{self.values['APP_ID']}/keys", "ADMIN_KEY", {})["id"]

    def make_spare_app_id(self) -> str:
        return self.post("/v1/organization/apps", "ADMIN_KEY", {"name": "Spare"})["id"]

    def make_calling_app_id(self) -> str:
        app = self.values["APP_ID"]
        self.stack.call("PUT", f"/v1/organization/apps/{app}/calling", self.values["ADMIN_KEY"], {})
        return app

    def make_phone_number_id(self) -> str:
        return self.post("/v1/organization/phone-numbers", "ADMIN_KEY", {"number": self.make_free_number()})["id"]

    def make_own_phone_number_id(self) -> str:
        body = {"number": self.make_free_number(), "appIds": [self.values["APP_ID"]]}
        return self.post("/v1/organization/phone-numbers", "ADMIN_KEY", body)["id"]

    def make_system_number(self) -> str:
        path = "/v1/playground/phone-numbers/system"
        return self.stack.call("GET", path, self.values["TEST_APP_KEY"])["numbers"][0]

    def sms(self) -> dict:
        """Sends an SMS message from the test app."""
        body = {"from": self.make_system_number(), "to": "+12025550123", "text": "Sample"}
        return self.post("/v1/sms", "TEST_APP_KEY", body)

    def make_sms_number_id(self) -> str:
        return self.sms()["phoneNumberId"]

    def make_sms_message_id(self) -> str:
        return self.sms()["id"]

"""Members of an organization, their sign-in links and sessions."""

import secrets

from tools.stack.objects.base import Objects


class PeopleObjects(Objects):
    made_to_switch: tuple[str, str] | None = None

    def make_free_email(self) -> str:
        return f"{secrets.token_hex(6)}@example.com"

    def make_member_id(self) -> str:
        body = {"email": self.make_free_email(), "role": "SUPPORT"}
        return self.post("/v1/organization/members", "ADMIN_KEY", body)["id"]

    def make_sign_in_token(self) -> str:
        link = self.post(f"/v1/organization/members/{self.make_member_id()}/sign-in-link", "ADMIN_KEY", {})
        return link["url"].split("#")[1]

    def make_member_session(self) -> str:
        body = {"token": self.make_sign_in_token(), "as": "bearer"}
        return self.stack.call("POST", "/v1/sign-in/link", "", body)["sessionToken"]

    def switching(self) -> tuple[str, str]:
        """A member and a session of that member, for a sample that has both."""
        if self.made_to_switch is None:
            member = self.make_member_id()
            link = self.post(f"/v1/organization/members/{member}/sign-in-link", "ADMIN_KEY", {})
            body = {"token": link["url"].split("#")[1], "as": "bearer"}
            self.made_to_switch = member, self.stack.call("POST", "/v1/sign-in/link", "", body)["sessionToken"]
        return self.made_to_switch

    def make_switching_member(self) -> str:
        return self.switching()[0]

    def make_switching_session(self) -> str:
        return self.switching()[1]

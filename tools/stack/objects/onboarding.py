"""Onboarding links, and the signups that begin with them."""

import json
import urllib.request

from tools.stack.objects.base import Objects


class OnboardingObjects(Objects):
    begun: tuple[str, str, str] | None = None

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

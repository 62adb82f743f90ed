"""A member of an organization who uses the console in a browser."""

import json
import os
import urllib.error
import urllib.request
import uuid

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tools.stack.project import ROOT

PICTURES = ROOT / "target" / "console-tests"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 780}
# A busy machine may need so long for what takes a moment.
PATIENCE = 30_000
# More presses of the Tab key than any screen has stops before what a test looks for.
STOPS = 120
NAVIGATION = "Screens"
# The browser's own words for what a policy has refused.
REFUSED = ("Refused to", "violates the following", "TrustedHTML", "TrustedScript")
ENVIRONMENT = "CONSOLE_TEST_VALUES"
expect.set_options(timeout=PATIENCE)


class Fault(Exception):
    """What a check has found."""


class World:
    """The installation, and the demo organization in it."""

    def __init__(self, values: dict[str, str]):
        self.values, self.base_url = values, values["BASE_URL"]
        self.test_app, self.number = values["TEST_APP_ID"], values["TEST_CHAT_NUMBER_ID"]

    @staticmethod
    def from_environment() -> "World":
        return World(json.loads(os.environ[ENVIRONMENT]))

    def api(self, method: str, path: str, body: dict | None = None, key: str = "ADMIN_KEY") -> dict:
        """Sends a request with a key, named as in the environment of `make run`."""
        request = urllib.request.Request(self.base_url + path, None if body is None else json.dumps(body).encode(), method=method)
        request.add_header("Authorization", f"Bearer {self.values[key]}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            raise Fault(f"{method} {path}: {refused.code} {refused.read().decode()[:500]}") from refused

    def member(self, email: str, role: str) -> dict:
        """Returns the member with an address, who is invited if there is none."""
        known = self.api("GET", "/v1/organization/members?limit=100")["data"]
        found = [one for one in known if one["email"] == email]
        return found[0] if found else self.api("POST", "/v1/organization/members", {"email": email, "role": role})

    def inbound(self, text: str, user: str = "+12025550123", **more: object) -> dict:
        """A user writes to the test app."""
        body = {"from": user, "type": "text", "text": {"body": text}, **more}
        return self.api("POST", "/v1/playground/chat/inbound", body, "TEST_APP_KEY")

    def outbound(self, text: str, user: str = "+12025550123") -> dict:
        body = {"from": self.number, "to": user, "type": "text", "text": {"body": text}}
        return self.api("POST", "/v1/chat/messages", body, "TEST_APP_KEY")


class Member:
    """Somebody with a role and a browser of their own. Errors, and requests to other hosts, are faults."""

    def __init__(self, browser: Browser, world: World, role: str = "ADMIN", size: dict = DESK, scheme: str = "light", email: str = "", **options: object):
        self.world, self.faults = world, []
        self.email = email or f"{uuid.uuid4()}@example.com"
        self.record = world.member(self.email, role)
        self.context: BrowserContext = browser.new_context(viewport=size, color_scheme=scheme, **options)
        self.context.set_default_timeout(PATIENCE)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page: Page = self.context.new_page()
        self.host = "/".join(world.base_url.split("/")[:3])
        # Storage and API have one port, and two names.
        self.own = (self.host, self.host.replace("//localhost:", "//127.0.0.1:"), "data:", "blob:", "about:")
        # Tests that make the API fail say so.
        self.expects_failures = False
        self.page.on("request", self._requested)
        self.page.on("console", self._logged)
        self.page.on("pageerror", lambda error: self.faults.append(f"an error of the page: {error}"))
        self.page.on("dialog", self._asked)

    def _requested(self, request) -> None:
        if not request.url.startswith(self.own):
            self.faults.append(f"the console requests {request.url[:200]}")

    def _logged(self, message) -> None:
        # Whoever is not signed in yet is told so with 401.
        is_expected = self.expects_failures or message.location["url"].endswith("/v1/session")
        is_failure = message.type == "error" and not (is_expected and message.text.startswith("Failed to load resource"))
        if is_failure or any(words in message.text for words in REFUSED):
            self.faults.append(f"the browser logs: {message.text[:300]} ({message.location['url'][:200]})")

    def _asked(self, dialog) -> None:
        # Whoever leaves without having copied a value that is shown once is asked.
        if dialog.type != "beforeunload":
            self.faults.append(f"a script opens {dialog.message}")
        dialog.accept()

    def token(self) -> str:
        path = f"/v1/organization/members/{self.record['id']}/sign-in-link"
        return self.world.api("POST", path, {})["url"].split("#")[1]

    def sign_in(self, page: Page | None = None) -> "Member":
        """Opens a link and clicks, as people do; the page goes on to the console."""
        page = page or self.page
        page.goto(f"{self.world.base_url}/sign-in#{self.token()}")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("navigation", name=NAVIGATION, include_hidden=True).wait_for(state="attached")
        return self

    def sign_in_quietly(self) -> "Member":
        """Signs in without the page, for tests of something else."""
        self.context.request.post(
            f"{self.world.base_url}/v1/sign-in/link", data={"token": self.token()}, headers={"Origin": self.host}
        )
        self.page.goto(f"{self.world.base_url}/console")
        self.page.get_by_role("navigation", name=NAVIGATION, include_hidden=True).wait_for(state="attached")
        return self

    def choose(self, mode: str) -> None:
        """Switches the mode."""
        button = self.page.get_by_role("group", name="Mode").get_by_role("button", name=mode.capitalize())
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")

    def open(self, place: str) -> None:
        """Goes to a place in the console, such as `webhooks/new`, and waits until nothing is being loaded."""
        self.page.goto(f"{self.world.base_url}/console#/{place}")
        self.settle()

    def settle(self) -> None:
        self.page.locator("main h1").first.wait_for()
        expect(self.page.locator("main .waiting")).to_have_count(0)

    def button(self, name: str, **more: object) -> Locator:
        return self.page.get_by_role("button", name=name, **more)

    def field(self, name: str) -> Locator:
        return self.page.get_by_label(name, exact=True)

    def sees(self, text: str) -> None:
        expect(self.page.locator("main, dialog").get_by_text(text).first).to_be_visible()

    def heading(self, name: str) -> None:
        self.page.get_by_role("heading", name=name).first.wait_for()

    def press(self, name: str) -> None:
        """Goes to a control with the Tab key, and presses Enter."""
        for _ in range(STOPS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("(document.activeElement.ariaLabel ?? document.activeElement.innerText).trim()").startswith(name):
                self.page.keyboard.press("Enter")
                return
        raise Fault(f"the Tab key does not reach {name!r}")

    def reach(self, label: str) -> None:
        """Goes to a field with the Tab key."""
        for _ in range(STOPS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("document.activeElement.labels?.[0]?.innerText.trim() ?? ''").startswith(label):
                return
        raise Fault(f"the Tab key does not reach the field {label!r}")

    def fits(self) -> bool:
        return self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def close(self) -> None:
        self.context.close()
        if self.faults:
            raise Fault("\n".join(dict.fromkeys(self.faults)))

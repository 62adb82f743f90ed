"""Tests the page of an onboarding link in the browser, in test mode: with the keyboard only, on a phone."""

import json
import os
import urllib.request

from playwright.sync_api import Browser, BrowserContext, Page

from tools.stack.project import ROOT

SCREENSHOTS = ROOT / "target" / "pages"
LINKS = "/v1/organization/chat/onboarding-links"
# Where a link leads when it has ended: another host, which the browser must not reach before somebody follows the link.
DONE, FAILED = "https://customer.example/done", "https://customer.example/failed"
PHONE = {"width": 390, "height": 844}
QUESTION = "Connect your WhatsApp Business account"
FOCUSED = "document.activeElement.innerText"
# More presses of the Tab key than a page has stops.
STOPS = 8


def admin(base_url: str, method: str, path: str, body: dict | None = None) -> dict:
    request = urllib.request.Request(base_url + path, method=method, data=body and json.dumps(body).encode())
    request.add_header("Authorization", f"Bearer {os.environ['ADMIN_KEY']}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


class Customer:
    """Somebody with a link, a phone and no mouse. Every request of the browser and its address are recorded."""

    def __init__(self, browser: Browser, base_url: str, expect):
        self.base_url, self.expect = base_url, expect
        self.link = admin(base_url, "POST", LINKS, {"successUrl": DONE, "failureUrl": FAILED, "state": "c7", "test": True})
        # The page is opened where the browser reaches the API.
        self.path, self.token = self.link["url"].split("/onboarding", 1)[1].split("#")
        self.context: BrowserContext = browser.new_context(viewport=PHONE, color_scheme="light", has_touch=True)
        self.page: Page = self.context.new_page()
        self.page.on("request", self.check_request)
        self.page.on("pageerror", lambda error: expect(False, f"page: {error}"))

    def check_request(self, request) -> None:
        own = "/".join(self.base_url.split("/")[:3])
        self.expect(request.url.startswith((own, "data:")), f"the page of a link requests {request.url}")
        self.expect(self.token not in request.url, "the token of a link is in a URL that is requested")
        # The browser reports a referrer that it does not send as an empty one.
        self.expect(not request.headers.get("referer"), f"{request.url} gets a referrer")

    def open(self, more: str = "", token: str | None = None) -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.base_url}/onboarding{more}" + (f"#{token}" if token else ""))

    def shows(self, title: str) -> None:
        self.page.get_by_role("heading", name=title, exact=False).wait_for(timeout=30_000)
        # Buttons work when the script has run.
        self.page.wait_for_load_state()
        if title == QUESTION:
            # The heading is there before the script knows the link.
            self.page.get_by_role("button", name="Continue").wait_for(timeout=30_000)
        fits = self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        self.expect(fits, f"{title!r} is wider than the phone")
        address = self.page.url
        self.expect(self.token not in address and "code=" not in address, f"the address bar keeps {address}")

    def press(self, label: str) -> None:
        """Goes to a button or link with the Tab key, and presses Enter."""
        for _ in range(STOPS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(FOCUSED).startswith(label):
                self.page.keyboard.press("Enter")
                return
        self.expect(False, f"the Tab key does not reach {label!r}")

    def stored(self) -> str:
        return self.page.evaluate("JSON.stringify({...sessionStorage, ...localStorage}) + document.cookie")

    def status(self) -> dict:
        return admin(self.base_url, "GET", f"{LINKS}/{self.link['id']}")

    def ends(self, title: str, status: str, leads_to: str) -> None:
        self.shows(title)
        way = self.page.locator(".actions a").get_attribute("href")
        self.expect(way == leads_to, f"{status}: the page leads to {way}, not {leads_to}")
        self.expect(self.status()["status"] == status, f"{status} expected: {self.status()}")
        self.expect(self.stored() == "{}", f"{status}: the browser keeps {self.stored()!r}")
        self.page.screenshot(path=SCREENSHOTS / f"onboarding-{status.lower()}.png")

    def way(self, base: str, error: str | None = None) -> str:
        return f"{base}?id={self.link['id']}&state=c7" + (f"&error={error}" if error else "")


def sign_up(customer: Customer, outcome: str) -> None:
    customer.open(token=customer.token)
    customer.shows(QUESTION)
    customer.press("Continue")
    customer.shows("Simulated signup")
    customer.press(outcome)


def completes(customer: Customer) -> None:
    customer.open(token=customer.token)
    customer.shows(QUESTION)
    text = customer.page.inner_text("main")
    settings = admin(customer.base_url, "GET", "/v1/organization/settings")
    customer.expect(settings["name"] in text and "Messaging API" in text, f"the page does not say who asks: {text}")
    customer.expect(customer.stored() == "{}", f"the token is stored before it must be: {customer.stored()!r}")
    customer.page.screenshot(path=SCREENSHOTS / "onboarding-question.png")
    customer.press("Continue")
    customer.shows("Simulated signup")
    customer.press("Give permission")
    customer.ends("The account is connected", "COMPLETED", customer.way(DONE))
    steps = customer.page.locator(".steps li").all_inner_texts()
    customer.expect(len(steps) == 3 and all(step.endswith(": done") for step in steps), f"the steps at the end: {steps}")
    customer.expect("profileId" in customer.status(), "a completed link names no profile")
    # A used link says so, and leads on.
    customer.open(token=customer.token)
    customer.ends("The account is connected", "COMPLETED", customer.way(DONE))


def can_be_cancelled(customer: Customer) -> None:
    customer.open(token=customer.token)
    customer.shows(QUESTION)
    customer.press("Cancel")
    customer.ends("This link was cancelled", "CANCELLED", customer.way(FAILED, "cancelled"))


def may_be_denied_and_continued(customer: Customer) -> None:
    sign_up(customer, "Give no permission")
    customer.shows(QUESTION)
    customer.expect("did not give permission" in customer.page.inner_text("main"), "a denied permission is not named")
    customer.press("Continue")
    customer.shows("Simulated signup")
    customer.press("Give permission")
    customer.ends("The account is connected", "COMPLETED", customer.way(DONE))


def ends_after_five_refused_codes(customer: Customer) -> None:
    sign_up(customer, "Give permission, and Meta rejects")
    for attempt in range(1, 5):
        customer.shows("Start the signup again")
        text = customer.page.inner_text("main")
        customer.expect(f"attempt {attempt} of 5" in text, f"attempt {attempt} is not counted: {text}")
        customer.expect(customer.status()["status"] == "PENDING", f"attempt {attempt}: {customer.status()}")
        customer.press("Start again")
        customer.shows("Simulated signup")
        customer.press("Give permission, and Meta rejects")
    customer.ends("The account could not be connected", "FAILED", customer.way(FAILED, "platform_api_error"))


def rejects_forgeries(customer: Customer) -> None:
    for token in ("onboarding_forged", customer.token[:-1] + ("a" if customer.token[-1] != "a" else "b")):
        customer.open(token=token)
        customer.shows("This link is not valid")
    customer.open()
    customer.shows("This link is not complete")
    # A code that was brought to this browser from elsewhere connects nothing.
    sign_up(customer, "Give no permission")
    customer.shows(QUESTION)
    customer.open("?code=foreign&state=foreign")
    customer.shows("Start the signup again")
    customer.expect(customer.status()["status"] == "PENDING", f"a foreign state: {customer.status()}")
    customer.press("Start again")
    customer.shows("Simulated signup")
    customer.press("Give permission")
    customer.ends("The account is connected", "COMPLETED", customer.way(DONE))


def is_bound_to_its_browser(customer: Customer, browser: Browser) -> None:
    """Another browser that gets hold of link and code does not complete the signup."""
    customer.open(token=customer.token)
    customer.shows(QUESTION)
    customer.press("Continue")
    customer.shows("Simulated signup")
    state = customer.page.url.split("state=")[1]
    other = browser.new_context(viewport=PHONE)
    page = other.new_page()
    page.goto(f"{customer.base_url}/onboarding")
    page.evaluate("token => sessionStorage.setItem('onboarding-token', token)", customer.token)
    page.goto(f"{customer.base_url}/onboarding?code=stolen&state={state}")
    page.get_by_role("heading", name="Start the signup again").wait_for(timeout=30_000)
    customer.expect(customer.status()["status"] == "PENDING", f"a foreign browser: {customer.status()}")
    other.close()


def goes_on_after_a_failure(customer: Customer) -> None:
    """A request that fails is repeated on demand, also after a reload, with the same code."""
    customer.page.route("**/v1/onboarding/complete", lambda route: route.abort())
    sign_up(customer, "Give permission")
    customer.shows("That did not work")
    customer.page.reload()
    customer.shows("That did not work")
    customer.page.unroute("**/v1/onboarding/complete")
    customer.press("Try again")
    customer.ends("The account is connected", "COMPLETED", customer.way(DONE))


def connects_a_disconnected_account_again(customer: Customer, browser: Browser) -> None:
    sign_up(customer, "Give permission")
    customer.ends("The account is connected", "COMPLETED", customer.way(DONE))
    profile = customer.status()["profileId"]
    admin(customer.base_url, "DELETE", f"/v1/organization/chat/business-profiles/{profile}")
    other = Customer(browser, customer.base_url, customer.expect)
    sign_up(other, "Give permission")
    other.ends("The account is connected", "COMPLETED", other.way(DONE))
    other.context.close()


def check_onboarding(browser: Browser, base_url: str, expect) -> None:
    """Tries the page of a link in every way that it can end. `expect` records what does not hold."""
    response = urllib.request.urlopen(f"{base_url}/onboarding", timeout=30)
    policy = response.headers["Content-Security-Policy"]
    expect("frame-ancestors 'none'" in policy and "unsafe" not in policy and "//" not in policy, f"policy: {policy}")
    expect(response.headers["Referrer-Policy"] == "no-referrer", "the page of a link sends referrers")
    scenarios = (
        completes, can_be_cancelled, may_be_denied_and_continued, ends_after_five_refused_codes, rejects_forgeries,
        goes_on_after_a_failure,
    )
    for scenario in scenarios:
        customer = Customer(browser, base_url, expect)
        scenario(customer)
        customer.context.close()
    for scenario in (is_bound_to_its_browser, connects_a_disconnected_account_again):
        customer = Customer(browser, base_url, expect)
        scenario(customer, browser)
        customer.context.close()

"""Tests the sign-in page in the browser: with the keyboard only, on a phone."""

import re
import uuid

from playwright.sync_api import Browser, BrowserContext, Page

from tools.ci.onboarding_page import FOCUSED, PHONE, SCREENSHOTS, STOPS, admin

MEMBERS = "/v1/organization/members"


class Person:
    """A member with a phone and no mouse. Every address that the browser requests is checked."""

    def __init__(self, browser: Browser, base_url: str, expect):
        self.base_url, self.expect = base_url, expect
        self.email = f"{uuid.uuid4()}@example.com"
        self.member = admin(base_url, "POST", MEMBERS, {"email": self.email, "role": "SUPPORT"})
        self.context: BrowserContext = browser.new_context(viewport=PHONE, color_scheme="light", has_touch=True)
        self.page: Page = self.context.new_page()
        self.page.on("request", lambda request: expect("signin_" not in request.url, f"a token is in {request.url}"))
        self.page.on("pageerror", lambda error: expect(False, f"page: {error}"))

    def token(self) -> str:
        link = admin(self.base_url, "POST", f"{MEMBERS}/{self.member['id']}/sign-in-link", {})
        return link["url"].split("#")[1]

    def open(self, token: str | None = None) -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.base_url}/sign-in" + (f"#{token}" if token else ""))

    def shows(self, title: str) -> str:
        self.page.get_by_role("heading", name=title, exact=False).wait_for(timeout=30_000)
        self.page.wait_for_load_state()
        fits = self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        self.expect(fits, f"{title!r} is wider than the phone")
        self.expect("signin_" not in self.page.url, f"the address bar keeps {self.page.url}")
        return self.page.inner_text("main")

    @property
    def console(self) -> str | None:
        """The address to which the page leads on, if the installation has a console."""
        path = self.page.evaluate("document.querySelector('#sign-in').dataset.console ?? null")
        return path and f"{self.base_url}/{path}"

    def has_signed_in(self, console: str | None) -> str:
        """Returns what the page says about the session; with a console, after that was shown."""
        if console:
            self.page.wait_for_url(re.compile(re.escape(console) + "(#.*)?$"), timeout=30_000)
            self.open()
        self.page.get_by_role("button", name="Sign out").wait_for(timeout=30_000)
        offered = self.page.get_by_role("button", name="Open the console").count() == 1
        self.expect(offered == bool(console), f"console {console}, but a button that leads to it: {offered}")
        self.expect("#" not in self.page.url, f"the address bar keeps {self.page.url}")
        return self.page.inner_text("main")

    def press(self, label: str) -> None:
        for _ in range(STOPS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(FOCUSED).startswith(label):
                self.page.keyboard.press("Enter")
                return
        self.expect(False, f"the Tab key does not reach {label!r}")


def signs_in_and_out(person: Person) -> None:
    name = admin(person.base_url, "GET", "/v1/organization/settings")["name"]
    token = person.token()
    person.open(token)
    text = person.shows(f"Sign in to {name}")
    person.expect(person.email in text and "Support" in text, f"the page does not say as whom: {text}")
    person.page.screenshot(path=SCREENSHOTS / "sign-in-question.png")
    console = person.console
    person.press("Sign in")
    # The question names the organization, too.
    text = person.has_signed_in(console)
    person.shows(name)
    person.expect(person.email in text, f"the page does not say who is signed in: {text}")
    person.page.screenshot(path=SCREENSHOTS / "sign-in-done.png")
    stored = person.page.evaluate("JSON.stringify({...sessionStorage, ...localStorage}) + document.cookie")
    secrets = re.findall(r"s[ek]\w*_\w{20}|signin_", stored) if console else stored != "{}"
    person.expect(not secrets, f"scripts can read what the browser keeps: {stored!r}")

    # A used link says so, and whoever is signed in stays it.
    person.open(token)
    person.shows("This link does not work")
    person.open()
    person.shows(name)
    person.press("Sign out")
    person.shows("You have signed out")
    person.open()
    person.shows("You are not signed in")


def names_whoever_is_signed_in(person: Person) -> None:
    person.open(person.token())
    person.shows("Sign in to")
    console = person.console
    person.press("Sign in")
    person.has_signed_in(console)
    person.open(person.token())
    text = person.shows("Sign in to")
    person.expect("will be signed out" in text, f"another session is replaced without a word: {text}")


def failing(method: str):
    """Returns a handler of requests that fails those with a method."""

    def handle(route) -> None:
        if route.request.method == method:
            route.fulfill(status=503, json={"error": {"message": "Something went wrong on our side."}})
        else:
            route.continue_()

    return handle


def replaces_no_session_that_it_cannot_name_or_end(person: Person) -> None:
    """While the server does not say who is signed in, or does not sign them out, nobody else is signed in."""
    person.open(person.token())
    person.shows("Sign in to")
    console = person.console
    person.press("Sign in")
    person.has_signed_in(console)

    session = f"{person.base_url}/v1/session"
    for method, step in (("GET", []), ("DELETE", ["Sign in"])):
        used = []
        person.page.on("request", lambda request: used.append(request.method) if "/sign-in/link" in request.url else None)
        person.page.route(session, failing(method))
        person.open(person.token())
        for label in step:
            person.shows("Sign in to")
            person.press(label)
        person.page.get_by_role("button", name="Try again").wait_for(timeout=30_000)
        person.page.unroute(session)
        person.expect("POST" not in used, f"the link is used although {method} of the session has failed")
        person.press("Try again")
        if method == "GET":
            person.page.get_by_role("button", name="Sign in").wait_for(timeout=30_000)
        else:
            person.has_signed_in(console)


def signs_in_with_the_provider(person: Person) -> None:
    """Types the address at the identity provider, and comes back as the member."""
    name = admin(person.base_url, "GET", "/v1/organization/settings")["name"]
    person.open()
    person.shows("You are not signed in")
    console = person.console
    person.press("Sign in with localhost")
    at_the_provider(person, person.email, console)
    text = person.has_signed_in(console)
    person.shows(name)
    person.expect(person.email in text, f"the page does not say who is signed in: {text}")
    person.page.screenshot(path=SCREENSHOTS / "sign-in-with-provider.png")
    cookies = {cookie["name"]: cookie for cookie in person.context.cookies(person.base_url)}
    session = cookies.get("__Host-session", {})
    person.expect(session.get("sameSite") == "Strict" and session.get("httpOnly"), f"the cookie of the session: {session}")
    person.press("Sign out")
    person.shows("You have signed out")


def tells_why_not(person: Person) -> None:
    """Somebody whom nobody has invited, and one for whose address the provider does not vouch."""
    for email, text in (("nobody@example.com", "Nobody has invited"), (f"unverified-{person.email}", "does not vouch")):
        person.context.clear_cookies()
        person.open()
        person.shows("You are not signed in")
        person.press("Sign in with localhost")
        at_the_provider(person, email, None)
        shown = person.shows("You are not signed in")
        person.expect(text in shown, f"{email} is told {shown!r}")


def at_the_provider(person: Person, email: str, console: str | None) -> None:
    """Fills in the pages of the identity provider with the keyboard. It leads back to the sign-in page, which leads on to a console."""
    login = person.page.locator("input[name=login]")
    login.wait_for(timeout=30_000)
    login.press_sequentially(email)
    person.page.keyboard.press("Tab")
    person.page.keyboard.type("any")
    person.page.keyboard.press("Enter")
    consent = person.page.get_by_role("button", name="Continue")
    consent.wait_for(timeout=30_000)
    consent.press("Enter")
    person.page.wait_for_url(re.compile(re.escape(console or f"{person.base_url}/sign-in")), timeout=30_000)


def check_sign_in(browser: Browser, base_url: str, expect) -> None:
    checks = (
        signs_in_and_out,
        names_whoever_is_signed_in,
        replaces_no_session_that_it_cannot_name_or_end,
        signs_in_with_the_provider,
        tells_why_not,
    )
    for check in checks:
        person = Person(browser, base_url, expect)
        check(person)
        person.context.close()

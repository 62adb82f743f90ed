"""The console with an API that is slow, fails, or answers 401 in the middle."""

import time

from playwright.sync_api import Browser, Route, expect

from tools.ci.console.member import Fault, Member, World
from tools.ci.console.places import places

API = "**/v1/**"
# Requests are delayed one after another, so that some wait many times as long.
SLOW_SECONDS = 0.4
# No screen needs more presses of "Try again" than it has parts that fail by themselves.
MOST_RETRIES = 12


def says_that_it_waits(browser: Browser, world: World) -> None:
    """A slow API: each screen says that it is loading, and shows its content in the end."""
    member = Member(browser, world).sign_in_quietly()

    def slow(route: Route) -> None:
        time.sleep(SLOW_SECONDS)
        route.continue_()

    for address in ("start", "messages", "webhooks", "playground", "apps"):
        member.open("organization")
        member.page.route("**/v1/organization/**", slow)
        member.page.goto(f"{world.base_url}/console#/{address}")
        expect(member.page.locator("main .waiting").first).to_be_attached()
        member.settle()
        member.page.unroute("**/v1/organization/**")
    member.close()


def tells_that_the_api_fails(browser: Browser, world: World) -> None:
    """A failing API: each screen says so, and goes on with "Try again"."""
    shown = places(world)
    faults = []
    member = Member(browser, world)
    member.expects_failures = True
    member.sign_in_quietly()
    for place in shown:
        # Elsewhere, so that the place itself asks for something.
        member.open("organization" if place.address == "start" else "start")
        member.page.route("**/v1/organization/**", lambda route: route.fulfill(status=503, json={"error": {"message": "Down for a moment."}}))
        member.page.goto(f"{world.base_url}/console#/{place.address}")
        again = member.page.locator("main").get_by_role("button", name="Try again")
        try:
            again.first.wait_for(timeout=12_000)
        except Exception:  # noqa: BLE001
            # Forms need nothing of the API before they are sent.
            if member.page.locator("main form").count() == 0 or member.page.locator("main .waiting").count() > 0:
                faults.append(f"{place.address} does not say that the API fails: {member.page.locator('main').inner_text()[:200]!r}")
        member.page.unroute("**/v1/organization/**")
        for _ in range(MOST_RETRIES):
            if again.count() == 0:
                break
            again.first.click()
            member.settle()
            member.page.wait_for_timeout(300)
        if again.count() > 0 or member.page.locator("main .problem").count() > 0:
            faults.append(f"{place.address} stays broken after the API works again: {member.page.locator('main .problem').all_inner_texts()}")
    faults += member.faults
    member.context.close()
    if faults:
        raise Fault("\n".join(faults))


def keeps_what_was_typed(browser: Browser, world: World) -> None:
    """The session ends in the middle: the console says so, and what was typed is sent after signing in again."""
    member = Member(browser, world)
    member.expects_failures = True
    member.sign_in_quietly()
    member.open("apps/new")
    name = f"Kept {time.time_ns()}"
    member.field("Name").fill(name)
    member.page.context.clear_cookies()
    member.page.route("**/v1/organization/**", lambda route: route.fulfill(status=401, json={"error": "Missing or invalid token"}))
    member.button("Create app").click()
    expect(member.page.get_by_role("heading", name="Your session has ended")).to_be_visible()
    member.page.unroute("**/v1/organization/**")
    # Without a session, nothing goes on.
    member.button("Go on").click()
    expect(member.page.get_by_text("You are not signed in yet.")).to_be_visible()
    other = member.context.new_page()
    member.sign_in(other)
    other.close()
    member.button("Go on").click()
    expect(member.page.get_by_role("heading", name="Your session has ended")).to_be_hidden()
    expect(member.field("Name")).to_have_value(name)
    member.button("Create app").click()
    member.heading(name)
    member.close()


def asks_again_with_a_new_key(browser: Browser, world: World) -> None:
    """A key of 15 minutes that has ended is replaced without a word."""
    member = Member(browser, world)
    member.expects_failures = True
    member.sign_in_quietly()
    member.open("apps")
    asked = []
    member.page.on("request", lambda request: request.url.endswith("/v1/session/key") and asked.append(request))
    answers = iter([401])

    def once(route: Route) -> None:
        status = next(answers, None)
        route.fulfill(status=status, json={"error": "Missing or invalid token"}) if status else route.continue_()

    member.page.route("**/v1/organization/**", once)
    member.open("webhooks")
    if len(asked) != 1:
        raise Fault(f"{len(asked)} keys were asked for after a 401")
    expect(member.page.get_by_role("heading", name="Your session has ended")).to_have_count(0)
    member.close()


def asks_for_nothing_unseen(browser: Browser, world: World) -> None:
    """While the page is hidden, nothing is asked for; after ten minutes without input neither."""
    member = Member(browser, world).sign_in_quietly()
    # For a moment while the clock is installed, it shows 1970, which the first screen would ask the API about.
    member.settle()
    clock = member.page.clock
    clock.install()
    member.open("messages")
    asked = []
    member.page.on("request", lambda request: asked.append(request.url))
    clock.run_for(12_000)
    member.page.wait_for_timeout(500)
    if not asked:
        raise Fault("the log does not refresh itself")
    clock.run_for(600_000)
    member.page.wait_for_timeout(1000)
    asked.clear()
    clock.run_for(60_000)
    member.page.wait_for_timeout(500)
    if asked:
        raise Fault(f"after ten minutes without input, the console asks for {asked[:3]}")
    member.page.mouse.move(50, 50)
    member.page.wait_for_timeout(1000)
    if not asked:
        raise Fault("the console does not go on after input")
    member.close()


def loads_a_part_again(browser: Browser, world: World) -> None:
    """A file of the console that cannot be loaded is asked for once more."""
    member = Member(browser, world)
    member.expects_failures = True
    member.sign_in_quietly()
    failed = []

    def fail_once(route: Route) -> None:
        if failed:
            return route.continue_()
        failed.append(route.request.url)
        route.abort()

    member.page.route("**/console/Webhooks-*.js", fail_once)
    member.open("webhooks")
    member.heading("Webhooks")
    if not failed:
        raise Fault("the screen was not loaded by a request of its own")
    # After an update of the console, the files of the one before are gone until the page is loaded anew.
    member.page.route("**/console/Usage-*.js", lambda route: route.abort())
    member.page.goto(f"{world.base_url}/console#/usage")
    reload = member.button("Reload the page")
    reload.wait_for()
    member.page.unroute("**/console/Usage-*.js")
    reload.click()
    member.heading("Usage")
    member.close()

"""The most important tasks in the console, from signing in to the effect as the API shows it."""

import json
import time
import uuid
from collections.abc import Callable

from playwright.sync_api import Browser, expect

from tools.ci.console import programs
from tools.ci.console.member import PATIENCE, PHONE, Fault, Member, World
from tools.ci.console.receiver import receiver

APPS = "/v1/organization/apps"


def eventually(what: str, look: Callable[[], bool]) -> None:
    """Waits until something holds at the API."""
    ends = time.monotonic() + PATIENCE / 1000
    while not look():
        if time.monotonic() > ends:
            raise Fault(f"{what} did not happen")
        time.sleep(0.2)


def a_user() -> str:
    return f"+1202555{uuid.uuid4().int % 9000 + 1000}"


def signs_in_sends_and_answers(browser: Browser, world: World) -> None:
    """Follows a link into the console, signs in first and is led there, sends a message in test mode, and answers as the user."""
    member = Member(browser, world)
    member.page.goto(f"{world.base_url}/console#/webhooks")
    member.page.wait_for_url("**/sign-in")
    member.sign_in()
    member.heading("Webhooks")
    user, text, answer = a_user(), f"Hello {uuid.uuid4()}", f"Answer {uuid.uuid4()}"
    member.open("messages/send")
    member.field("To").fill(user)
    member.field("Text").fill(text)
    button = member.page.locator("main").get_by_role("button", name="Send in test mode")
    expect(button).to_contain_text(user.removeprefix("+1")[:3])
    button.click()
    path = f"/v1/chat/messages?chatPhoneNumberId={world.number}&contact={user.replace('+', '%2B')}"
    messages = lambda: world.api("GET", path, key="TEST_APP_KEY")["data"]  # noqa: E731
    eventually("the send", lambda: [one.get("textBody") for one in messages()] == [text])
    member.page.get_by_text("Read", exact=True).first.wait_for()

    member.open(f"playground?app={world.test_app}&user={user.replace('+', '%2B')}")
    member.sees(text)
    member.field("Write as the user").fill(answer)
    member.button("Send as the user").click()
    member.sees(answer)
    eventually("the answer", lambda: messages()[0].get("textBody") == answer)
    member.close()


def finds_out_why_a_delivery_failed(browser: Browser, world: World) -> None:
    """Creates a webhook, sees that its receiver fails and why, and redelivers when it works again."""
    member = Member(browser, world).sign_in_quietly()
    with receiver() as received:
        received.status, received.answer = 500, b"The database is away"
        member.open(f"webhooks/new?app={world.test_app}")
        member.field("Address").fill(received.url)
        member.page.get_by_role("checkbox", name="messages.chat.received").check()
        member.button("Create webhook").click()
        member.page.get_by_text("whsec_").first.wait_for()
        hook = newest(world.api("GET", f"{APPS}/{world.test_app}/webhooks")["data"])
        if hook["url"] != received.url:
            raise Fault(f"the webhook has the address {hook['url']}")
        world.inbound("Please deliver this")
        eventually("an attempt", lambda: bool(received.requests))
        member.open(f"webhooks/{hook['id']}")
        member.page.locator("main .rows a", has_text="messages.chat.received").first.click()
        member.heading("Delivery")
        member.sees("500")
        member.sees("The database is away")
        received.status = 200
        before = len(received.requests)
        member.button("Redeliver", exact=True).click()
        eventually("the redelivery", lambda: len(received.requests) > before)
        member.page.locator("main").get_by_text("Succeeded").or_(member.page.locator("main").get_by_text("Delivered")).first.wait_for()
    member.close()
    world.api("DELETE", f"{APPS}/{world.test_app}/webhooks/{hook['id']}")


def newest(objects: list[dict]) -> dict:
    return max(objects, key=lambda one: one["createdAt"])


def creates_a_key_with_two_scopes(browser: Browser, world: World) -> None:
    member = Member(browser, world).sign_in_quietly()
    name = f"Shop {uuid.uuid4()}"
    member.open(f"apps/{world.test_app}/keys/new")
    member.field("Name").fill(name)
    member.page.get_by_role("radio", name="Only").or_(member.page.get_by_role("radio", name="Chosen")).first.check()
    for scope in ("messages write", "media write"):
        member.page.get_by_role("checkbox", name=scope).check()
    member.button("Create key").click()
    value = member.page.locator(".secret code").inner_text()
    made = next(one for one in world.api("GET", f"{APPS}/{world.test_app}/keys?limit=100")["data"] if one.get("name") == name)
    if sorted(made["scopes"]) != ["media:write", "messages:write"] or not value.endswith(made["lastFour"]):
        raise Fault(f"the key is {made}, and {value[-4:]} was shown")
    member.button("Copy").first.click()
    if member.page.evaluate("navigator.clipboard.readText()") != value:
        raise Fault("the value was not copied")
    member.open(f"apps/{world.test_app}")
    if value in member.page.content():
        raise Fault("the value is shown again")
    member.close()


def works_with_the_keyboard_alone(browser: Browser, world: World) -> None:
    """Signs in, goes to a screen with a shortcut, and creates an app, without a mouse."""
    member = Member(browser, world)
    member.page.goto(f"{world.base_url}/sign-in#{member.token()}")
    member.button("Sign in").wait_for()
    member.press("Sign in")
    member.page.get_by_role("navigation", name="Screens").wait_for()
    member.settle()
    member.page.keyboard.press("g")
    member.page.keyboard.press("a")
    member.heading("Apps and keys")
    member.settle()
    member.press("Create an app")
    member.heading("Create an app")
    name = f"Keyboard {uuid.uuid4()}"
    member.reach("Name")
    member.page.keyboard.type(name)
    member.page.keyboard.press("Enter")
    member.heading(name)
    if name not in [app["name"] for app in world.api("GET", f"{APPS}?limit=100")["data"]]:
        raise Fault("the app does not exist")
    member.page.keyboard.press("?")
    member.page.get_by_role("dialog", name="Keyboard").wait_for()
    member.page.keyboard.press("Escape")
    expect(member.page.get_by_role("dialog")).to_have_count(0)
    member.close()


def works_on_a_phone(browser: Browser, world: World) -> None:
    """Opens the menu, reads a conversation and replies, on a phone."""
    user, text = a_user(), f"From a phone {uuid.uuid4()}"
    world.inbound("Hello from the user", user)
    member = Member(browser, world, size=PHONE, has_touch=True).sign_in_quietly()
    member.button("Menu").tap()
    member.page.get_by_role("navigation", name="Screens").get_by_role("link", name="Messages").tap()
    member.heading("Messages")
    member.settle()
    member.field("Number").select_option(world.number)
    member.page.locator("main .rows a", has_text="Hello from the user").first.tap()
    member.page.get_by_role("link", name="Conversation").first.tap()
    member.heading("Conversation")
    member.settle()
    member.field("Text").fill(text)
    member.page.locator("main").get_by_role("button", name="Send in test mode").tap()
    member.sees(text)
    if not member.fits():
        raise Fault("the conversation is wider than a phone")
    member.close()


def shows_as_code(browser: Browser, world: World) -> None:
    """What "Show as code" shows does what the button does, in each language, and has no secret in it."""
    member = Member(browser, world).sign_in_quietly()
    member.open("apps/new")
    for language in programs.LANGUAGES:
        # Characters that shells and languages take for more than themselves.
        name = f"It's \"$HOME\" \\n `17` {uuid.uuid4().hex[:12]}"
        member.field("Name").fill(name)
        member.page.locator("main").get_by_role("button", name="Show as code").first.click()
        dialog = member.page.get_by_role("dialog")
        dialog.get_by_role("button", name=language, exact=True).click()
        code = dialog.locator("pre").inner_text()
        if "sk_" in code:
            raise Fault(f"{language} shows a key: {code}")
        member.page.keyboard.press("Escape")
        said = programs.run(language, code, world)
        if name not in [app["name"] for app in world.api("GET", f"{APPS}?limit=100")["data"]]:
            raise Fault(f"{language} has not created the app:\n{code}\n{said}")
    member.close()


def recovers_deliveries(browser: Browser, world: World) -> None:
    """After an outage, counts what has failed, and has it attempted again."""
    member = Member(browser, world).sign_in_quietly()
    with receiver() as received:
        received.status = 410
        hook = world.api("POST", f"{APPS}/{world.test_app}/webhooks", {"url": received.url, "events": ["messages.chat.received"]})
        path = f"{APPS}/{world.test_app}/webhooks/{hook['id']}"
        world.inbound("Lost in an outage")
        eventually("a failure", lambda: any(one["status"] == "FAILED" for one in world.api("GET", f"{path}/deliveries")["data"]))
        received.status = 200
        world.api("PUT", path, {"events": ["messages.chat.received"]})
        member.open(f"webhooks/{hook['id']}")
        member.button("Recover deliveries").first.click()
        member.button("Count deliveries").click()
        again = member.page.get_by_role("button", name="Attempt")
        again.first.wait_for()
        before = len(received.requests)
        again.first.click()
        eventually("the recovery", lambda: len(received.requests) > before)
    member.close()
    world.api("DELETE", path)


def makes_a_message_fail(browser: Browser, world: World) -> None:
    """Sends to a number that fails, finds the message among the failures, and reads what to do."""
    number = "+99910131026"
    member = Member(browser, world)
    member.expects_failures = True
    member.sign_in_quietly()
    member.open("messages/send")
    member.field("To").fill(number)
    member.field("Text").fill("This fails")
    member.page.locator("main").get_by_role("button", name="Send in test mode").click()
    member.page.locator("main .problem, main .status.bad").first.wait_for()
    member.open("messages/failures")
    member.page.locator("main .rows a", has_text=number).first.click()
    member.settle()
    member.sees("131026")
    member.close()


def finds_by_id(browser: Browser, world: World) -> None:
    """An id that is pasted opens its object, from anywhere, in the mode of the object."""
    message = world.inbound("Find me by my id")
    member = Member(browser, world).sign_in_quietly()
    member.choose("live")
    member.page.keyboard.press("/")
    member.page.keyboard.type(f" {message['id']} ")
    member.page.keyboard.press("Enter")
    member.sees("Find me by my id")
    expect(member.page.get_by_role("button", name="Test", exact=True)).to_have_attribute("aria-pressed", "true")
    member.field("Find by id or phone number").fill("nothing")
    member.page.keyboard.press("Enter")
    member.page.get_by_text("This is no id").wait_for()
    member.close()


def follows_the_mode(browser: Browser, world: World) -> None:
    """Live shows live objects, and test shows test objects."""
    member = Member(browser, world).sign_in_quietly()
    apps = {app["id"]: app for app in world.api("GET", f"{APPS}?limit=100")["data"]}
    for mode in ("live", "test"):
        member.choose(mode)
        member.open("apps")
        shown = member.page.locator("main a[href^='#/apps/app_']").evaluate_all("(links) => links.map((link) => link.hash.slice(7).split('/')[0])")
        wrong = [one for one in shown if apps[one]["isTestApp"] != (mode == "test")]
        if wrong or not shown:
            raise Fault(f"{mode} shows {json.dumps(shown)}")
    member.close()

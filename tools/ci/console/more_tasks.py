"""Tasks on the screens that manage an organization: accounts, templates, numbers, members, the audit log and usage."""

import csv
import uuid

from playwright.sync_api import Browser, expect

from tools.ci.console.limits import SECRET_TEXT
from tools.ci.console.member import Fault, Member, World
from tools.ci.console.tasks import APPS, eventually

LINKS = "/v1/organization/chat/onboarding-links"
# The fields in which the first draft of a template is wrong.
WRONG = ("Name", "Example for {{1}}", "Address of button 1")


def connects_an_account_with_a_link(browser: Browser, world: World) -> None:
    """Makes an onboarding link, gives the consent as the customer, and sees the account."""
    member = Member(browser, world).sign_in_quietly()
    member.open("accounts/links/new")
    member.field("Success address").fill("https://customer.example/done")
    member.field("Failure address").fill("https://customer.example/failed")
    member.button("Create link").click()
    with member.context.expect_page() as opened:
        member.page.get_by_role("link", name="Open it").click()
    customer = opened.value
    customer.get_by_role("button", name="Continue").click()
    customer.get_by_role("button", name="Give permission", exact=True).click()
    customer.get_by_role("heading", name="The account is connected").wait_for()
    customer.close()
    link = max(world.api("GET", LINKS)["data"], key=lambda one: one["createdAt"])
    member.open(f"accounts/links/{link['id']}")
    member.page.locator("main").get_by_text("connected").first.wait_for()
    member.open(f"accounts/{link['profileId']}")
    member.page.locator("main a[href^='#/numbers/wapn_test_']").first.wait_for()
    member.close()


def writes_a_template_with_three_mistakes(browser: Browser, world: World) -> None:
    """A draft with three mistakes: each is shown at its field. After mending, the template is created."""
    member = Member(browser, world)
    member.expects_failures = True
    member.sign_in_quietly()
    name = f"order_{uuid.uuid4().hex[:12]}"
    profile = world.api("GET", f"/v1/organization/chat/phone-numbers/{world.number}")["businessProfile"]["id"]
    member.open(f"templates/new?account={profile}")
    page = member.page
    page.get_by_label("Name", exact=True).fill(name.upper())
    page.get_by_label("Body", exact=True).fill("Your order {{1}} is on its way to you today.")
    member.button("Add a button").click()
    page.get_by_label("Type of button 1").select_option("URL")
    page.get_by_label("Text of button 1").fill("Follow it")
    member.button("Check", exact=True).click()
    member.sees("3 mistakes")
    for label in WRONG:
        expect(page.get_by_label(label, exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Example for {{1}}", exact=True).fill("17")
    page.get_by_label("Address of button 1", exact=True).fill("https://example.com/orders")
    member.button("Create template").click()
    path = f"/v1/organization/chat/templates?chatBusinessProfileId={profile}&name={name}"
    eventually("the creation", lambda: [one["name"] for one in world.api("GET", path)["data"]] == [name])
    member.sees("Approved")
    member.close()


def sees_a_number_in_trouble(browser: Browser, world: World) -> None:
    """WhatsApp flags a number: Start names it and says what helps, and leads to it."""
    body = {"scenario": "number_quality_changed", "target": world.number}
    world.api("POST", "/v1/playground/simulations", body, "TEST_APP_KEY")
    listed = lambda: [one["kind"] for one in world.api("GET", "/v1/organization/attention")["data"]]  # noqa: E731
    eventually("the flag", lambda: "NUMBER_QUALITY_LOW" in listed())
    remedy = next(one["remedy"] for one in world.api("GET", "/v1/organization/attention")["data"] if one["kind"] == "NUMBER_QUALITY_LOW")
    member = Member(browser, world).sign_in_quietly()
    member.open("start")
    member.sees(remedy)
    member.page.locator(f"main a[href*='{world.number}']").first.click()
    member.settle()
    member.sees("Low")
    member.close()
    world.api("POST", "/v1/playground/simulations", body, "TEST_APP_KEY")


def invites_a_colleague_who_reads_no_texts(browser: Browser, world: World) -> None:
    world.inbound(SECRET_TEXT)
    member = Member(browser, world).sign_in_quietly()
    email = f"{uuid.uuid4()}@example.com"
    member.open("organization/members/new")
    member.field("Email").fill(email)
    member.field("Role").select_option("VIEWER")
    member.button("Invite", exact=True).click()
    member.button("Create a sign-in link").click()
    link = member.page.locator(".secret code").inner_text()
    made = next(one for one in world.api("GET", "/v1/organization/members?limit=100")["data"] if one["email"] == email)
    if made["role"] != "VIEWER" or made["status"] != "INVITED":
        raise Fault(f"the member is {made}")
    member.close()

    colleague = Member(browser, world)
    colleague.page.goto(link)
    colleague.button("Sign in").click()
    colleague.heading("Start")
    colleague.open(f"messages?number={world.number}")
    if SECRET_TEXT in colleague.page.locator("main").inner_text():
        raise Fault("a viewer reads a text")
    colleague.sees("Your role")
    colleague.close()


def finds_who_changed_a_webhook(browser: Browser, world: World) -> None:
    hook = world.api("POST", f"{APPS}/{world.test_app}/webhooks", {"url": "http://127.0.0.1:1024/audited", "events": ["messages.chat.received"]})
    member = Member(browser, world).sign_in_quietly()
    member.open(f"webhooks/{hook['id']}/edit")
    member.page.get_by_role("checkbox", name="messages.chat.sent").check()
    member.button("Save changes").click()
    member.heading("127.0.0.1")
    member.open(f"organization/audit?target={hook['id']}")
    member.page.locator("main li", has_text=member.email).first.wait_for()
    member.sees("messages.chat.sent")
    member.close()


def reads_off_failures_by_code(browser: Browser, world: World) -> None:
    """Today's failures by code, as a table and as the file that is downloaded."""
    body = {"from": world.number, "to": "+99920131026", "type": "text", "text": {"body": "This fails later"}}
    world.api("POST", "/v1/chat/messages", body, "TEST_APP_KEY")
    path = "/v1/organization/usage?period=hour&groupBy=code&mode=test"
    failures = lambda: [row for row in world.api("GET", path)["data"] if row.get("code") == "message_undeliverable"]  # noqa: E731
    eventually("the counting", lambda: bool(failures()))
    member = Member(browser, world).sign_in_quietly()
    member.open("usage?view=failures&range=today")
    member.sees("message_undeliverable")
    with member.page.expect_download() as download:
        member.button("Download CSV").first.click()
    rows = list(csv.reader(download.value.path().read_text().splitlines()))
    if not any("message_undeliverable" in row for row in rows) or len({len(row) for row in rows}) != 1:
        raise Fault(f"the file has {rows}")
    member.close()

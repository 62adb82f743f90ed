"""The console with nothing to show, and with very much."""

import json

from playwright.sync_api import Browser, expect

from tools.ci.console.limits import check_views
from tools.ci.console.member import DESK, PHONE, Fault, Member, World
from tools.ci.console.places import Place

SCREENS = ("start", "messages", "webhooks", "playground", "apps", "numbers", "accounts", "templates", "usage", "organization")
HEADINGS = {"apps": "Apps and keys"}


def shows_an_empty_organization(browser: Browser, world: World) -> None:
    """In live mode, the demo organization has an app and nothing else: each screen says what to do."""
    shown = [Place(screen, HEADINGS.get(screen, screen.capitalize())) for screen in SCREENS]
    check_views(browser, world, [(DESK, "light"), (PHONE, "dark")], shown, mode="live")


def shows_very_much(browser: Browser, world: World) -> None:
    """1,000 numbers and 100,000 messages: the first page comes at once, more on demand, and a number is found."""
    large = World(json.loads(world.values["MANY"]))
    member = Member(browser, large).sign_in_quietly()
    member.open("messages")
    member.sees("Message 1 of 100000")
    member.button("Show more").click()
    member.settle()
    rows = member.page.locator("main .rows > li")
    expect(rows.nth(30)).to_be_visible()
    if rows.count() > 250:
        raise Fault(f"{rows.count()} rows are shown of a log that has more than anybody reads")
    member.open("numbers")
    member.field("Find a number").fill("+12012012998")
    member.sees("+12012012998")
    for place in ("start", "usage", "playground", f"numbers/{large.number}"):
        member.open(place)
    member.close()
    check_views(browser, large, [(PHONE, "light")], [Place("messages", "Messages"), Place("numbers", "Numbers")])

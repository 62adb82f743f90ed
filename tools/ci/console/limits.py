"""What holds on every screen: it fits, it is accessible, and it shows no more than a role may see."""

import json

from playwright.sync_api import Browser

from tools.ci.console.member import DESK, PHONE, Fault, Member, World
from tools.ci.console.places import Place, places
from tools.stack.project import TOOLS

AXE = TOOLS / "console" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """axe.run(OPTIONS).then((result) => JSON.stringify(result.violations.map(
    (found) => `${found.id}: ${found.help}: ${found.nodes.slice(0, 2).map((node) => node.html.slice(0, 200)).join(" and ")}`)))"""
# What nobody may see without `messages:read`.
SECRET_TEXT = "Only for those who may read"
VIEWS = [(DESK, "light"), (PHONE, "dark"), (DESK, "dark"), (PHONE, "light")]
# Both widths and both themes are in the first two views; what depends on both together is the contrast of colours.
WHOLE, CONTRAST = {}, {"runOnly": ["color-contrast"]}


class Axe:
    """axe-core in a page. It comes in through the debugger, because the policy of the page allows no foreign script."""

    def __init__(self, member: Member):
        self.debugger = member.context.new_cdp_session(member.page)
        self.source = AXE.read_text()
        self.is_there = False

    def run(self, options: dict) -> list[str]:
        if not self.is_there:
            self.debugger.send("Runtime.evaluate", {"expression": self.source})
            self.is_there = True
        asked = {"expression": RUN.replace("OPTIONS", json.dumps(options)), "awaitPromise": True, "returnByValue": True}
        reply = self.debugger.send("Runtime.evaluate", asked)
        found = reply["result"].get("value")
        if found is None:
            return [f"axe did not run: {str(reply)[:300]}"]
        return json.loads(found)


def check_views(browser: Browser, world: World, views: list = VIEWS, shown: list[Place] | None = None, mode: str = "test") -> None:
    """Every screen at both widths and in both themes: no finding of axe, no scrolling sideways, the right heading."""
    shown = shown if shown is not None else places(world)
    faults = []
    for number, (size, scheme) in enumerate(views):
        member = Member(browser, world, size=size, scheme=scheme).sign_in_quietly()
        member.choose(mode)
        axe = Axe(member)
        for place in shown:
            where = f"{place.address} ({size['width']} pixels, {scheme})"
            member.open(place.address)
            heading = member.page.locator("main h1").first.inner_text()
            if place.heading not in heading:
                faults.append(f"{where}: the heading is {heading!r}")
            if problem := member.page.locator("main .problem").first.all_inner_texts():
                faults.append(f"{where}: {problem[0][:200]}")
            if not member.fits():
                faults.append(f"{where}: wider than the screen")
            faults += [f"{where}: {found}" for found in axe.run(WHOLE if number < 2 else CONTRAST)]
        faults += member.faults
        member.context.close()
    if faults:
        raise Fault("\n".join(dict.fromkeys(faults)))


def check_desk(browser: Browser, world: World) -> None:
    """The first screens at a desk, as part of the checks that run most often."""
    first = ("start", "messages", "webhooks", "playground", "apps")
    shown = [place for place in places(world) if place.address in first]
    check_views(browser, world, [(DESK, "light"), (PHONE, "dark")], shown)


def check_roles(browser: Browser, world: World) -> None:
    """Each role sees what it may: without `messages:read` no text appears, and what is not allowed is off or not there."""
    world.inbound(SECRET_TEXT)
    shown = places(world)
    faults = []
    for role, reads, creates_webhooks in [("VIEWER", False, False), ("SUPPORT", True, False), ("DEVELOPER", True, True)]:
        member = Member(browser, world, role=role)
        member.expects_failures = True
        member.sign_in_quietly()
        refused = []
        member.page.on("response", lambda answer, refused=refused: answer.status == 403 and refused.append(answer.url))
        texts = ""
        for place in shown:
            member.open(place.address)
            texts += member.page.locator("main").inner_text()
        if (SECRET_TEXT in texts) != reads:
            faults.append(f"{role}: the text of a message is {'not ' if reads else ''}shown")
        if refused:
            faults.append(f"{role}: the console asked for what the role may not: {sorted({url.split('?')[0] for url in refused})}")
        member.open("webhooks")
        create = member.page.locator("main").get_by_text("Create a webhook").first
        is_offered = create.count() > 0 and create.is_enabled()
        if is_offered != creates_webhooks:
            faults.append(f"{role}: creating a webhook is {'' if is_offered else 'not '}offered")
        faults += member.faults
        member.context.close()
    if faults:
        raise Fault("\n".join(faults))

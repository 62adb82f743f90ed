"""200 hostile texts in every field that comes from outside: nothing runs, nothing is fetched, the policy reports nothing."""

from urllib.parse import quote

from playwright.sync_api import Browser, expect

from tools.ci.console.member import Fault, Member, World
from tools.ci.console.places import places
from tools.ci.console.receiver import receiver
from tools.ci.console.texts import MARK, texts

# A user of its own for each text would make 200 conversations; these have them all.
USER = "+12025550166"
# Lists show so many at most before "Show more".
PAGES = 12


def one_line(text: str, most: int) -> str:
    """The text as the API takes it for names: without line breaks, and not too long."""
    return " ".join(text.split())[:most].strip() or "-"


def fill(world: World, url: str) -> str:
    """Puts each text into the fields that strangers, colleagues and receivers fill. Returns the id of the webhook."""
    hook = world.api("POST", f"/v1/organization/apps/{world.test_app}/webhooks", {"url": url, "events": ["messages.chat.received"]})
    for number, text in enumerate(texts()):
        world.inbound(text, USER, profileName=one_line(text, 100))
        if number % 10 == 0:
            place = {"latitude": 52.5, "longitude": 13.4, "name": one_line(text, 200), "address": one_line(text, 200)}
            world.api("POST", "/v1/playground/chat/inbound", {"from": USER, "type": "location", "location": place}, "TEST_APP_KEY")
            world.api("POST", "/v1/playground/sms/inbound", {"from": USER, "to": "+12025550199", "text": text}, "TEST_APP_KEY")
            world.api("POST", "/v1/organization/apps", {"name": one_line(text, 60), "test": True, "slug": f"hostile-{number}"})
            world.api("POST", "/v1/organization/admin-keys", {"name": one_line(text, 60), "test": True})
    return hook["id"]


def shows_texts_as_texts(browser: Browser, world: World) -> None:
    with receiver() as received:
        received.answer = "\n".join(texts()[:20]).encode()
        fill(world, received.url)
        member = Member(browser, world).sign_in_quietly()
        conversation = f"messages/conversation/{world.number}/{quote(USER, safe='')}"
        shown = set()
        addresses = [conversation, *(place.address for place in places(world))]
        for address in addresses:
            member.open(address)
            more = member.page.locator("main").get_by_role("button", name="Show more").or_(member.button("Show earlier messages"))
            for _ in range(PAGES):
                if more.count() == 0 or not more.first.is_enabled():
                    break
                more.first.click()
                expect(member.button("Loading")).to_have_count(0)
            shown |= set(member.page.locator("main").evaluate("(main) => [...main.querySelectorAll('.text, .clipped, .title')].map((one) => one.textContent)"))
        ran = member.page.evaluate(f"'{MARK}' in window")
        added = member.page.locator("main script, main iframe, main object, main base, main form[action]").count()
        member.close()
        if ran or added:
            raise Fault(f"a hostile text has run ({ran}) or has made {added} elements")
        said = "\n".join(shown)
        missing = [text for text in texts() if text.strip() not in said]
        # Lists clip and trim; the conversation shows everything.
        if len(missing) > 10:
            raise Fault(f"{len(missing)} texts are not shown as they are, such as {missing[:3]}")

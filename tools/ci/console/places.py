"""All places of the console, with objects to show in each."""

from dataclasses import dataclass
from urllib.parse import quote

from tools.ci.console.member import World

USER = "+12025550123"
APPS = "/v1/organization/apps"
# Where an onboarding link leads in the end.
RETURN = {"successUrl": "https://customer.example/done", "failureUrl": "https://customer.example/failed"}


@dataclass(frozen=True)
class Place:
    """An address in the console, and the heading that it shows."""

    address: str
    heading: str


def places(world: World) -> list[Place]:
    """Makes objects of each kind in test mode, and returns the addresses of everything that shows them."""
    received = world.inbound("Is my parcel on its way?", USER)
    sent = world.outbound("It arrives today.", USER)
    webhook = world.api(
        "POST", f"{APPS}/{world.test_app}/webhooks", {"url": "http://127.0.0.1:1024/closed", "events": ["messages.chat.received"]}
    )
    hook = f"{APPS}/{world.test_app}/webhooks/{webhook['id']}"
    delivery = world.api("POST", f"{hook}/test", {})
    profile = world.api("GET", f"/v1/organization/chat/phone-numbers/{world.number}")["businessProfile"]["id"]
    template = world.api("GET", f"/v1/organization/chat/templates?chatBusinessProfileId={profile}&limit=1")["data"]
    link = world.api("POST", "/v1/organization/chat/onboarding-links", {"test": True, **RETURN})
    conversation = f"messages/conversation/{world.number}/{quote(USER, safe='')}"
    app = f"app={world.test_app}"
    fixed = [
        ("start", "Start"),
        ("messages", "Messages"),
        ("messages/failures", "Failures"),
        (conversation, "Conversation"),
        (f"messages/message/{received['id']}", ""),
        (f"messages/message/{sent['id']}", ""),
        (f"messages/event/{delivery['eventId']}", ""),
        ("messages/send", "Send a message"),
        ("webhooks", "Webhooks"),
        ("webhooks/new", "Create a webhook"),
        (f"webhooks/{webhook['id']}", ""),
        (f"webhooks/{webhook['id']}/deliveries/{delivery['id']}?{app}", "Delivery"),
        ("playground", "Playground"),
        ("apps", "Apps and keys"),
        ("apps/new", "Create an app"),
        (f"apps/{world.test_app}", ""),
        (f"apps/{world.test_app}/keys/new", "Create a key"),
        ("apps/keys/new", "Create an admin key"),
        ("numbers", "Numbers"),
        (f"numbers/{world.number}", ""),
        ("numbers/check", "Platform check"),
        ("accounts", "Accounts"),
        (f"accounts/{profile}", ""),
        ("accounts/connect", "Connect an account"),
        ("accounts/links/new", "Create an onboarding link"),
        (f"accounts/links/{link['id']}", ""),
        ("templates", "Templates"),
        ("templates/new", "Create a template"),
        *((f"templates/{one['id']}", "") for one in template),
        *((f"templates/{one['id']}/edit", "") for one in template),
        ("usage", "Usage"),
        ("organization", "Organization"),
    ]
    return [Place(*each) for each in fixed]

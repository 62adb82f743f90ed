"""Events on their way through stream, queues and functions to a receiver, or at least to the delivery log."""

import time

from tools.verify.document import check_delivery
from tools.verify.organization import Organization
from tools.verify.report import Broken, Skipped, Subject, expect
from tools.verify.target import Target

SUBJECT = Subject("Events")
# The stream's mapping, two queues and three functions that may all start cold.
PATIENCE_SECONDS = 60
# How long a delivery may take longer than one of a later event.
STRAY_SECONDS = 5
# A name in the public DNS with a private address.
PRIVATE_NAME = "https://10.0.0.1.nip.io/"
STREAM = "See the dispatch and deliver functions' logs, and the stream's mapping: is it enabled, and are both queues' mappings?"


def webhook(organization: Organization, url: str, test: bool = True) -> dict:
    """Creates a webhook in an app of its own, so that no check gets the events of another one."""
    app = organization.admin("POST", "/v1/organization/apps", {"name": "Events", "test": test})
    body = {"url": url, "events": ["messages.sms.received"], "headers": {"X-Team": "blue"}}
    return organization.admin("POST", f"/v1/organization/apps/{app['id']}/webhooks", body)


def path_of(made: dict) -> str:
    return f"/v1/organization/apps/{made['appId']}/webhooks/{made['id']}"


def logged(organization: Organization, made: dict, status: str, seconds: float = PATIENCE_SECONDS) -> dict:
    """The newest delivery in the webhook's log, once it has the status and an attempt."""
    started, found = time.monotonic(), []
    while time.monotonic() - started < seconds:
        found = organization.admin("GET", f"{path_of(made)}/deliveries")["data"]
        if found and found[0]["attempts"] and status in ("", found[0]["status"]):
            return found[0]
        time.sleep(0.5)
    raise Broken(f"after {seconds:.0f} s the delivery log says {found}")


def send_sms(organization: Organization, made: dict) -> float:
    """Simulates an inbound message to the webhook's app; returns when."""
    key = organization.admin("POST", f"/v1/organization/apps/{made['appId']}/keys", {})["key"]
    number = organization.call("GET", "/v1/playground/phone-numbers/system", key)["numbers"][0]
    organization.call("POST", "/v1/playground/sms/inbound", key, {"from": "+442079460123", "to": number, "text": "Hi"})
    return time.monotonic()


@SUBJECT("An attempt is made and logged, whoever the receiver is", STREAM)
def attempted(target: Target) -> str:
    url = f"{target.receiver.url}/log" if target.receiver else "https://example.com/"
    made = webhook(target.first, url, test=False)
    started = time.monotonic()
    target.first.admin("POST", f"{path_of(made)}/test", {})
    attempt = logged(target.first, made, "")["attempts"][0]
    found = attempt.get("statusCode") or attempt.get("error")
    # A response of a proxy in between counts as an attempt, too.
    expect(attempt.get("statusCode"), f"{url}: {found}")
    return f"{url.split('/')[2]} responded {found} after {time.monotonic() - started:.1f} s"


@SUBJECT("An event arrives, signed, with the webhook's headers, as documented, and is logged", STREAM)
def arrives(target: Target) -> str:
    receiver, first = listening(target), target.first
    made = webhook(first, f"{receiver.url}/arrives")
    sent = send_sms(first, made)
    got = receiver.wait(lambda each: each.path.endswith("/arrives"), PATIENCE_SECONDS, "The event")
    got.check_signature(made["secret"])
    expect(got.headers.get("x-team") == "blue", "the webhook's own header X-Team is missing")
    check_delivery("messages.sms.received", got.json)
    expected = {"organizationId": first["ORGANIZATION_ID"], "appId": made["appId"], "mode": "test"}
    found = {name: got.json.get(name) for name in expected}
    expect(found == expected, f"the event says {found}, not {expected}")
    expect(got.headers["webhook-id"] == got.json["id"], "webhook-id is not the event's id")
    entry = logged(first, made, "DELIVERED")
    expect(entry["eventId"] == got.json["id"] and entry["attempts"][0]["statusCode"] == 200, f"the log says {entry}")
    return f"{got.at - sent:.1f} s after the change"


@SUBJECT("A failed attempt is repeated with the same bytes, and can be redelivered", STREAM)
def repeated(target: Target) -> str:
    receiver, first = listening(target), target.first
    receiver.statuses["/again"] = [500]
    made = webhook(first, f"{receiver.url}/again")
    send_sms(first, made)

    def nth(number: int, what: str):
        same = lambda: [each for each in receiver.got if each.path.endswith("/again")]
        receiver.wait(lambda _: len(same()) >= number, PATIENCE_SECONDS, what)
        return same()[number - 1]

    one, two = nth(1, "The event"), nth(2, "The second attempt")
    expect((one.body, one.headers["webhook-id"]) == (two.body, two.headers["webhook-id"]), "the second attempt differs")
    entry = logged(first, made, "DELIVERED")
    statuses = [attempt.get("statusCode") for attempt in entry["attempts"]]
    expect(statuses == [500, 200], f"the log has attempts with {statuses}")
    first.admin("POST", f"{path_of(made)}/deliveries/{entry['id']}/redeliver", {})
    three = nth(3, "The redelivery")
    expect(three.headers["webhook-id"] == one.headers["webhook-id"], "the redelivery has another webhook-id")
    return f"second attempt after {two.at - one.at:.1f} s"


@SUBJECT("After a rotation both secrets sign; a live app's events say so")
def rotated(target: Target) -> str:
    receiver, first = listening(target), target.first
    made = webhook(first, f"{receiver.url}/rotated", test=False)
    rotated = first.admin("POST", f"{path_of(made)}/rotate-secret", {})
    first.admin("POST", f"{path_of(made)}/test", {})
    got = receiver.wait(lambda each: each.path.endswith("/rotated"), PATIENCE_SECONDS, "The event")
    got.check_signature(made["secret"], rotated["secret"])
    expect(got.json["mode"] == "live", f"mode {got.json['mode']!r}")
    return ""


@SUBJECT("No event reaches another organization's webhook")
def separated(target: Target) -> str:
    receiver = listening(target)
    mine, other = webhook(target.first, f"{receiver.url}/mine"), webhook(target.second, f"{receiver.url}/theirs")
    send_sms(target.first, mine)
    receiver.wait(lambda each: each.path.endswith("/mine"), PATIENCE_SECONDS, "The event")
    send_sms(target.second, other)
    senders = lambda: {each.json["organizationId"] for each in receiver.got if each.path.endswith("/theirs")}
    receiver.wait(lambda _: target.second["ORGANIZATION_ID"] in senders(), PATIENCE_SECONDS, "The second organization's event")
    # Deliveries overtake each other: one of the first organization may come later.
    until = time.monotonic() + STRAY_SECONDS
    while len(senders()) == 1 and time.monotonic() < until:
        time.sleep(0.1)
    found = senders()
    expect(found == {target.second["ORGANIZATION_ID"]}, f"the second organization's webhook got events of {found}")
    return ""


@SUBJECT(
    "A webhook whose name has a private address is not called",
    "Nothing in the stack resolves names for the function: see shared/platform or the deliver function's resolver.",
)
def private_address(target: Target) -> str:
    if target.is_emulator:
        raise Skipped("The local stack allows loopback addresses and needs no DNS; tests/tests/it/events/hostile_receivers has this.")
    made = webhook(target.first, PRIVATE_NAME, test=False)
    target.first.admin("POST", f"{path_of(made)}/test", {})
    attempt = logged(target.first, made, "")["attempts"][0]
    expect("outside the public internet" in attempt.get("error", ""), f"the attempt says {attempt}")
    return attempt["error"]


def listening(target: Target):
    if target.receiver is None:
        raise Skipped(
            "No receiver: set RECEIVER_URL to an https address that leads to RECEIVER_PORT (8080) of this machine, "
            "through a tunnel for example."
        )
    return target.receiver

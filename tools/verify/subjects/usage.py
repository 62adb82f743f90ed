"""Usage, which the function meter counts from the table's stream."""

import time

from tools.verify.organization import Organization
from tools.verify.report import Broken, Subject, expect
from tools.verify.subjects.events import webhook
from tools.verify.target import Target

SUBJECT = Subject("Usage")
# The batching window, and a function that may start cold.
PATIENCE_SECONDS = 120
STREAM = "See the meter function's log, and its mapping of the table's stream: is it enabled, and has it a tumbling window?"
MESSAGES = 3


def counted(organization: Organization, key: str, wanted: int) -> dict:
    """The usage of an app, once it has so many messages."""
    started, page = time.monotonic(), {}
    while time.monotonic() - started < PATIENCE_SECONDS:
        page = organization.call("GET", "/v1/usage?groupBy=channel,direction", key)
        if sum(row["messages"] for row in page["data"]) >= wanted:
            return page
        time.sleep(1)
    raise Broken(f"after {PATIENCE_SECONDS} s usage says {page}")


@SUBJECT("Messages and deliveries are counted, each once", STREAM)
def messages(target: Target) -> str:
    first = target.first
    app = webhook(first, "https://example.com/")["appId"]
    key = first.admin("POST", f"/v1/organization/apps/{app}/keys", {})["key"]
    number = first.call("GET", "/v1/playground/phone-numbers/system", key)["numbers"][0]
    started = time.monotonic()
    for _ in range(MESSAGES):
        body = {"from": "+442079460123", "to": number, "text": "Hi"}
        first.call("POST", "/v1/playground/sms/inbound", key, body)
    page = counted(first, key, MESSAGES)
    took = time.monotonic() - started
    found = [(row["channel"], row["direction"], row["messages"]) for row in page["data"]]
    expect(found == [("sms", "INBOUND", MESSAGES)], f"usage says {page['data']}")
    expect(page["countedUntil"] is not None, "countedUntil is missing")
    return f"{MESSAGES} messages within {took:.0f} s"

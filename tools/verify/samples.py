"""The sample events (events/) as HTTP requests: one valid request for every operation."""

import base64
import json
import re
import threading
from dataclasses import dataclass
from functools import cache

from tools.stack.placeholders import SIGNATURE, Placeholders, signed
from tools.stack.project import ROOT
from tools.verify.organization import KINDS, Organization

BEARER = re.compile(r"Bearer \$\{(\w+)\}")
# Headers that the client or the gateway sets.
OWN_HEADERS = {"host", "user-agent", "x-forwarded-proto", "authorization"}
# Simulated accounts. A repeated signup reconnects them, so that runs do not reach the limit of business profiles.
ACCOUNT, SIGNED_UP, DOOMED = "770001", "770002", "770003"
# Held while the account of most samples is connected: a second signup at the same time would be rejected.
CONNECTING = threading.Lock()


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    # The name of the credential that the sample uses; None for a public operation.
    credential: str | None
    # The token of an onboarding link, in place of a credential of the organization.
    token: str | None
    # What the sample needed.
    made: Placeholders

    @property
    def text(self) -> str:
        return self.target + self.body.decode(errors="replace")


class Made(Placeholders):
    """Placeholders whose objects are created in an organization, over HTTP only."""

    def make_account(self) -> str:
        return SIGNED_UP

    def make_chat_profile_id(self) -> str:
        body = {"code": "verification", "wabaId": ACCOUNT, "test": True}
        with CONNECTING:
            return self.post("/v1/organization/chat/business-profiles/callback", "ADMIN_KEY", body)["id"]

    def make_doomed_profile_id(self) -> str:
        body = {"code": self.make_unique(), "wabaId": DOOMED, "test": True}
        return self.post("/v1/organization/chat/business-profiles/callback", "ADMIN_KEY", body)["id"]

    def signup(self) -> dict:
        # Registering a number needs an account whose third number is not registered yet.
        body = {"code": self.make_unique(), "wabaId": super().make_account(), "test": True}
        return self.post("/v1/organization/chat/business-profiles/callback", "ADMIN_KEY", body)


@cache
def samples() -> dict[str, str]:
    """The text of each HTTP sample by its route: method and path as in the OpenAPI document."""
    found = {}
    for path in sorted((ROOT / "events").glob("*/*.json")):
        event = json.loads(path.read_text())
        if isinstance(event, dict) and "routeKey" in event:
            found[event["routeKey"]] = path.read_text()
    return found


def filled(text: str, organization: Organization) -> Request:
    """Returns the request of a sample event, with objects made in the organization."""
    event = json.loads(text)
    bearer = BEARER.fullmatch(event["headers"].pop("authorization", ""))
    made = Made(organization, {**organization.values, "SIGNATURE": SIGNATURE})
    text = made.fill(json.dumps(event))
    if SIGNATURE in text:
        text = signed(text, organization["PLATFORM_APP_SECRET"])
    event = json.loads(text)
    query = event.get("rawQueryString", "")
    headers = {name: value for name, value in event["headers"].items() if name not in OWN_HEADERS}
    if "cookies" in event:
        headers["cookie"] = "; ".join(event["cookies"])
    is_own = bearer is None or bearer[1] in KINDS
    body = event.get("body", "")
    return Request(
        event["requestContext"]["http"]["method"],
        event["rawPath"] + (f"?{query}" if query else ""),
        headers,
        base64.b64decode(body) if event.get("isBase64Encoded") else body.encode(),
        bearer[1] if bearer else None,
        None if is_own else made.value(bearer[1]),
        made,
    )

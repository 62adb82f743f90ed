"""Makes signatures.json with the published library of Standard Webhooks, which no client library uses.

Usage: .tools/receiver/bin/python -B clients/conformance/make_signatures.py [--check]

The library is pinned in tools/stack/requirements/receiver.txt, which `make` installs there.
"""

import base64
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

import standardwebhooks.webhooks as library
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from http1 import compact
from tidy import tidy
from vectors import EXAMPLES, NOW

TARGET = Path(__file__).parent / "signatures.json"
ID = "evt_3MdU2luI4aPDPUXI9X1xm0lGsY0"
SECONDS = NOW // 1000
# The documentation's example, and two of other lengths, which scanners do not take for secrets of the service.
FIRST = "whsec_RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU0="
SECOND, LONG = ("whsec_" + base64.b64encode(bytes(range(size))).decode() for size in (33, 64))
FAILS = {"error": {"class": "webhook_verification", "status": None}}


def event(**more: object) -> dict:
    data = {**json.loads(EXAMPLES.read_text())["sms.get"], "direction": "INBOUND", "status": "RECEIVED"}
    organization, app = "org_3MdU2luHoAtMByky426Jnv9rx0t", data["appId"]
    at = "2027-01-15T08:00:00.000Z"
    return {"id": ID, "type": "messages.sms.received", "createdAt": at, "organizationId": organization, "appId": app, "mode": "test", "data": data, **more}


def sign(body: str, secret: str = FIRST, at: int = SECONDS) -> str:
    return Webhook(secret).sign(ID, datetime.fromtimestamp(at, timezone.utc), body)


def headers(signature: str, at: object = SECONDS) -> dict[str, str]:
    return {"webhook-id": ID, "webhook-timestamp": str(at), "webhook-signature": signature}


def vector(name: str, body: str, given: dict, result: dict, secrets: tuple[str, ...] = (FIRST,), **more: object) -> dict:
    arguments = {"body": body, "headers": given, "secrets": list(secrets), **more}
    return {"name": f"webhooks: {name}", "calls": [{"method": "webhooks.verify", "arguments": arguments, "result": result}]}


def vectors() -> list[dict]:
    body = compact(event())
    good, valid = sign(body), {"value": event()}
    other = sign(body, SECOND)
    red, green, new = event(colour="red"), event(colour="Grün 👩"), event(type="pigeons.landed")
    spaced = json.dumps(red, indent=1)
    return [
        vector("a valid delivery", body, headers(good), valid),
        vector("names of headers in capitals", body, {name.title(): value for name, value in headers(good).items()}, valid),
        vector("a secret of 64 bytes", body, headers(sign(body, LONG)), valid, (LONG,)),
        vector("bytes that would be written differently", spaced, headers(sign(spaced)), {"value": red}),
        vector("letters that are not ASCII", compact(green), headers(sign(compact(green))), {"value": green}),
        vector("an event that the library does not know", compact(new), headers(sign(compact(new))), {"value": new}),
        vector("another secret", body, headers(good), FAILS, (SECOND,)),
        vector("a changed body", body.replace("on its way", "on its hay"), headers(good), FAILS),
        vector("a body with a space more", body + " ", headers(good), FAILS),
        vector("no body", "", headers(good), FAILS),
        vector("another id", body, {**headers(good), "webhook-id": ID[:-1] + "1"}, FAILS),
        vector("another time", body, headers(good, SECONDS + 1), FAILS),
        vector("as old as is tolerated", body, headers(sign(body, at=SECONDS - 300), SECONDS - 300), valid),
        vector("a second too old", body, headers(sign(body, at=SECONDS - 301), SECONDS - 301), FAILS),
        vector("as far ahead as is tolerated", body, headers(sign(body, at=SECONDS + 300), SECONDS + 300), valid),
        vector("a second too far ahead", body, headers(sign(body, at=SECONDS + 301), SECONDS + 301), FAILS),
        vector("another tolerance", body, headers(sign(body, at=SECONDS - 10), SECONDS - 10), valid, tolerance=10),
        vector("a second more than another tolerance", body, headers(sign(body, at=SECONDS - 11), SECONDS - 11), FAILS, tolerance=10),
        vector("two signatures, of which the first is right", body, headers(f"{good} {other}"), valid),
        vector("two signatures, of which the second is right", body, headers(f"{other} {good}"), valid),
        vector("two signatures, of which none is right", body, headers(f"{other} {other}"), FAILS, (LONG,)),
        vector("two secrets, of which the first is right", body, headers(good), valid, (FIRST, SECOND)),
        vector("two secrets, of which the second is right", body, headers(other), valid, (FIRST, SECOND)),
        vector("two secrets, of which none is right", body, headers(sign(body, LONG)), FAILS, (FIRST, SECOND)),
        vector("two secrets and two signatures", body, headers(f"{good} {other}"), valid, (SECOND, LONG)),
        vector("a version that is not known beside one that is", body, headers(f"v2,{good[3:]} {good}"), valid),
        vector("a version that is not known", body, headers(f"v1a,{good[3:]}"), FAILS),
        vector("a later version", body, headers(f"v2,{good[3:]}"), FAILS),
        vector("no version", body, headers(good[3:]), FAILS),
        vector("half a signature", body, headers(good[:20]), FAILS),
        vector("an empty signature", body, headers("v1,"), FAILS),
        vector("a signature that is not base64", body, headers("v1,Grüße!"), FAILS),
        *(vector(f"no {name}", body, {each: value for each, value in headers(good).items() if each != name}, FAILS) for name in headers(good)),
        *(vector(f"an empty {name}", body, {**headers(good), name: ""}, FAILS) for name in headers(good)),
        *(vector(f"{time!r} for a time", body, headers(good, time), FAILS) for time in ("soon", "-1", "1e9", f" {SECONDS}x")),
        vector("a secret that is none", body, headers(good), {"error": {"class": "usage"}}, ("whsec_",)),
    ]  # fmt: skip


def confirm(each: dict) -> None:
    """Asks the published library for its verdict, where its time can be set: it takes the time of the machine only."""
    arguments = each["calls"][0]["arguments"]
    if "tolerance" in arguments or arguments["secrets"] == ["whsec_"]:
        return
    given = {name.lower(): value for name, value in arguments["headers"].items()}
    verdicts = [verdict(secret, arguments["body"], given) for secret in arguments["secrets"]]
    if any(verdicts) != ("value" in each["calls"][0]["result"]):
        sys.exit(f"standardwebhooks disagrees with {each['name']}")


def verdict(secret: str, body: str, given: dict[str, str]) -> bool:
    class AtNow(datetime):
        @classmethod
        def now(cls, tz: timezone | None = None) -> datetime:
            return datetime.fromtimestamp(SECONDS, tz)

    library.datetime, before = AtNow, library.datetime
    try:
        Webhook(secret).verify(body, given)
    except (WebhookVerificationError, ValueError):
        return False
    finally:
        library.datetime = before
    return True


def shortened(each: dict, bodies: dict[str, dict]) -> dict:
    """Leaves out of a vector what is as in a valid delivery."""
    (call,) = each["calls"]
    usual = bodies["delivery"]
    arguments = {name: value for name, value in call["arguments"].items() if value != usual.get(name)}
    given = arguments.get("headers", {})
    if set(given) == set(usual["headers"]):
        arguments["headers"] = {"use": "headers", **{name: value for name, value in given.items() if value != usual["headers"][name]}}
    result = call["result"]
    if "value" in result:
        known = event()
        result = {"value": {"use": "event", **{name: value for name, value in result["value"].items() if value != known.get(name)}}}
    return {**each, "calls": [{**call, "arguments": {"use": "delivery", **arguments}, "result": result}]}


def main() -> None:
    made = vectors()
    for each in made:
        confirm(each)
    body = compact(event())
    usual = headers(sign(body))
    bodies = {"event": event(), "headers": usual, "delivery": {"body": body, "headers": usual, "secrets": [FIRST]}}
    text = tidy({"rule": "webhooks", "bodies": bodies, "vectors": [shortened(each, bodies) for each in made]})
    if "--check" not in sys.argv:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        sys.exit("signatures.json differs. Run .tools/receiver/bin/python -B clients/conformance/make_signatures.py.")


if __name__ == "__main__":
    main()

"""Keys and modes: what a key may see and do, and that it ends when it is deleted."""

import secrets

from tools.verify.report import Skipped, Subject, expect
from tools.verify.target import Target

SUBJECT = Subject("Credentials and modes")
APPS = "/v1/organization/apps"


@SUBJECT("A deleted admin key is refused by the next request")
def deleted_admin_key(target: Target) -> str:
    first = target.first
    made = first.admin("POST", "/v1/organization/admin-keys", {"name": "Short-lived"})
    first.call("GET", "/v1/organization/settings", made["key"])
    first.admin("DELETE", f"/v1/organization/admin-keys/{made['id']}")
    reply = first.send("GET", "/v1/organization/settings", made["key"])
    expect(reply.status == 401, f"the deleted key still gets {reply}")
    return ""


@SUBJECT("A deleted app takes its keys with it")
def deleted_app(target: Target) -> str:
    first = target.first
    app = first.admin("POST", APPS, {"name": "Short-lived", "test": True})
    key = first.admin("POST", f"{APPS}/{app['id']}/keys", {})["key"]
    first.call("GET", "/v1/playground/phone-numbers/system", key)
    first.admin("DELETE", f"{APPS}/{app['id']}")
    reply = first.send("GET", "/v1/playground/phone-numbers/system", key)
    expect(reply.status == 401, f"the deleted app's key still gets {reply}")
    return ""


@SUBJECT("A test admin key lists and creates test objects only")
def test_admin_key(target: Target) -> str:
    first, key = target.first, target.first["TEST_ADMIN_KEY"]
    listed = first.call("GET", f"{APPS}?limit=100", key)["data"]
    expect(listed and all(app["isTestApp"] for app in listed), "a test admin key is shown live apps")
    expect({app["id"] for app in listed} >= {first["TEST_APP_ID"]}, "a test admin key is not shown the test app")
    everything = {app["id"] for app in first.admin("GET", f"{APPS}?limit=100")["data"]}
    expect(everything >= {first["APP_ID"], first["TEST_APP_ID"]}, "a live admin key is not shown both apps")
    made = first.call("POST", APPS, key, {"name": "Of a test key"})
    expect(made["isTestApp"] and made["id"].startswith("app_test_"), f"a test admin key created {made}")
    live = first.send("POST", APPS, key, {"name": "Live", "test": False})
    expect(live.status == 403, f"`test: false` of a test admin key: {live}")
    settings = first.send("PATCH", "/v1/organization/settings", key, {"name": "Changed"})
    expect(settings.status == 403, f"settings changed by a test admin key: {settings}")
    return ""


@SUBJECT("A session sees the names of a webhook's headers, not their values, and never a secret")
def session(target: Target) -> str:
    first = target.first
    if "SESSION_TOKEN" not in first.values:
        raise Skipped("The session token has expired (12 hours). Make new organizations to check sessions too.")
    path = f"{APPS}/{first['APP_ID']}/webhooks"
    body = {"url": "https://example.com/", "events": ["messages.sms.sent"], "headers": {"X-Team": "not-for-sessions"}}
    made = first.admin("POST", path, body)
    for shown in (first.call("GET", f"{path}/{made['id']}", first["SESSION_TOKEN"]), first.call("GET", path, first["SESSION_TOKEN"])["data"][0]):
        found = str(shown)
        expect("X-Team" in found and "not-for-sessions" not in found and made["secret"] not in found, f"a session is shown {shown}")
    reply = first.send("POST", path, first["SESSION_TOKEN"], body)
    expect(reply.status == 401, f"a session created a webhook: {reply}")
    return ""


@SUBJECT("An assignment joins objects of one mode")
def one_mode(target: Target) -> str:
    first = target.first
    body = {"number": f"+4930{secrets.randbelow(10**9):09}"}
    number = first.admin("POST", "/v1/organization/phone-numbers", body)
    reply = first.send("PUT", f"{APPS}/{first['TEST_APP_ID']}/phone-numbers/{number['id']}", first["ADMIN_KEY"])
    expect(reply.status == 400, f"a live number was assigned to a test app: {reply}")
    return ""


@SUBJECT("Lists hold one organization's objects, and a cursor of one is refused by the other")
def lists(target: Target) -> str:
    first, second = target.first, target.second
    page = first.admin("GET", f"{APPS}?limit=1")
    expect(page["nextCursor"], "two apps, and a first page of one has no nextCursor")
    theirs = {app["id"] for app in second.admin("GET", f"{APPS}?limit=100")["data"]}
    expect(not theirs & first.seen, f"the second organization lists {sorted(theirs & first.seen)}")
    reply = second.send("GET", f"{APPS}?cursor={page['nextCursor']}", second["ADMIN_KEY"])
    expect(reply.status == 400 and reply.error.get("param") == "cursor", f"a foreign cursor: {reply}")
    return ""


@SUBJECT("A repeated POST with the same Idempotency-Key is done once")
def idempotency(target: Target) -> str:
    first, headers = target.first, {"Idempotency-Key": f"verify-{secrets.token_hex(8)}"}
    send = lambda name: first.send("POST", APPS, first["ADMIN_KEY"], {"name": name}, headers=headers)
    one, two, other = send("Once"), send("Once"), send("Other")
    expect(one.status == two.status == 201 and one.json["id"] == two.json["id"], f"{one}; again: {two}")
    expect(two.headers.get("idempotency-replayed") == "true", "the repetition has no Idempotency-Replayed: true")
    expect(other.status == 422, f"other input under the same key: {other}")
    return ""

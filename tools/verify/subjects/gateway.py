"""What the gateway does before, after and instead of a function."""

import re

from tools.verify.client import Reply
from tools.verify.report import Expected, Subject, expect
from tools.verify.subjects.uploads import MIB, PDF, upload
from tools.verify.target import Target

SUBJECT = Subject("Gateway")
SETTINGS = "/v1/organization/settings"
APPS = "/v1/organization/apps"
ODD_TARGETS = [
    f'{APPS}/"',
    f"{APPS}/%00",
    f"{APPS}/%2F",
    f"{APPS}/%25",
    f"{APPS}/..",
    f"{APPS}/../settings/x",
    f"{APPS}/%20",
    f"{APPS}/a%20b",
    f"{APPS}/%C3%A9",
    f"{APPS}/%FF",
    f"{APPS}/a/webhooks/%2e%2e",
    f"{APPS}?limit=%22",
    f"{APPS}?limit=%00",
    f"{APPS}?cursor=%25",
    f"{APPS}?limit=1%20",
    f'{APPS}?limit="',
    f"{APPS}?limit=1&limit=2",
]
DECODING = "The gateway hands over another rawPath than the emulator: adapt shared/api/src/gateway/event.rs, and add the path to events_of_the_gateway_never_end_in_a_5xx (tests/tests/it/contract/bad_input/gateway.rs)."
LIMITS = "docs/api-design.md, docs/aws-limits.md and the description in contract/src/document.rs name these limits: correct them."


def own_shape(reply: Reply, statuses: tuple[int, ...]) -> None:
    """Fails unless this response has the shape of the gateway's own."""
    expect(reply.status in statuses, f"expected {statuses}, got {reply}")
    expect(isinstance(reply.json, dict) and set(reply.json) == {"message"}, f'expected {{"message": …}}, got {reply}')


@SUBJECT(
    "X-Request-Id is the gateway's apigw-requestid",
    "shared/api reads requestContext.requestId: if the gateway's header holds another id, document which one the logs have.",
)
def request_id(target: Target) -> str:
    reply = target.client.send("GET", SETTINGS)
    ours, gateways = reply.headers.get("x-request-id"), reply.headers.get("apigw-requestid")
    expect(ours, "no X-Request-Id")
    if target.is_emulator and ours != gateways:
        raise Expected("The emulator names a request twice: its own header has another id than the event.")
    expect(ours == gateways, f"X-Request-Id {ours}, apigw-requestid {gateways}")
    return ""


@SUBJECT("Unknown paths and methods get our structured 404 and 405", "Is there a $default route to the reference function?")
def unknown(target: Target) -> str:
    path = target.client.send("GET", "/v1/nope")
    expect(path.status == 404 and path.error.get("type") == "invalid_request_error", path)
    method = target.client.send("PUT", SETTINGS)
    expect(method.status == 405 and method.headers.get("allow") == "GET, PATCH", f"{method}, Allow: {method.headers.get('allow')}")
    return ""


@SUBJECT("No path leads to the operator", "Remove the route: only IAM may invoke the operator function.")
def operator(target: Target) -> str:
    for path in ("/operator", "/v1/operator", "/v1/organizations"):
        reply = target.client.send("POST", path, body={"operation": "createSession", "organizationId": target.first["ORGANIZATION_ID"]})
        expect(reply.status == 404, f"POST {path}: {reply}")
    return ""


@SUBJECT("Odd paths and queries are 4xx", DECODING)
def odd_paths(target: Target) -> str:
    for path in ODD_TARGETS:
        reply = target.client.send("GET", path, target.first["ADMIN_KEY"])
        expect(400 <= reply.status < 500, f"GET {path}: {reply}")
    return f"{len(ODD_TARGETS)} targets"


@SUBJECT("A path is decoded once", DECODING)
def decoded_once(target: Target) -> str:
    app, key = target.first["APP_ID"], target.first["ADMIN_KEY"]
    plain = target.client.send("GET", f"{APPS}/{app}", key)
    encoded = target.client.send("GET", f"{APPS}/%61{app[1:]}", key)
    twice = target.client.send("GET", f"{APPS}/%2561{app[1:]}", key)
    expect(plain.status == 200 and twice.status == 400, f"plain {plain.status}, encoded twice: {twice}")
    expect(encoded.status in (200, 400), f"encoded once: {encoded}")
    return f"%61 for a is {encoded.status}, %2561 is 400"


@SUBJECT("Bodies that are no JSON object are 400, and one of 300 KB is our 413")
def bodies(target: Target) -> str:
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"[]", b"null", b"\xff\xfe{}", b'{"name":1,"name":2}', b'{"name":"\\ud800"}'):
        reply = target.client.send("POST", APPS, target.first["ADMIN_KEY"], body, headers)
        expect(reply.status == 400 and reply.error.get("param"), f"{body!r}: {reply}")
    large = target.client.send("POST", APPS, target.first["ADMIN_KEY"], b" " * 300_000, headers)
    expect(large.status == 413 and large.error, f"300 KB: {large}")
    return ""


@SUBJECT("A body of 11 MB is the gateway's 413", LIMITS)
def large_body(target: Target) -> str:
    reply = target.client.send("POST", APPS, target.first["ADMIN_KEY"], b" " * 11_000_000, {"Content-Type": "application/json"})
    own_shape(reply, (413,))
    return reply.text


@SUBJECT("A file of 4.6 MiB, too large for a Lambda event, is the gateway's response", LIMITS)
def large_event(target: Target) -> str:
    reply = upload(target.first, PDF + b" " * int(4.6 * MIB))
    own_shape(reply, (500, 413))
    expect(reply.status == 500, f"documented is 500, got {reply}")
    return reply.text


@SUBJECT("Headers of 11 KB are 431", LIMITS)
def large_headers(target: Target) -> str:
    reply = target.client.send("GET", SETTINGS, headers={"X-Large": "x" * 11_000})
    expect(reply.status == 431, reply)
    return reply.text


@SUBJECT("doc_url leads to the code's place in the error reference", "Set DocsUrl to where the pages are published.")
def doc_url(target: Target) -> str:
    reply = target.first.send("POST", "/v1/organization/phone-numbers", target.first["ADMIN_KEY"], {"number": "1"})
    url = reply.error.get("doc_url", "")
    expect(reply.error.get("code") == "invalid_phone_number" and url, reply)
    page, anchor = url.split("#")
    base, path = re.fullmatch(r"(https?://.+?)(/api_reference.*)", page).groups()
    found = type(target.client)(base).send("GET", path)
    expect(found.status == 200 and anchor in found.text, f"{url}: {found.status}")
    return url


@SUBJECT("From a browser, only the pages' own origin may call the API", "CorsConfiguration of the API (infra/template.yaml) names the origin of DocsUrl only.")
def origins(target: Target) -> str:
    refused = target.first.send("POST", "/v1/organization/phone-numbers", target.first["ADMIN_KEY"], {"number": "1"})
    own = re.match(r"https?://[^/]+", refused.error["doc_url"])[0]
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    preflight = lambda origin: target.client.send("OPTIONS", SETTINGS, headers={"Origin": origin, **asked})
    stranger = preflight("https://elsewhere.example").headers.get("access-control-allow-origin")
    expect(stranger is None, f"Access-Control-Allow-Origin for https://elsewhere.example: {stranger}")
    if target.client.base_url.startswith(own):
        return "the pages are at the API's own address"
    allowed = preflight(own).headers.get("access-control-allow-origin")
    if target.is_emulator and allowed is None:
        raise Expected(f"Other origins are refused; the emulator leaves CorsConfiguration out of the template, so {own} is refused, too.")
    expect(allowed == own, f"Access-Control-Allow-Origin for {own}: {allowed}")
    return own


@SUBJECT("No webhook may lead back to the API, or drive it", "The API knows the gateway's address and DocsUrl as its own: set DocsUrl to the address that clients use.")
def no_circle(target: Target) -> str:
    path = f"{APPS}/{target.first['APP_ID']}/webhooks"
    # The URL under verification, and the stack's own, which is that of its custom domain if it has one.
    for base_url in {target.client.base_url, target.aws.outputs["ApiUrl"] if target.aws else target.client.base_url}:
        body = {"url": f"{base_url}/v1/media", "events": ["messages.sms.sent"]}
        reply = target.first.send("POST", path, target.first["ADMIN_KEY"], body)
        expect(reply.status == 400 and reply.error.get("param") == "url", f"a webhook to {base_url}: {reply}")
    driven = target.client.send("GET", SETTINGS, target.first["ADMIN_KEY"], headers={"webhook-id": "evt_1"})
    expect(driven.status == 400, f"a request with webhook-id: {driven}")
    return ""

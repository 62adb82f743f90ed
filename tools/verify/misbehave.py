"""Shows that the verification notices a deployment that misbehaves: `python -m tools.verify.misbehave`.

A proxy in front of the running local stack breaks one promise at a time, and the check of that promise must fail. So must
the checks of the stack when it is disturbed (stack_faults.py). With no fault, the same checks must hold.
"""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from tools.stack.project import free_port, say
from tools.verify.__main__ import SUBJECTS
from tools.verify.client import Client, Reply, request
from tools.verify.report import BROKEN, EXPECTED, HOLDS, Row, make
from tools.verify.settings import Settings
from tools.verify.stack_faults import STACK_FAULTS
from tools.verify.subjects import events, stack
from tools.verify.target import Target

# Shorter than the usual patience: if an event and its log lines arrive at all, they arrive within this time.
events.PATIENCE_SECONDS = stack.TRACE_SECONDS = 20
HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "date", "server"}


@dataclass
class Asked:
    """A request on its way through the proxy."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    target: Target
    # Sends a request on to the deployment.
    forward: Callable[["Asked"], Reply]

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    def pass_on(self) -> Reply:
        return self.forward(self)

    def as_key(self, key: str) -> Reply:
        return self.forward(replace(self, headers={**self.headers, "authorization": f"Bearer {key}"}))


Fault = Callable[[Asked], Reply]


class Proxy:
    """Forwards requests to a deployment through the fault of the moment."""

    def __init__(self, target: Target, base_url: str):
        self.fault: Fault = Asked.pass_on
        proxy, origin = self, urlsplit(base_url)

        def forward(asked: Asked) -> Reply:
            return request(asked.method, f"{origin.scheme}://{origin.netloc}{asked.path}", asked.headers, asked.body)

        class Handler(BaseHTTPRequestHandler):
            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                named = {name.lower(): value for name, value in self.headers.items()}
                headers = {name: value for name, value in named.items() if name not in HOP_BY_HOP | {"host"}}
                reply = proxy.fault(Asked(self.command, self.path, headers, body, target, forward))
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    if name not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_one  # noqa: N815 - the names that http.server calls

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://localhost:{self.server.server_port}{origin.path}"
        Thread(target=self.server.serve_forever, daemon=True).start()


def changed(reply: Reply, **fields: object) -> Reply:
    """The reply with other fields of its JSON body."""
    return replace(reply, body=json.dumps({**reply.json, **fields}).encode())


# ------------------------------------------------------------ the faults


def fails(asked: Asked) -> Reply:
    return Reply(500, {"content-type": "text/html"}, b"<h1>Oops</h1>", 0)


def drops_a_field(asked: Asked) -> Reply:
    reply = asked.pass_on()
    body = {name: value for name, value in (reply.json or {}).items() if name != "slug"}
    return replace(reply, body=json.dumps(body).encode())


def lets_anyone_in(asked: Asked) -> Reply:
    return asked.pass_on() if asked.key else asked.as_key(asked.target.first["ADMIN_KEY"])


def takes_any_kind(asked: Asked) -> Reply:
    kinds = [asked.target.first[name] for name in ("APP_KEY", "TEST_APP_KEY", "SESSION_TOKEN")]
    return asked.as_key(asked.target.first["ADMIN_KEY"]) if asked.key in kinds else asked.pass_on()


def mixes_up_tenants(asked: Asked) -> Reply:
    return asked.as_key(asked.target.first["ADMIN_KEY"]) if asked.key == asked.target.second["ADMIN_KEY"] else asked.pass_on()


def mixes_up_modes(asked: Asked) -> Reply:
    return asked.as_key(asked.target.first["ADMIN_KEY"]) if asked.key == asked.target.first["TEST_ADMIN_KEY"] else asked.pass_on()


def caches() -> Fault:
    """Repeats the first response to each GET request of a credential."""
    known: dict[tuple[str, str, str], Reply] = {}

    def fault(asked: Asked) -> Reply:
        if asked.method != "GET":
            return asked.pass_on()
        place = (asked.method, asked.path, asked.key)
        known[place] = known.get(place) or asked.pass_on()
        return known[place]

    return fault


def forgets_idempotency_keys(asked: Asked) -> Reply:
    return asked.forward(replace(asked, headers={name: value for name, value in asked.headers.items() if name != "idempotency-key"}))


def takes_foreign_cursors(asked: Asked) -> Reply:
    return asked.forward(replace(asked, path=re.sub(r"\?cursor=.*", "", asked.path)))


def forgets_request_ids(asked: Asked) -> Reply:
    reply = asked.pass_on()
    return replace(reply, headers={name: value for name, value in reply.headers.items() if name != "x-request-id"})


def makes_up_request_ids(asked: Asked) -> Reply:
    reply = asked.pass_on()
    return replace(reply, headers={**reply.headers, "x-request-id": "made-up-by-the-proxy"})


def allows_every_origin(asked: Asked) -> Reply:
    reply = asked.pass_on()
    return replace(reply, headers={**reply.headers, "access-control-allow-origin": "*"})


def names_another_page(asked: Asked) -> Reply:
    reply = asked.pass_on()
    return replace(reply, body=reply.body.replace(b"/api_reference/error-codes", b"/api_reference/no-such-page"))


def limits_bodies_otherwise(asked: Asked) -> Reply:
    return replace(asked.pass_on(), body=b'{"error": "too large"}')


def decodes_twice(asked: Asked) -> Reply:
    return asked.forward(replace(asked, path=asked.path.replace("%2561", "a").replace("%61", "a")))


def stores_anything(asked: Asked) -> Reply:
    """Takes uploads itself, without looking at them."""
    if asked.method == "PUT":
        return Reply(200, {}, b"", 0)
    reply = asked.pass_on()
    if asked.path.endswith("/v1/media/uploads"):
        return changed(reply, uploadUrl=f"{asked.target.client.base_url}/upload")
    return reply


def serves_other_bytes(asked: Asked) -> Reply:
    reply = asked.pass_on()
    return changed(reply, url=f"{asked.target.client.base_url}/v1/health") if isinstance(reply.json, dict) and "url" in reply.json else reply


def signs_with_another_secret(asked: Asked) -> Reply:
    reply = asked.pass_on()
    is_webhook = isinstance(reply.json, dict) and "secret" in reply.json
    return changed(reply, secret="whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") if is_webhook else reply


def loses_events(asked: Asked) -> Reply:
    """Points webhooks to a port at which nothing listens."""
    nowhere = f"http://127.0.0.1:{free_port()}".encode()
    return asked.forward(replace(asked, body=re.sub(rb"http://127\.0\.0\.1:\d+", nowhere, asked.body)))


def sends_events_to_strangers() -> Fault:
    """Registers the second organization's webhook for the first organization's app as well."""
    first: list[Asked] = []

    def fault(asked: Asked) -> Reply:
        if b"/mine" in asked.body:
            first.append(asked)
        elif b"/theirs" in asked.body:
            first[0].forward(replace(first[0], body=asked.body))
        return asked.pass_on()

    return fault


GET_SETTINGS, GET_APP = "GET /v1/organization/settings", "GET /v1/organization/apps/{appId}"
# A subject, one of its checks, and the fault that it must notice.
FAULTS: list[tuple[str, str, Fault]] = [
    ("transactions", "A function may write in a transaction (create an app)", fails),
    ("operations", GET_SETTINGS, fails),
    ("operations", GET_SETTINGS, drops_a_field),
    ("operations", GET_SETTINGS, lets_anyone_in),
    ("operations", GET_SETTINGS, takes_any_kind),
    ("operations", GET_SETTINGS, forgets_request_ids),
    ("operations", GET_APP, mixes_up_tenants),
    ("operations", "GET /v1/organization/apps", mixes_up_tenants),
    ("operations", GET_APP, mixes_up_modes),
    ("credentials", "A deleted admin key is refused by the next request", caches()),
    ("credentials", "A deleted app takes its keys with it", caches()),
    ("credentials", "A test admin key lists and creates test objects only", mixes_up_modes),
    ("credentials", "Lists hold one organization's objects, and a cursor of one is refused by the other", takes_foreign_cursors),
    ("credentials", "Lists hold one organization's objects, and a cursor of one is refused by the other", mixes_up_tenants),
    ("credentials", "A session sees the names of a webhook's headers, not their values, and never a secret", takes_any_kind),
    ("credentials", "A repeated POST with the same Idempotency-Key is done once", forgets_idempotency_keys),
    ("uploads", "A file uploaded through the API is downloaded as it was, and gone when it is deleted", serves_other_bytes),
    ("uploads", "A direct upload is stored, completed, repeated, and downloaded", stores_anything),
    ("uploads", "An upload address takes one upload only", stores_anything),
    ("uploads", "An upload with another type, length or without a signed header is refused by the bucket", stores_anything),
    ("events", "An event arrives, signed, with the webhook's headers, as documented, and is logged", signs_with_another_secret),
    ("events", "An attempt is made and logged, whoever the receiver is", loses_events),
    ("events", "No event reaches another organization's webhook", sends_events_to_strangers()),
    ("gateway", "X-Request-Id is the gateway's apigw-requestid", forgets_request_ids),
    ("gateway", "Unknown paths and methods get our structured 404 and 405", fails),
    ("gateway", "Odd paths and queries are 4xx", fails),
    ("gateway", "A path is decoded once", decodes_twice),
    ("gateway", "A body of 11 MB is the gateway's 413", limits_bodies_otherwise),
    ("gateway", "From a browser, only the pages' own origin may call the API", allows_every_origin),
    ("stack", "The logs tell a request from the gateway to its delivery (make logs)", makes_up_request_ids),
    ("gateway", "doc_url leads to the code's place in the error reference", names_another_page),
]


def row(subject: str, what: str, target: Target) -> Row:
    check = next(check for check in SUBJECTS[subject].checks if check.what == what)
    return make(SUBJECTS[subject], check, target)


def main() -> None:
    target = Settings.read().target()
    proxy = Proxy(target, target.client.base_url)
    target.client = Client(proxy.base_url)
    complaints = []
    for organization in (target.first, target.second):
        organization.client, organization.base_url = target.client, proxy.base_url
        organization.set_up()
    checks = [(subject, what) for subject, what, _ in [*FAULTS, *STACK_FAULTS]]
    for subject, what in dict.fromkeys(checks):
        found = row(subject, what, target)
        if found.result not in (HOLDS, EXPECTED):
            complaints.append(f"{subject}: fails without a fault: {found}")
    def notice(subject: str, what: str, fault: Callable) -> None:
        found = row(subject, what, target)
        name = fault.__qualname__.split(".")[0]
        say(f"{name}: {found}")
        if found.result != BROKEN:
            complaints.append(f"{subject}: {name} was not noticed by: {what}")

    for subject, what, fault in FAULTS:
        proxy.fault = fault
        notice(subject, what, fault)
    proxy.fault = Asked.pass_on
    for subject, what, fault in STACK_FAULTS:
        with fault(target.aws):
            notice(subject, what, fault)
    for organization in (target.first, target.second):
        organization.clean_up()
    say(f"\n{len(FAULTS) + len(STACK_FAULTS)} faults, {len(complaints)} complaints")
    sys.exit("\n".join(complaints) or 0)


if __name__ == "__main__":
    main()

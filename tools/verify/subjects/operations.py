"""Every operation of the OpenAPI document, with each kind of credential and with another organization's credential.

The request is that of the operation's sample event, for objects that are created in the first organization.
"""

import re
from collections.abc import Callable

from tools.verify.document import Operation, operations
from tools.verify.organization import IDENTIFIER, Organization
from tools.verify.report import Skipped, Subject, expect
from tools.verify.samples import Request, filled, samples
from tools.verify.target import Target

CONSOLE = "/console"

SUBJECT = Subject("Every operation: its documented response; 401 without a valid credential; nothing for a stranger")
# Identifiers that show the mode of their object.
WITH_MODE = re.compile(r"/((?:app|key_admin|key_app|whk|ph|wapn|media|onb)_(?:test_)?\w{27})")


def verify(operation: Operation) -> Callable[[Target], str]:
    def action(target: Target) -> str:
        text = samples().get(operation.route)
        expect(text, "events/ has no sample event for this operation: it is not verified")
        if operation.path.startswith(CONSOLE) and target.client.send("GET", CONSOLE).status == 404:
            raise Skipped("This installation has no console (the parameter Console).")
        for secret in re.findall(r"\$\{(PLATFORM_\w+)\}", text.replace("${SIGNATURE}", "${PLATFORM_APP_SECRET}")):
            if secret not in target.first.values:
                raise Skipped(f"Set {secret} to what the stack was deployed with.")
        request = filled(text, target.first)
        try:
            return verified(operation, request, target)
        finally:
            request.made.clean_up()

    return action


def verified(operation: Operation, request: Request, target: Target) -> str:
    if not operation.kinds:
        return documented(operation, request, target.first, None)
    refused(operation, request, target.first)
    # First the requests that must change nothing, then the operation itself, which would fail if one of them had.
    foreign = sent_by_stranger(operation, request, target)
    hidden = hidden_from_test_keys(operation, request, target.first)
    note = documented(operation, request, target.first, request.credential)
    reveals_nothing(foreign, request, target)
    with_session(operation, request, target.first)
    return f"{note}, to a stranger {foreign.status}" + (", to a test key 404" if hidden else "")


def send(request: Request, organization: Organization, credential: str | None, key: str | None = None):
    return organization.send(
        request.method,
        request.target,
        key or (organization[credential] if credential else None),
        request.body,
        headers=request.headers,
    )


def sent_by_stranger(operation: Operation, request: Request, target: Target):
    """Sends the request with the other organization's credential: for an onboarding link, the token of a link of its own."""
    if request.token is None:
        return send(request, target.second, request.credential)
    own = filled(samples()[operation.route], target.second)
    try:
        return send(request, target.second, None, own.token)
    finally:
        own.made.clean_up()


def documented(operation: Operation, request: Request, organization: Organization, credential: str | None) -> str:
    reply = send(request, organization, credential, request.token)
    expect(reply.status < 400, reply)
    operation.check(reply)
    expect("x-request-id" in reply.headers, "the response has no X-Request-Id")
    if credential:
        expect(reply.headers.get("cache-control") == "no-store", f"Cache-Control: {reply.headers.get('cache-control')}")
    return str(reply.status)


def refused(operation: Operation, request: Request, organization: Organization) -> None:
    """Fails unless the operation rejects requests with no credential, an unknown one, and each kind that it does not take."""
    plain(send(request, organization, None), "Missing Authorization header", "no credential")
    plain(send(request, organization, None, "sk_admin_nope"), "Invalid API key", "an unknown credential")
    for name, kind in organization.credentials().items():
        if kind in operation.kinds:
            continue
        reply = send(request, organization, name)
        if kind == "liveAppKey" and "testAppKey" in operation.kinds:
            expect(reply.status == 403 and reply.error.get("code") == "test_app_required", f"{kind}: {reply}")
        else:
            plain(reply, "Invalid credentials", kind)


def plain(reply, text: str, what: str) -> None:
    """Fails unless this is a 401 with its plain body."""
    error = reply.json.get("error") if isinstance(reply.json, dict) else None
    expect(reply.status == 401 and str(error).startswith(text), f"{what}: expected 401 {text!r}, got {reply}")
    expect(reply.headers.get("www-authenticate") == "Bearer", f"{what}: a 401 without WWW-Authenticate")


def reveals_nothing(foreign, request: Request, target: Target) -> None:
    shown = set(IDENTIFIER.findall(foreign.text)) - set(IDENTIFIER.findall(request.text))
    leaked = shown & target.first.seen
    expect(not leaked, f"a stranger was shown {sorted(leaked)}")
    expect(foreign.status < 500, f"a stranger got {foreign}")
    if IDENTIFIER.search(request.text):
        # A sender that is not the app's is forbidden, whether it exists or not.
        is_hidden = foreign.status == 404 or (foreign.status == 403 and foreign.error.get("param") == "from")
        expect(is_hidden, f"a stranger got {foreign}, not 404")


def hidden_from_test_keys(operation: Operation, request: Request, organization: Organization) -> bool:
    """Whether the path names a live object, which a test admin key must not find."""
    ids = WITH_MODE.findall(request.target)
    if "adminKey" not in operation.kinds or not ids or all("_test_" in identifier for identifier in ids):
        return False
    reply = send(request, organization, "TEST_ADMIN_KEY")
    expect(reply.status == 404, f"a test admin key got {reply} for a live object, not 404")
    return True


def with_session(operation: Operation, request: Request, organization: Organization) -> None:
    # Those with a cookie, too, are for members who are signed in; this session is the operator's.
    is_for_operators = "session" in operation.kinds and "sessionCookie" not in operation.kinds
    if is_for_operators and "SESSION_TOKEN" in organization.values:
        reply = send(request, organization, "SESSION_TOKEN")
        expect(reply.status == 200, f"session: {reply}")
        operation.check(reply)


for each in operations():
    SUBJECT(each.route)(verify(each))


@SUBJECT("A session token reads what it may")
def session(target: Target) -> str:
    if "SESSION_TOKEN" not in target.first.values:
        raise Skipped("The session token has expired (12 hours). Make new organizations to check sessions too.")
    return f"{sum('session' in operation.kinds for operation in operations())} operations"


@SUBJECT("The deployment runs the release of this checkout", "Deploy this checkout, or verify with the one that was deployed.")
def release(target: Target) -> str:
    served = target.client.send("GET", "/v1/openapi.json").json
    expect(isinstance(served, dict) and "paths" in served, "GET /v1/openapi.json is not an OpenAPI document")
    there = {(path, method) for path, item in served["paths"].items() for method in item}
    here = {(operation.path, operation.method.lower()) for operation in operations()}
    expect(there == here, f"operations that only one of the two has: {sorted(there ^ here)}")
    return f"version {served['info']['version']}, {len(here)} operations"

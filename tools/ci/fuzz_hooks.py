"""The hooks of schemathesis for `make fuzz-api`: they give valid requests values of objects that exist, and count the
accepted requests of each operation. `tools.ci.fuzz_api` names this module in SCHEMATHESIS_HOOKS."""

import atexit
import hashlib
import hmac
import json
import os
from pathlib import Path

import schemathesis

from tools.ci.fuzz_stock import Stock, can_end, can_end_access

STOCK = Stock.read(Path(os.environ["FUZZ_STOCK"]).read_text())
ASSETS = os.environ["FUZZ_ASSETS"].split()
TEXTS = os.environ["FUZZ_TEXTS"].split()
CONSOLE_FILES = os.environ["FUZZ_CONSOLE_FILES"].split()
# The number of valid and of accepted requests by operation, and its last rejection.
COUNTS: dict[str, dict] = {}
# The lists of an app's own number.
OF_OWN_NUMBER = ("/v1/chat/messages", "/v1/chat/templates")
# An id of the right form that no object has.
UNKNOWN = "0ujtsYcgvSTl8PAuAdqWYSMnLOv"


class Signed:
    """Signs a request as the platform signs its notifications."""

    def __call__(self, request):
        body = request.body.encode() if isinstance(request.body, str) else request.body or b""
        digest = hmac.new(os.environ["PLATFORM_APP_SECRET"].encode(), body, hashlib.sha256).hexdigest()
        request.headers["X-Hub-Signature-256"] = f"sha256={digest}"
        return request


class LinkHolder:
    """Sends the token of an onboarding link, with the cookie of its signup."""

    def __init__(self, token: str, _state: str, cookie: str):
        self.headers = {"Authorization": f"Bearer {token}", "Cookie": cookie}

    def __call__(self, request):
        request.headers.update(self.headers)
        return request


class Holder:
    """Sends another credential than the one of the scheme."""

    def __init__(self, credential: str):
        self.credential = credential

    def __call__(self, request):
        request.headers["Authorization"] = f"Bearer {self.credential}"
        request.headers.pop("Cookie", None)
        return request


# What happens to the link of a valid request; all others have the token of the spare one, which some of them cancel.
LINKS = {"onboarding.beginSignup": "begun", "onboarding.complete": "completed", "onboarding.cancel": "cancelled"}


def is_valid(case) -> bool:
    return case.meta is None or case.meta.generation.mode.is_positive


def is_linked(case) -> bool:
    """Returns whether a response before gave the ids of the path: they must stay, because a check follows the object."""
    given = getattr(case, "_override", None)
    return bool(given and given.path_parameters)


def names_of(path: str) -> list[str]:
    return [part.split("}")[0] for part in path.split("{")[1:]]


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Takes the errors on demand out of the document: their response would allow every status of every operation."""
    for item in raw_schema["paths"].values():
        for operation in item.values():
            operation["responses"].pop("default", None)
            parameters = operation.get("parameters", [])
            operation["parameters"] = [each for each in parameters if not each.get("$ref", "").endswith("/PlaygroundError")]


@schemathesis.hook
def before_call(context, case, kwargs):
    spare_credentials(case)
    is_accepted = COUNTS.get(case.operation.label, {}).get("accepted")
    if not is_valid(case) or is_accepted and STOCK.keeps_generated():
        return
    operation = case.operation.definition.raw["operationId"]
    if not is_linked(case):
        fill_path(case, operation)
    fill_query(case)
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = STOCK.key()
    if isinstance(case.body, dict):
        filled = STOCK.filled(operation, case.body)
        if filled != case.body:
            case.body = filled
    if operation == "platform.notifications.receive":
        # The document leaves the content of notifications to the platform; this API requires a list of entries.
        case.body = {"object": "whatsapp_business_account", "entry": [case.body] if case.body else []}
        kwargs["auth"] = Signed()
    if operation.startswith("organization.members.") or operation == "organization.rateCard.update":
        # Members are live objects, and the rate card takes a live key.
        kwargs["auth"] = Holder(os.environ["ADMIN_KEY"])
    if operation.startswith("session.") and STOCK.sessions:
        ends = operation == "session.delete" and len(STOCK.sessions) > 1
        kwargs["auth"] = Holder(STOCK.sessions.pop() if ends else STOCK.sessions[0])
    if operation == "session.switch" and STOCK.switches:
        # A switch to the session's own membership begins another session and ends this one.
        token, member = STOCK.switches.pop()
        kwargs["auth"], case.body = Holder(token), {"memberId": member}
    if operation == "signIn.link.get" and STOCK.sign_in_tokens:
        kwargs["auth"] = Holder(STOCK.sign_in_tokens[0])
    if operation in LINKS:
        kwargs["auth"] = LinkHolder(*STOCK.links[LINKS[operation]])
    if operation == "platform.notifications.confirm":
        case.query = {**case.query, "hub.mode": "subscribe", "hub.verify_token": os.environ["PLATFORM_VERIFY_TOKEN"]}


def spare_credentials(case) -> None:
    """Replaces the id in a request that could end an object that the fuzzer's own credentials need."""
    if can_end_access(case.method.upper(), case.operation.path) and case.path_parameters:
        for name, value in case.path_parameters.items():
            if value in STOCK.protected and name == names_of(case.operation.path)[-1]:
                case.path_parameters[name] = value[: -len(UNKNOWN)] + UNKNOWN


def fill_path(case, operation: str) -> None:
    names, method, path = names_of(case.operation.path), case.method.upper(), case.operation.path
    if names == ["asset"]:
        case.path_parameters["asset"] = STOCK.random.choice(ASSETS)
    elif names == ["file"]:
        case.path_parameters["file"] = STOCK.random.choice(CONSOLE_FILES)
    elif names == ["page"]:
        case.path_parameters["page"] = STOCK.random.choice(TEXTS)
    elif names and (values := STOCK.path(operation, names, can_end(method, path), can_end_access(method, path))):
        case.path_parameters.update(values)


def fill_query(case) -> None:
    query = case.query or {}
    for name in ("chatPhoneNumberId", "chatBusinessProfileId"):
        if name in query:
            query[name] = STOCK.any(name) or query[name]
    if case.method.upper() == "GET" and case.operation.path in OF_OWN_NUMBER and STOCK.own_number:
        # An app with one number may leave it out; this one has several.
        case.query = query = {**query, "chatPhoneNumberId": STOCK.own_number}
    if "contact" in query and STOCK.user_numbers:
        query["contact"] = STOCK.random.choice(STOCK.user_numbers)
    if "since" in query and "until" in query and query["since"] >= query["until"]:
        query["since"], query["until"] = "2020-01-01T00:00:00.000Z", "2040-01-01T00:00:00.000Z"
    if "cursor" in query:
        known = STOCK.cursors.get(STOCK.list_of(case.operation.path, case.path_parameters or {}, query))
        if known:
            query["cursor"] = known
        else:
            del query["cursor"]


@schemathesis.hook
def after_call(context, case, response):
    try:
        body = response.json()
    except ValueError:
        body = None
    STOCK.learn(
        case.method.upper(), case.operation.path, case.query or {}, case.path_parameters or {}, response.status_code, body
    )
    if is_valid(case):
        counts = COUNTS.setdefault(case.operation.label, {"valid": 0, "accepted": 0})
        counts["valid"] += 1
        if 200 <= response.status_code < 400:
            counts["accepted"] += 1
        else:
            counts["rejection"] = f"{response.status_code} {response.text[:200]}"


@atexit.register
def write():
    Path(os.environ["FUZZ_COUNTS"]).write_text(json.dumps(COUNTS))

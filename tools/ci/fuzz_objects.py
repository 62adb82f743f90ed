"""Creates the objects that the API fuzzer needs for accepted requests, in the demo organization of a stack."""

import json
import re
import urllib.request

from tools.ci.fuzz_stock import Stock
from tools.stack.stack import Stack

# How many objects of each kind: deletions leave some for the other operations.
OBJECTS = 5
# The simulated accounts: each has one number to register.
ACCOUNTS = 12
# The onboarding links.
LINK = {"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed", "expiresIn": 2_592_000}
# The content of uploaded files.
FILE = b"Hello"


def create(stack: Stack, values: dict[str, str], seed: int) -> Stock:
    """Creates test objects of every kind. Returns the fuzzer's stock of them."""
    admin, key, app = values["TEST_ADMIN_KEY"], values["TEST_APP_KEY"], values["TEST_APP_ID"]
    stock = Stock(seed=seed, own_app=app)

    def make(path: str, credential: str, body: dict, **parents: str) -> dict:
        made = stack.call("POST", path, credential, body)
        stock.add(made, parents)
        return made

    webhooks = f"/v1/organization/apps/{app}/webhooks"
    for number in range(OBJECTS):
        name = {"name": f"Fuzz {number}"}
        made = make("/v1/organization/apps", admin, name)
        stack.call("PUT", f"/v1/organization/apps/{made['id']}/calling", admin, {"voicemailEnabled": True})
        make("/v1/organization/admin-keys", admin, name)
        make("/v1/organization/chat/onboarding-links", admin, LINK)
        make("/v1/organization/phone-numbers", admin, {"number": f"+1201555{number:04}"})
        own = {"number": f"+4930123{number:04}", "appIds": [app]}
        stock.own_phone_numbers.append(stack.call("POST", "/v1/organization/phone-numbers", admin, own)["id"])
        make(f"/v1/organization/apps/{app}/keys", admin, name, appId=app)
        hook = make(webhooks, admin, {"url": "https://example.com/fuzz", "events": ["messages.sms.sent"]}, appId=app)
        tested = make(f"{webhooks}/{hook['id']}/test", admin, {}, appId=app, webhookId=hook["id"])
        stock.add({"id": tested["eventId"]}, {})
        user = make("/v1/playground/chat/phone-numbers/user", key, {})["number"]
        stock.user_numbers.append(user)
        text = {"from": user, "type": "text", "text": {"body": "Hello"}}
        stock.inbound.append(make("/v1/playground/chat/inbound", key, text)["id"])
        make("/v1/playground/simulations", key, {"scenario": "account_rejected"})
        stock.add({"id": upload(stack, key)}, {})
        stock.uploads.append(upload(stack, key, completes=False))
    numbers = stack.call("GET", "/v1/organization/chat/phone-numbers?limit=100", admin)["data"]
    stock.own_number = next(each["id"] for each in numbers if app in [its["appId"] for its in each["apps"]])
    stock.add({"id": stock.own_number}, {})
    for number in range(OBJECTS):
        make("/v1/chat/groups", key, {"chatPhoneNumberId": stock.own_number, "subject": f"Fuzz {number}"})
    for number in range(ACCOUNTS):
        account = f"77{number:03}"
        profile = make(
            "/v1/organization/chat/business-profiles/callback", admin, {"code": f"code.{account}", "wabaId": account}
        )
        # After a sync, the simulated account has one number more, which can be registered.
        stack.call("POST", "/v1/organization/chat/templates/sync", admin, {"chatBusinessProfileId": profile["id"]})
        listed = stack.call("GET", f"/v1/organization/chat/templates?chatBusinessProfileId={profile['id']}", admin)
        stock.templates += [template["id"] for template in listed["data"]]
        stock.editable += [template["id"] for template in listed["data"] if is_editable(template)]
        stock.registrations.append(registration(profile, account))
    stock.system_numbers = stack.call("GET", "/v1/playground/phone-numbers/system", key)["numbers"]
    sms = {"from": stock.system_numbers[0], "to": "+12025550123", "text": "Hello"}
    stock.sms = [stack.call("POST", "/v1/sms", key, sms)["id"] for _ in range(OBJECTS)]
    member = people(stack, values["ADMIN_KEY"], stock)
    links = {use: begun_link(stack, admin) for use in ("spare", "begun", "completed", "cancelled")}
    stock.links = {use: used for use, (_, used) in links.items()}
    stock.protected = frozenset(protected(stack, values)) | {id_ for id_, _ in links.values()} | {member}
    return stock


def people(stack: Stack, admin: str, stock: Stock) -> str:
    """Creates members, with links and sessions. Members are live objects. Returns the id of the first, whose link is looked at and
    whose session is used throughout."""
    members = []
    for number in range(OBJECTS):
        body = {"email": f"fuzz-{number}@example.com", "role": "SUPPORT"}
        member = stack.call("POST", "/v1/organization/members", admin, body)
        stock.add(member, {})
        path = f"/v1/organization/members/{member['id']}/sign-in-link"
        first, second, spare = (stack.call("POST", path, admin, {})["url"].split("#")[1] for _ in range(3))
        begun = [stack.call("POST", "/v1/sign-in/link", "", {"token": token, "as": "bearer"}) for token in (first, second)]
        stock.sessions.append(begun[0]["sessionToken"])
        stock.switches.append([begun[1]["sessionToken"], member["id"]])
        stock.sign_in_tokens.append(spare)
        members.append(member["id"])
    return members[0]


def begun_link(stack: Stack, admin: str) -> tuple[str, list[str]]:
    """Creates an onboarding link and begins its signup. Returns its id; and its token, the state and the cookie."""
    link = stack.call("POST", "/v1/organization/chat/onboarding-links", admin, LINK)
    token = link["url"].split("#")[1]
    request = urllib.request.Request(f"{stack.base_url}/v1/onboarding/signup", method="PUT")
    request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        state = json.load(answer)["url"].split("state=")[1]
        return link["id"], [token, state, answer.headers["Set-Cookie"].split(";")[0]]


def is_editable(template: dict) -> bool:
    """Whether an edit of the body is accepted."""
    return template["status"] in ("APPROVED", "REJECTED", "PAUSED") and template["category"] != "AUTHENTICATION"


def upload(stack: Stack, key: str, completes: bool = True) -> str:
    """Uploads a file directly to the bucket. Returns its id."""
    announced = {"fileName": "a.txt", "mimeType": "text/plain", "fileSize": len(FILE)}
    made = stack.call("POST", "/v1/media/uploads", key, announced)
    request = urllib.request.Request(made["uploadUrl"], data=FILE, headers=made["headers"], method="PUT")
    urllib.request.urlopen(request, timeout=60).close()
    if completes:
        stack.call("POST", f"/v1/media/{made['id']}/complete", key)
    return made["id"]


def protected(stack: Stack, values: dict[str, str]) -> list[str]:
    """The apps and keys without which the fuzzer's own credentials would be rejected."""
    admin = values["ADMIN_KEY"]
    keys = stack.call("GET", "/v1/organization/admin-keys?limit=100", admin)["data"]
    app = values["TEST_APP_ID"]
    keys += stack.call("GET", f"/v1/organization/apps/{app}/keys?limit=100", admin)["data"]
    used = {values[name][-4:] for name in ("ADMIN_KEY", "TEST_ADMIN_KEY", "APP_KEY", "TEST_APP_KEY")}
    return [app, values["APP_ID"], *(key["id"] for key in keys if key["lastFour"] in used)]


def registration(profile: dict, account: str) -> dict:
    """The request that registers the third number of a simulated account; its three numbers are consecutive."""
    first = min(int(number["displayPhoneNumber"]) for number in profile["phoneNumbers"])
    return {
        "displayPhoneNumber": f"+{first + 2}",
        "providerPhoneNumberId": f"{account}03",
        "providerBusinessAccountId": account,
    }


def assets(stack: Stack) -> list[str]:
    """The names of the files that the reference loads."""
    with urllib.request.urlopen(f"{stack.base_url}/api_reference", timeout=30) as page:
        return re.findall(r"api_reference/assets/([^\"]+)", page.read().decode())


def console_files(stack: Stack) -> list[str]:
    """The names of the files that the page of the console loads."""
    with urllib.request.urlopen(f"{stack.base_url}/console", timeout=30) as page:
        return re.findall(r"console/([\w.-]+)\"", page.read().decode())


def texts(stack: Stack) -> list[str]:
    """The names of the pages of the reference as Markdown."""
    with urllib.request.urlopen(f"{stack.base_url}/llms.txt", timeout=30) as page:
        return re.findall(r"/api_reference/([\w-]+\.md)\)", page.read().decode())

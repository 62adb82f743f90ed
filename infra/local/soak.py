"""`make soak`: many mixed requests and events on the local stack while its functions are killed. What was acknowledged must be there.

REQUESTS=100000 EVENTS=10000 KILL_EVERY=5 SEED=1 THREADS=12. KILL_EVERY is the mean of seconds between two kills, 0 for none. Prints the tables,
writes target/soak.json, and fails if anything was lost, a retry made something twice, an answer was not the expected one, or a 5xx came
without a kill beside it. It needs Linux: it reads /proc. What is counted: docs/soak.md.
"""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tools.stack.build import build
from tools.stack.project import FUNCTIONS, ROOT, TOOLS, free_port, say
from tools.stack.stack import Stack
from tools.stack.stop import Stop

REQUESTS = int(os.environ.get("REQUESTS", "100000"))
EVENTS = int(os.environ.get("EVENTS", "10000"))
KILL_EVERY = float(os.environ.get("KILL_EVERY", "5"))
SEED = os.environ.get("SEED", "1")
THREADS = int(os.environ.get("THREADS", "12"))

# What was in the hands of a killed deliver function is back after this; 360 s in the template.
VISIBILITY_SECONDS = "30"
# The longest that an event may be late: two retries of the receiver's making, or an event that only the sweep finds, and some.
SETTLE_SECONDS = 480
# A run of this length waits for what takes minutes: some events fail twice, and the second retry is five minutes later. In a shorter one,
# what the sweep would find after five minutes is due at once, and what holds a key for a minute if it is killed is asked for at its beginning.
LONG_RUN = 20_000
HURRY_SECONDS = 15
# A client gives up a request after so long; a key that a killed request held is free after 60 s.
PATIENCE = 150
# A key that is held for longer than this is waited for beside the other requests.
PROMPT = 2.5
KEPT_SECONDS = 3
# A 5xx was caused by a kill of its function between this before it was sent and this after it was answered.
BEFORE, AFTER = 0.5, 0.1
SAMPLE_EVERY = 0.5
WARM, MANY = 50, 1000
CAPS = {"apps": 25, "keys": 8, "webhooks": 6, "numbers": 150, "admin keys": 15, "users": 60, "media": 80, "tests": 50}
SLOW_HOOK = "slow"
SMS_EVENTS = ["messages.sms.received", "messages.sms.sent", "messages.sms.delivered", "messages.sms.failed"]
# Requests over its share that a client may need for its last events.
MORE = 10
PDF = b"%PDF-1.4\n"
STRANGER = b'{"from": "+12015550000", "type": "text", "text": "A"}'
NOBODY = "0ujtsYcgvSTl8PAuAdqWYSMnLOv"


def function_of(path: str) -> str:
    """The function that the template routes a path to."""
    parts = path.split("?")[0].strip("/").split("/")
    match parts:
        case ["v1", "organization", "apps", _, "phone-numbers", *_]:
            return "organization"
        case ["v1", "organization", "apps", *_]:
            return "apps"
        case ["v1", "organization", "chat", *_] | ["v1", "chat", *_]:
            return "chat"
        case ["v1", "organization", "playground", *_] | ["v1", "playground", *_]:
            return "playground"
        case ["v1", "organization", "settings" | "admin-keys" | "phone-numbers", *_]:
            return "organization"
        case ["v1", "media", *_]:
            return "media"
    return "reference"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)


@dataclass
class Fault:
    """An answer of 500 and more, or none at all (status 0)."""

    function: str
    request: str
    status: int
    what: str
    is_own: bool
    sent: float
    answered: float
    kill: "Kill | None" = None


@dataclass
class Kill:
    at: float
    pid: int
    function: str
    was_busy: bool
    faults: int = 0


class Tally:
    """What all clients have seen."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answers: Counter = Counter()
        self.by_function: Counter = Counter()
        self.faults: list[Fault] = []
        self.unexpected: list[str] = []
        self.lost: list[str] = []
        self.doubled: list[str] = []
        self.checked: Counter = Counter()
        self.retries = self.replays = self.abandoned = 0

    def note(self, function: str, status: int) -> None:
        with self.lock:
            self.by_function[function] += 1
            self.answers[f"{status // 100}xx" if status else "broken"] += 1

    def add(self, where: str, what: object) -> None:
        with self.lock:
            getattr(self, where).append(what)

    def count(self, what: str) -> None:
        with self.lock:
            setattr(self, what, getattr(self, what) + 1)


class StillRunning(Exception):
    """Another request holds the Idempotency-Key for longer than this one wants to wait."""


class Client:
    """One kept connection. Repeats what failed with the same Idempotency-Key, as a client should."""

    def __init__(self, base_url: str, tally: Tally):
        self.address = urlsplit(base_url)
        self.tally = tally
        self.connection = self.connect()
        self.used = time.monotonic()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=60)

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Answer | None:
        """`None`: the connection broke before there was a whole answer."""
        # The server ends a connection that nobody uses.
        if time.monotonic() - self.used > KEPT_SECONDS:
            self.connection.close()
            self.connection = self.connect()
        try:
            self.connection.request(method, self.address.path + path, body=body, headers=headers)
            answer = self.connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = self.connect()
            return None
        finally:
            self.used = time.monotonic()

    def abandon(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> None:
        """Sends a request and hangs up, like a client that has lost its network."""
        connection = self.connect()
        try:
            connection.request(method, self.address.path + path, body=body, headers=headers)
        finally:
            connection.close()
        self.tally.count("abandoned")

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None, patience: float = PATIENCE) -> tuple[Answer, int]:
        """The first answer that is final, and how often there was none before."""
        begun, failures, function = time.monotonic(), 0, function_of(path)
        while True:
            sent = time.monotonic()
            answer = self.send(method, path, headers, body)
            answered = time.monotonic()
            self.tally.note(function, answer.status if answer else 0)
            is_late = answered - begun > patience
            if answer is None or answer.status >= 500:
                failures += 1
                self.tally.add("faults", fault(function, f"{method} {path.split('?')[0]}", answer, sent, answered))
                pause = 0.1
            elif answer.status == 429 or (answer.status == 409 and "retry-after" in answer.headers):
                pause = float(answer.headers.get("retry-after", "1"))
            else:
                return answer, failures
            if is_late:
                if patience < PATIENCE:
                    raise StillRunning
                self.tally.add("lost", f"no final answer to {method} {path} within {patience} s")
                return answer or Answer(0, {}, b"{}"), failures
            time.sleep(pause)
            self.tally.count("retries")


def fault(function: str, request: str, answer: Answer | None, sent: float, answered: float) -> Fault:
    if answer is None:
        return Fault(function, request, 0, "the connection broke", False, sent, answered)
    try:
        body = json.loads(answer.body)
    except ValueError:
        body = {}
    # The gateway's answer for a function that ended has no `error`.
    is_own = isinstance(body, dict) and "error" in body
    what = body["error"].get("message", "") if is_own else body.get("errorType", answer.body[:80].decode(errors="replace"))
    return Fault(function, request, answer.status, what, is_own, sent, answered)


@dataclass
class Number:
    number: str
    apps: set[str] = field(default_factory=set)


class Tenant:
    """One organization and its only client, who knows what must be there."""

    def __init__(self, number: int, stack: Stack, tally: Tally, receiver: str):
        self.name = SLOW_HOOK if number == 0 else f"t{number}"
        self.number = number
        self.base_url, self.tally, self.receiver = stack.base_url, tally, receiver
        self.random = random.Random(f"{SEED}/{number}")
        self.client = Client(stack.base_url, tally)
        self.counter = self.sent = self.tests = 0
        self.late: list[threading.Thread] = []
        self.apps: dict[str, str] = {}
        self.keys: dict[str, dict[str, str]] = defaultdict(dict)
        self.webhooks: dict[str, dict[str, list[str]]] = defaultdict(dict)
        self.callings: dict[str, int] = {}
        self.admin_keys: dict[str, str] = {}
        # Of the admin keys that were made here.
        self.values: dict[str, str] = {}
        self.numbers: dict[str, Number] = {}
        self.settings: dict[str, object] = {}
        self.users: list[str] = []
        self.wrote: set[str] = set()
        self.chat: dict[str, str] = {}
        self.sms: set[str] = set()
        self.media: dict[str, bytes] = {}
        self.groups: dict[str, str] = {}
        # Paths of what was deleted, with a credential that may ask; credentials that were revoked.
        self.gone: list[tuple[str, str]] = []
        self.revoked: list[tuple[str, str]] = []
        # What the receiver must hear of, and since when: (event, id of the object), or ("test", id of the event).
        self.awaited: dict[tuple[str, str], float] = {}
        self.last_number: tuple[str, str] | None = None
        made = stack.operate({"operation": "createOrganization", "name": f"Soak {self.name}"})
        self.organization, self.admin, self.session = made["organizationId"], made["adminKey"], made["sessionToken"]

    # ------------------------------------------------------------ requests

    def unique(self) -> str:
        self.counter += 1
        return f"{self.name}-{self.counter}"

    def headers(self, credential: str, body: object = None, key: str | None = None) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {credential}",
            **({} if body is None else {"Content-Type": "application/json"}),
            **({"Idempotency-Key": key} if key else {}),
        }

    def expect(self, expected: int, method: str, path: str, answer: Answer) -> bool:
        if answer.status == expected:
            return True
        self.tally.add("unexpected", f"{method} {path}: {answer.status} instead of {expected}: {answer.body[:200].decode(errors='replace')}")
        return False

    def ask(self, method: str, path: str, body: dict | None = None, expected: int = 200, credential: str | None = None) -> Answer | None:
        """A request that may be repeated as it is. `None` if the answer is not the expected one."""
        self.sent += 1
        data = None if body is None else json.dumps(body).encode()
        answer, failures = self.client.ask(method, path, self.headers(credential or self.admin, body), data)
        if method == "DELETE" and failures and answer.status == 404:
            return answer
        return answer if self.expect(expected, method, path, answer) else None

    def create(self, path: str, body: dict, keep, expected: int = 201, credential: str | None = None) -> None:
        """A POST under a key of its own; `keep` gets the answer. Some clients hang up and ask again, some ask twice."""
        headers, data = self.headers(credential or self.admin, body, self.unique()), json.dumps(body).encode()
        self.post(path, headers, data, keep, expected)

    def post(self, path: str, headers: dict[str, str], data: bytes, keep, expected: int) -> None:
        luck = self.random.random()
        if luck < 0.02:
            self.sent += 1
            self.client.abandon("POST", path, headers, data)
        self.sent += 1
        is_twice = 0.02 <= luck < 0.07
        self.sent += is_twice
        try:
            self.settle(self.client, ("POST", path, headers, data), keep, expected, is_twice, PROMPT)
        except StillRunning:
            self.wait_beside(("POST", path, headers, data), keep, expected, is_twice)

    def settle(self, client: Client, request: tuple, keep, expected: int, is_twice: bool, patience: float) -> None:
        method, path, _, _ = request
        answer, _ = client.ask(*request, patience=patience)
        if "idempotency-replayed" in answer.headers:
            self.tally.count("replays")
        if not self.expect(expected, method, path, answer):
            return
        keep(answer.json)
        if is_twice:
            again, _ = client.ask(*request)
            if again.body != answer.body or again.headers.get("idempotency-replayed") != "true":
                self.tally.add("doubled", f"{method} {path} under one key: {answer.body[:200]!r} and then {again.status} {again.body[:200]!r}")
            self.tally.count("replays")

    def wait_beside(self, request: tuple, keep, expected: int, is_twice: bool) -> None:
        """Goes on asking while the other requests go on."""
        client = Client(self.base_url, self.tally)
        work = threading.Thread(target=self.settle, args=(client, request, keep, expected, is_twice, PATIENCE), daemon=True)
        work.start()
        self.late = [thread for thread in self.late if thread.is_alive()] + [work]

    def walk(self, path: str, query: dict | None = None, size: int = 100, credential: str | None = None) -> list[dict]:
        """A list to its end."""
        found, cursor = [], None
        while True:
            parameters = {"limit": size, **(query or {}), **({"cursor": cursor} if cursor else {})}
            answer = self.ask("GET", f"{path}?{urlencode(parameters)}", credential=credential)
            if answer is None:
                return found
            found += answer.json["data"]
            if (cursor := answer.json["nextCursor"]) is None:
                return found

    # ------------------------------------------------------------ set-up

    def set_up(self) -> None:
        self.admin_keys = {key["id"]: key["name"] for key in self.walk("/v1/organization/admin-keys")}
        self.create("/v1/organization/apps", {"name": f"Main {self.name}", "test": True}, self.keep_main)
        self.create(f"/v1/organization/apps/{self.app}/keys", {"name": "main"}, self.keep_main_key)
        body = {"url": f"{self.receiver}/hooks/{self.name}", "events": ["messages.chat.received", *SMS_EVENTS], "headers": {"X-Soak": self.name}}
        self.create(f"/v1/organization/apps/{self.app}/webhooks", body, self.keep_main_webhook)
        numbers = self.ask("GET", "/v1/playground/phone-numbers/system", credential=self.key)
        self.system = numbers.json["numbers"][0]
        own = (number for number in self.walk("/v1/organization/chat/phone-numbers") if any(app["appId"] == self.app for app in number["apps"]))
        self.chat_number = next(own)["id"]
        self.make_user()
        self.sent = 0

    def keep_main(self, made: dict) -> None:
        self.app = made["id"]
        self.apps[self.app] = made["name"]

    def keep_main_key(self, made: dict) -> None:
        self.key, self.key_id = made["key"], made["id"]
        self.keys[self.app][made["id"]] = "main"

    def keep_main_webhook(self, made: dict) -> None:
        self.webhook = made["id"]
        self.webhooks[self.app][made["id"]] = made["events"]
        self.tell_secret(made["secret"])

    def tell_secret(self, secret: str) -> None:
        request = urllib.request.Request(f"{self.receiver}/secrets/{self.name}", data=secret.encode(), method="PUT")
        urllib.request.urlopen(request, timeout=30).close()

    # ------------------------------------------------------------ what it does

    def run(self, share: int, events: int) -> None:
        """`share` requests, so many of them messages that `events` events follow."""
        while (left := share - self.sent) > 0 or (left > -MORE and len(self.awaited) < events):
            waiting = events - len(self.awaited)
            if self.random.random() * left < waiting:
                self.message(waiting)
                continue
            operation = self.random.choices(self.operations, self.weights)[0]
            is_late = REQUESTS < LONG_RUN and self.sent > share / 3
            (Tenant.read if is_late and operation in self.holding else operation)(self)
        self.ended = time.monotonic()
        for work in self.late:
            work.join()

    def pick(self, among) -> object:
        return self.random.choice(sorted(among))

    def spare_apps(self) -> list[str]:
        return sorted(app for app in self.apps if app != self.app)

    def message(self, waiting: int) -> None:
        kinds = [self.write_chat, self.get_sms, self.send_sms if waiting > 1 else self.get_sms, self.fail_sms, self.test_webhook]
        self.random.choices(kinds, [40, 25, 25, 5, 5])[0]()

    def write_chat(self) -> None:
        user, text = self.pick(self.users), f"Chat {self.unique()}"

        def keep(made: dict) -> None:
            self.wrote.add(user)
            self.chat[made["id"]] = text
            self.awaited["messages.chat.received", made["id"]] = time.time()

        self.create("/v1/playground/chat/messages", {"from": user, "type": "text", "text": text}, keep, credential=self.key)

    def sms_message(self, sender: str, recipient: str, events: list[str]) -> None:
        def keep(made: dict) -> None:
            self.sms.add(made["id"])
            self.awaited.update({(event, made["id"]): time.time() for event in events})

        body = {"from": sender, "to": recipient, "text": f"SMS {self.unique()}"}
        self.create("/v1/playground/sms/messages", body, keep, credential=self.key)

    def get_sms(self) -> None:
        self.sms_message("+442079460123", self.system, ["messages.sms.received"])

    def send_sms(self) -> None:
        self.sms_message(self.system, "+442079460123", ["messages.sms.sent", "messages.sms.delivered"])

    def fail_sms(self) -> None:
        self.sms_message(self.system, "+12025550000", ["messages.sms.failed"])

    def test_webhook(self) -> None:
        # 60 an hour.
        if self.tests == CAPS["tests"]:
            return self.get_sms()
        self.tests += 1

        def keep(made: dict) -> None:
            self.awaited["test", made["eventId"]] = time.time()

        path = f"/v1/organization/apps/{self.app}/webhooks/{self.webhook}/test"
        return self.create(path, {"event": self.random.choice(SMS_EVENTS)}, keep, expected=202)

    def make_app(self) -> None:
        if len(self.apps) >= CAPS["apps"]:
            return self.delete_app()
        name = f"App {self.unique()}"
        body = {"name": name, **({"test": True} if self.random.random() < 0.1 else {})}
        return self.create("/v1/organization/apps", body, lambda made: self.apps.update({made["id"]: name}))

    def change_app(self) -> None:
        app, name = self.pick(self.apps), f"Renamed {self.unique()}"
        if self.ask("PATCH", f"/v1/organization/apps/{app}", {"name": name}):
            self.apps[app] = name

    def delete_app(self) -> None:
        if not (spare := self.spare_apps()):
            return self.make_app()
        app = self.random.choice(spare)
        if self.ask("DELETE", f"/v1/organization/apps/{app}"):
            del self.apps[app]
            for number in self.numbers.values():
                number.apps.discard(app)
            self.revoked += [("/v1/media/media_" + NOBODY, key) for key in self.keys.pop(app, {}).values()]
            self.webhooks.pop(app, None)
            self.callings.pop(app, None)
            self.gone.append((f"/v1/organization/apps/{app}", self.admin))
        return None

    def make_key(self) -> None:
        app = self.pick(self.spare_apps() or self.apps)
        if app == self.app:
            return self.make_app()
        if len(self.keys[app]) >= CAPS["keys"]:
            return self.delete_key()
        keep = lambda made: self.keys[app].update({made["id"]: made["key"]})  # noqa: E731
        return self.create(f"/v1/organization/apps/{app}/keys", {"name": f"Key {self.unique()}"}, keep)

    def delete_key(self) -> None:
        with_keys = [app for app in self.spare_apps() if self.keys[app]]
        if not with_keys:
            return self.make_key()
        app = self.random.choice(with_keys)
        key = self.pick(self.keys[app])
        if self.ask("DELETE", f"/v1/organization/apps/{app}/keys/{key}"):
            value = self.keys[app].pop(key)
            self.revoked.append(("/v1/media/media_" + NOBODY, value))
            self.ask("GET", "/v1/media/media_" + NOBODY, expected=401, credential=value)
        return None

    def rotate_key(self) -> None:
        """A new key for the main app, then the end of the old one; not while a request under the old one goes on."""
        if any(thread.is_alive() for thread in self.late):
            return self.read()
        old, old_id = self.key, self.key_id
        self.create(f"/v1/organization/apps/{self.app}/keys", {"name": "main"}, self.keep_main_key)
        if self.key_id == old_id:
            return None
        if self.ask("DELETE", f"/v1/organization/apps/{self.app}/keys/{old_id}"):
            del self.keys[self.app][old_id]
            self.revoked.append(("/v1/playground/phone-numbers/system", old))
            self.ask("GET", "/v1/playground/phone-numbers/system", expected=401, credential=old)
        return None

    def rotate_secret(self) -> None:
        path = f"/v1/organization/apps/{self.app}/webhooks/{self.webhook}/rotate-secret"
        self.create(path, {"gracePeriodSeconds": 3600}, lambda made: self.tell_secret(made["secret"]), expected=200)

    def make_admin_key(self) -> None:
        if len(self.admin_keys) >= CAPS["admin keys"]:
            return self.delete_admin_key()
        name = f"Admin {self.unique()}"
        keep = lambda made: (self.admin_keys.update({made["id"]: name}), self.values.update({made["id"]: made["key"]}))  # noqa: E731
        return self.create("/v1/organization/admin-keys", {"name": name}, keep)

    def delete_admin_key(self) -> None:
        if not self.values:
            return self.make_admin_key()
        key = self.pick(self.values)
        if self.ask("DELETE", f"/v1/organization/admin-keys/{key}"):
            del self.admin_keys[key]
            value = self.values.pop(key)
            self.revoked.append(("/v1/organization/settings", value))
            self.ask("GET", "/v1/organization/settings", expected=401, credential=value)
        return None

    def make_webhook(self) -> None:
        app = self.pick(self.spare_apps() or self.apps)
        if app == self.app:
            return self.make_app()
        if len(self.webhooks[app]) >= CAPS["webhooks"]:
            return self.delete_webhook()
        events = self.random.sample(SMS_EVENTS, 2)
        body = {"url": f"https://example.com/{self.unique()}", "events": events}
        return self.create(f"/v1/organization/apps/{app}/webhooks", body, lambda made: self.webhooks[app].update({made["id"]: events}))

    def with_webhooks(self) -> list[str]:
        return [app for app in self.spare_apps() if self.webhooks[app]]

    def change_webhook(self) -> None:
        if not (apps := self.with_webhooks()):
            return self.make_webhook()
        app = self.random.choice(apps)
        webhook, events = self.pick(self.webhooks[app]), self.random.sample(SMS_EVENTS, 3)
        if self.ask("PUT", f"/v1/organization/apps/{app}/webhooks/{webhook}", {"events": events}):
            self.webhooks[app][webhook] = events
        return None

    def delete_webhook(self) -> None:
        if not (apps := self.with_webhooks()):
            return self.make_webhook()
        app = self.random.choice(apps)
        webhook = self.pick(self.webhooks[app])
        if self.ask("DELETE", f"/v1/organization/apps/{app}/webhooks/{webhook}"):
            del self.webhooks[app][webhook]
            self.gone.append((f"/v1/organization/apps/{app}/webhooks/{webhook}", self.admin))
        return None

    def set_calling(self) -> None:
        app, calls = self.pick(self.apps), self.random.randint(1, 1000)
        if self.ask("PUT", f"/v1/organization/apps/{app}/calling", {"maxConcurrentCalls": calls}):
            self.callings[app] = calls

    def make_number(self) -> None:
        if len(self.numbers) >= CAPS["numbers"]:
            return self.delete_number()
        unique = self.unique()
        number = f"+4930{self.number:03}{self.counter:07}"
        spare = [app for app in self.spare_apps() if not app.startswith("app_test_")]
        apps = self.random.sample(spare, min(len(spare), self.random.randint(0, 2)))
        body = {"number": number, "appIds": apps}
        self.last_number = (unique, number)
        headers, data = self.headers(self.admin, body, unique), json.dumps(body).encode()
        keep = lambda made: self.numbers.update({made["id"]: Number(number, set(apps))})  # noqa: E731
        return self.post("/v1/organization/phone-numbers", headers, data, keep, 201)

    def delete_number(self) -> None:
        if not self.numbers:
            return self.make_number()
        number = self.pick(self.numbers)
        if self.ask("DELETE", f"/v1/organization/phone-numbers/{number}"):
            del self.numbers[number]
            self.gone.append((f"/v1/organization/phone-numbers/{number}", self.admin))
        return None

    def assign(self) -> None:
        spare = [app for app in self.spare_apps() if not app.startswith("app_test_")]
        if not spare or not self.numbers:
            return self.make_number()
        app, number = self.random.choice(spare), self.pick(self.numbers)
        path, apps = f"/v1/organization/apps/{app}/phone-numbers/{number}", self.numbers[number].apps
        if app in apps:
            if self.ask("DELETE", path):
                apps.discard(app)
        elif sum(app in other.apps for other in self.numbers.values()) < 50 and self.ask("PUT", path):
            apps.add(app)
        return None

    def change_settings(self) -> None:
        days = self.random.randint(1, 365)
        if self.ask("PATCH", "/v1/organization/settings", {"mediaRetentionDays": days}):
            self.settings = {"mediaRetentionDays": days}

    def make_user(self) -> None:
        if len(self.users) >= CAPS["users"]:
            return self.read()
        return self.create("/v1/playground/chat/phone-numbers/user", {}, lambda made: self.users.append(made["number"]), credential=self.key)

    def make_group(self) -> None:
        # The simulated platform fails for a subject that ends in "-" and a number.
        subject = f"Group {self.unique()} of the soak"
        body = {"chatPhoneNumberId": self.chat_number, "subject": subject}
        self.create("/v1/chat/groups", body, lambda made: self.groups.update({made["id"]: subject}), credential=self.key)

    def upload(self) -> None:
        if len(self.media) >= CAPS["media"]:
            return self.delete_media()
        content = PDF + self.unique().encode() + b" " * self.random.randint(0, 20_000)
        return self.upload_directly(content) if self.random.random() < 0.4 else self.upload_here(content)

    def upload_here(self, content: bytes) -> None:
        head = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="soak.pdf"\r\nContent-Type: application/pdf\r\n\r\n'
        headers = {**self.headers(self.key, key=self.unique()), "Content-Type": "multipart/form-data; boundary=edge"}
        data = head + content + b"\r\n--edge--\r\n"
        self.post("/v1/media", headers, data, lambda made: self.media.update({made["id"]: content}), 201)

    def upload_directly(self, content: bytes) -> None:
        uploads: list[dict] = []
        body = {"fileName": "soak.pdf", "mimeType": "application/pdf", "fileSize": len(content)}
        self.create("/v1/media/uploads", body, uploads.append, credential=self.key)
        for upload in uploads:
            request = urllib.request.Request(upload["uploadUrl"], data=content, headers=upload["headers"], method="PUT")
            urllib.request.urlopen(request, timeout=60).close()
            keep = lambda made: self.media.update({made["id"]: content})  # noqa: E731
            self.create(f"/v1/media/{upload['id']}/complete", {}, keep, expected=200, credential=self.key)

    def delete_media(self) -> None:
        if not self.media:
            return self.upload()
        media = self.pick(self.media)
        if self.ask("DELETE", f"/v1/media/{media}", credential=self.key):
            del self.media[media]
            self.gone.append((f"/v1/media/{media}", ""))
        return None

    def read(self) -> None:
        """Any object, which must be as it was left."""
        kinds = ["settings", "app", "number", "webhook", "calling", "media", "group", "message", "health"]
        kind = self.random.choices(kinds, [2, 4, 4, 3, 2, 2, 2, 4, 1])[0]
        path, is_right, credential = self.reading(kind)
        if path and (answer := self.ask("GET", path, credential=credential)) and not is_right(answer.json):
            self.tally.add("lost", f"{path} is not as it was left: {answer.body[:300]!r}")

    def reading(self, kind: str) -> tuple:
        """A path, what must be true of its answer, and who asks."""
        base = "/v1/organization"
        if kind == "app":
            app = self.pick(self.apps)
            return f"{base}/apps/{app}", lambda seen: seen["name"] == self.apps[app], self.session
        if kind == "number" and self.numbers:
            number = self.pick(self.numbers)
            return f"{base}/phone-numbers/{number}", lambda seen: self.is_number(number, seen), self.admin
        if kind == "webhook" and (apps := self.with_webhooks()):
            app = self.random.choice(apps)
            webhook = self.pick(self.webhooks[app])
            return f"{base}/apps/{app}/webhooks/{webhook}", lambda seen: seen["events"] == self.webhooks[app][webhook], self.admin
        if kind == "calling" and self.callings:
            app = self.pick(self.callings)
            return f"{base}/apps/{app}/calling", lambda seen: seen["maxConcurrentCalls"] == self.callings[app], self.admin
        if kind == "media" and self.media:
            media = self.pick(self.media)
            return f"/v1/media/{media}", lambda seen: self.is_media(media, seen), self.key
        if kind == "group" and self.groups:
            group = self.pick(self.groups)
            return f"/v1/chat/groups/{group}", lambda seen: seen["subject"] == self.groups[group], self.key
        if kind == "message" and self.chat:
            message = self.random.choice(list(self.chat))
            return f"{base}/chat/messages/{message}", lambda seen: seen["textBody"] == self.chat[message], self.admin
        if kind == "health":
            return "/v1/health", lambda seen: True, self.admin
        return f"{base}/settings", self.are_settings, self.admin

    def are_settings(self, seen: dict) -> bool:
        return all(seen[name] == value for name, value in self.settings.items())

    def is_number(self, number: str, seen: dict) -> bool:
        known = self.numbers[number]
        return seen["number"] == known.number and {app["appId"] for app in seen["apps"]} == known.apps

    def is_media(self, media: str, seen: dict) -> bool:
        with urllib.request.urlopen(seen["url"], timeout=60) as content:
            return content.read() == self.media[media]

    def list_some(self) -> None:
        """A list, page by page, which must hold what was made and nothing else."""
        kind = self.random.choice(["apps", "numbers", "admin keys", "keys", "webhooks"])
        app = self.pick(self.apps)
        self.compare_list(kind, *self.lists(app)[kind], size=self.random.randint(10, 60))

    def lists(self, app: str) -> dict[str, tuple]:
        under = f"/v1/organization/apps/{app}"
        return {
            "apps": ("/v1/organization/apps", self.apps),
            "numbers": ("/v1/organization/phone-numbers", self.numbers),
            "admin keys": ("/v1/organization/admin-keys", self.admin_keys),
            "keys": (f"{under}/keys", self.keys[app]),
            "webhooks": (f"{under}/webhooks", self.webhooks[app]),
        }

    def compare_list(self, kind: str, path: str, known, size: int = 100) -> list[dict]:
        # Whatever a request that still goes on makes may be there or not.
        is_quiet = not any(thread.is_alive() for thread in self.late)
        found = self.walk(path, size=size)
        ids = [item["id"] for item in found]
        if is_quiet:
            self.compare(kind, set(known), ids, path)
        return found

    def compare(self, kind: str, known: set[str], ids: list[str], where: str) -> None:
        for missing in known - set(ids):
            self.tally.add("lost", f"{kind}: {missing} was acknowledged and is not in {where}")
        for extra in [id for id, count in Counter(ids).items() if id not in known or count > 1]:
            has_come_back = any(extra in path for path, _ in self.gone)
            what = "was deleted and is still in" if has_come_back else "is there without an acknowledgement, or twice, in"
            self.tally.add("lost" if has_come_back else "doubled", f"{kind}: {extra} {what} {where}")

    def ask_badly(self) -> None:
        """What must be refused, and how."""
        admin, base = self.admin, "/v1/organization"
        some_app, no_app = f"{base}/apps/{self.pick(self.apps)}", f"{base}/apps/app_{NOBODY}"
        json_type = {"Content-Type": "application/json"}
        cases = [
            ("GET", f"{base}/settings", {}, None, 401),
            ("GET", f"{base}/settings", self.headers("sk_admin_wrong"), None, 401),
            ("GET", f"{base}/settings", self.headers(self.key), None, 401),
            ("GET", f"{base}/apps/none", self.headers(admin), None, 400),
            ("GET", no_app, self.headers(admin), None, 404),
            ("GET", f"{base}/apps?cursor=none", self.headers(admin), None, 400),
            ("GET", f"{base}/apps?limit=1000", self.headers(admin), None, 400),
            ("DELETE", no_app, self.headers(admin), None, 404),
            ("POST", f"{base}/apps", {**self.headers(admin), **json_type}, b"{", 400),
            ("POST", f"{base}/apps", {**self.headers(admin), **json_type}, b'{"name": "A", "colour": "red"}', 400),
            ("POST", f"{base}/apps", {**self.headers(admin), "Content-Type": "text/plain"}, b"A", 415),
            ("POST", f"{base}/apps", {**self.headers(admin), **json_type}, b'{"name": "' + b"A" * 300_000 + b'"}', 413),
            ("POST", f"{base}/phone-numbers", {**self.headers(admin), **json_type}, b'{"number": "0151 1"}', 400),
            ("POST", f"{some_app}/webhooks", {**self.headers(admin), **json_type}, b'{"url": "https://example.com", "events": ["none"]}', 400),
            ("POST", "/v1/playground/chat/messages", {**self.headers(self.key), **json_type}, STRANGER, 404),
            ("POST", "/v1/media", {**self.headers(self.key), **json_type}, b"{}", 415),
            ("PUT", f"{base}/settings", self.headers(admin), None, 405),
            ("GET", "/v1/nothing", self.headers(admin), None, 404),
        ]
        if self.last_number:
            key, number = self.last_number
            other = json.dumps({"number": number[:-1] + ("1" if number[-1] != "1" else "2")}).encode()
            cases.append(("POST", f"{base}/phone-numbers", self.headers(admin, other, key), other, 422))
        method, path, headers, body, expected = self.random.choice(cases)
        self.sent += 1
        answer, _ = self.client.ask(method, path, headers, body)
        self.expect(expected, method, path, answer)

    operations = (
        read, list_some, make_app, change_app, delete_app, make_key, delete_key, rotate_key, rotate_secret, make_admin_key, delete_admin_key,
        make_webhook, change_webhook, delete_webhook, set_calling, make_number, delete_number, assign, change_settings, make_user, make_group,
        upload, delete_media, ask_badly,
    )
    weights = (24, 9, 4, 4, 3, 4, 2, 1, 0.5, 2, 1.5, 4, 3, 2, 2, 6, 3, 6, 2, 1, 2, 4, 2, 8)

    # Their keys are held while they work outside the table.
    holding = (make_group, upload)

    # ------------------------------------------------------------ the end

    def verify(self, stored: dict[str, set[str]]) -> None:
        """Everything that was acknowledged is there as it was left, and nothing else."""
        checked: Counter = Counter()
        for kind in ("apps", "numbers", "admin keys"):
            path, known = self.lists(self.app)[kind]
            for item in self.compare_list(kind, path, known):
                if item["id"] in known and not self.is_as_left(kind, item):
                    self.tally.add("lost", f"{kind}: a change of {item['id']} is lost: {item}")
            checked[kind] += len(known)
        for app in self.apps:
            for kind in ("keys", "webhooks"):
                path, known = self.lists(app)[kind]
                found = self.compare_list(kind, path, known)
                for item in found if kind == "webhooks" else []:
                    if item["id"] in known and item["events"] != known[item["id"]]:
                        self.tally.add("lost", f"webhooks: a change of {item['id']} is lost: {item}")
                checked[kind] += len(known)
        paths = [self.reading("settings")]
        for app in self.callings:
            paths.append((f"/v1/organization/apps/{app}/calling", lambda seen, app=app: seen["maxConcurrentCalls"] == self.callings[app], self.admin))
        for media in self.media:
            paths.append((f"/v1/media/{media}", lambda seen, media=media: self.is_media(media, seen), self.key))
        for group, subject in self.groups.items():
            paths.append((f"/v1/chat/groups/{group}", lambda seen, subject=subject: seen["subject"] == subject, self.key))
        for path, is_right, credential in paths:
            answer = self.ask("GET", path, credential=credential)
            if answer is None or not is_right(answer.json):
                self.tally.add("lost", f"{path} is not there as it was left")
        checked.update({"calling": len(self.callings), "settings": 1, "media": len(self.media), "groups": len(self.groups)})
        self.compare("media", set(self.media), sorted(stored["MEDIA"]), "the table")
        self.compare("groups", set(self.groups), sorted(stored["GRP"]), "the table")
        self.compare("SMS messages", self.sms, sorted(stored["SMS"]), "the table")
        self.verify_chat()
        checked.update({"chat messages": len(self.chat), "SMS messages": len(self.sms), "playground users": len(self.wrote)})
        self.verify_gone()
        checked.update({"deleted": len(self.gone), "revoked credentials": len(self.revoked)})
        with self.tally.lock:
            self.tally.checked.update(checked)

    def is_as_left(self, kind: str, item: dict) -> bool:
        match kind:
            case "numbers":
                return self.is_number(item["id"], item)
            case "apps":
                return item["name"] == self.apps[item["id"]]
        return item["name"] == self.admin_keys[item["id"]]

    def verify_chat(self) -> None:
        found = self.walk("/v1/organization/chat/messages", {"chatPhoneNumberId": self.chat_number})
        self.compare("chat messages", set(self.chat), [message["id"] for message in found], "the list")
        for message in found:
            if message["id"] in self.chat and message["textBody"] != self.chat[message["id"]]:
                self.tally.add("lost", f"chat message {message['id']} has another text")
        users = self.ask("GET", "/v1/organization/playground/chat/phone-numbers/user")
        self.compare("playground users", self.wrote, users.json["numbers"] if users else [], "the list")

    def verify_gone(self) -> None:
        for path, credential in self.gone:
            answer, _ = self.client.ask("GET", path, self.headers(credential or self.key))
            if answer.status != 404:
                self.tally.add("lost", f"{path} was deleted and answers {answer.status}")
        for path, credential in self.revoked:
            answer, _ = self.client.ask("GET", path, self.headers(credential))
            if answer.status != 401:
                self.tally.add("lost", f"a revoked credential is answered {answer.status} at {path}")

    def delivery_statuses(self) -> Counter:
        path = f"/v1/organization/apps/{self.app}/webhooks/{self.webhook}/deliveries"
        return Counter(delivery["status"] for delivery in self.walk(path))


# ---------------------------------------------------------------- processes


class Processes:
    """The function processes that the emulator has started, their memory, and their ends."""

    def __init__(self, stack: Stack, emulator: int):
        self.emulator = emulator
        self.names = {stack.resource(f"{function.capitalize()}Function"): function for function in FUNCTIONS}
        self.known: dict[int, str] = {}
        # pid: (write calls, resident bytes) from its first sample to its last.
        self.samples: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.functions: dict[int, str] = {}
        self.ended = threading.Event()
        self.kills: list[Kill] = []
        self.random = random.Random(f"{SEED}/kills")

    def living(self) -> dict[int, str]:
        """Children of the emulator that run a function."""
        found = {}
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                    if parent == self.emulator and (function := self.function(int(folder.name))):
                        found[int(folder.name)] = function
                except (OSError, ValueError, IndexError):
                    continue
        return found

    def function(self, pid: int) -> str | None:
        if pid not in self.known:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            name = next((line.partition(b"=")[2].decode() for line in variables if line.startswith(b"AWS_LAMBDA_FUNCTION_NAME=")), None)
            # Between fork and exec it still has the emulator's variables.
            if name not in self.names:
                return None
            self.known[pid] = self.names[name]
        return self.known[pid]

    def sample(self, pid: int) -> None:
        try:
            writes = int(Path(f"/proc/{pid}/io").read_text().split("syscw:")[1].split()[0])
            resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return
        if resident:
            self.samples[pid].append((writes, resident))

    def watch(self) -> None:
        while not self.ended.wait(SAMPLE_EVERY):
            for pid, function in self.living().items():
                self.functions[pid] = function
                self.sample(pid)

    def switches(self, pid: int) -> int:
        try:
            return int(Path(f"/proc/{pid}/status").read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
        except (OSError, IndexError):
            return -1

    def kill_some(self) -> None:
        while not self.ended.wait(self.random.expovariate(1 / KILL_EVERY)):
            self.kill_one()

    def kill_one(self) -> None:
        """One that works at this moment, if any does."""
        before = {pid: self.switches(pid) for pid in self.living()}
        time.sleep(0.01)
        busy = sorted(pid for pid, count in before.items() if self.switches(pid) != count)
        if not (among := busy or sorted(before)):
            return
        pid = self.random.choice(among)
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            return
        try:
            # The handle is of this process for ever; only now its parent tells whether it is still the one meant.
            if function := self.living().get(pid):
                self.sample(pid)
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                self.kills.append(Kill(time.monotonic(), pid, function, bool(busy)))
        except OSError:
            return
        finally:
            os.close(handle)

    def memory(self, invocations: dict[str, int]) -> dict[str, dict]:
        """Of each function. A process's requests are its share of the function's, by its calls of write: each request makes as many."""
        rows = {}
        for function in FUNCTIONS:
            lives = [self.samples[pid] for pid, of in self.functions.items() if of == function and self.samples[pid]]
            writes = sum(life[-1][0] for life in lives)
            if not writes or not invocations.get(function):
                continue
            each = writes / invocations[function]
            rows[function] = memory_row(lives, each, invocations[function])
        return rows


def memory_row(lives: list[list[tuple[int, int]]], each: float, invocations: int) -> dict:
    def at(life: list[tuple[int, int]], requests: int) -> int | None:
        return next((resident for writes, resident in life if writes / each >= requests), None)

    warm = [(at(life, WARM), life) for life in lives]
    growth = [life[-1][1] - first for first, life in warm if first is not None]
    later = [life[-1][1] - first for life in lives if (first := at(life, MANY)) is not None]
    return {
        "invocations": invocations,
        "processes": len(lives),
        "longestLife": round(max(life[-1][0] for life in lives) / each),
        "warmBytes": max((first for first, _ in warm if first is not None), default=None),
        "manyBytes": max((first for life in lives if (first := at(life, MANY)) is not None), default=None),
        "endBytes": max(life[-1][1] for life in lives),
        "growthBytes": max(growth, default=None),
        "laterGrowthBytes": max(later, default=None),
    }


# ---------------------------------------------------------------- the run


def waited_for_processor() -> tuple[float, float]:
    """Now, and for how many seconds so far some process of the machine has waited for a processor."""
    pressure = Path("/proc/pressure/cpu")
    total = int(pressure.read_text().split("total=")[1].split()[0]) / 1e6 if pressure.exists() else 0.0
    return time.monotonic(), total


def starvation(begun: tuple[float, float]) -> str:
    """The share of the time since then that processes waited for a processor, and the load."""
    (began, before), (ended, after) = begun, waited_for_processor()
    return f"{100 * (after - before) / max(ended - began, 0.001):.0f} %, load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors"


def shares(total: int) -> list[int]:
    """What each client does of it."""
    return [total * (number + 1) // THREADS - total * number // THREADS for number in range(THREADS)]


def counts(found: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items()))


def say_memory(rows: dict[str, dict]) -> None:
    columns = {"warmBytes": "warm", "manyBytes": "at 1,000", "endBytes": "at end", "growthBytes": "growth", "laterGrowthBytes": "after 1,000"}
    say("\nMemory of the processes in MB: the most after 50 requests, after 1,000, at the end of life; the most that one has grown since")
    say(f"{'':14}{'requests':>10}{'processes':>11}{'longest life':>14}" + "".join(f"{title:>13}" for title in columns.values()))
    for function, row in rows.items():
        sizes = ("-" if row[name] is None else f"{row[name] / 2**20:.1f}" for name in columns)
        say(f"{function:14}{row['invocations']:>10}{row['processes']:>11}{row['longestLife']:>14}" + "".join(f"{size:>13}" for size in sizes))


class Soak:
    def __init__(self, stack: Stack, emulator: int):
        self.stack = stack
        self.tally = Tally()
        twice = 2 if REQUESTS >= LONG_RUN else 0
        command = [TOOLS / "receiver" / "bin" / "python", "-B", Path(__file__).with_name("soak_receiver.py"), SEED, twice, SLOW_HOOK]
        self.receiver_process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.receiver = f"http://127.0.0.1:{int(self.receiver_process.stdout.readline())}"
        self.processes = Processes(stack, emulator)

    def shorten_visibility(self) -> None:
        sqs = self.stack.client("sqs")
        for queue in ("DeliveryQueue", "PatientDeliveryQueue"):
            sqs.set_queue_attributes(QueueUrl=self.stack.resource(queue), Attributes={"VisibilityTimeout": VISIBILITY_SECONDS})

    def run(self) -> dict:
        self.shorten_visibility()
        self.tenants = [Tenant(number, self.stack, self.tally, self.receiver) for number in range(THREADS)]
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(Tenant.set_up, self.tenants))
            self.tally.answers.clear()
            say(f"{REQUESTS} requests and {EVENTS} events from {THREADS} clients, a kill every {KILL_EVERY:g} s, seed {SEED} ...")
            watching = threading.Thread(target=self.processes.watch, daemon=True)
            killing = threading.Thread(target=self.processes.kill_some, daemon=True)
            watching.start()
            if KILL_EVERY:
                killing.start()
            self.started = started = time.monotonic()
            begun = waited_for_processor()
            reporting = threading.Event()
            threading.Thread(target=self.report_progress, args=(reporting, started), daemon=True).start()
            list(pool.map(Tenant.run, self.tenants, shares(REQUESTS), shares(EVENTS)))
            took = max(tenant.ended for tenant in self.tenants) - started
            starved = {"requests": starvation(begun)}
            reporting.set()
            self.processes.ended.set()
            answers = dict(self.tally.answers)
            sent = sum(tenant.sent for tenant in self.tenants)
            say(f"   {sent} requests in {took:.0f} s; waiting for the last events ...")
            events = self.settle_events()
            invocations = self.invocations()
            begun = waited_for_processor()
            say("   comparing what is there with what was acknowledged ...")
            stored = self.stored()
            list(pool.map(lambda tenant: tenant.verify(stored[tenant.organization]), self.tenants))
            statuses = sum(pool.map(Tenant.delivery_statuses, self.tenants), Counter())
            starved["comparison"] = starvation(begun)
        self.blame()
        return {
            "parameters": {"requests": REQUESTS, "events": EVENTS, "killEvery": KILL_EVERY, "seed": SEED, "threads": THREADS},
            "requests": sent, "seconds": round(took, 1), "answers": answers, "retries": self.tally.retries, "replays": self.tally.replays,
            "abandoned": self.tally.abandoned, "checked": dict(self.tally.checked), "events": events, "deliveries": dict(statuses),
            "deadLetters": self.dead_letters(), "starved": starved, "memory": self.processes.memory(invocations),
        }

    def report_progress(self, ended: threading.Event, started: float) -> None:
        while not ended.wait(30):
            sent, seconds = sum(tenant.sent for tenant in self.tenants), time.monotonic() - started
            say(f"   {seconds:5.0f} s: {sent} requests, {len(self.processes.kills)} kills, {len(self.tally.faults)} 5xx")

    def seen(self) -> list[dict]:
        with urllib.request.urlopen(f"{self.receiver}/seen", timeout=60) as answer:
            return json.load(answer)

    def settle_events(self) -> dict:
        """Waits until every event is acknowledged by its receiver, and no longer than they may be late."""
        awaited = {(tenant.name, *what): since for tenant in self.tenants for what, since in tenant.awaited.items()}
        ended, hurried = time.monotonic() + SETTLE_SECONDS, time.monotonic()
        while True:
            seen = self.seen()
            arrived = {what: event for event in seen for what in self.names(event) if what in awaited}
            acknowledged = {what for what, event in arrived.items() if self.acknowledgements(event)}
            if len(acknowledged) == len(awaited) or time.monotonic() > ended:
                break
            time.sleep(2)
            if REQUESTS < LONG_RUN and time.monotonic() - hurried > HURRY_SECONDS:
                self.hurry()
                hurried = time.monotonic()
        # A delivery that was taken and not written down comes once more.
        time.sleep(5)
        seen = self.seen()
        for what in sorted(set(awaited) - acknowledged):
            self.tally.add("lost", f"event {what} never arrived")
        for event in seen:
            if event["hook"].endswith("(not genuine)"):
                self.tally.add("unexpected", f"an attempt of {event['id']} was not genuine")
            elif not any(what in awaited for what in self.names(event)):
                self.tally.add("doubled", f"an event of something that nobody was told of: {event}")
        attempts = Counter(verdict for event in seen for _, verdict in event["attempts"])
        late = sorted(self.acknowledgements(event)[0] - awaited[what] for what, event in arrived.items() if self.acknowledgements(event))
        return {
            "awaited": len(awaited), "arrived": len(acknowledged), "lost": len(awaited) - len(acknowledged), "attempts": dict(attempts),
            "doubled": sum(len(self.acknowledgements(event)) > 1 for event in seen),
            "secondsMedian": round(late[len(late) // 2], 1) if late else None, "secondsLongest": round(late[-1], 1) if late else None,
        }

    def hurry(self) -> None:
        """Makes due at once what waits to be looked after by the sweep, and sweeps. Nothing is sent before its time by that."""
        database, table, now = self.stack.client("dynamodb"), self.stack.resource("Table"), str(int(time.time() * 1000))
        pages = database.get_paginator("scan").paginate(
            TableName=table, ProjectionExpression="PK, SK",
            FilterExpression="dueAt > :now AND (begins_with(PK, :event) OR begins_with(PK, :delivery))",
            ExpressionAttributeValues={":now": {"N": now}, ":event": {"S": "EVT#"}, ":delivery": {"S": "DLV#"}},
        )
        for item in [item for page in pages for item in page["Items"]]:
            try:
                database.update_item(
                    TableName=table, Key=item, UpdateExpression="SET dueAt = :now", ConditionExpression="dueAt > :now",
                    ExpressionAttributeValues={":now": {"N": now}},
                )
            except database.exceptions.ConditionalCheckFailedException:
                continue
        self.stack.client("lambda").invoke(FunctionName=self.stack.resource("SweepFunction"), Payload=b"{}")

    def names(self, event: dict) -> list[tuple[str, str, str]]:
        """What the event may be awaited as."""
        return [(event["hook"], "test", event["id"]), (event["hook"], event["type"], event["object"])]

    def acknowledgements(self, event: dict) -> list[float]:
        return [at for at, verdict in event["attempts"] if verdict == "204"]

    def stored(self) -> dict[str, dict[str, set[str]]]:
        """Ids of the objects that have no list, by organization and class, from the table itself."""
        database, found = self.stack.client("dynamodb"), defaultdict(lambda: defaultdict(set))
        pages = database.get_paginator("scan").paginate(
            TableName=self.stack.resource("Table"), ProjectionExpression="PK, SK, #state", ExpressionAttributeNames={"#state": "state"}
        )
        for item in (item for page in pages for item in page["Items"]):
            kind, *rest = item["PK"]["S"].split("#")
            is_whole = item["SK"]["S"] == kind and item.get("state", {}).get("S", "ready").lower() == "ready"
            if kind in ("MEDIA", "GRP", "SMS") and is_whole:
                found[rest[0]][kind].add(rest[1])
        return found

    def invocations(self) -> dict[str, int]:
        """Of functions with routes by what was asked, of the others by their logs."""
        logs, counted = self.stack.client("logs"), dict(self.tally.by_function)
        for function in ("dispatch", "deliver", "sweep"):
            group = self.stack.resource(f"{function.capitalize()}Logs")
            pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group, filterPattern="REPORT")
            counted[function] = sum(event["message"].startswith("REPORT") for page in pages for event in page["events"])
        return counted

    def dead_letters(self) -> dict[str, int]:
        sqs, attribute, found = self.stack.client("sqs"), "ApproximateNumberOfMessages", {}
        for queue in ("JobDeadLetters", "DeliveryDeadLetters", "DispatchDeadLetters"):
            answer = sqs.get_queue_attributes(QueueUrl=self.stack.resource(queue), AttributeNames=[attribute])
            found[queue] = int(answer["Attributes"][attribute])
        return found

    def blame(self) -> None:
        """Each fault goes to a kill of its function while the request was under way, one that has none yet before another."""
        for fault in self.tally.faults:
            own = (kill for kill in self.processes.kills if kill.function == fault.function)
            kills = [kill for kill in own if fault.sent - BEFORE <= kill.at <= fault.answered + AFTER]
            if kills and not fault.is_own:
                fault.kill = min(kills, key=lambda kill: kill.faults)
                fault.kill.faults += 1

    def report(self, result: dict) -> bool:
        """Prints the tables; whether everything is as it should be."""
        tally, kills = self.tally, self.processes.kills
        beside = [fault for fault in tally.faults if fault.kill]
        alone = [fault for fault in tally.faults if not fault.kill]
        kinds = Counter(f"{fault.status or 'no answer'} {fault.what}" for fault in beside)
        events, answers = result["events"], result["answers"]
        result |= {
            "kills": dict(Counter(kill.function for kill in kills)), "killsOfBusy": sum(kill.was_busy for kill in kills),
            "faultsBesideKills": dict(kinds), "mostFaultsOfAKill": max((kill.faults for kill in kills), default=0),
            "faultsAlone": [self.describe(fault) for fault in alone],
            "lost": tally.lost, "doubled": tally.doubled, "unexpected": tally.unexpected,
        }
        say(f"\nRequests: {result['requests']} in {result['seconds']} s, {result['requests'] / result['seconds']:.1f} a second; {counts(answers)}")
        say(f"  repeated {result['retries']}, abandoned and asked again {result['abandoned']}, answered from the first answer {result['replays']}")
        say(f"Kills: {len(kills)}, {result['killsOfBusy']} of a process that worked; {counts(result['kills'])}")
        say(f"5xx and broken connections: {len(beside)} beside a kill (at most {result['mostFaultsOfAKill']} of one kill), {len(alone)} without")
        for kind, count in kinds.most_common():
            say(f"  {count} x {kind}")
        for fault in alone[:20]:
            say(f"  WITHOUT A KILL: {self.describe(fault)}")
        say("Processes of the machine waited for a processor: " + "; ".join(f"{phase} {share}" for phase, share in result["starved"].items()))
        say(f"\nCompared in the end: {counts(result['checked'])}")
        say(f"Events: {events['awaited']} awaited, {events['arrived']} arrived: "
            f"half of them within {events['secondsMedian']} s, the last after {events['secondsLongest']} s")
        say(f"  attempts: {counts(events['attempts'])}")
        say(f"  taken twice by the receiver {events['doubled']}; deliveries {counts(result['deliveries'])}")
        say(f"  dead letters {counts(result['deadLetters'])}")
        say_memory(result["memory"])
        for title, found in (("LOST", tally.lost), ("DOUBLED", tally.doubled), ("NOT AS EXPECTED", tally.unexpected)):
            say(f"\n{title}: {len(found)}" + "".join(f"\n  {line}" for line in found[:20]))
        return not (tally.lost or tally.doubled or tally.unexpected or alone or sum(result["deadLetters"].values()))

    def describe(self, fault: Fault) -> str:
        took, at = fault.answered - fault.sent, fault.sent - self.started
        return f"{at:.0f} s after the beginning: {fault.request}: {fault.status} {fault.what}, after {took:.1f} s"

    def stop(self) -> None:
        self.processes.ended.set()
        self.receiver_process.stdin.close()
        self.receiver_process.wait(timeout=10)


def drive(port: int, emulator: int) -> None:
    """The clients, on a stack that runs."""
    soak = Soak(Stack(port), emulator)
    try:
        result = soak.run()
        is_right = soak.report(result)
    finally:
        soak.stop()
    target = ROOT / "target" / "soak.json"
    target.write_text(json.dumps(result, indent=1) + "\n")
    if not is_right:
        sys.exit("\nFailed: the soak; see above.")


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if sys.argv[1:]:
        return drive(*map(int, sys.argv[1:]))
    build(Stop())
    with Stack(free_port()) as stack:
        stack.start()
        stack.deploy()
        # A process of their own: this one may have to do with what the functions ask of the stack.
        command = [sys.executable, "-B", __file__, str(stack.port), str(stack.emulator.pid)]
        code = subprocess.run(command, check=False).returncode
    sys.exit(code)


if __name__ == "__main__":
    main()

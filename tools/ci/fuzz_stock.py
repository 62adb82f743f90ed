"""The API fuzzer's knowledge of the organization: objects that exist, learned from responses, and values that only the
service hands out. Most valid requests get such values instead of generated ones, so that they are accepted."""

import json
import random
import re
from dataclasses import dataclass, field

# The parameters that take an id, by the id's prefix.
PARAMETERS = {
    "app_": ["appId"],
    "whk_": ["webhookId"],
    "dlv_": ["deliveryId"],
    "rcv_": ["recoveryId"],
    "evt_": ["eventId"],
    "key_app_": ["keyId"],
    "key_admin_": ["id"],
    "ph_": ["phoneNumberId"],
    "wapn_": ["chatPhoneNumberId"],
    "wabp_": ["profileId", "chatBusinessProfileId"],
    "msg_wa_": ["messageId"],
    "grp_wa_": ["groupId"],
    "media_": ["mediaId"],
    "sim_": ["simulationId"],
    "onb_": ["onboardingLinkId"],
    "mem_": ["memberId"],
}
ID = re.compile(rf"^({'|'.join(PARAMETERS)})(?:test_?)?[A-Za-z0-9]{{27}}$")
# The share of valid requests that keep their generated values, which name unknown objects.
UNKNOWN_SHARE = 0.2
# Deletions leave this many objects of a kind for the other operations.
LEFT = 3


def is_deletion(method: str, path: str) -> bool:
    """Whether an operation deletes the last object of its path. Unassigning a phone number does not delete the number."""
    return method == "DELETE" and path.endswith("}") and "{appId}/phone-numbers" not in path


def can_end(method: str, path: str) -> bool:
    """Whether an operation can end the last object of its path: it deletes it, or limits or rotates a key."""
    is_of_key = "keys/{" in path
    return is_deletion(method, path) or method in ("PATCH", "POST") and is_of_key


def can_end_access(method: str, path: str) -> bool:
    """Whether an operation can also end what a member has: it suspends the member, or gives another link."""
    return can_end(method, path) or method in ("PATCH", "POST") and "members/{" in path


@dataclass(frozen=True)
class Known:
    """An object, by the parameters that lead to it: {"appId": …, "webhookId": …}."""

    parameters: tuple[tuple[str, str], ...]

    def values(self) -> dict[str, str]:
        return dict(self.parameters)


@dataclass
class Stock:
    seed: int = 1
    # The objects that the fuzzer's own credentials need: they are never deleted.
    protected: frozenset[str] = frozenset()
    # The accounts whose third number can be registered, each once.
    registrations: list[dict] = field(default_factory=list)
    user_numbers: list[str] = field(default_factory=list)
    system_numbers: list[str] = field(default_factory=list)
    # Announced uploads whose bytes are in the bucket.
    uploads: list[str] = field(default_factory=list)
    # The chat number of the test app, with which it can create groups.
    # The app of the fuzzer's app key, its number, and the inbound messages of the number.
    own_app: str = ""
    own_number: str = ""
    # Phone numbers of the app, which its key can give back.
    own_phone_numbers: list[str] = field(default_factory=list)
    inbound: list[str] = field(default_factory=list)
    # Onboarding links by what happens to them: each with its token and, if its signup was begun, state and cookie.
    links: dict[str, list[str]] = field(default_factory=dict)
    # Tokens of sign-in links and of members' sessions, each for one request that ends it.
    sign_in_tokens: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    # Sessions that a switch ends, each with the member whose membership is its only one.
    switches: list[list[str]] = field(default_factory=list)
    # SMS messages of the test app.
    sms: list[str] = field(default_factory=list)
    # Templates, whose ids are the platform's and have no prefix.
    templates: list[str] = field(default_factory=list)
    # Those that can be edited, each once: after an edit they are reviewed.
    editable: list[str] = field(default_factory=list)
    # The objects that exist, oldest first.
    objects: dict[Known, None] = field(default_factory=dict)
    # The next cursor of a list, by its path and filter.
    cursors: dict[tuple, str] = field(default_factory=dict)
    keys: int = 0

    def __post_init__(self):
        self.random = random.Random(self.seed)

    @staticmethod
    def read(text: str) -> "Stock":
        values = json.loads(text)
        objects = {Known(tuple(sorted(each.items()))): None for each in values.pop("objects")}
        return Stock(**{**values, "protected": frozenset(values["protected"])}, objects=objects)

    def written(self) -> str:
        """The stock at the beginning of a run, for `read`."""
        names = (
            *("seed", "registrations", "user_numbers", "system_numbers", "uploads"),
            *("own_app", "own_number", "own_phone_numbers", "inbound", "sms", "templates", "editable", "links"),
            *("sign_in_tokens", "sessions", "switches"),
        )
        objects = [known.values() for known in self.objects]
        return json.dumps(
            {**{name: getattr(self, name) for name in names}, "protected": [*self.protected], "objects": objects}
        )

    # Learning

    def learn(self, method: str, path: str, query: dict, parameters: dict[str, str], status: int, body: object) -> None:
        """Remembers the objects that a response shows to exist or to be gone. `path` has the names of the parameters."""
        if status == 404 and (gone := self.matching(parameters)) is not None:
            self.objects.pop(gone)
        if not 200 <= status < 300 or not isinstance(body, dict):
            return
        if is_deletion(method, path):
            self.forget(parameters[path.rsplit("{", 1)[1].rstrip("}")])
            return
        for entry in [body, *(body.get("data") or [] if isinstance(body.get("data"), list) else [])]:
            # An announced upload is not a file yet.
            if isinstance(entry, dict) and "uploadUrl" not in entry:
                self.add(entry, parameters)
        if path.endswith("/chat/phone-numbers/user") and "number" in body:
            self.user_numbers.append(body["number"])
        if path.endswith("/phone-numbers/system"):
            self.system_numbers = body["numbers"]
        if "nextCursor" in body:
            key = self.list_of(path, parameters, query)
            if body["nextCursor"]:
                self.cursors[key] = body["nextCursor"]
            else:
                self.cursors.pop(key, None)

    def add(self, entry: dict, parents: dict[str, str]) -> None:
        """Adds an object of a response, below the objects that the request's path names."""
        found = ID.match(entry.get("id", "") if isinstance(entry.get("id"), str) else "")
        if found is None:
            return
        above = {name: value for name, value in parents.items() if ID.match(value)}
        if isinstance(entry.get("appId"), str):
            above["appId"] = entry["appId"]
        for name in PARAMETERS[found[1]]:
            own = {**above, name: entry["id"]}
            self.objects.setdefault(Known(tuple(sorted(own.items()))))

    def forget(self, value: str) -> None:
        """Removes an object and those below it."""
        self.objects = {known: None for known in self.objects if value not in known.values().values()}
        self.templates = [known for known in self.templates if known != value]

    def matching(self, parameters: dict[str, str]) -> Known | None:
        return next((known for known in self.objects if known.values() == parameters), None)

    @staticmethod
    def list_of(path: str, parameters: dict, query: dict) -> tuple:
        filters = {name: value for name, value in query.items() if name not in ("limit", "cursor")}
        return (path, *sorted(parameters.items()), *sorted(filters.items()))

    # Choosing

    def keeps_generated(self) -> bool:
        return self.random.random() < UNKNOWN_SHARE

    def key(self) -> str:
        """An Idempotency-Key that was not used before."""
        self.keys += 1
        return f"fuzz-{self.seed}-{self.keys}"

    def path(self, operation: str, names: list[str], can_end: bool, spares: bool = False) -> dict[str, str] | None:
        """Values for the parameters of a path: one object that has them all, else one of each kind."""
        if operation == "media.complete":
            return {"mediaId": self.random.choice(self.uploads)}
        of_sms = ("organization.sms.messages.get", "sms.get", "organization.sms.messages.timeline.list", "sms.timeline.list")
        if operation in of_sms and self.sms:
            return {"messageId": self.random.choice(self.sms)}
        if operation in ("chat.phoneNumbers.blockedUsers.list", "chat.phoneNumbers.blockedUsers.block", "chat.phoneNumbers.blockedUsers.unblock") and self.own_number:
            # An app key reaches the numbers of its app only.
            return {"chatPhoneNumberId": self.own_number}
        if operation == "phoneNumbers.unassign" and self.own_phone_numbers:
            return {"phoneNumberId": self.random.choice(self.own_phone_numbers)}
        if operation == "organization.chat.phoneNumbers.deregister":
            # The number with which messages are sent stays registered.
            ids = [known.values()["chatPhoneNumberId"] for known in self.objects if "chatPhoneNumberId" in known.values()]
            others = [number for number in ids if number != self.own_number]
            return {"chatPhoneNumberId": self.random.choice(others)} if others else None
        if operation == "organization.chat.templates.update" and self.editable:
            return {"templateId": self.editable.pop()}
        if names == ["templateId"]:
            left = self.templates[LEFT:] if can_end else self.templates
            return {"templateId": self.random.choice(left)} if left else None
        whole = [known.values() for known in self.objects if sorted(known.values()) == sorted(names)]
        if "webhookId" in names and "appId" not in names:
            # An app key reaches the webhooks of its app only.
            of_app = [known.values() for known in self.objects if sorted(known.values()) == sorted([*names, "appId"])]
            whole = [{name: own[name] for name in names} for own in of_app if own["appId"] == self.own_app]
        if can_end or spares:
            whole = [values for values in whole if values[names[-1]] not in self.protected]
        if can_end:
            # The oldest objects are left for other operations.
            whole = whole[LEFT:]
            return self.random.choice(whole) if whole else None
        if whole:
            return self.random.choice(whole)
        parts = {name: self.any(name) for name in names}
        return None if None in parts.values() else parts

    def any(self, name: str) -> str | None:
        """The id of some object for a parameter or field."""
        ids = [known.values()[name] for known in self.objects if name in known.values()]
        return self.random.choice(ids) if ids else None

    def filled(self, operation: str, body: dict) -> dict:
        """The body with the values that only the service hands out."""
        body = dict(body)
        if body.get("test") is False:
            # The fuzzer's admin key creates test objects only.
            body["test"] = True
        if "appIds" in body:
            body["appIds"] = list(dict.fromkeys(filter(None, [self.any("appId")])))
        for name in ("chatBusinessProfileId", "chatPhoneNumberId"):
            if name in body:
                body[name] = self.any(name) or body[name]
        if operation == "playground.notifications.simulate":
            body["target"] = self.own_number or body["target"]
        if operation == "chat.groups.create":
            body["chatPhoneNumberId"] = self.own_number or body["chatPhoneNumberId"]
        if operation in ("chat.messages.markRead", "chat.messages.showTyping") and self.inbound:
            body["messageId"] = self.random.choice(self.inbound)
        if operation == "chat.messages.send":
            body |= {"from": self.own_number or body["from"]}
            # Exactly one of these names the recipient; the messages and groups that were generated do not exist.
            for name in ("to", "toUserId", "groupId", "replyTo"):
                body.pop(name, None)
            body["to"] = self.random.choice(self.user_numbers or ["+12015550100"])
            if "validForSeconds" in body:
                body["queue"] = True
        if operation == "sms.send" and self.system_numbers:
            body |= {"from": self.random.choice(self.system_numbers), "to": "+12025550123", "text": body.get("text") or "Hello"}
            # The files that exist are no media of an MMS.
            body.pop("mediaId", None)
            if "validForSeconds" in body:
                body["queue"] = True
        if operation == "organization.chat.onboardingLinks.create":
            body |= {"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed"}
        if operation == "onboarding.complete":
            # The same request completes the link again and again, with the same outcome.
            body = {"code": "fuzz", "state": self.links["completed"][1]}
        if "adminKeys." in operation or "apps.keys." in operation:
            if body.get("expiresAt"):
                body["expiresAt"] = f"20{self.random.randint(40, 99)}-01-01T00:00:00.000Z"
            if body.get("allowedIps"):
                body["allowedIps"] = [f"203.0.113.{self.random.randint(0, 255)}", "2001:db8::/32"]
        if operation == "signIn.link.redeem" and len(self.sign_in_tokens) > 1:
            # One stays to be looked at. The cookie is for pages, which name their origin.
            body |= {"token": self.sign_in_tokens.pop(), "as": "bearer"}
        if operation == "organization.rateCard.update" and isinstance(body.get("prices"), list):
            # Each country and category has one price.
            prices = [price for price in body["prices"] if isinstance(price, dict)]
            body["prices"] = list({(price.get("country"), price.get("category")): price for price in prices}.values())
        if operation == "session.createKey":
            body.pop("appId", None)
            body["mode"] = "test"
        if operation == "organization.chat.phoneNumbers.register" and self.registrations:
            body |= self.registrations.pop()
        if operation == "playground.chat.simulateInbound" and self.user_numbers:
            body["from"] = self.random.choice(self.user_numbers)
            body.pop("to", None)
        if operation == "playground.sms.simulateInbound" and self.system_numbers:
            body["to"] = self.random.choice(self.system_numbers)
            if self.user_numbers:
                body["from"] = self.random.choice(self.user_numbers)
        if operation == "organization.chat.templates.update":
            # The platform's rules for components are more than the document says.
            body = {"components": [{"type": "BODY", "text": "Hello again"}]}
        if operation == "playground.simulations.run":
            # A generated target does not exist; a group is one of any scenario about groups only.
            body.pop("target", None)
            if body.get("scenario", "").startswith("group_"):
                body["target"] = self.any("groupId")
        return body

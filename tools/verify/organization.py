"""An organization made for a verification: its credentials, a live and a test app, and all that was created in it."""

import contextlib
import re
from concurrent.futures import ThreadPoolExecutor

from tools.verify.client import Client, Reply
from tools.verify.report import PARALLEL, Broken

# Identifiers of objects, as they appear in paths and bodies.
IDENTIFIER = re.compile(
    r"\b(?:app|key_admin|key_app|whk|dlv|evt|ph|wapn|wabp|msg_wa|msg_sms|grp_wa|con|media|onb)_(?:test_)?[0-9A-Za-z]{20,}"
)
# The security schemes of the document, by the names of credentials in sample events.
KINDS = {
    "ADMIN_KEY": "adminKey",
    "TEST_ADMIN_KEY": "adminKey",
    "SESSION_TOKEN": "session",
    "APP_KEY": "liveAppKey",
    "TEST_APP_KEY": "testAppKey",
}
DELETABLE = {
    "app_": "/v1/organization/apps",
    "ph_": "/v1/organization/phone-numbers",
    "key_admin_": "/v1/organization/admin-keys",
    "onb_": "/v1/organization/chat/onboarding-links",
}


class Organization:
    """Sends requests with the organization's credentials. `made` is the parsed line that `make organization` printed."""

    def __init__(self, client: Client, made: dict, more: dict[str, str]):
        self.client = client
        self.base_url = client.base_url
        self.created: list[str] = []
        # All identifiers in responses to this organization.
        self.seen: set[str] = set()
        self.values = {
            "BASE_URL": client.base_url,
            "ORGANIZATION_ID": made["organizationId"],
            "ADMIN_KEY": made["adminKey"],
            "TEST_ADMIN_KEY": made["testAdminKey"],
            "SESSION_TOKEN": made["sessionToken"],
            **more,
        }

    def __getitem__(self, name: str) -> str:
        return self.values[name]

    def set_up(self) -> None:
        """Creates the apps and their keys."""
        for prefix, is_test in (("", False), ("TEST_", True)):
            app = self.call("POST", "/v1/organization/apps", self["ADMIN_KEY"], {"name": "Verification", "test": is_test})
            self.values[f"{prefix}APP_ID"] = app["id"]
            key = self.call("POST", f"/v1/organization/apps/{app['id']}/keys", self["ADMIN_KEY"], {})
            self.values[f"{prefix}APP_KEY"] = key["key"]
        # A session token lives for 12 hours at most.
        if self.send("GET", "/v1/organization/apps", self["SESSION_TOKEN"]).status == 401:
            del self.values["SESSION_TOKEN"]

    def credentials(self) -> dict[str, str]:
        """The kinds of the organization's credentials, by their names."""
        return {name: kind for name, kind in KINDS.items() if name in self.values}

    def send(self, method: str, target: str, key: str | None, body: object = b"", **options: object) -> Reply:
        reply = self.client.send(method, target, key, body, **options)
        self.seen.update(IDENTIFIER.findall(reply.text))
        if reply.status == 201 and isinstance(reply.json, dict):
            self.created.append(str(reply.json.get("id", "")))
        return reply

    def call(self, method: str, target: str, key: str, body: object = b"") -> dict:
        """Sends a request that must succeed; returns its body."""
        reply = self.send(method, target, key, body)
        if reply.status >= 300 or not isinstance(reply.json, dict):
            raise Broken(f"{method} {target.split('?')[0]}: {reply}")
        return reply.json

    def admin(self, method: str, target: str, body: object = b"") -> dict:
        return self.call(method, target, self["ADMIN_KEY"], body)

    def clean_up(self) -> None:
        """Deletes the apps, numbers and keys that were created, and cancels the onboarding links, so that the next run reaches no limit."""
        paths = [f"{path}/{made}" for made in self.created for prefix, path in DELETABLE.items() if made.startswith(prefix)]

        def delete(path: str) -> None:
            with contextlib.suppress(OSError):
                self.client.send("DELETE", path, self["ADMIN_KEY"])

        with ThreadPoolExecutor(PARALLEL) as pool:
            list(pool.map(delete, paths))

"""The deployment to verify, and the credentials to use. No secret is taken from the command line."""

import json
import os
import stat
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import boto3

from tools.stack.environment import read_environment
from tools.stack.project import ENV, LOCAL, shown
from tools.stack.stack import STACK, Stack
from tools.verify.aws import Aws
from tools.verify.client import Client
from tools.verify.organization import Organization
from tools.verify.receiver import Receiver
from tools.verify.target import Target

KEYS = LOCAL / "verify.jsonl"
OPTIONS = ("VERIFY_ROLE_ARN", "RATE", "BURST")
PLATFORM = ("PLATFORM_VERIFY_TOKEN", "PLATFORM_APP_SECRET")
FIELDS = {"organizationId", "adminKey", "testAdminKey", "sessionToken"}
USAGE = f"""make verify verifies a deployment with two organizations that exist for nothing else.

Create them, once, and keep what is printed in a file that git ignores and only you can read:

  mkdir -p .local; umask 077
  make -s organization NAME="Verification 1" STACK=<stack> >> .local/verify.jsonl
  make -s organization NAME="Verification 2" STACK=<stack> >> .local/verify.jsonl
  make verify BASE_URL=https://… [STACK=<stack>] [REGION=<region>]

KEYS names another file; VERIFY_ORGANIZATIONS may hold the lines instead. Without a BASE_URL, the running local stack is
verified (`make run`), with new organizations. See docs/first-deployment.md."""


@dataclass
class Settings:
    base_url: str
    stack: str
    local: dict[str, str] | None
    receiver_url: str
    receiver_port: int
    options: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def read() -> "Settings":
        value = lambda name: os.environ.get(name, "").strip()
        local = read_environment(ENV) if ENV.exists() else None
        base_url, stack = value("BASE_URL").rstrip("/"), value("STACK")
        if local and (base_url or local["BASE_URL"]) == local["BASE_URL"] and stack in ("", STACK):
            base_url, stack = local["BASE_URL"], STACK
        else:
            local = None
        if not base_url and stack:
            base_url = Aws(session().client, stack).outputs["ApiUrl"]
        if not base_url:
            sys.exit(USAGE)
        options = {name: value(name) for name in OPTIONS if value(name)} | {"STARTED": str(time.time())}
        return Settings(base_url, stack, local, value("RECEIVER_URL"), int(value("RECEIVER_PORT") or 8080), options)

    def target(self) -> Target:
        client = Client(self.base_url)
        more = {name: os.environ[name] for name in PLATFORM if os.environ.get(name)}
        receiver, aws = None, None
        if self.local:
            more = {name: self.local[name] for name in PLATFORM}
            receiver = Receiver()
            local = Stack(int(self.local["AWS_ENDPOINT_URL"].rsplit(":", 1)[1]))
            aws = Aws(local.client, STACK)
            made = [local.operate({"operation": "createOrganization", "name": f"Verification {n}"}) for n in (1, 2)]
        else:
            made = organizations()
            if self.receiver_url:
                receiver = Receiver(self.receiver_url, self.receiver_port)
            if self.stack:
                aws = Aws(session().client, self.stack)
        first, second = (Organization(client, each, more) for each in made)
        return Target(client, first, second, receiver, aws, self.options)


def session() -> boto3.Session:
    return boto3.Session(region_name=os.environ.get("REGION") or None)


def organizations() -> list[dict]:
    """Returns two organizations, from the environment or from the file of keys."""
    path = Path(os.environ.get("KEYS") or KEYS)
    lines = os.environ.get("VERIFY_ORGANIZATIONS", "")
    if not lines:
        if not path.exists():
            sys.exit(USAGE)
        if path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            sys.exit(f"{shown(path)} holds admin keys and others can read it. Run: chmod 600 {shown(path)}")
        lines = path.read_text()
    try:
        found = [json.loads(line) for line in lines.splitlines() if line.strip()]
    except ValueError:
        found = []
    if len(found) < 2 or not all(isinstance(each, dict) and set(each) >= FIELDS for each in found):
        sys.exit(f"Expected two lines of `make organization`.\n\n{USAGE}")
    if found[-1]["organizationId"] == found[-2]["organizationId"]:
        sys.exit("Both lines are of one organization. Isolation is verified between two.")
    return found[-2:]

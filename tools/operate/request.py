"""`make organization NAME=... [STACK=... REGION=...]` and the other targets below: each sends one request to the operator
function and prints the response as one JSON line.

Usage: python -m tools.operate.request TARGET

Variables, from the environment or as `make TARGET NAME=value`: those of the target, STACK (the local stack if omitted) and
REGION.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

from tools.operate.operator import operate


class Variable(NamedTuple):
    name: str
    # The field of the request that has its value.
    field: str
    # Its value in the usage.
    example: str


NAME = Variable("NAME", "name", '"Acme"')
NUMBER = Variable("NUMBER", "number", "+12015550123")
ACCOUNT = Variable("ACCOUNT", "wabaId", "<id of the WhatsApp account>")
ORGANIZATION = Variable("ORGANIZATION", "organizationId", "org_...")
CONTACT = Variable("CONTACT", "contact", "+12015550123")
CONFIRM = Variable("CONFIRM", "confirm", "<slug>")
QUEUE = Variable("QUEUE", "arn", "arn:aws:sqs:...")
EMAIL = Variable("EMAIL", "email", "ann@example.com")
RATE = Variable("RATE", "requestsPerSecond", "<requests per second, or none>")


class Target(NamedTuple):
    operation: str
    # All are required. The usage shows them in this order.
    variables: tuple[Variable, ...]
    takes_countries: bool = False


TARGETS = {
    "organization": Target("createOrganization", (NAME,)),
    "link-number": Target("linkPhoneNumber", (NUMBER, ORGANIZATION), takes_countries=True),
    # Countries are passed on so that the function rejects them instead of ignoring them.
    "unlink-number": Target("unlinkPhoneNumber", (NUMBER, ORGANIZATION), takes_countries=True),
    "release-number": Target("releaseNumber", (NUMBER, ORGANIZATION)),
    "release-account": Target("releaseAccount", (ACCOUNT,)),
    "erase-contact": Target("eraseContact", (ORGANIZATION, CONTACT)),
    "show-erasure": Target("showErasure", (ORGANIZATION, CONTACT)),
    # tools/operate/deletion.py repeats this request until nothing is left.
    "delete-organization": Target("deleteOrganization", (ORGANIZATION, CONFIRM)),
    "allow-destination": Target("allowDestination", (ORGANIZATION, QUEUE)),
    "disallow-destination": Target("disallowDestination", (ORGANIZATION, QUEUE)),
    "limit-organization": Target("setLimit", (ORGANIZATION, RATE)),
    "sign-in": Target("createSignInLink", (ORGANIZATION, EMAIL)),
    "list-destinations": Target("listDestinations", (ORGANIZATION,)),
}


def request(name: str, values: Mapping[str, str]) -> dict:
    """Returns the request of a target. Exits if a value is missing."""
    target = TARGETS[name]
    made: dict = {"operation": target.operation}
    for variable in target.variables:
        value = values.get(variable.name, "").strip()
        if not value:
            usage = " ".join(f"{each.name}={each.example}" for each in target.variables)
            sys.exit(f"{variable.name} is missing. Usage: make {name} {usage} [STACK=messaging-api]")
        made[variable.field] = value
    if RATE in target.variables:
        # As a number; without it, the limit is removed.
        rate = made.pop(RATE.field)
        made |= {} if rate == "none" else {RATE.field: whole(rate)}
    if target.takes_countries:
        codes = [code.strip() for code in values.get("COUNTRIES", "").split(",") if code.strip()]
        made |= {"countries": codes} if codes else {}
    return made


def whole(text: str) -> int:
    if not text.isdecimal():
        sys.exit(f"{RATE.name} must be a whole number of requests per second, or none.")
    return int(text)


def main() -> None:
    made = request(sys.argv[1], os.environ)
    print(json.dumps(operate(os.environ.get("STACK", ""), made)))


if __name__ == "__main__":
    main()

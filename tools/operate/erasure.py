"""`make erase-contact ORGANIZATION=org_... CONTACT=+12015550123 [STACK=... REGION=...]` and `make show-erasure`: erases what is stored
about a person, or shows how far that is, and prints the erasure as one JSON line."""

import json
import sys

from tools.operate.operator import operate

OPERATIONS = {"erase-contact": "eraseContact", "show-erasure": "showErasure"}


def request(command: str, organization: str, contact: str) -> dict:
    """Returns the request. Exits if a value is missing."""
    for name, value in (("ORGANIZATION", organization), ("CONTACT", contact)):
        if not value.strip():
            sys.exit(f"{name} is missing. Usage: make {command} ORGANIZATION=org_... CONTACT=+12015550123 [STACK=messaging-api]")
    return {"operation": OPERATIONS[command], "organizationId": organization.strip(), "contact": contact.strip()}


def main() -> None:
    command, organization, contact, stack_name = sys.argv[1:5]
    print(json.dumps(operate(stack_name, request(command, organization, contact))))


if __name__ == "__main__":
    main()

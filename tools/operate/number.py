"""`make link-number NUMBER=+1... ORGANIZATION=org_... [COUNTRIES=US,CA] [STACK=... REGION=...]` `make unlink-number` and
`make release-number`: links a number of the AWS account to an organization, unlinks it, or takes it from its organization, and prints the number as one JSON line."""

import json
import sys

from tools.operate.operator import operate

OPERATIONS = {"link": "linkPhoneNumber", "unlink": "unlinkPhoneNumber", "release": "releaseNumber"}


def request(command: str, number: str, organization: str, countries: str = "") -> dict:
    """Returns the request. Exits if a value is missing."""
    for name, value in (("NUMBER", number), ("ORGANIZATION", organization)):
        if not value.strip():
            sys.exit(f"{name} is missing. Usage: make {command}-number NUMBER=+12015550123 ORGANIZATION=org_... [STACK=messaging-api]")
    made = {"operation": OPERATIONS[command], "organizationId": organization.strip(), "number": number.strip()}
    codes = [code.strip() for code in countries.split(",") if code.strip()]
    return {**made, "countries": codes} if codes else made


def main() -> None:
    command, number, organization, countries, stack_name = sys.argv[1:6]
    print(json.dumps(operate(stack_name, request(command, number, organization, countries))))


if __name__ == "__main__":
    main()

"""`make allow-destination ORGANIZATION=org_... QUEUE=arn:aws:sqs:... [STACK=... REGION=...]`, `make disallow-destination` and
`make list-destinations`: lets an organization use an SQS queue as the address of webhooks, or takes it away, and prints the
queues that the organization may use as one JSON line."""

import json
import sys

from tools.operate.operator import operate

OPERATIONS = {"allow-destination": "allowDestination", "disallow-destination": "disallowDestination", "list-destinations": "listDestinations"}


def request(command: str, organization: str, queue: str) -> dict:
    """Returns the request. Exits if a value is missing."""
    needed = {"ORGANIZATION": organization} if command == "list-destinations" else {"ORGANIZATION": organization, "QUEUE": queue}
    usage = " ".join(f"{name}={example}" for name, example in (("ORGANIZATION", "org_..."), ("QUEUE", "arn:aws:sqs:...")) if name in needed)
    for name, value in needed.items():
        if not value.strip():
            sys.exit(f"{name} is missing. Usage: make {command} {usage} [STACK=messaging-api]")
    made = {"operation": OPERATIONS[command], "organizationId": organization.strip()}
    return {**made, "arn": queue.strip()} if "QUEUE" in needed else made


def main() -> None:
    command, organization, queue, stack_name = sys.argv[1:5]
    print(json.dumps(operate(stack_name, request(command, organization, queue))))


if __name__ == "__main__":
    main()

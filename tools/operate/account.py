"""`make release-account ACCOUNT=... [STACK=... REGION=...]`: disconnects an account of the chat platform from the organization that
has it, and prints the receipt as one JSON line."""

import json
import sys

from tools.operate.operator import operate


def request(account: str) -> dict:
    """Returns the request. Exits if the account is missing."""
    if not account.strip():
        sys.exit("ACCOUNT is missing. Usage: make release-account ACCOUNT=<id of the WhatsApp account> [STACK=messaging-api]")
    return {"operation": "releaseAccount", "wabaId": account.strip()}


def main() -> None:
    account, stack_name = sys.argv[1:3]
    print(json.dumps(operate(stack_name, request(account))))


if __name__ == "__main__":
    main()

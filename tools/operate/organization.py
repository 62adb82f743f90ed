"""`make organization NAME=... [STACK=... REGION=...]`: creates an organization and prints its first credentials as one JSON line."""

import json
import sys

from tools.operate.operator import operate


def main() -> None:
    name, stack_name = sys.argv[1:3]
    if not name.strip():
        sys.exit('NAME is missing. Usage: make organization NAME="Acme" [STACK=messaging-api]')
    print(json.dumps(operate(stack_name, {"operation": "createOrganization", "name": name})))


if __name__ == "__main__":
    main()

"""`make undeploy`: deletes a stack, but keeps the resources that hold data, unless PURGE=yes.

Usage: python -m tools.operate.undeploy

Variables, from the environment or as `make undeploy NAME=value`: STACK, REGION, PURGE and YES.
"""

import os
import sys

from botocore.exceptions import ClientError

from tools.operate.installation import Installation, session
from tools.operate.steps import Refused
from tools.stack.project import say


def confirm(stack: str, purges: bool) -> None:
    """Asks for the stack's name, unless YES=1."""
    if os.environ.get("YES") == "1":
        return
    what = "deletes the stack and all its data; nothing can bring it back" if purges else "deletes the stack"
    try:
        typed = input(f"This {what}. Type the stack's name to go on: ")
    except EOFError:
        typed = ""
    if typed.strip() != stack:
        raise Refused("That is not the stack's name. Nothing was deleted.")


def undeploy() -> None:
    # Unlike `make deploy`, there is no default: a stack is deleted only by its exact name.
    stack, purge = os.environ.get("STACK", "").strip(), os.environ.get("PURGE", "").strip()
    if not stack:
        raise Refused("STACK is missing. Usage: make undeploy STACK=messaging-api [REGION=…] [PURGE=yes] [YES=1]")
    if purge not in ("", "no", "yes"):
        raise Refused(f"PURGE={purge}: allowed are yes and no.")
    aws, account = session()
    installation = Installation(aws, stack)
    live = installation.live()
    kept = installation.kept(live)
    if live is None and not kept.lines():
        raise Refused(f"Stack {stack} does not exist in account {account}, region {aws.region_name}, and it left nothing behind.")
    say(f"Account {account}, region {aws.region_name}: stack {stack}" + (" no longer exists." if live is None else ""))
    say("PURGE=yes deletes what holds data, too:" if purge == "yes" else "What holds data is kept:")
    for line in kept.lines():
        say(line)
    if live is not None or purge == "yes":
        confirm(stack, purge == "yes")
    if live is not None:
        say(f"   deletes stack {stack}")
        installation.delete(live["StackId"])
    if purge == "yes":
        installation.purge(kept)
        say("Nothing is left of the stack. DynamoDB keeps a backup of a deleted table for 35 days.")
    else:
        say(f"To delete the kept resources: make undeploy STACK={stack} PURGE=yes")


def main() -> None:
    try:
        undeploy()
    except (Refused, ClientError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Stopped.")


if __name__ == "__main__":
    main()

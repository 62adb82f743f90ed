"""`make delete-organization ORGANIZATION=org_... CONFIRM=<slug> [STACK=... REGION=...]`: deletes an organization, repeating the request
until nothing is left, and prints the receipt as one JSON line. It can be interrupted and repeated."""

import json
import os
import sys
import time
from collections.abc import Callable

from tools.operate.operator import operate
from tools.operate.request import request

# In seconds. A deletion takes a quarter of an hour, until everything has ended that began before it.
PAUSE = 20


def finish(repeat: Callable[[], dict], pause: Callable[[float], None], say: Callable[[str], None]) -> dict:
    """Repeats the request until the deletion is done. Returns the receipt."""
    before = None
    while (reply := repeat())["status"] != "DONE":
        made = reply["deleted"]
        waiting = reply.get("stillConnected")
        for failed in reply.get("failed", []):
            say(f"The step {failed['step']} failed and is repeated: {failed['reason']}. See the operator's log, and docs/runbook.md.")
        if made == before and reply.get("failed"):
            pause(PAUSE)
        elif made == before and waiting:
            say(f"Meta has not ended the subscription of these accounts yet: {', '.join(waiting)}. They are deleted 24 hours after the request in any case.")
            pause(PAUSE)
        elif made == before:
            say(f"Nothing is left to delete now. Not done before {reply.get('notBefore', 'all access has ended')}.")
            pause(PAUSE)
        else:
            say(f"Deleted so far: {json.dumps(made)}")
        before = made
    return reply


def main() -> None:
    stack_name, made = os.environ.get("STACK", ""), request("delete-organization", os.environ)
    print(json.dumps(finish(lambda: operate(stack_name, made), time.sleep, lambda text: print(text, file=sys.stderr))))


if __name__ == "__main__":
    main()

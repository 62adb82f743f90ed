"""`make soak`: mixed requests and events on the local stack while its functions are killed. Nothing acknowledged may be
lost.

REQUESTS=100000 EVENTS=10000 KILL_EVERY=5 SEED=1 THREADS=12. KILL_EVERY is the mean time between two kills in
seconds, 0 for no kills. Prints tables, writes target/soak.json, and fails if anything was lost, a retry created a
duplicate, a response was unexpected, or a 5xx had no kill as its cause. Needs Linux. docs/soak.md explains the results.

The stack is started here; the clients, the receiver and the kills are the program of tests/soak.
"""

import json
import os
import sys

from tools.stack.build import build, build_program
from tools.stack.project import FUNCTIONS, REGION, ROOT, free_port
from tools.stack.stack import Stack
from tools.stack.stop import Stop

# Functions without routes, whose invocations are counted from their logs.
LOGGED = ("dispatch", "deliver", "sweep")
# The queues whose messages must not wait for long after their function was killed.
QUEUES = ("DeliveryQueue", "PatientDeliveryQueue", "JobQueue", "CarrierQueue")
DEAD_LETTER_QUEUES = (
    "JobDeadLetters",
    "SendDeadLetters",
    "CarrierDeadLetters",
    "DeliveryDeadLetters",
    "DispatchDeadLetters",
    "SweepDeadLetters",
)


def options(stack: Stack) -> dict:
    threads = int(os.environ.get("THREADS", "12"))
    made = [stack.operate({"operation": "createOrganization", "name": f"Soak {n}"}) for n in range(threads)]
    return {
        "requests": int(os.environ.get("REQUESTS", "100000")),
        "events": int(os.environ.get("EVENTS", "10000")),
        "killEvery": float(os.environ.get("KILL_EVERY", "5")),
        "seed": os.environ.get("SEED", "1"),
        "threads": threads,
        "result": str(ROOT / "target" / "soak.json"),
        "baseUrl": stack.base_url,
        "endpoint": stack.endpoint,
        "region": REGION,
        "emulator": stack.emulator.pid,
        "table": stack.resource("Table"),
        "functions": {name: stack.resource(f"{name.capitalize()}Function") for name in FUNCTIONS},
        "logGroups": {name: stack.resource(f"{name.capitalize()}Logs") for name in LOGGED},
        "queues": [stack.resource(name) for name in QUEUES],
        "deadLetterQueues": {
            name: stack.resource(name) for name in DEAD_LETTER_QUEUES
        },
        "organizations": made,
    }


def main() -> None:
    stop = Stop.on_signals()
    build(stop)
    program = build_program("soak", "--workspace")
    with Stack(free_port(), stop) as stack:
        stack.start()
        stack.deploy()
        code = stop.run([program, json.dumps(options(stack))])
    sys.exit(code)


if __name__ == "__main__":
    main()

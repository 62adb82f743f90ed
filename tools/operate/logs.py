"""`make logs REQUEST=... [STACK=...] [REGION=...] [HOURS=24]`: prints every log line that contains an id, oldest first.

The id is a request's `X-Request-Id`. Work that a request left behind carries it as `origin`, so its lines are found too.
Any other id works as well: an object, an event, a delivery, a key or an organization. Without STACK, it searches the log
files that `make run` wrote, including those of stacks that have stopped.
"""

import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import boto3

from tools.stack.project import LOCAL, function_log

# The characters of ids. None of them has a meaning inside the quotes of a CloudWatch Logs filter pattern.
ID = re.compile(r"[A-Za-z0-9_=+/.-]{8,128}")
# CloudWatch Logs allows few searches per second in an account.
SIDE_BY_SIDE = 4


def line_of(millis: int, source: str, message: str) -> str:
    """Formats a log line as in the log file of a local stack."""
    moment = datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="milliseconds")
    return f"{moment.replace('+00:00', 'Z')} {source:12} {message.rstrip()}"


def log_groups(name: str, cloudformation) -> dict[str, str]:
    """Returns the stack's log groups, each with the short name that lines show."""
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=name)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    return {
        resource["PhysicalResourceId"]: resource["LogicalResourceId"].removesuffix("Logs").lower()
        for resource in resources
        if resource["ResourceType"] == "AWS::Logs::LogGroup" and resource.get("PhysicalResourceId")
    }


def deployed(name: str, wanted: str, hours: float) -> list[str]:
    """Searches the log groups of a deployed stack, with the credentials in your environment."""
    session = boto3.Session(region_name=os.environ.get("REGION", "").strip() or None)
    groups, logs = log_groups(name, session.client("cloudformation")), session.client("logs")
    since = int((time.time() - hours * 3600) * 1000)

    def search(group: str) -> list[tuple[int, str]]:
        pages = logs.get_paginator("filter_log_events").paginate(
            logGroupName=group, startTime=since, filterPattern=f'"{wanted}"'
        )
        events = [event for page in pages for event in page["events"] if wanted in event["message"]]
        return [(event["timestamp"], line_of(event["timestamp"], groups[group], event["message"])) for event in events]

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found = [event for events in pool.map(search, groups) for event in events]
    return [line for _, line in sorted(found)]


def local(wanted: str, files: list[Path]) -> list[str]:
    """Searches the files of local stacks."""
    lines = [line for file in files for line in file.read_text().splitlines() if wanted in line]
    return sorted(lines)


def main() -> None:
    wanted, stack, hours = sys.argv[1:4]
    if not ID.fullmatch(wanted):
        sys.exit(
            "REQUEST must be an id: 8 to 128 letters, digits and _ = + / . -. "
            "Usage: make logs REQUEST=<X-Request-Id> [STACK=messaging-api] [HOURS=24]"
        )
    if not stack and not (files := sorted(LOCAL.glob(function_log("*").name))):
        sys.exit("No local stack has run here. Start one with `make run`, or name a deployed one: STACK=messaging-api")
    lines = deployed(stack, wanted, float(hours)) if stack else local(wanted, files)
    if not lines:
        sys.exit(f"No line contains {wanted}" + (f" in the last {hours} hours. HOURS=168 searches a week." if stack else "."))
    print("\n".join(lines))


if __name__ == "__main__":
    main()

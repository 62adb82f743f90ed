"""`make restore`: moves a stack to a restored copy of its table. docs/restore.md explains when and how.

No function writes to the restored table before it is reconciled: first, everything that must stay deleted is removed from
it. Completed steps are skipped, so an interrupted run can simply be repeated.

The program `restore` of the crate in this folder reconciles the table's content; this script runs it.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable

import boto3
from botocore.exceptions import ClientError

from tools.operate.deployment import Deployment
from tools.operate.steps import Refused, Steps
from tools.operate.table import Table, check_schema, switch_on
from tools.stack.build import PACKAGE_ARGUMENTS, build_program
from tools.stack.environment import stack_port
from tools.stack.project import ENV, say
from tools.stack.stack import STACK, Stack
from tools.stack.template import Evaluation


def choose_credentials(arguments: argparse.Namespace, deployment: Deployment, dynamodb, wanted: dict) -> str:
    """Returns the program's option for credentials: from the old table, or the operator's choice without it."""
    current = Table(dynamodb, deployment.table_name)
    is_there = deployment.table_name != arguments.table and current.describe() is not None
    if arguments.revoke_all:
        return "revokeAll"
    if arguments.keep_credentials:
        return "keepAll"
    if not arguments.old_table:
        usual = (
            f"The old table {current.name} still exists: use --old-table {current.name}."
            if is_there
            else "The old table no longer exists."
        )
        raise Refused(
            "Keys, sessions, apps and webhooks that were deleted since the restore point would become valid again. Choose one:\n"
            "  --old-table NAME      what the old table does not have stays deleted\n"
            "  --revoke-all          all keys and sessions are revoked, all webhooks are disabled\n"
            f"  --keep-credentials    nothing is revoked: deleted credentials become valid again\n{usual}"
        )
    if arguments.old_table == arguments.table:
        raise Refused("--old-table names the restored table itself.")
    if is_there and arguments.old_table != current.name:
        raise Refused(
            f"The stack uses {current.name}, and only this table records what was revoked: use --old-table {current.name}."
        )
    check_schema(Table(dynamodb, arguments.old_table), wanted)
    return "asInOldTable"


def previous_table(arguments: argparse.Namespace, deployment: Deployment, dynamodb) -> str | None:
    """Returns the table that the functions used last, if it still exists: it has the requests since the restore point."""
    candidates = [deployment.table_name, arguments.old_table]
    return next((name for name in candidates if name and name != arguments.table and Table(dynamodb, name).describe()), None)


def reconcile(
    arguments: argparse.Namespace,
    credentials: str,
    previous: str | None,
    deployment: Deployment,
    environment: dict[str, str],
    steps: Steps,
) -> None:
    """Runs the program and shows its report; its last line is the number of its steps."""
    options = {
        "table": arguments.table,
        "oldTable": arguments.old_table if credentials == "asInOldTable" else None,
        "previousTable": previous,
        "bucket": deployment.bucket,
        "credentials": credentials,
        "keep": arguments.keep,
        "deleteObjects": arguments.delete_objects,
        "dryRun": arguments.dry_run,
    }
    command = [arguments.program, json.dumps(options)]
    last = None
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            if last is not None:
                say(last)
            last = line.rstrip("\n")
    if program.returncode != 0:
        if last is not None:
            say(last)
        raise Refused("The table could not be reconciled; see above.")
    steps.count += int(last)


def restore(arguments: argparse.Namespace, deployment: Deployment, environment: dict[str, str], steps: Steps) -> None:
    dynamodb = deployment.client("dynamodb")
    resources = Evaluation(deployment.template(), deployment.parameters).resources()
    table, wanted = Table(dynamodb, arguments.table), resources["Table"]["Properties"]
    if deployment.status.endswith("_IN_PROGRESS"):
        raise Refused(f"Stack {deployment.name} is {deployment.status}. Wait until the update has ended.")
    check_schema(table, wanted)
    is_live = deployment.uses(table)
    credentials = "alreadyJudged" if is_live else choose_credentials(arguments, deployment, dynamodb, wanted)
    # Build the program before the service is stopped.
    arguments.program = build_program("restore", *PACKAGE_ARGUMENTS, "-p", "operate")
    say(
        f"Stack {deployment.name} uses {deployment.table_name}, "
        f"table {table.name} has the template's keys and indexes."
    )
    say("Settings that a restored table lacks")
    switch_on(table, wanted, steps)
    if not is_live:
        say("Stopping the service")
        deployment.stop(steps, arguments.settle)
    previous = None if is_live else previous_table(arguments, deployment, dynamodb)
    reconcile(arguments, credentials, previous, deployment, environment, steps)
    say("The stack")
    if not is_live:
        steps(f"move {deployment.name} to {table.name}", lambda: deployment.switch(table))
    if not is_live or deployment.is_stopped():
        deployment.start(steps)


def where(stack_name: str) -> tuple[Callable, str, dict[str, str]]:
    """Returns a factory for AWS clients, the stack's name, and the environment variables for the program."""
    if not stack_name:
        stack = Stack(stack_port(ENV))
        environment = stack.environment()
        return stack.client, STACK, {**environment, "AWS_REGION": environment["AWS_DEFAULT_REGION"]}
    session = boto3.Session()
    credentials = session.get_credentials()
    if credentials is None or session.region_name is None:
        raise Refused("Your environment has no AWS credentials or no region. Set them and run this again.")
    frozen = credentials.get_frozen_credentials()
    environment = {name: value for name, value in os.environ.items() if name != "AWS_SESSION_TOKEN"} | {
        "AWS_REGION": session.region_name,
        "AWS_ACCESS_KEY_ID": frozen.access_key,
        "AWS_SECRET_ACCESS_KEY": frozen.secret_key,
    }
    if frozen.token:
        environment["AWS_SESSION_TOKEN"] = frozen.token
    return session.client, stack_name, environment


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make restore", description="Moves a stack to a restored copy of its table. See docs/restore.md."
    )
    parser.add_argument("--table", default="", help="the restored table")
    parser.add_argument("--stack", default="", help="a deployed stack; the running local stack if omitted")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--old-table", metavar="NAME", help="the old table: what it does not have stays deleted")
    choice.add_argument(
        "--revoke-all", action="store_true", help="revoke all keys and sessions, disable all webhooks"
    )
    choice.add_argument("--keep-credentials", action="store_true", help="revoke nothing")
    parser.add_argument(
        "--keep",
        metavar="ID",
        nargs="+",
        default=[],
        help="ids of apps, keys and webhooks to keep although the old table does not have them",
    )
    parser.add_argument("--delete-objects", action="store_true", help="delete objects without an item")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be done")
    parser.add_argument("--settle", type=float, metavar="SECONDS", help="how long to wait for running functions")
    parser.add_argument("--stop", action="store_true", help="only stop the service")
    parser.add_argument("--start", action="store_true", help="only start the service again, on the stack's current table")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    steps, deployment = Steps(arguments.dry_run), None
    try:
        client, name, environment = where(arguments.stack)
        deployment = Deployment(client, name)
        if arguments.stop:
            deployment.stop(steps, arguments.settle)
        elif arguments.start:
            deployment.start(steps)
        elif arguments.table:
            restore(arguments, deployment, environment, steps)
        else:
            raise Refused("TABLE is missing. Usage: make restore TABLE=<restored table> [STACK=messaging-api]")
    except (Refused, ClientError) as error:
        is_stopped = deployment is not None and deployment.is_stopped()
        hint = (
            f"\nThe service is stopped. Run this again, or start the service on {deployment.table_name} with --start."
            if is_stopped
            else ""
        )
        sys.exit(f"{error}{hint}")
    if steps.dry_run:
        say(f"Nothing was changed; {steps.count} steps would be taken.")
    else:
        say(f"Done: {steps.count} steps." if steps.count else "Nothing to do.")


if __name__ == "__main__":
    main()

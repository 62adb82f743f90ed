"""`make restore`: puts a stack onto a restored copy of its table. docs/restore.md says when and how.

Until the functions use the restored table nobody else writes to it, and before they do everything that must stay dead is
removed from it. What is found done is left alone, so that a run that was interrupted is simply repeated.

What is in the table is known to the program `restore` of the crate beside this file, which is run in between.
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


def choose_credentials(arguments: argparse.Namespace, deployment: Deployment, dynamodb, wanted: dict) -> str:
    """Which credentials live on: as the table before has them, or the operator's decision to do without it."""
    current = Table(dynamodb, deployment.table_name)
    is_there = deployment.table_name != arguments.table and current.describe() is not None
    if arguments.revoke_all:
        return "revokeAll"
    if arguments.keep_credentials:
        return "keepAll"
    if not arguments.old_table:
        usual = (
            f"The table before, {current.name}, is still there: take --old-table {current.name}."
            if is_there
            else "The table before is gone."
        )
        raise Refused(
            "Keys, sessions, apps and webhooks that were deleted since the restore point would come to life again. Choose one:\n"
            "  --old-table NAME      what the table before does not have stays deleted\n"
            "  --revoke-all          every key and session is revoked, every webhook disabled\n"
            f"  --keep-credentials    nothing is revoked: whoever was shut out since comes in again\n{usual}"
        )
    if arguments.old_table == arguments.table:
        raise Refused("--old-table names the restored table itself.")
    if is_there and arguments.old_table != current.name:
        raise Refused(
            f"The stack works on {current.name}: only that knows what was revoked. --old-table {current.name}"
        )
    check_schema(Table(dynamodb, arguments.old_table), wanted)
    return "asInOldTable"


def reconcile(
    arguments: argparse.Namespace, credentials: str, bucket: str, environment: dict[str, str], steps: Steps
) -> None:
    """Runs the program, which reports as this one does; its last line is the number of its steps."""
    options = {
        "table": arguments.table,
        "oldTable": arguments.old_table if credentials == "asInOldTable" else None,
        "bucket": bucket,
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
    table, wanted = Table(dynamodb, arguments.table), deployment.template()
    if deployment.status.endswith("_IN_PROGRESS"):
        raise Refused(f"Stack {deployment.name} is {deployment.status}: wait for it.")
    check_schema(table, wanted)
    is_live = deployment.uses(table)
    credentials = "alreadyJudged" if is_live else choose_credentials(arguments, deployment, dynamodb, wanted)
    # The service is not stopped before the program is there.
    arguments.program = build_program("restore", *PACKAGE_ARGUMENTS, "-p", "operate")
    say(
        f"Stack {deployment.name} works on {deployment.table_name}, "
        f"table {table.name} has the template's keys and indexes."
    )
    say("What a restored table comes without")
    switch_on(table, wanted, steps)
    if not is_live:
        say("Stopping the service")
        deployment.stop(steps, arguments.settle)
    reconcile(arguments, credentials, deployment.bucket, environment, steps)
    say("The stack")
    if not is_live:
        steps(f"put {deployment.name} onto {table.name}", lambda: deployment.switch(table))
    if not is_live or deployment.is_stopped():
        deployment.start(steps)


def where(stack_name: str) -> tuple[Callable, str, dict[str, str]]:
    """How clients are made, the stack's name, and the environment that the program finds AWS by."""
    if not stack_name:
        stack = Stack(stack_port(ENV))
        environment = stack.environment()
        return stack.client, STACK, {**environment, "AWS_REGION": environment["AWS_DEFAULT_REGION"]}
    session = boto3.Session()
    credentials = session.get_credentials()
    if credentials is None or session.region_name is None:
        raise Refused("There are no AWS credentials, or there is no region, in your environment.")
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
        prog="make restore", description="Puts a stack onto a restored copy of its table. See docs/restore.md."
    )
    parser.add_argument("--table", default="", help="the restored table")
    parser.add_argument("--stack", default="", help="a deployed stack; without it the running local one")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--old-table", metavar="NAME", help="the table before: what it does not have stays deleted")
    choice.add_argument(
        "--revoke-all", action="store_true", help="revoke every key and session, disable every webhook"
    )
    choice.add_argument("--keep-credentials", action="store_true", help="revoke nothing")
    parser.add_argument(
        "--keep",
        metavar="ID",
        nargs="+",
        default=[],
        help="apps, keys and webhooks that come back although the old table has them not",
    )
    parser.add_argument("--delete-objects", action="store_true", help="delete objects that no item names")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--settle", type=float, metavar="SECONDS", help="how long what is running may take to end")
    parser.add_argument("--stop", action="store_true", help="only stop the service")
    parser.add_argument("--start", action="store_true", help="only start it again, on the table that the stack has")
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
            raise Refused("Say which: make restore TABLE=<restored table> [STACK=messaging-api]")
    except (Refused, ClientError) as error:
        is_stopped = deployment is not None and deployment.is_stopped()
        hint = (
            f"\nThe service is stopped: run this again, or start it on {deployment.table_name} with --start."
            if is_stopped
            else ""
        )
        sys.exit(f"{error}{hint}")
    if steps.dry_run:
        say(f"Nothing was changed; {steps.count} steps would be taken.")
    else:
        say(f"Done: {steps.count} steps." if steps.count else "Nothing was to be done.")


if __name__ == "__main__":
    main()

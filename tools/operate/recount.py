"""`make recount`: makes up for releases that did not count usage and did not list what needs attention. docs/insight.md says when.

The program `recount` of the crate in this folder marks their messages in the table; the function `meter` then counts each of them
once. It also lists what their objects need.
"""

import argparse
import subprocess
import sys

from botocore.exceptions import ClientError

from tools.operate.deployment import Deployment
from tools.operate.restore import where
from tools.operate.steps import Refused
from tools.operate.stream import VIEW_TYPE, view_type
from tools.operate.table import Table
from tools.stack.build import PACKAGE_ARGUMENTS, build_program
from tools.stack.project import say


def recount(stack: str) -> tuple[int, int]:
    """Returns how many messages were marked, and how many entries are listed."""
    client, name, environment = where(stack)
    table = Deployment(client, name).table_name
    seen = view_type(Table(client("dynamodb"), table))
    if seen != VIEW_TYPE:
        raise Refused(f"The stream of {table} has view type {seen}, and only {VIEW_TYPE} lets messages be counted. Run `make deploy` first.")
    program = build_program("recount", *PACKAGE_ARGUMENTS, "-p", "operate")
    done = subprocess.run([program, table], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Refused("The messages could not be marked; see above. Run this again.")
    marked, listed = done.stdout.split()
    return int(marked), int(listed)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make recount")
    parser.add_argument("--stack", default="", help="a deployed stack; the running local stack if omitted")
    try:
        marked, listed = recount(parser.parse_args().stack)
        say(f"{marked} messages of earlier releases are counted from now on; {listed} objects are listed among what needs attention.")
    except (Refused, ClientError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

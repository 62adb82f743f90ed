"""`make recount`: lets the messages of releases that did not count usage be counted. docs/insight.md says when.

The program `recount` of the crate in this folder marks them in the table; the function `meter` then counts each of them once.
"""

import argparse
import subprocess
import sys

from botocore.exceptions import ClientError

from tools.operate.deployment import Deployment
from tools.operate.restore import where
from tools.operate.steps import Refused
from tools.stack.build import PACKAGE_ARGUMENTS, build_program
from tools.stack.project import say


def recount(stack: str) -> int:
    """Returns how many messages were marked."""
    client, name, environment = where(stack)
    table = Deployment(client, name).table_name
    program = build_program("recount", *PACKAGE_ARGUMENTS, "-p", "operate")
    done = subprocess.run([program, table], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Refused("The messages could not be marked; see above. Run this again.")
    return int(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make recount")
    parser.add_argument("--stack", default="", help="a deployed stack; the running local stack if omitted")
    try:
        say(f"{recount(parser.parse_args().stack)} messages of earlier releases are counted from now on.")
    except (Refused, ClientError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

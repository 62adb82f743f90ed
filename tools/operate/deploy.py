"""`make deploy`: deploys the template and the built functions to AWS, as one stack.

Usage: python -m tools.operate.deploy

Variables, from the environment or as `make deploy NAME=value`: STACK, REGION, PARAMETERS (a file), TAGS, YES, and
ARCHITECTURE or RELEASE (an archive of a release, in place of what was built). Parameters of the template come from the file and
from the environment (tools/operate/parameters.py).
"""

import os
import re
import sys
from pathlib import Path

import boto3
from botocore.exceptions import ClientError

from tools.operate.installation import Installation, session
from tools.operate.parameters import collect, default_file, variable
from tools.operate.steps import Refused
from tools.operate.stream import StreamInUse
from tools.release.bundle import Release, unpack, version
from tools.stack.project import ROOT, say
from tools.stack.sam import sam_deploy
from tools.stack.stop import Stop
from tools.stack.template import source

STACK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")


def stack_name() -> str:
    name = os.environ.get("STACK", "").strip() or "messaging-api"
    if not STACK_NAME.fullmatch(name):
        raise Refused(f"STACK={name} is not a stack name. Allowed: letters, digits and hyphens, a letter first.")
    return name


def parameter_path(stack: str) -> Path | None:
    named = os.environ.get("PARAMETERS", "").strip()
    path = Path(named).expanduser() if named else default_file(stack)
    if path.is_file():
        return path
    if named:
        raise Refused(f"PARAMETERS={named} is not a file.")
    return None


def tags() -> list[str]:
    found = os.environ.get("TAGS", "").split()
    wrong = [tag for tag in found if not re.fullmatch(r"[^=\s]+=[^=\s]+", tag)]
    if wrong:
        raise Refused(f"TAGS: {wrong[0]} is not of the form name=value. Separate several by spaces.")
    return ["--tags", *found] if found else []


def deployable() -> Release:
    """Returns what is deployed: a release, or what was built in this checkout."""
    named = os.environ.get("RELEASE", "").strip()
    architecture = os.environ.get("ARCHITECTURE", "").strip()
    if not named:
        return Release(ROOT / "infra", "", architecture or "arm64")
    release = unpack(Path(named).expanduser())
    if release.version != version():
        raise Refused(f"{named} is version {release.version}, and this checkout {version()}: `git checkout v{release.version}` first.")
    if architecture and architecture != release.architecture:
        raise Refused(f"ARCHITECTURE={architecture}, but {named} is for {release.architecture}.")
    return release


def deploy(stop: Stop) -> int:
    stack, what = stack_name(), deployable()
    values = collect(source(what.template)["Parameters"], parameter_path(stack))
    aws, account = session()
    say(f"Stack {stack}, account {account}, region {aws.region_name}, {what.architecture}{f', release {what.version}' if what.version else ''}")
    for name, (_, origin) in sorted(values.items()):
        say(f"   {name} from {origin}")
    say("   All other parameters keep the values of the last deployment, or have their defaults.")
    Installation(aws, stack).clear_failed_creation()
    parameters = {"Architecture": what.architecture, "TableStream": "images"} | {name: value for name, (value, _) in values.items()}
    # sam gets the parameters from the file alone.
    own = {name: value for name, value in os.environ.items() if name not in map(variable, values)}
    if "TableStream" in values:
        return deploy_with(stop, stack, what, aws.region_name, parameters, own)
    stream = StreamInUse(aws, stack)
    if stream.is_other():
        say("The stream of the table has another view type, which cannot change in place. The first of two deployments removes it.")
        say("   Until the second has ended, the sweep dispatches events, after five minutes. Then, `make recount` counts what was stored meanwhile.")
        code = deploy_with(stop, stack, what, aws.region_name, parameters | {"TableStream": "none"}, own)
        if code != 0:
            return code
    stream.renew()
    return deploy_with(stop, stack, what, aws.region_name, parameters | stream.parameters(), own)


def deploy_with(stop: Stop, stack: str, what: Release, region: str, parameters: dict[str, str], environment: dict[str, str]) -> int:
    # Without the option, sam looks for its configuration beside the template, which may be that of a release.
    options = ["--template-file", what.template, "--config-file", ROOT / "infra" / "samconfig.toml", "--s3-prefix", stack, *tags()]
    options += ["--no-confirm-changeset"] if os.environ.get("YES") == "1" else []
    with sam_deploy(stack, region, parameters, *options) as command:
        return stop.run(command, cwd=ROOT / "infra", env={**environment, "SAM_CLI_TELEMETRY": "0"})


def main() -> None:
    stop = Stop.on_signals()
    try:
        sys.exit(deploy(stop))
    except (Refused, ClientError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

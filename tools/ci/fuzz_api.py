"""`make fuzz-api`: runs schemathesis against the local stack, in a new demo organization.

EXAMPLES=100 sets the number of examples per operation.
"""

import os
import sys

from tools.stack.environment import stack_port
from tools.stack.project import ENV, ROOT, TOOLS
from tools.stack.stack import Stack
from tools.stack.stop import Stop

CONFIGURATION = ROOT / "contract" / "schemathesis.toml"


def fuzz(stack: Stack, stop: Stop, examples: int, seconds: int | None = None, output: object = None) -> int:
    """Runs schemathesis, with an optional time limit in seconds. Returns its exit code."""
    # A new organization, because the requests delete its objects.
    values = stack.populate()
    command = [
        TOOLS / "fuzz" / "bin" / "schemathesis",
        "--config-file",
        CONFIGURATION,
        "run",
        f"{stack.base_url}/v1/openapi.json",
        "--checks",
        "all",
        "--max-examples",
        examples,
        "--seed",
        os.environ.get("SEED", "1"),
        *(["--max-time", seconds] if seconds else []),
    ]
    environment = {**os.environ, **values, "NO_COLOR": "1"}
    for name in ("AWS_ENDPOINT_URL", "HYPOTHESIS_DATABASE"):
        environment.pop(name, None)
    folder = ROOT / "target" / "fuzz-api"
    folder.mkdir(parents=True, exist_ok=True)
    return stop.run(command, cwd=folder, env=environment, stdout=output, stderr=output)


def main() -> None:
    sys.exit(fuzz(Stack(stack_port(ENV)), Stop(), int(os.environ.get("EXAMPLES", "100"))))


if __name__ == "__main__":
    main()

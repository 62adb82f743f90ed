"""`make fuzz-api`: schemathesis against the local stack, in a demo organization of its own.

EXAMPLES=100 says how hard.
"""

import os
import sys

from tools.stack.environment import stack_port
from tools.stack.project import ENV, ROOT, TOOLS
from tools.stack.stack import Stack
from tools.stack.stop import Stop

CONFIGURATION = ROOT / "contract" / "schemathesis.toml"


def fuzz(stack: Stack, stop: Stop, examples: int, seconds: int | None = None, output: object = None) -> int:
    """The exit code of schemathesis; it stops after so many seconds."""
    # Whatever is deleted, nobody else misses it.
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

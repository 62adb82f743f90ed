"""The file of shell assignments that a running stack writes for tools and people."""

import sys
from pathlib import Path


# What the libraries and the command line read, and the number of the examples, for whoever loads the file into a shell.
EXPORTS = 'export MESSAGING_BASE_URL="$BASE_URL" MESSAGING_API_KEY="$TEST_APP_KEY" FROM="$TEST_CHAT_NUMBER_ID"\n'


def write_environment(path: Path, values: dict[str, str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}='{value}'\n" for name, value in values.items()) + EXPORTS)


def read_environment(path: Path) -> dict[str, str]:
    if not path.exists():
        sys.exit("The local stack is not running. Start it with `make run`.")
    lines = [line for line in path.read_text().splitlines() if not line.startswith("export ")]
    return {name: value.strip("'") for name, value in (line.split("=", 1) for line in lines)}


def stack_port(path: Path) -> int:
    """Returns the port of the stack that wrote the file."""
    return int(read_environment(path)["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])

"""The file of shell assignments that a running stack writes for tools and people."""

import sys
from pathlib import Path


def write_environment(path: Path, values: dict[str, str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}='{value}'\n" for name, value in values.items()))


def read_environment(path: Path) -> dict[str, str]:
    if not path.exists():
        sys.exit("The local stack is not running. Start it with `make run`.")
    lines = path.read_text().splitlines()
    return {name: value.strip("'") for name, value in (line.split("=", 1) for line in lines)}


def stack_port(path: Path) -> int:
    """Returns the port of the stack that wrote the file."""
    return int(read_environment(path)["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])

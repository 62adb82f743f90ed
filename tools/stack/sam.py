"""`sam deploy` with parameters that never appear on a command line, where every user of the machine could read them."""

import contextlib
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.stack.project import TOOLS


# How many times sam unescapes a value of a file: once when it reads the file, once when it reads the option.
SAM_UNESCAPES = 2


def escape(value: str) -> str:
    """Escapes a value for sam, which removes surrounding quotes and the backslashes before spaces and quotes."""
    for _ in range(SAM_UNESCAPES):
        value = '"' + re.sub(r"([ \"'])", r"\\\1", value) + '"'
    return value


@contextlib.contextmanager
def parameter_file(parameters: dict[str, str]) -> Iterator[Path]:
    """Writes parameters to a file that only this user can read, and removes it at the end."""
    with tempfile.TemporaryDirectory(prefix="parameters-") as folder:
        # JSON is YAML, the form that sam accepts.
        path = Path(folder) / "parameters.yaml"
        path.touch(mode=0o600)
        escaped = {name: escape(value) for name, value in parameters.items()}
        path.write_text(json.dumps(escaped, ensure_ascii=False), encoding="utf-8")
        yield path


@contextlib.contextmanager
def sam_deploy(stack: str, region: str, parameters: dict[str, str], *options: str | Path) -> Iterator[list[str | Path]]:
    """Yields the command that deploys a template. Run it in the folder infra, while the context lasts."""
    command = [TOOLS / "deploy" / "bin" / "sam", "deploy", "--stack-name", stack, "--region", region, *options]
    if not parameters:
        yield command
        return
    with parameter_file(parameters) as path:
        yield [*command, "--parameter-overrides", f"file://{path}"]

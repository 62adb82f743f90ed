"""The template's parameters for a deployment: from a file and from the environment, never from a command line."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from tools.operate.steps import Refused
from tools.stack.project import ROOT

# Parameters that only tools may set, each with the reason.
RESERVED = {
    "Architecture": "`make deploy ARCHITECTURE=…` sets it, because the functions must be built for it",
    "RestoredTableName": "`make restore` sets it (docs/restore.md)",
    "RestoredTableStreamArn": "`make restore` sets it (docs/restore.md)",
}


def variable(parameter: str) -> str:
    """Returns the environment variable of a parameter: PLATFORM_APP_SECRET for PlatformAppSecret."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", parameter).upper()


def default_file(stack: str) -> Path:
    """Returns the parameter file that is read if none is named; git ignores its folder."""
    return ROOT / ".deploy" / f"{stack}.parameters"


def read_file(path: Path) -> dict[str, str]:
    """Reads lines of the form `Name=value`. The value is everything after the first `=`, and needs no quotes."""
    values: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, separator, value = line.partition("=")
        name = name.strip()
        # The line itself may hold a secret.
        if not separator or not name.isalnum():
            raise Refused(f"{path}, line {number}: expected Name=value.")
        if name in values:
            raise Refused(f"{path}, line {number}: {name} is set twice.")
        values[name] = value
    return values


def is_open_to_others(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o077)




def collect(known: Mapping[str, dict], file: Path | None) -> dict[str, tuple[str, str]]:
    """Returns the value and the origin of each parameter that is set. The environment wins over the file."""
    found: dict[str, tuple[str, str]] = {}
    for name, value in (read_file(file) if file else {}).items():
        if name in RESERVED:
            raise Refused(f"{file}: {name} cannot be set here: {RESERVED[name]}.")
        if name not in known:
            allowed = ", ".join(sorted(set(known) - set(RESERVED)))
            raise Refused(f"{file}: {name} is not a parameter of the template. Allowed: {allowed}.")
        found[name] = value, str(file)
    for name in known:
        if name not in RESERVED and variable(name) in os.environ:
            found[name] = os.environ[variable(name)], f"environment variable {variable(name)}"
    secrets = [name for name, (_, origin) in found.items() if origin == str(file) and known[name].get("NoEcho")]
    if secrets and is_open_to_others(file):
        raise Refused(f"{file} holds {', '.join(secrets)} and can be read by other users. Run: chmod 600 {file}")
    return found

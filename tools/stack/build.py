"""Builds the functions for the local stack: `python -m tools.stack.build`."""

import shutil
import subprocess
import sys
from pathlib import Path

from tools.stack.project import FUNCTIONS, LOCAL, PACKAGES, ROOT, say, target_directory
from tools.stack.stop import Stop

# The packages of the functions, as cargo names them on its command line.
PACKAGE_ARGUMENTS = [argument for package in PACKAGES for argument in ("-p", package)]


def build(stop: Stop) -> None:
    """Dev-profile binaries, stripped of what only a debugger needs, where the template looks for them."""
    say("Building the functions (minutes the first time) ...")
    if stop.run(["cargo", "build", "--locked", *PACKAGE_ARGUMENTS, "--bins"], cwd=ROOT) != 0:
        sys.exit("The functions could not be built.")
    for function in FUNCTIONS:
        stop.check()
        place(target_directory() / "debug" / function, function)


def build_program(name: str, *selection: str) -> Path:
    """Builds a program that is no function. Features of crates are unified over the selected packages: with the selection of
    another build nothing that the two share is compiled anew."""
    if subprocess.run(["cargo", "build", "--locked", *selection, "--bin", name], cwd=ROOT, check=False).returncode != 0:
        sys.exit(f"{name} could not be built.")
    return target_directory() / "debug" / name


def place(built: Path, function: str) -> None:
    bootstrap = ROOT / "target" / "lambda" / function / "bootstrap"
    stamp = LOCAL / "built" / function
    if stamp.exists() and bootstrap.exists() and stamp.read_text() == versions(built, bootstrap):
        return
    bootstrap.parent.mkdir(parents=True, exist_ok=True)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["strip", "-o", bootstrap, built], check=False).returncode != 0:
        shutil.copy2(built, bootstrap)
    stamp.write_text(versions(built, bootstrap))


def versions(*files: Path) -> str:
    """Tells a file from a later one: `make build` leaves binaries for AWS in the same place."""
    return " ".join(str(file.stat().st_mtime_ns) for file in files)


if __name__ == "__main__":
    build(Stop.on_signals())

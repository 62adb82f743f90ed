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
    """Builds dev-profile binaries without debug information, in the places that the template names."""
    say("Building the functions (takes minutes the first time) ...")
    if stop.run(["cargo", "build", "--locked", *PACKAGE_ARGUMENTS, "--bins"], cwd=ROOT) != 0:
        sys.exit("The functions could not be built.")
    for function in FUNCTIONS:
        stop.check()
        place(target_directory() / "debug" / function, function)


def build_program(name: str, *selection: str) -> Path:
    """Builds a program that is not a function. Cargo unifies features over the selected packages, so selecting the
    packages of another build avoids recompiling shared dependencies."""
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
    """Identifies a version of a file: `make build` writes binaries for AWS to the same place."""
    return " ".join(str(file.stat().st_mtime_ns) for file in files)


if __name__ == "__main__":
    build(Stop.on_signals())

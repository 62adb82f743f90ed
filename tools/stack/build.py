"""Builds the functions for the local stack: `python -m tools.stack.build`."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.stack import console
from tools.stack.archives import FOLDER, archive_of, console_of, write_archive
from tools.stack.project import FUNCTIONS, PACKAGES, ROOT, say, target_directory
from tools.stack.stop import Stop

# The packages of the functions, as cargo names them on its command line.
PACKAGE_ARGUMENTS = [argument for package in PACKAGES for argument in ("-p", package)]
# Set by `make test` and `make check`, whose steps need all functions, programs and tests.
BUILD_EVERYTHING = "BUILD_EVERYTHING"
CLIPPY = "clippy-driver"
EVERYTHING = ["--workspace", "--lib", "--bins", "--examples", "--tests"]


def build_everything() -> None:
    """Makes every build of this process and its children compile everything, with lints. Cargo unifies the features of
    the selected packages, so builds of different selections compile many shared dependencies again. In the dev profile,
    Clippy's compiler makes programs that behave like those of rustc, so that lints need no compilation of their own. It
    does not optimize, so release builds must not use it."""
    os.environ[BUILD_EVERYTHING] = "1"
    os.environ["RUSTC_WORKSPACE_WRAPPER"] = CLIPPY


def selected(*selection: str) -> list[str]:
    """Returns what a build selects: everything after `build_everything`, else what the caller needs."""
    return EVERYTHING if BUILD_EVERYTHING in os.environ else list(selection)


def build(stop: Stop) -> None:
    """Builds dev-profile binaries without debug information, in the places that the template names, and their archives. Builds
    the console meanwhile."""
    say("Building the functions (takes minutes the first time) ...")
    with ThreadPoolExecutor(1) as pool:
        the_console = pool.submit(build_console, stop)
        if stop.run(["cargo", "build", "--locked", *selected(*PACKAGE_ARGUMENTS, "--bins")], cwd=ROOT) != 0:
            sys.exit("The functions could not be built.")
        # Its failure is the last thing that people read, and not lost among cargo's lines.
        the_console.result()
    for function in FUNCTIONS:
        stop.check()
        place(target_directory() / "debug" / function, function)


def build_console(stop: Stop) -> None:
    """Builds the console; without its tools, only the tests insist on it."""
    if console.is_installed() or not console.is_wanted():
        console.build_and_place(stop, console.FUNCTION)
    elif BUILD_EVERYTHING in os.environ:
        sys.exit("The console's tools are not installed. Run `make ready`.")
    else:
        console.place(None, console.FUNCTION)


def build_program(name: str, *selection: str) -> Path:
    """Builds a program that is not a function."""
    command = ["cargo", "build", "--locked", *selected(*selection, "--bin", name)]
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        sys.exit(f"{name} could not be built.")
    return target_directory() / "debug" / name


def place(built: Path, function: str) -> None:
    bootstrap = ROOT / "target" / "lambda" / function / "bootstrap"
    stamp = FOLDER / function
    made = [stamp, bootstrap, archive_of(function)]
    if all(path.exists() for path in made) and stamp.read_text() == versions(built, bootstrap, *console_of(bootstrap)):
        return
    bootstrap.parent.mkdir(parents=True, exist_ok=True)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["strip", "-o", bootstrap, built], check=False).returncode != 0:
        shutil.copy2(built, bootstrap)
    write_archive(function, bootstrap)
    stamp.write_text(versions(built, bootstrap, *console_of(bootstrap)))


def versions(*files: Path) -> str:
    """Identifies versions of files by modification time, because `make build` writes binaries for AWS to the same place."""
    return " ".join(str(file.stat().st_mtime_ns) for file in files)


if __name__ == "__main__":
    build(Stop.on_signals())

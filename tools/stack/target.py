"""Adds the target that functions are built for to the Rust toolchain, unless it has it already.

Usage: python -m tools.stack.target TARGET
"""

import shutil
import subprocess
import sys
from pathlib import Path

from tools.stack.project import ROOT, say

# A download of 30 MB; without a network, rustup tries for minutes.
PATIENCE_SECONDS = 300


class Missing(Exception):
    """The toolchain does not have the target, and it could not be added; the message says why."""


def has(target: str) -> bool:
    """Whether the toolchain has the standard library of the target."""
    command = ["rustc", "--print", "target-libdir", "--target", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode == 0 and any(Path(done.stdout.strip()).glob("libstd-*.rlib"))


def add(target: str) -> None:
    """Adds the target. Raises `Missing` if that is impossible."""
    if has(target):
        return
    if shutil.which("rustup") is None:
        raise Missing(f"There is no rustup to add the target {target}: install the standard library of this target beside your Rust.")
    say(f"Adding the target {target} to the Rust toolchain (once) ...")
    try:
        command = ["rustup", "target", "add", target]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        raise Missing(f"`rustup target add {target}` did not end within {PATIENCE_SECONDS} s. Is there a network?") from None
    if done.returncode != 0 or not has(target):
        raise Missing(f"`rustup target add {target}` failed:\n{done.stderr.strip()[-2000:]}")


if __name__ == "__main__":
    try:
        add(sys.argv[1])
    except Missing as missing:
        sys.exit(str(missing))

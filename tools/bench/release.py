"""Builds the release binaries that are measured: `python -m tools.bench.release`."""

import os
import subprocess
import sys
from pathlib import Path

from tools.stack.project import PACKAGES, ROOT, say, target_directory
from tools.stack.stop import Stop

RELEASE = target_directory() / "release"


def build_release(stop: Stop) -> None:
    say("Building release binaries (ten minutes the first time) ...")
    # Clippy's compiler, with which `make check` builds, does not optimize like rustc.
    environment = {name: value for name, value in os.environ.items() if name != "RUSTC_WORKSPACE_WRAPPER"}
    packages = [part for name in (*PACKAGES, "bench") for part in ("-p", name)]
    if stop.run(["cargo", "build", "--release", "--locked", *packages, "--bins"], cwd=ROOT, env=environment) != 0:
        sys.exit("The release binaries could not be built.")


def stripped(binary: Path) -> Path:
    """Strips the bare functions, whose own optimization settings exclude them from the profile's `strip`."""
    if binary.name.startswith("bench-"):
        subprocess.run(["strip", binary], check=True)
    return binary


if __name__ == "__main__":
    build_release(Stop.on_signals())

"""Builds the release binaries that are measured: `python -m tools.bench.release [FUNCTION...]`, by default all."""

import os
import subprocess
import sys
from pathlib import Path

from tools.stack.project import FUNCTIONS, ROOT, package, say, target_directory
from tools.stack.stop import Stop

RELEASE = target_directory() / "release"
BARE = ["bench-hello", "bench-bare"]
# Linux shares the processor between sessions first, whatever the priority of their processes is, and each child of `Stop` has
# a session of its own. So the session gets the lowest priority.
IDLY = ["sh", "-c", "echo 19 2>/dev/null >/proc/self/autogroup; exec nice -n 19 \"$@\"", "sh"]


def build_release(stop: Stop, functions: list[str] = FUNCTIONS) -> None:
    """Builds functions and the bare ones. Features are those of the selected packages: all functions are built as `make build`
    builds them; a few of them are not built with what only others use, which linking would remove."""
    say(f"Building {len(functions)} release binaries (a minute of processor time each) ...")
    # Clippy's compiler, with which `make check` builds, does not optimize like rustc.
    environment = {name: value for name, value in os.environ.items() if name != "RUSTC_WORKSPACE_WRAPPER"}
    packages = [part for name in sorted({"bench", *map(package, functions)}) for part in ("-p", name)]
    binaries = [part for name in (*functions, *BARE) for part in ("--bin", name)]
    cargo = [*IDLY, "cargo", "build", "--release", "--locked", *packages, *binaries]
    if stop.run(cargo, cwd=ROOT, env=environment) != 0:
        sys.exit("The release binaries could not be built.")


if __name__ == "__main__":
    build_release(Stop.on_signals(), sys.argv[1:] or FUNCTIONS)

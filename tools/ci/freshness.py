"""Runs a command as a new machine would: `python3 -m tools.ci.freshness COMMAND...`, without one `make test`.

Clones the checkout into target/fresh, with an empty CARGO_HOME, no tools and no target folder, and downloads what
`make test` and `make check` need (`make ready`). Then runs the command there. From then on, cargo, pip, uv and
npm must do without the network, so that a download that `make ready` forgets is noticed. pip may use its own cache.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.stack.project import ROOT, say
from tools.stack.stop import Stop, Stopped

FOLDER = ROOT / "target" / "fresh"
OFFLINE = {"CARGO_NET_OFFLINE": "true", "PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "npm_config_offline": "true"}
# Variables of the surrounding run, which a new machine does not have.
UNSET = (
    *("CARGO_TARGET_DIR", "LOCAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PLATFORM_BASE_URL", "PYTHONPATH"),
    *("BUILD_EVERYTHING", "RUSTC_WORKSPACE_WRAPPER"),
)


def fresh_environment(cargo_home: Path) -> dict[str, str]:
    """Returns an environment without earlier downloads, except the toolchain."""
    rustup = os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    return {**kept, "CARGO_HOME": str(cargo_home), "RUSTUP_HOME": rustup}


def clone(checkout: Path) -> None:
    """Clones the last commit and copies the changes since then."""
    subprocess.run(["git", "clone", "--quiet", ROOT, checkout], check=True)
    listed = ["git", "ls-files", "-z", "--modified", "--others", "--exclude-standard"]
    changed = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, changed.split("\0")):
        source, target = ROOT / name, checkout / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        else:
            target.unlink(missing_ok=True)


def run(stop: Stop, command: list[str]) -> int:
    """Runs the command in a fresh clone, and returns its exit code."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    checkout = FOLDER / "checkout"
    clone(checkout)
    environment = fresh_environment(FOLDER / "cargo")
    # A full disk fails in many ways that do not name it.
    say(f"Downloads: make ready ({shutil.disk_usage(FOLDER).free / 1e9:.0f} GB free on the disk; 15 are enough)")
    if stop.run(["make", "ready"], cwd=checkout, env=environment) != 0:
        sys.exit("The downloads fail on a new machine.")
    return stop.run(command, cwd=checkout, env={**environment, **OFFLINE})


def main() -> None:
    stop = Stop.on_signals()
    try:
        sys.exit(run(stop, sys.argv[1:] or ["make", "test"]))
    except Stopped:
        sys.exit("Stopped.")


if __name__ == "__main__":
    main()

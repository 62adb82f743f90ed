"""Proves that a fresh machine passes: `make ready` downloads everything that `make test` and `make check` need.

Clones the checkout into a temporary folder, with an empty CARGO_HOME, no tools and no target folder, and runs `make
ready` there. Then, without the network, it runs everything that reads what was downloaded: cargo must find every crate
of Cargo.lock, every set of tools must start, and the steps of `make test` that read downloads must pass. The programs
that run there are those that this checkout has compiled. pip may use its own cache.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.stack.project import FUNCTIONS, ROOT, say
from tools.stack.stop import Stop, Stopped

# Nothing listens at this address, so that every download fails.
NOWHERE = "http://127.0.0.1:9"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
NO_PROXIES = ("NO_PROXY", "no_proxy")
OFFLINE = {
    "CARGO_NET_OFFLINE": "true",
    "PIP_NO_INDEX": "1",
    **{name: NOWHERE for name in PROXIES},
    **{name: "localhost,127.0.0.1" for name in NO_PROXIES},
}
# Variables of the surrounding run, which a fresh machine does not have.
UNSET = ("CARGO_TARGET_DIR", "LOCAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PLATFORM_BASE_URL", "PYTHONPATH")
OFFLINE_STEPS = {
    "Crates": ["cargo", "fetch", "--locked", "--offline"],
    "Metadata": ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"],
    "Fuzzing tools": [".tools/fuzz/bin/schemathesis", "--version"],
    "Steps of make test": [".tools/deploy/bin/python", "-B", "-m", "tools.ci.make_test", "--fresh"],
}


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


def share_programs(checkout: Path) -> None:
    """Copies what was compiled before: the functions and the command line."""
    functions = [Path("target", "lambda", function, "bootstrap") for function in FUNCTIONS]
    for program in (*functions, Path("target", "debug", "messaging")):
        (checkout / program).parent.mkdir(parents=True)
        shutil.copy2(ROOT / program, checkout / program)


def prove(stop: Stop, folder: Path) -> None:
    checkout = folder / "checkout"
    clone(checkout)
    environment = fresh_environment(folder / "cargo")

    def run(title: str, command: list[str], **variables: str) -> None:
        say(f"{title}: {' '.join(command)}")
        started = time.monotonic()
        quiet = {"stdout": subprocess.DEVNULL} if title == "Metadata" else {}
        if stop.run(command, cwd=checkout, env={**environment, **variables}, **quiet) != 0:
            sys.exit(f"This step fails on a fresh machine: {title}")
        say(f"{title}: {time.monotonic() - started:.0f} s")

    run("Downloads", ["make", "ready"])
    share_programs(checkout)
    for title, command in OFFLINE_STEPS.items():
        run(title, command, **OFFLINE)


def main() -> None:
    stop = Stop.on_signals()
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        try:
            prove(stop, Path(folder))
        except Stopped:
            sys.exit("Stopped.")


if __name__ == "__main__":
    main()

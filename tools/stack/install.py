"""Installs the tools that the Makefile needs into .tools, each set in a virtual environment of its own, at pinned
versions.

Usage: python -m tools.stack.install SET...

Sets: emulator (the AWS emulator), deploy (SAM CLI), build (cargo-lambda), receiver (the library with which the tour's
receiver verifies events), contract (validator and linter of the OpenAPI document), client (a client generator), browser
(drives a browser), fuzz (property-based tests of the API), deny (licences and duplicates of dependencies).
"""

import hashlib
import signal
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.stack.project import ROOT, TOOLS

REQUIREMENTS = Path(__file__).parent / "requirements"
AT_ONCE = 3


def install(name: str) -> None:
    """Installs a set, unless it is already installed at these versions."""
    requirements = REQUIREMENTS / f"{name}.txt"
    target = TOOLS / name
    stamp = target / ".installed"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"Installing {name} tools into {target.relative_to(ROOT)} (once; a minute or two) ...", flush=True)
    venv.create(target, with_pip=True, clear=True)
    pip = [target / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "-r", requirements], check=True)
    stamp.write_text(wanted)


def main() -> None:
    if sys.version_info < (3, 10):
        sys.exit("Python 3.10 or later is required.")
    # Ctrl-C ends this process and pip at once. A set without its stamp file is installed again.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Half of an installation waits for the network, and the other half for the disk.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(install, sys.argv[1:]))


if __name__ == "__main__":
    main()

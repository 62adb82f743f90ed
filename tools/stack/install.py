"""Puts the tools that the Makefile needs into .tools, each set in an environment of its own, at pinned versions.

Usage: tools.py SET...   (emulator: the AWS emulator; deploy: SAM CLI; build: cargo-lambda;
receiver: what the README's receiver of events verifies with; contract: validator and linter of the OpenAPI document;
client: the generator of a client; browser: what drives a browser; fuzz: property-based checks of the API; deny: licences and duplicates
of what is linked)
"""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools"
REQUIREMENTS = Path(__file__).parent / "requirements"


def install(name: str) -> Path:
    """The folder of the set's programs; a set that is there at these versions costs nothing."""
    requirements = REQUIREMENTS / f"{name}.txt"
    target = TOOLS / name
    stamp = target / ".installed"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == wanted):
        print(f"Installing {name} tools into {target.relative_to(ROOT)} (once; a minute or two) ...", flush=True)
        venv.create(target, with_pip=True, clear=True)
        pip = [target / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "-r", requirements], check=True)
        stamp.write_text(wanted)
    return target / "bin"


if __name__ == "__main__":
    if sys.version_info < (3, 10):
        sys.exit("Python 3.10 or later is needed.")
    for tool_set in sys.argv[1:]:
        install(tool_set)

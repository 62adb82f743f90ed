"""Node.js and the programs of npm packages, as install.py installs them in the set `client`."""

import os
from pathlib import Path

from tools.stack.project import TOOLS

CLIENT = TOOLS / "client"
NODE = CLIENT / "bin" / "node"


def environment(folder: Path = CLIENT) -> dict[str, str]:
    """Returns the environment in which a set's programs find each other. Node.js caches compiled code in .tools, not in
    the system's folder for temporary files."""
    path = f"{folder / 'node_modules' / '.bin'}{os.pathsep}{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "NODE_COMPILE_CACHE": str(TOOLS / "cache" / "node")}

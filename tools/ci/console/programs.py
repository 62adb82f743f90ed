"""Runs the code that "Show as code" shows, as a reader would: in a shell, with the libraries of this checkout, and with the command line."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.ci.console.member import World
from tools.stack.project import ROOT, TOOLS, target_directory

PATIENCE_SECONDS = 60


def shell(code: str, folder: Path) -> list[object]:
    return ["sh", "-c", code]


def typescript(code: str, folder: Path) -> list[object]:
    package = folder / "node_modules" / "@messaging-api" / "client"
    package.mkdir(parents=True)
    # Node.js leaves out types, but not of files that lie in node_modules; a link leads out of there.
    (package / "src").symlink_to(ROOT / "clients" / "typescript" / "src")
    (package / "package.json").write_text('{"type": "module", "exports": "./src/index.ts"}')
    (folder / "program.mts").write_text(code)
    return [TOOLS / "console" / "bin" / "node", folder / "program.mts"]


def python(code: str, folder: Path) -> list[object]:
    return [TOOLS / "client" / "bin" / "python", "-B", "-c", code]


LANGUAGES: dict[str, Callable[[str, Path], list[object]]] = {
    "curl": shell,
    "TypeScript": typescript,
    "Python": python,
    "Command line": shell,
}


def run(language: str, code: str, world: World) -> str:
    """Runs code in a folder of its own, and returns what it prints."""
    admin = world.values["ADMIN_KEY"]
    environment = {
        **os.environ,
        "ADMIN_KEY": admin,
        "MESSAGING_API_KEY": admin,
        "MESSAGING_BASE_URL": world.base_url,
        "PYTHONPATH": str(ROOT / "clients" / "python"),
        "PATH": f"{target_directory() / 'debug'}{os.pathsep}{os.environ['PATH']}",
    }
    with tempfile.TemporaryDirectory(prefix="code-") as folder:
        command = list(map(str, LANGUAGES[language](code, Path(folder))))
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    return done.stdout + done.stderr

"""Builds the console and compresses its files, in target/console, unless that is done already.

Usage: python -m tools.stack.console [FOLDER]

Puts the files into the folder `console` in FOLDER, where the function's binary is: target/lambda/reference by default. With
CONSOLE=off in the environment, it removes them from there instead.
"""

import contextlib
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.stack import install
from tools.stack.node import environment
from tools.stack.project import ROOT, TOOLS, say
from tools.stack.stop import Stop, Stopped

# The set of tools, which install.py installs.
SET = "console"
MODULES = TOOLS / SET / "node_modules"
SOURCE = ROOT / "console"
# Everything that the build reads, and this program.
INPUTS = (
    "console",
    "clients/typescript/src",
    "clients/typescript/package.json",
    "clients/receivers",
    "docs/openapi.json",
    "tools/stack/console.py",
)
FOLDER = ROOT / "target" / "console"
# Where the archive of the local stack and `make deploy` take the files from.
FUNCTION = ROOT / "target" / "lambda" / "reference"
# Builds of other sources are removed after this time, when nothing can still be copying their files.
KEPT_SECONDS = 3600
# Vite's bundler colours its messages whatever the environment says.
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def is_wanted() -> bool:
    return os.environ.get("CONSOLE", "").strip() != "off"


def is_installed() -> bool:
    return install.is_installed(SET)


def is_placed() -> bool:
    """Whether the local stack has the console."""
    return (FUNCTION / "console" / "index.html.gz").exists()


def files_of(path: Path) -> list[Path]:
    """Returns a file, or all files of a folder, without installed packages."""
    if not path.is_dir():
        return [path]
    return [file for child in sorted(path.iterdir()) if child.name != "node_modules" for file in files_of(child)]


def version() -> str:
    """Identifies what the build reads, by its content."""
    digest = hashlib.sha256(install.version(SET).encode())
    for file in (file for each in INPUTS for file in files_of(ROOT / each)):
        # An editor may just be replacing it.
        with contextlib.suppress(FileNotFoundError):
            content = file.read_bytes()
            digest.update(f"{file.relative_to(ROOT)} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def pages(built: Path) -> Path:
    """Returns the folder of a build with the files as Vite writes them, and its manifest."""
    return built / "pages"


def compressed(built: Path) -> Path:
    """Returns the folder of a build with what is served."""
    return built / "compressed"


def build(stop: Stop) -> Path:
    """Builds the console. Returns the folder of the build."""
    while not (built := FOLDER / version()).exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=FOLDER))
        try:
            run_vite(stop, pages(draft))
            compress(pages(draft), compressed(draft))
            # Not if somebody has saved a file meanwhile: nobody knows which version was built.
            if FOLDER / version() == built:
                take_place(draft, built)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        remove_others(built)
    return built


def take_place(draft: Path, built: Path) -> None:
    try:
        draft.rename(built)
    except OSError:
        # Another process may have built the same.
        if not built.is_dir():
            raise


def run_vite(stop: Stop, folder: Path) -> None:
    link_modules()
    log = folder.with_name("vite.log")
    vite = [TOOLS / SET / "bin" / "node", MODULES / "vite" / "bin" / "vite.js", "build", "--configLoader", "native"]
    variables = {**environment(TOOLS / SET), "NODE_ENV": "production"}
    with log.open("wb") as output:
        options = {"cwd": SOURCE, "env": variables, "stdout": output, "stderr": subprocess.STDOUT}
        code = stop.run([*vite, "--outDir", folder, "--emptyOutDir"], **options)
    if code != 0:
        sys.exit(f"The console could not be built:\n{COLOURS.sub('', log.read_text(errors='replace'))}")


def link_modules() -> None:
    """Lets the programs find the packages where they look for them, and editors, too."""
    link = SOURCE / "node_modules"
    # Relative, so that the checkout can be moved.
    target = os.path.relpath(MODULES, SOURCE)
    if link.is_symlink() and os.readlink(link) == target:
        return
    if link.is_symlink():
        link.unlink(missing_ok=True)
    with contextlib.suppress(FileExistsError):
        link.symlink_to(target)


def compress(source: Path, target: Path) -> None:
    """Compresses the files of a folder, but not those of its folders, such as the manifest. Equal content gives equal files."""
    target.mkdir()
    for file in sorted(path for path in source.iterdir() if path.is_file()):
        (target / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))


def remove_others(built: Path) -> None:
    for other in FOLDER.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if other != built and other.stat().st_mtime < time.time() - KEPT_SECONDS:
                shutil.rmtree(other, ignore_errors=True)


def place(source: Path | None, function: Path) -> None:
    """Makes the console beside a function's binary equal to a folder; without one, removes it. Does not touch equal files:
    the time of their change says whether the archive is current."""
    target = function / "console"
    if source is None:
        shutil.rmtree(target, ignore_errors=True)
        return
    target.mkdir(parents=True, exist_ok=True)
    wanted = {file.name: file.read_bytes() for file in source.iterdir()}
    for file in target.iterdir():
        if file.name not in wanted:
            file.unlink(missing_ok=True)
    for name, content in wanted.items():
        file = target / name
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)


def build_and_place(stop: Stop, function: Path) -> None:
    place(compressed(build(stop)) if is_wanted() else None, function)


def main() -> None:
    if is_wanted() and not is_installed():
        sys.exit("The console's tools are not installed: run `python3 -m tools.stack.install console`, or set CONSOLE=off.")
    function = Path(sys.argv[1]) if len(sys.argv) > 1 else FUNCTION
    try:
        build_and_place(Stop.on_signals(), function)
    except Stopped:
        sys.exit("Stopped.")
    say(f"The console is in {function / 'console'}." if is_wanted() else "The console is left out.")


if __name__ == "__main__":
    main()

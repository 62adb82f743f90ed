"""`make release`: makes everything that a release consists of, in target/release-<version>, with checksums (docs/releasing.md).

Usage: python -m tools.release

Variables: ARCHITECTURES, of the functions ("arm64 x86_64"); PARTS, to make some of them ("command-line checksums").
"""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.operate.steps import Refused
from tools.release import bundle
from tools.stack.project import ROOT, TOOLS, say, target_directory

CHOICES = ("arm64", "x86_64")
PYTHON = [sys.executable, "-B", "-m"]
# The tests of the libraries need the packages of the local stack.
STACK_PYTHON = [TOOLS / "deploy" / "bin" / "python", "-B", "-m"]
BUILT = ROOT / "target" / "lambda-release"


def run(*command: object, **variables: str) -> None:
    if subprocess.run(list(map(str, command)), cwd=ROOT, env={**os.environ, **variables}, check=False).returncode != 0:
        raise Refused(f"{' '.join(map(str, command))} failed.")


def check_commit() -> None:
    """A release is made from a commit, so that others can make it again."""
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    if changed.stdout.strip():
        raise Refused(f"Commit or stash your changes first; a release is made from a commit:\n{changed.stdout.rstrip()}")


def architectures() -> list[str]:
    wanted = os.environ.get("ARCHITECTURES", "").split() or list(CHOICES)
    if wrong := [name for name in wanted if name not in CHOICES]:
        raise Refused(f"ARCHITECTURES: {wrong[0]} is none of {', '.join(CHOICES)}.")
    return wanted


def functions(folder: Path) -> None:
    for architecture in architectures():
        built = BUILT / architecture
        run("make", "build", f"ARCHITECTURE={architecture}", f"LAMBDA_DIR={built}")
        say(f"   {bundle.write(folder, built, architecture).name}")


def command_line(folder: Path) -> None:
    """The command line for this machine; the workflow runs on others, too."""
    run("cargo", "build", "--release", "--locked", "--package", "cli")
    host = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    target = next(line.split()[1] for line in host.splitlines() if line.startswith("host:"))
    program = (target_directory() / "release" / "messaging").read_bytes()
    path = folder / f"messaging-{bundle.version()}-{target}.gz"
    path.write_bytes(gzip.compress(program, 9, mtime=0))


def libraries(folder: Path) -> None:
    """The packages that the tests of the libraries make, and have tested."""
    for library in ("typescript", "python_library", "rust_library"):
        run(*STACK_PYTHON, f"tools.ci.{library}")
    made = [*(ROOT / "target" / "typescript").glob("*.tgz"), *(ROOT / "target" / "python" / "dist").glob("*.whl")]
    made += (target_directory() / "package").glob(f"messaging-client-{bundle.version()}.crate")
    for file in made:
        shutil.copy2(file, folder)


def documents(folder: Path) -> None:
    run("make", "contract")
    for file in sorted((ROOT / "target" / "clients").iterdir()):
        if file.is_file():
            shutil.copy2(file, folder)
    shutil.copy2(ROOT / "docs" / "openapi.json", folder)


def bill_of_materials(folder: Path) -> None:
    run(*PYTHON, "tools.stack.install", "release")
    run(TOOLS / "release" / "bin" / "python", "-B", "-m", "tools.release.sbom", folder / f"messaging-api-{bundle.version()}.cdx.json")


def checksums(folder: Path) -> None:
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != bundle.SUMS)
    lines = [f"{bundle.digest(file.read_bytes())}  {file.name}\n" for file in files]
    (folder / bundle.SUMS).write_text("".join(lines))


PARTS = {
    "functions": functions,
    "command-line": command_line,
    "libraries": libraries,
    "documents": documents,
    "bill-of-materials": bill_of_materials,
    "checksums": checksums,
}


def wanted() -> list[str]:
    named = os.environ.get("PARTS", "").split()
    if wrong := [name for name in named if name not in PARTS]:
        raise Refused(f"PARTS: {wrong[0]} is none of {', '.join(PARTS)}.")
    # In the order of the parts: the checksums come last.
    return [name for name in PARTS if not named or name in named]


def main() -> None:
    folder = ROOT / "target" / f"release-{bundle.version()}"
    try:
        parts = wanted()
        check_commit()
        if len(parts) == len(PARTS):
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        for name in parts:
            say(f"== {name}")
            PARTS[name](folder)
    except Refused as error:
        sys.exit(str(error))
    say("\n".join(["", *(f"   {path.stat().st_size:>12,}  {path.name}" for path in sorted(folder.iterdir()))]))


if __name__ == "__main__":
    main()

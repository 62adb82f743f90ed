"""Checks that no source file, of the product or of its tests, has more than 300 lines.

Usage: python -m tools.ci.sizes
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from tools.stack.project import ROOT

LIMIT = 300
ENDINGS = {".rs", ".py", ".js", ".mjs", ".ts", ".svelte", ".css", ".html", ".sh"}
# Files that may be longer, each with the reason.
EXCEPTIONS = {
    "clients/rust/src/generated/methods.rs": "`make contract` generates it from the OpenAPI document",
    "clients/rust/src/generated/queries.rs": "`make contract` generates it from the OpenAPI document",
    "clients/rust/src/generated/types.rs": "`make contract` generates it from the OpenAPI document",
    "clients/python/messaging_api/_generated/methods.py": "`make contract` generates it from the OpenAPI document",
    "clients/python/messaging_api/_generated/types.py": "`make contract` generates it from the OpenAPI document",
    "clients/typescript/src/generated/methods.ts": "`make contract` generates it from the OpenAPI document",
    "clients/typescript/src/generated/types.ts": "`make contract` generates it from the OpenAPI document",
}


def is_covered(file: str) -> bool:
    return PurePosixPath(file).suffix in ENDINGS and file not in EXCEPTIONS


def lengths(root: Path, files: Iterable[str]) -> dict[str, int]:
    """Returns the number of lines of each covered file. Git also lists files whose deletion is not staged."""
    paths = {file: root / file for file in files if is_covered(file)}
    return {file: len(path.read_bytes().splitlines()) for file, path in paths.items() if path.exists()}


def too_long(lines: dict[str, int]) -> list[str]:
    """Returns a message for each file that is longer than the limit."""
    return [
        f"{file} has {count} lines, but the limit is {LIMIT}. Split it by subject."
        for file, count in sorted(lines.items())
        if count > LIMIT
    ]


def tracked() -> list[str]:
    """Returns the files that are tracked by Git, relative to the checkout."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\0").split("\0")


def main() -> None:
    lines = lengths(ROOT, tracked())
    if messages := too_long(lines):
        sys.exit("\n".join(messages))
    print(f"{len(lines)} files checked, none has more than {LIMIT} lines")


if __name__ == "__main__":
    main()

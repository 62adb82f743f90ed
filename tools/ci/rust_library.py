"""Checks that the Rust library could be published: every public name is documented without broken links, the examples in the
documentation compile, and the package builds without the workspace. `make test` plays the vectors and checks everything else.
"""

import os
import subprocess
import sys

from tools.stack.project import ROOT, say

PACKAGE = ("--package", "messaging-client", "--locked", "--offline")
STEPS = (
    ("doc", "--no-deps", *PACKAGE),
    ("test", "--doc", *PACKAGE),
    # In a work tree with changes, too: developers run this before they commit.
    ("package", "--allow-dirty", *PACKAGE),
)


def main() -> None:
    environment = {**os.environ, "RUSTDOCFLAGS": "--deny warnings"}
    for step in STEPS:
        done = subprocess.run(["cargo", *step], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"cargo {step[0]} failed:\n{done.stdout}{done.stderr}")
        say(f"cargo {step[0]} passed")


if __name__ == "__main__":
    main()

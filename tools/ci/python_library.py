"""Checks and tests the Python library, and uses the wheel that users install, in an environment that has nothing else.

Usage: python -m tools.ci.python_library [BASE_URL]

With the address of a running stack, whose credentials are in environment variables, the package calls each operation there, and
the examples and the quick start run. Without one, the wheel is made: target/python has it.
"""

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

from tools.ci.receivers import CHAPTER
from tools.ci.steps import Steps
from tools.stack.install import REQUIREMENTS
from tools.stack.node import CLIENT, NODE, environment
from tools.stack.project import ROOT, TOOLS, say
from tools.stack.stack import Stack

SOURCE = ROOT / "clients" / "python"
FOLDER = ROOT / "target" / "python"
# A user's project: an environment with the wheel and what it needs.
PROJECT = FOLDER / "project"
PROJECT_PYTHON = PROJECT / "bin" / "python"
# The environment with the checkers.
PYTHON = CLIENT / "bin" / "python"
LIBRARY = "Python library"
EXAMPLES = (
    ("send_message.py",), ("receive_webhooks.py",), ("follow_events.py", "position.txt", "--once"), ("upload_file.py", "photo.png"),
)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
# httpx and what it needs.
NEEDED = {"anyio", "certifi", "exceptiongroup", "h11", "httpcore", "httpx", "idna", "typing_extensions"}
# Of what is written by hand. Empty lines, which the style guide of Python demands in pairs, are not counted.
MOST_LINES = 1200
# Lines of planted.py that checkers must report.
MISTAKE = "# mistake"
# Set when the wheel is made, or could not be.
made = threading.Event()


def run(*command: object, folder: Path = FOLDER, fails: bool = False, **variables: str) -> str:
    """Runs a command, which must succeed, unless it must fail, and returns its output."""
    started = time.monotonic()
    variables = {**environment(), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", **variables}
    shown = " ".join(str(part) for part in command)
    done = subprocess.run([str(part) for part in command], cwd=folder, env=variables, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if (done.returncode != 0) != fails:
        sys.exit(f"{shown} in {folder}: exit code {done.returncode}, and this output:\n{output}")
    say(f"{time.monotonic() - started:4.1f} s  {shown[:150]}")
    return output


def prepare() -> None:
    code = [module.read_text().splitlines() for module in (SOURCE / "messaging_api").glob("*.py")]
    lines = sum(bool(line.strip()) for module in code for line in module)
    if lines > MOST_LINES:
        sys.exit(f"The part that is written by hand has {lines} lines without empty ones, but the limit is {MOST_LINES}.")
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(SOURCE, FOLDER, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for licence in ROOT.glob("LICENSE-*"):
        shutil.copy(licence, FOLDER)


def pack() -> None:
    """Makes the wheel, and installs it into an empty environment."""
    run(PYTHON, "-m", "hatchling", "build", "-t", "wheel")
    (wheel,) = (FOLDER / "dist").glob("*.whl")
    uv = (TOOLS / "uv" / "bin" / "uv", "--quiet", "--offline", "--cache-dir", TOOLS / "cache")
    run(*uv, "venv", "--python", sys.executable, PROJECT)
    # What the package needs is in the cache, at the versions of the set. `check` says whether that is what it asks for.
    run(*uv, "pip", "install", "--python", PROJECT_PYTHON, "--no-deps", wheel, *pinned())
    run(*uv, "pip", "check", "--python", PROJECT_PYTHON)
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    samples = FOLDER / "samples"
    samples.mkdir()
    for name, source in samples_of(document).items():
        (samples / f"{name.replace('.', '_')}.py").write_text(source)
    (FOLDER / "quick_start.py").write_text(quick_start(document))


def pinned() -> list[str]:
    """Returns the packages that httpx needs, with their versions."""
    lines = (REQUIREMENTS / "client.txt").read_text().splitlines()
    return [line for line in lines if line.partition("==")[0] in NEEDED]


def check_types() -> None:
    """Checks the library, and programs against the installed package; the checkers must find planted mistakes."""
    mypy = (PYTHON, "-m", "mypy", "--strict", "--cache-dir", FOLDER / "mypy-cache", "--python-executable", PROJECT_PYTHON)
    programs = ("samples", "quick_start.py", "examples", "test")
    run(*mypy, "--no-incremental", SOURCE / "messaging_api")
    run(*mypy, *programs, "--exclude", "planted")
    pyright = (NODE, CLIENT / "node_modules" / "pyright" / "index.js", "--pythonpath", PROJECT_PYTHON)
    run(*pyright, "quick_start.py", "examples")
    lines = (FOLDER / "test" / "planted.py").read_text().splitlines()
    planted = {str(number) for number, line in enumerate(lines, 1) if line.endswith(MISTAKE)}
    for name, command in (("mypy", mypy), ("pyright", pyright)):
        output = run(*command, "test/planted.py", fails=True)
        found = set(re.findall(r"planted\.py:(\d+)(?::\d+)?:? (?:- )?error", output))
        if found != planted:
            sys.exit(f"{name} finds mistakes in lines {sorted(found)} of planted.py, but they are in {sorted(planted)}:\n{output}")


def unit_tests() -> None:
    # `.ci` and people read the count. The tests use the wheel, not the sources beside them.
    say(run(PROJECT_PYTHON, "-m", "unittest", "discover", "-s", "test", CONFORMANCE=str(ROOT / "clients" / "conformance"), REPOSITORY=str(ROOT)))


def samples_of(document: dict) -> dict[str, str]:
    """Returns the Python samples of the reference by operation. Each operation that users have must have one."""
    operations = [operation for item in document["paths"].values() for operation in item.values() if isinstance(operation, dict)]
    public = [operation for operation in operations if not operation.get("x-internal")]
    found = {
        operation["operationId"]: sample["source"]
        for operation in public
        for sample in operation.get("x-codeSamples", [])
        if sample["lang"] == "Python"
    }
    if missing := {operation["operationId"] for operation in public} - set(found):
        sys.exit(f"These operations have no Python sample: {', '.join(sorted(missing))}")
    return found


def quick_start(document: dict) -> str:
    """Returns the Python of the reference's quick start, whose blocks are one program."""
    start, _, _ = document["info"]["description"].partition(CHAPTER)
    return "\n".join(BLOCK.findall(start))


def make() -> None:
    prepare()
    pack()
    # The checkers and the tests use one core each.
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(action) for action in (check_types, unit_tests)]:
            done.result()


def use(base_url: str) -> None:
    """Calls each operation, and runs the examples and the quick start."""
    with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=60) as answer:
        document = json.load(answer)
    key = os.environ["TEST_APP_KEY"]
    program = quick_start(document).replace("sk_test_app_...", key)
    if base_url not in program or key not in program:
        sys.exit("The quick start's Python does not have the address of the installation, or no key.")
    (FOLDER / "quick_start.py").write_text(program)
    (FOLDER / "photo.png").write_bytes(bytes.fromhex(PHOTO))
    variables = {"BASE_URL": base_url, "MESSAGING_BASE_URL": base_url, "MESSAGING_API_KEY": key}
    say(run(PROJECT_PYTHON, "test/stack/operations.py", **variables, REPOSITORY=str(ROOT)))
    with ThreadPoolExecutor() as pool:
        # Most of them wait for the service.
        for done in [pool.submit(run_program, program, variables) for program in (*EXAMPLES, ("quick_start.py",))]:
            done.result()


def run_program(program: tuple[str, ...], variables: dict[str, str]) -> None:
    name, *arguments = program
    path = f"examples/{name}" if (FOLDER / "examples" / name).exists() else name
    output = run(PROJECT_PYTHON, path, *arguments, **variables)
    if missing := [text for text in EXPECTED[name] if text not in output]:
        sys.exit(f"{name} did not print {missing}, but:\n{output}")


# A picture of one pixel.
PHOTO = "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364600000000600023081d02f0000000049454e44ae426082"
# Output that the programs must have.
EXPECTED = {
    "send_message.py": ["WhatsApp: ACCEPTED READ", "SMS: ACCEPTED DELIVERED", "InvalidRequestError invalid_phone_number to "],
    "receive_webhooks.py": ["messages.chat.received"],
    "follow_events.py": ["1 evt_"],
    "upload_file.py": ["68 of 68 bytes", " 68 68"],
    "quick_start.py": ["ACCEPTED", "READ", "messages.chat.sent", "msg_sms_test_"],
}


def library(steps: Steps) -> None:
    """Builds and tests the library, which needs no stack."""
    try:
        steps.command(LIBRARY, sys.executable, "-B", "-m", "tools.ci.python_library")
    finally:
        made.set()


def on_stack(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Uses the package on a stack."""
    while not made.wait(1):
        steps.stop.check()
    command = [sys.executable, "-B", "-m", "tools.ci.python_library", stack.base_url]
    steps.command("Python on the stack", *command, needs=(LIBRARY,), env={**os.environ, **values})


def main() -> None:
    if len(sys.argv) > 1:
        use(sys.argv[1].rstrip("/"))
    else:
        make()


if __name__ == "__main__":
    main()

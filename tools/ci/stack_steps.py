"""Steps against a running local stack."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from tools.ci.browser import find_browser
from tools.ci.fuzz_api import fuzz
from tools.ci.steps import Counted, Failed, Skipped, Steps
from tools.stack.environment import write_environment
from tools.stack.invoke import invoke
from tools.stack.project import LOCAL, ROOT, TOOLS, free_port
from tools.stack.stack import Stack

EVENTS = ROOT / "events"
STACK = "Local stack"
# Rules of the guard (docs/aws-limits.md) that tests break on purpose. Any other rejection or note is a fault.
EXPECTED_REFUSALS = {
    "dynamodb-item-size": "a platform update that is too large for an item must not block the others",
    "gateway-headers": "tests and the fuzzer send headers that are too large",
    "gateway-payload": "tests and the fuzzer send bodies that are too large for the gateway",
    "gateway-event": "tests and the fuzzer send files that are too large for a Lambda event",
}


def with_stack(steps: Steps, needs: tuple[str, ...], use: Callable[[Stack, dict[str, str]], None]) -> None:
    """Starts a stack as a step, calls `use` with it and the values of its demo organization, and stops it."""
    with Stack(free_port(), steps.stop) as stack:
        values: dict[str, str] = {}

        def start() -> None:
            stack.start()
            stack.deploy()
            values.update(stack.populate())

        if steps.run(STACK, start, needs):
            use(stack, values)


def sample_events(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Runs every sample event as `make invoke` does."""

    def run() -> Counted:
        # Webhook payloads are not events of a function.
        paths = sorted(path for path in EVENTS.glob("*/*.json") if path.parent.name != "payloads")
        refused = []
        for path in paths:
            steps.stop.check()
            reply = invoke(stack, values, path)
            if reply.get("statusCode", 200) >= 400:
                refused.append(f"{path.relative_to(ROOT)} was rejected: {reply}")
        if refused:
            raise Failed("\n".join(refused), Counted(len(paths) - len(refused), len(refused)))
        return Counted(len(paths))

    steps.run("Sample events", run, (STACK,))


def tour(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Runs the tour. Its `make invoke` must reach this stack, not one that a developer is running."""
    environment = LOCAL / f"env-{stack.port}"
    write_environment(environment, values)
    command = [sys.executable, "-B", "-m", "tools.ci.tour", environment, values["BASE_URL"], values["TEST_APP_KEY"]]
    try:
        steps.command("Tour and first upload", *command, env={**os.environ, "LOCAL_ENV": str(environment)})
    finally:
        environment.unlink()


def generated_client(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    python = TOOLS / "client" / "bin" / "python"
    environment = {**os.environ, **values}
    steps.command("Generated client", python, "-B", "-m", "tools.ci.client", stack.base_url, env=environment)


def pages(steps: Steps, stack: Stack) -> None:
    """Tests the pages in a browser, if one is installed."""
    title = "Pages"
    command = (TOOLS / "browser" / "bin" / "python", "-B", "-m", "tools.ci.pages", stack.base_url)

    def run() -> Counted | None:
        if find_browser() is None:
            raise Skipped("Chromium is not installed: the pages were NOT tested. Install it, or set CHROMIUM to its path.")
        return steps.execute(title, command, {})

    steps.run(title, run)


def rust_tests(steps: Steps, stack: Stack, values: dict[str, str], needs: tuple[str, ...]) -> None:
    """Runs all tests of the workspace and checks what they recorded: the responses given and the privileges used."""
    environment = {**os.environ, **values, "TEST_AWS_ENDPOINT": stack.endpoint}
    # The tests create their own connections; this one is for interactive tools.
    environment.pop("AWS_ENDPOINT_URL")
    seen, used = LOCAL / f"answers-{stack.port}", LOCAL / f"privileges-{stack.port}"
    environment |= {"CONTRACT_SEEN": str(seen), "PRIVILEGES_SEEN": str(used)}
    tests = ["cargo", "test", "--locked", "--workspace", "--lib", "--tests", "--no-fail-fast"]
    try:
        steps.command("Tests", *tests, needs=needs, env=environment)
        steps.run("Documented responses", lambda: unseen_responses(seen), ("Tests",))
        privileges = [sys.executable, "-B", "-m", "tools.ci.privileges", used]
        steps.command("Privileges", *privileges, needs=("Tests",))
    finally:
        seen.unlink(missing_ok=True)
        used.unlink(missing_ok=True)


def unseen_responses(seen: Path) -> str:
    """Checks that every documented response occurred in some test, except those that only a real gateway or a rare race
    causes."""
    given = set(seen.read_text().splitlines())
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    missing = []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for status, response in operation["responses"].items():
                # 503 comes from the gateway, and 409 from requests that change the same object again and again.
                # Operations without storage are never throttled.
                is_luck = response.get("$ref", "").endswith(("/ServiceUnavailable", "/Conflict"))
                is_bare = operation["tags"][0] in ("Reference", "Platform") and status in ("429", "500")
                if f"{method.upper()} {path} {status}" not in given and not is_luck and not is_bare:
                    missing.append(f"{method.upper()} {path}: {status}")
    if missing:
        raise Failed("docs/openapi.json documents responses that no test received:\n" + "\n".join(missing))
    return f"{len(given)} kinds of responses"


def fuzz_api(steps: Steps, stack: Stack, seconds: int) -> None:
    """Runs schemathesis for a limited time; `make fuzz-api` has no limit."""

    def run() -> str:
        report = ROOT / "target" / "fuzz-api" / "report.txt"
        report.parent.mkdir(parents=True, exist_ok=True)
        with report.open("w") as output:
            code = fuzz(stack, steps.stop, examples=3, seconds=seconds, output=output)
        if code != 0:
            raise Failed(report.read_text()[-20000:])
        return next(line for line in report.read_text().splitlines() if "generated" in line).strip()

    steps.run("Fuzzing the API", run, (STACK,))


def unexpected_refusals(steps: Steps, stack: Stack) -> None:
    """Checks the guard's record. `guard-fault`, a failure in a rule itself, is never expected."""

    def run() -> str:
        found = stack.guard.refusals()
        unexpected = [
            f"{known['rule']}: {known['count']} times, first of {known['operation']}: {known['first']}"
            for known in found
            if known["rule"] not in EXPECTED_REFUSALS
        ]
        if unexpected:
            raise Failed("AWS would reject these requests of the tests (docs/aws-limits.md):\n" + "\n".join(unexpected))
        return ", ".join(f"{known['rule']} {known['count']}" for known in found) or "nothing"

    steps.run("Rejections by the guard", run, (STACK,))

"""Steps against a running local stack, except the tests in Rust (rust_steps.py)."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.ci import receivers
from tools.ci.browser import find_browser
from tools.ci.fuzz_api import fuzz, summary
from tools.ci.steps import Counted, Failed, Steps, unchecked
from tools.stack.environment import write_environment
from tools.stack.invoke import invoke
from tools.stack.issuer import Issuer
from tools.stack.project import LOCAL, ROOT, TOOLS, free_port, say
from tools.stack.stack import API_ID, Stack

EVENTS = ROOT / "events"
# Members of the gateway's CORS configuration in the template.
CORS_LISTS = ("AllowMethods", "AllowHeaders", "ExposeHeaders")
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
    with Stack(free_port(), steps.stop, restarts=True) as stack:
        values: dict[str, str] = {}

        def start() -> None:
            stack.start()
            # Only the tests of the pages start it.
            stack.issuer = Issuer(free_port(), stack.base_url)
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


@contextmanager
def local_environment(stack: Stack, values: dict[str, str]) -> Iterator[Path]:
    """The environment file of this stack, so that `make` targets reach it and not one that a developer is running."""
    path = LOCAL / f"env-{stack.port}"
    write_environment(path, values)
    try:
        yield path
    finally:
        path.unlink()


def tour(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    with local_environment(stack, values) as path:
        command = [sys.executable, "-B", "-m", "tools.ci.tour", path, values["BASE_URL"], values["TEST_APP_KEY"]]
        steps.command("Quick start and tour", *command, env={**os.environ, "LOCAL_ENV": str(path)})


def verification(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Verifies the stack as `make verify` does a deployed one."""
    with local_environment(stack, values) as path:
        command = [sys.executable, "-B", "-m", "tools.verify"]
        steps.command("Verification", *command, env={**os.environ, "LOCAL_ENV": str(path)})


def verification_of_faults(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Verifies a stack that misbehaves: each fault must be noticed."""
    with local_environment(stack, values) as path:
        command = [sys.executable, "-B", "-m", "tools.verify.misbehave"]
        steps.command("Verification of a broken stack", *command, env={**os.environ, "LOCAL_ENV": str(path)})


def generated_clients(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Generates clients with the generators that people use, and sends messages with each."""
    command = [sys.executable, "-B", "-m", "tools.ci.generators", stack.base_url]
    steps.command("Generated clients", *command, env={**os.environ, **values})


def reference_receivers(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Runs the reference's code for receivers against a delivery of the stack."""
    steps.run("Code of the reference", lambda: receivers.run(stack, values), (STACK,))


@contextmanager
def pages_elsewhere(stack: Stack, port: int) -> Iterator[None]:
    """Applies another `DocsUrl` to the stack for a while, as the template would, but without a deployment."""
    reference, functions, gateway = stack.resource("ReferenceFunction"), stack.client("lambda"), stack.client("apigatewayv2")
    variables = functions.get_function_configuration(FunctionName=reference)["Environment"]["Variables"]
    _, cors = (ROOT / "infra" / "template.yaml").read_text().split("\n  Api:\n", 1)
    listed = {name: re.search(rf"{name}: \[(.+)\]", cors).group(1).split(", ") for name in CORS_LISTS}

    def publish(url: str) -> None:
        environment = {"Variables": {**variables, "DOCS_URL": url}}
        functions.update_function_configuration(FunctionName=reference, Environment=environment)
        gateway.update_api(ApiId=API_ID, CorsConfiguration={"AllowOrigins": ["/".join(url.split("/")[:3])], **listed})

    publish(f"http://localhost:{port}")
    try:
        yield
    finally:
        publish(variables["DOCS_URL"])


def pages(steps: Steps, stack: Stack) -> None:
    """Tests the pages in a browser, if one is installed."""
    title, port = "Pages", free_port()
    command = (TOOLS / "browser" / "bin" / "python", "-B", "-m", "tools.ci.pages", stack.base_url, str(port))

    def run() -> Counted | None:
        if find_browser() is None:
            raise unchecked("Chromium is not installed: the pages were NOT tested. Install it, or set CHROMIUM to its path.")
        with pages_elsewhere(stack, port), stack.issuer.running(steps.stop):
            # An organization of its own: the pages use up most of the signups that one may attempt in an hour.
            return steps.execute(title, command, {"env": {**os.environ, "ADMIN_KEY": stack.populate()["ADMIN_KEY"]}})

    steps.run(title, run)


def fuzz_api(steps: Steps, stack: Stack, seconds: int) -> None:
    """Runs schemathesis for a limited time; `make fuzz-api` has no limit. A short run may try an operation only with what
    cannot be accepted, so an operation fails only if a second run with another seed accepted nothing either."""

    def once(seed: int) -> tuple[str, dict[str, str]]:
        report = ROOT / "target" / "fuzz-api" / f"report-{seed}.txt"
        report.parent.mkdir(parents=True, exist_ok=True)
        with report.open("w") as output:
            code = fuzz(stack, steps.stop, examples=3, seconds=seconds, output=output, seed=seed)
        shares, missing = summary(is_limited=True)
        say(shares)
        text = report.read_text()
        if code != 0:
            found = re.findall(r"^_+ (.*?) _+$|^ *(- [A-Z].*)$", text, re.MULTILINE)
            raise Failed("\n".join([text[-20000:], "Found:", *("".join(each) for each in found[:8])]))
        generated = re.search(r"^ *(\d+ generated.*)$", text, re.MULTILINE)
        note = f"{generated[1] if generated else 'no summary'}; accepted of the valid: {shares.splitlines()[-1].split()[0]}"
        return note, missing

    def run() -> str:
        note, missing = once(1)
        if missing:
            note, _ = once(2)
            # Also those that the second run hardly tried.
            _, never = summary()
            both = [f"{label}: {why}" for label, why in never.items() if label in missing]
            if both:
                raise Failed("These operations never accepted a request:\n" + "\n".join(both))
        return note

    steps.run("Fuzzing the API", run, (STACK,))


def unexpected_refusals(steps: Steps, stack: Stack, title: str = "Rejections by the guard", on: str = STACK) -> None:
    """Checks the guard's record. `guard-fault`, a failure in a rule itself, is never expected."""

    def run() -> str:
        found = stack.refusals()
        unexpected = [
            f"{known['rule']}: {known['count']} times, first of {known['operation']}: {known['first']}"
            for known in found
            if known["rule"] not in EXPECTED_REFUSALS
        ]
        if unexpected:
            raise Failed("AWS would reject these requests of the tests (docs/aws-limits.md):\n" + "\n".join(unexpected))
        return ", ".join(f"{known['rule']} {known['count']}" for known in found) or "nothing"

    steps.run(title, run, (on,))

"""Steps that run the tests in Rust: on an emulator of their own, at full size, and against a running local stack."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tools.ci.stack_steps import STACK, unexpected_refusals
from tools.ci.steps import Counted, Failed, Steps
from tools.stack.project import LOCAL, ROOT, free_port
from tools.stack.stack import Stack

EMULATOR = "Emulator for tests"
SIZED_TITLE = "Tests at full size"
# The tests that need a deployed stack; all others need only an emulator.
DEPLOYED = [
    "operation::live_tour::end_to_end_from_the_signup_to_an_order",
    "sms::carrier_tour::updates_of_the_carrier_reach_the_table",
]
# The test of the command line that restarts the stack.
RESTARTING = "listen::nothing_is_lost_in_a_restart_of_the_stack"
# The tests that are smaller in `make test` than in `make check` (`of_size` in tests/src/settings.rs).
SIZED = [
    "operation::growth::cost_does_not_grow",
    "events::deliveries::losses::nothing_is_lost",
    "events::feed::readers::a_reader_gets_every_event_once_in_order",
    "chat::inbound::property::no_mutation_costs_more_than_its_field",
    "events::recoveries::progress::all_failed_deliveries_arrive_fifty_at_a_time",
    "chat::notifications::queue::many_updates_with_one_poisonous",
]
CARGO_TEST = ["cargo", "test", "--locked", "--workspace"]


def test_environment(stack: Stack, values: dict[str, str]) -> dict[str, str]:
    environment = {**os.environ, **values, "TEST_AWS_ENDPOINT": stack.endpoint}
    # The tests connect to TEST_AWS_ENDPOINT; this variable is for interactive tools.
    environment.pop("AWS_ENDPOINT_URL", None)
    return environment


def live_tours(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Runs the tests that use the deployed stack."""
    steps.run("Live tours", lambda: exactly(steps, "Live tours", DEPLOYED, test_environment(stack, values)))


def library(steps: Steps, stack: Stack) -> None:
    """Calls each operation with the Rust library, then runs its examples: one after another, because they share an app."""
    title = "Rust on the stack"
    command = (*CARGO_TEST, "--test", "stack", "--", "--include-ignored", "--test-threads=1")

    def run() -> Counted | None:
        # An organization of its own, because others use up most of the signups that one may attempt in an hour.
        return steps.execute(title, command, {"env": test_environment(stack, stack.populate())})

    steps.run(title, run)


def command_line(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Runs the tests of the binary `messaging`, which use the deployed stack and are ignored elsewhere."""
    command = [*CARGO_TEST, "--test", "command_line", "--", "--include-ignored", "--skip", RESTARTING]
    steps.command("Command line", *command, env=test_environment(stack, values))


def restart(steps: Steps, stack: Stack, values: dict[str, str]) -> None:
    """Runs the test that needs the stack for itself, because it restarts it."""
    title, command = "Restart of the stack", (*CARGO_TEST, "--test", "command_line", "--", "--ignored", "--exact", RESTARTING)

    def run() -> Counted:
        with restarts(stack) as down:
            environment = {**test_environment(stack, values), "STACK_DOWN": str(down)}
            counted = steps.execute(title, command, {"env": environment})
        if counted is None or counted.passed != 1:
            raise Failed(f"This test does not exist: {RESTARTING}")
        return counted

    steps.run(title, run, (STACK,))


@contextmanager
def restarts(stack: Stack) -> Iterator[Path]:
    """A file with which a test restarts the stack: the stack is down as long as the file exists."""
    down, over = LOCAL / f"down-{stack.port}", threading.Event()

    def wait() -> None:
        while down.exists():
            stack.stop_request.sleep(0.1)

    def watch() -> None:
        while not over.wait(0.1):
            if down.exists():
                stack.restart(wait)

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        try:
            yield down
        finally:
            over.set()
            down.unlink(missing_ok=True)
    watching.result()


def rust_tests(steps: Steps, needs: tuple[str, ...]) -> None:
    """Runs all tests of the workspace on an emulator of their own, without a deployed stack. Checks what they recorded:
    the responses given and the privileges used."""
    with Stack(free_port(), steps.stop) as stack:
        steps.run(EMULATOR, stack.start, needs)
        seen, used = LOCAL / f"answers-{stack.port}", LOCAL / f"privileges-{stack.port}"
        environment = test_environment(stack, {"CONTRACT_SEEN": str(seen), "PRIVILEGES_SEEN": str(used)})
        # Many tests wait for the platform, a receiver or time, so that more than there are cores make better use of them.
        environment["RUST_TEST_THREADS"] = str(5 * (os.cpu_count() or 1))
        tests = [*CARGO_TEST, "--lib", "--tests", "--no-fail-fast", "--", "--exact"]
        tests += [argument for name in DEPLOYED for argument in ("--skip", name)]
        try:
            steps.command("Tests", *tests, needs=(EMULATOR,), env=environment)
            steps.run("Documented responses", lambda: unseen_responses(seen), ("Tests",))
            privileges = [sys.executable, "-B", "-m", "tools.ci.privileges", used]
            steps.command("Privileges", *privileges, needs=("Tests",))
        finally:
            seen.unlink(missing_ok=True)
            used.unlink(missing_ok=True)
        unexpected_refusals(steps, stack, "Rejections by the guard of the tests", EMULATOR)


def full_size(steps: Steps, needs: tuple[str, ...]) -> None:
    """Runs the tests at full size that are smaller in `make test`."""
    with Stack(free_port(), steps.stop) as stack:
        steps.run(EMULATOR, stack.start, needs)
        environment = test_environment(stack, {"FULL_SIZE": "1", "RUST_TEST_THREADS": str(len(SIZED))})
        steps.run(SIZED_TITLE, lambda: exactly(steps, SIZED_TITLE, SIZED, environment), (EMULATOR,))
        unexpected_refusals(steps, stack, "Rejections by the guard of the tests", EMULATOR)


def exactly(steps: Steps, title: str, tests: list[str], environment: dict[str, str]) -> Counted:
    """Runs these tests, and fails if one of them has another name now."""
    counted = steps.execute(title, (*CARGO_TEST, "--test", "it", "--", "--exact", *tests), {"env": environment})
    if counted is None or counted.passed != len(tests):
        raise Failed(f"Not all of these tests exist: {', '.join(tests)}")
    return counted


# Where only browsers are sent: to the identity provider and back.
OF_BROWSERS = ("/v1/sign-in", "/v1/sign-in/callback")


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
                is_without_key = operation["tags"][0] in ("Reference", "Platform") or path in OF_BROWSERS
                is_bare = is_without_key and status in ("429", "500")
                # `default` is the error that a request with Playground-Error asks for; a test asks for each code.
                is_on_demand = status == "default"
                is_known = f"{method.upper()} {path} {status}" in given
                if not (is_known or is_luck or is_bare or is_on_demand):
                    missing.append(f"{method.upper()} {path}: {status}")
    if missing:
        raise Failed("docs/openapi.json documents responses that no test received:\n" + "\n".join(missing))
    return f"{len(given)} kinds of responses"

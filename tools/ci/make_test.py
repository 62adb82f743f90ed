"""`make test`: static checks, unit, API and end-to-end tests, and documents. Starts the services that it needs on free
ports and stops them at the end.

Usage: python -m tools.ci.make_test [--fresh]

--fresh runs only the steps that read downloads (freshness.py), with functions that are already built.
"""

import os
import sys

from tools.ci import stack_steps, static_checks
from tools.ci.steps import Steps, run_all
from tools.stack.project import free_port
from tools.stack.stack import Stack

TESTS_BUILT = "Building the tests"
FUNCTIONS_BUILT = "Building the functions"


def make_test(steps: Steps) -> None:
    compiles = "--fresh" not in sys.argv

    def code() -> None:
        static_checks.formatting(steps)
        compile_all(steps)
        make_run(steps)

    def documents() -> None:
        static_checks.downloaded(steps)
        static_checks.own(steps)
        static_checks.tests_of_the_tools(steps)

    if compiles:
        steps.together(code, documents)
    else:
        static_checks.downloaded(steps)
    # A test starts the stand-in for the platform at this address.
    os.environ["PLATFORM_BASE_URL"] = f"http://127.0.0.1:{free_port()}"

    def use(stack: Stack, values: dict[str, str]) -> None:
        stack_steps.sample_events(steps, stack, values)
        stack_steps.tour(steps, stack, values)
        stack_steps.generated_client(steps, stack, values)
        stack_steps.pages(steps, stack)
        if compiles:
            stack_steps.rust_tests(steps, stack, values, (TESTS_BUILT,))
        stack_steps.unexpected_refusals(steps, stack)

    stack_steps.with_stack(steps, (FUNCTIONS_BUILT,) if compiles else (), use)


def compile_all(steps: Steps) -> None:
    static_checks.lints(steps)
    tests = ["cargo", "test", "--locked", "--workspace", "--lib", "--tests", "--no-run"]
    steps.command(TESTS_BUILT, *tests)
    steps.command(FUNCTIONS_BUILT, *static_checks.PYTHON, "tools.stack.build")


def make_run(steps: Steps) -> None:
    """Steps that mostly wait, so that they can run in parallel with the tests."""
    command = [*static_checks.PYTHON, "tools.stack.test_run"]
    steps.command("make run and make organization", *command, needs=(FUNCTIONS_BUILT,))


if __name__ == "__main__":
    run_all("test", make_test)

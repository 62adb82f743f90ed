"""`make test`: static checks, unit, API and end-to-end tests, and documents. Starts the services that it needs on free
ports and stops them at the end.
"""

import os

from tools.ci import library_receivers, python_library, rust_steps, snippet_programs, stack_steps, static_checks, typescript
from tools.ci.console import checks as console_checks
from tools.ci.console.sources import check_sources
from tools.ci.steps import Steps, run_all
from tools.stack.build import build_everything
from tools.stack.project import free_port
from tools.stack.stack import Stack

BUILT = "Building tests and functions"


def make_test(steps: Steps) -> None:
    build_everything()

    def code() -> None:
        static_checks.formatting(steps)
        compile_all(steps)
        # The tests keep the processor busy while the steps on stacks wait.
        steps.together(lambda: rust_steps.rust_tests(steps, (BUILT,)), stacks)

    def documents() -> None:
        # First, because steps on the stack use the package.
        steps.together(lambda: typescript.library(steps), lambda: python_library.library(steps))
        library_receivers.run_receivers(steps)
        check_sources(steps)
        static_checks.downloaded(steps)
        static_checks.own(steps)
        static_checks.tests_of_the_tools(steps)

    def stacks() -> None:
        make_run(steps)
        # The live tour starts the stand-in for the platform at this address.
        os.environ["PLATFORM_BASE_URL"] = f"http://127.0.0.1:{free_port()}"
        stack_steps.with_stack(steps, (BUILT,), use)

    def use(stack: Stack, values: dict[str, str]) -> None:
        stack_steps.sample_events(steps, stack, values)
        stack_steps.tour(steps, stack, values)
        stack_steps.verification(steps, stack, values)
        stack_steps.generated_clients(steps, stack, values)
        typescript.on_stack(steps, stack, values)
        python_library.on_stack(steps, stack, values)
        snippet_programs.on_stack(steps, stack, values)
        stack_steps.reference_receivers(steps, stack, values)
        stack_steps.pages(steps, stack)
        console_checks.on_stack(steps, stack)
        rust_steps.live_tours(steps, stack, values)
        rust_steps.library(steps, stack)
        rust_steps.command_line(steps, stack, values)
        stack_steps.unexpected_refusals(steps, stack)
        # Last, because a restart loses the guard's record.
        rust_steps.restart(steps, stack, values)

    steps.together(code, documents)


def compile_all(steps: Steps) -> None:
    steps.command(BUILT, *static_checks.PYTHON, "tools.stack.build")
    static_checks.lints(steps, (BUILT,))


def make_run(steps: Steps) -> None:
    """Tests `make run`. The step mostly waits, so it runs in parallel with others."""
    command = [*static_checks.PYTHON, "tools.stack.test_run"]
    steps.command("make run and make organization", *command, needs=(BUILT,))


if __name__ == "__main__":
    run_all("test", make_test)

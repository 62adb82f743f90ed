"""`make check`: the steps that are too slow for `make test`: fuzzing, release gates, a function built for arm64, the
deployment, restore and soak drills, the tests of the libraries' vectors, the package of the Rust library, the
verification of a broken stack, and all of the console.
"""

import os
import shutil
import sys
import threading

from tools.bench.gates import GATED, gates
from tools.bench.runner import Bench
from tools.bench.sequential_proxy import one_at_a_time
from tools.ci import rust_steps, stack_steps
from tools.ci.console import checks as console_checks
from tools.ci.cross_build import cross_build
from tools.ci.steps import Failed, Steps, run_all, unchecked
from tools.stack.build import build_everything
from tools.stack.stack import Stack

BUILT = "Building tests and functions"
RELEASE_BUILT = "Building release binaries"
FUZZ_SECONDS = 100
# A short soak; docs/soak.md describes long ones.
SOAK = {"REQUESTS": "1000", "EVENTS": "200"}


def make_check(steps: Steps) -> None:
    build_everything()
    python = [sys.executable, "-B"]
    steps.command(BUILT, *python, "-m", "tools.stack.build")

    def drills() -> None:
        steps.together(deployments, soak)
        steps.command("Fuzzing the code", *python, "-m", "tools.ci.fuzz", "--short")
        # With nothing but the release build beside it: the fuzzer of the API has a limited time.
        stack_steps.with_stack(steps, (BUILT,), on_stack)

    def deployments() -> None:
        steps.command("Deployment drill", *python, "-m", "tools.operate.test_deploy", needs=(BUILT,))
        steps.command("Restore drill", *python, "-m", "tools.operate.test_restore", needs=(BUILT,))

    def soak() -> None:
        steps.command("Soak drill", *python, "-m", "tools.stack.soak", needs=(BUILT,), env={**os.environ, **SOAK})
        steps.command("Template in all regions", *python, "-m", "tools.ci.lint_regions")
        steps.command("Rust library", *python, "-m", "tools.ci.rust_library", needs=(BUILT,))
        steps.command("Vectors of the libraries", *python, "-m", "unittest", "discover", "-q", "-s", "clients/conformance")

    def on_stack(stack: Stack, values: dict[str, str]) -> None:
        console_checks.slow(steps, stack)
        stack_steps.verification_of_faults(steps, stack, values)
        stack_steps.fuzz_api(steps, stack, FUZZ_SECONDS)
        is_released.wait()
        steps.run("Release gates", lambda: release_gates(stack), (RELEASE_BUILT,))
        stack_steps.unexpected_refusals(steps, stack)

    is_released = threading.Event()

    def release() -> None:
        try:
            steps.command(RELEASE_BUILT, *python, "-m", "tools.bench.release", *GATED)
        finally:
            is_released.set()
        # After the binaries that other steps wait for.
        cross_build(steps)

    # All others wait much of their time; the release builds, which have the lowest priority, take that time.
    steps.together(release, drills, lambda: rust_steps.full_size(steps, (BUILT,)))


def release_gates(stack: Stack) -> str:
    """Compares size, start and instructions of the release functions with the accepted run of `make bench`."""
    if shutil.which("valgrind") is None:
        raise unchecked("valgrind is not installed: size, start and instructions of release binaries were NOT checked.")
    with one_at_a_time(stack.endpoint) as proxy:
        # A new organization, as in `make bench`: the fuzzer enlarges the objects of the other one.
        bench = Bench(stack, stack.populate(), proxy)
        complaints = gates(bench)
    if complaints:
        complaints.append("If the change is intended, run `make bench ACCEPT=1` and review docs/performance.md.")
        raise Failed("\n".join(complaints))
    return ""


if __name__ == "__main__":
    run_all("check", make_check)

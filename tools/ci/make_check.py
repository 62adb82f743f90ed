"""`make check`: what takes longer than `make test` may. Fuzzing, release gates, the restore and soak drills, and
whether a fresh machine gets everything that it needs.
"""

import os
import shutil
import sys

from tools.bench.bench import Bench
from tools.bench.gates import gates
from tools.bench.sequential_proxy import one_at_a_time
from tools.ci import stack_steps
from tools.ci.steps import Failed, Skipped, Steps, run_all
from tools.stack.project import ROOT
from tools.stack.stack import Stack

BUILT = "Building the functions"
RELEASE_BUILT = "Building release binaries"
FUZZ_SECONDS = 180
# A short soak; docs/soak.md tells of the long ones.
SOAK = {"REQUESTS": "1500", "EVENTS": "200"}


def make_check(steps: Steps) -> None:
    python = [sys.executable, "-B"]
    steps.command(BUILT, *python, "-m", "tools.stack.build")
    steps.together(
        lambda: steps.command(RELEASE_BUILT, *python, "-m", "tools.bench.release"),
        lambda: steps.command("Freshness", *python, "-m", "tools.ci.freshness", needs=(BUILT,)),
    )
    steps.command("Restore drill", *python, "-m", "tools.operate.test_restore", needs=(BUILT,))
    steps.command("Soak drill", *python, "-m", "tools.stack.soak", needs=(BUILT,), env={**os.environ, **SOAK})
    steps.command("Fuzzing the code", *python, "-m", "tools.ci.fuzz", "--short")
    stack_steps.with_stack(steps, (BUILT,), lambda stack, _: on_stack(steps, stack))


def on_stack(steps: Steps, stack: Stack) -> None:
    stack_steps.fuzz_api(steps, stack, FUZZ_SECONDS)
    steps.run("Release gates", lambda: release_gates(stack), (RELEASE_BUILT,))
    stack_steps.unexpected_refusals(steps, stack)


def release_gates(stack: Stack) -> str:
    """Size, start and instructions of the release functions beside the accepted run of `make bench`."""
    if shutil.which("valgrind") is None:
        missing = "There is no valgrind: size, start and instructions of release binaries were NOT checked."
        # CI must not pass without them.
        raise Failed(missing) if "CI" in os.environ else Skipped(missing)
    with one_at_a_time(stack.endpoint) as endpoint:
        # An organization of its own, as in `make bench`: what the fuzzer wrote into another makes its objects long.
        bench = Bench(stack, stack.populate(), endpoint)
        complaints = gates(bench)
    if complaints:
        complaints.append("Run `make bench ACCEPT=1` if that is meant, and look at docs/performance.md.")
        raise Failed("\n".join(complaints))
    return ""


if __name__ == "__main__":
    run_all("check", make_check)

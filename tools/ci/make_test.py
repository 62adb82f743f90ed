"""`make test`: everything that CI runs. Starts what it needs on free ports and stops it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench import Bench, build_release
from browser import find_browser
from fuzz_api import fuzz
from gates import gates
from invoke import invoke
from stack import LOCAL, REGION, ROOT, Stack, build, free_port, say, write_environment
from tools import TOOLS
from turns import one_at_a_time

EVENTS = ROOT / "events"
FUZZ_SECONDS = 180
# What of the guard's rules (docs/aws-limits.md) is broken on the way, and why that is meant. Whatever else it refuses or notes is a fault.
EXPECTED_REFUSALS = {
    "dynamodb-item-size": "a message of the platform that no item can hold, which is to hold no other up",
    "gateway-headers": "requests with headers that are too large, of tests and of the fuzzer",
    "gateway-payload": "bodies that the gateway does not take, of tests and of the fuzzer",
    "gateway-event": "files that no event can hold, of tests and of the fuzzer",
}


def step(title: str, *command: object, **options: object) -> None:
    started = time.monotonic()
    say(f"\n== {title}")
    done = subprocess.run([str(part) for part in command], cwd=ROOT, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"\nFailed: {title}")
    say(f"   {time.monotonic() - started:.0f} s")


def static_checks() -> None:
    step("Formatting", "cargo", "fmt", "--all", "--check")
    step("Lints", "cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "--deny", "warnings")
    environment = {**os.environ, "SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": REGION}
    step(
        "Template",
        TOOLS / "deploy" / "bin" / "sam",
        "validate",
        "--lint",
        "--template-file",
        "infra/template.yaml",
        env=environment,
    )
    step("OpenAPI document", TOOLS / "contract" / "bin" / "python", "-B", "infra/local/contract.py")
    step("Documentation", sys.executable, "-B", "infra/local/check_docs.py")
    step("Tables of measurements", sys.executable, "-B", "infra/local/bench_docs.py", "--check")
    step("The guard", sys.executable, "-B", "-m", "unittest", "discover", "-q", "-s", "tools/guard", "-t", ".")
    step("Secret scanning", sys.executable, "-B", "-m", "unittest", "discover", "-q", "docs/secret-scanning")
    step(
        "Dependencies",
        TOOLS / "deny" / "bin" / "cargo-deny",
        "--offline",
        "--locked",
        "check",
        "licenses",
        "bans",
        "sources",
    )


def sample_events(stack: Stack, values: dict[str, str]) -> None:
    """Every sample event, run as `make invoke` runs it."""
    say("\n== Sample events")
    # What webhooks receive is no event of a function.
    paths = sorted(path for path in EVENTS.glob("*/*.json") if path.parent.name != "payloads")
    for path in paths:
        reply = invoke(stack, values, path)
        if reply.get("statusCode", 200) >= 400:
            sys.exit(f"{path.relative_to(ROOT)} was refused: {reply}")
    say(f"   {len(paths)} answered")


def pages(stack: Stack) -> str | None:
    """The pages in a browser; what to say in the end where there is none."""
    if find_browser() is None:
        return "There is no Chromium on this machine: the pages were NOT tested. Install it, or name one with CHROMIUM."
    step("Pages", TOOLS / "browser" / "bin" / "python", "-B", "infra/local/pages.py", stack.base_url)
    return None


def unseen_answers(seen: Path) -> None:
    """Every answer that the document names was given to some test, but for those that only a gateway or bad luck gives."""
    say("\n== Documented answers")
    given = set(seen.read_text().splitlines())
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    missing = []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for status, answer in operation["responses"].items():
                # 503 of the gateway; 409 of two requests that change one thing for ever; what needs no storage is never throttled.
                is_luck = answer.get("$ref", "").endswith(("/ServiceUnavailable", "/Conflict"))
                is_bare = operation["tags"][0] in ("Reference", "Platform") and status in ("429", "500")
                if f"{method.upper()} {path} {status}" not in given and not is_luck and not is_bare:
                    missing.append(f"{method.upper()} {path}: {status}")
    if missing:
        sys.exit("No test was ever answered so, and yet docs/openapi.json says it:\n" + "\n".join(missing))
    say(f"   {len(given)} kinds of answers were given")


def fuzz_api(stack: Stack) -> None:
    """Bounded; `make fuzz-api` goes on for as long as it is let."""
    say("\n== Fuzzing the API")
    report = ROOT / "target" / "fuzz-api" / "report.txt"
    report.parent.mkdir(parents=True, exist_ok=True)
    with report.open("w") as output:
        code = fuzz(stack, examples=3, seconds=FUZZ_SECONDS, output=output)
    if code != 0:
        sys.exit(f"{report.read_text()[-20000:]}\nFailed: Fuzzing the API")
    say("   " + next(line for line in report.read_text().splitlines() if "generated" in line).strip())


def unexpected_refusals(stack: Stack) -> None:
    """A rule that could not look at a request, `guard-fault`, is never expected."""
    say("\n== What the guard refused")
    found = stack.guard.refusals()
    unexpected = [known for known in found if known["rule"] not in EXPECTED_REFUSALS]
    if unexpected:
        told = [
            f"{known['rule']}: {known['count']} times, first of {known['operation']}: {known['first']}"
            for known in unexpected
        ]
        sys.exit(
            "AWS would refuse what the tests did (docs/aws-limits.md), or do something else than was meant:\n"
            + "\n".join(told)
        )
    say("   " + (", ".join(f"{known['rule']} {known['count']}" for known in found) or "nothing"))


def gate(stack: Stack) -> None:
    """Size, start and instructions of the release functions beside the accepted run of `make bench`."""
    build_release()
    say("\n== Size, start and instructions")
    with one_at_a_time(stack.endpoint) as turns:
        # An organization of its own, as in `make bench`: what the fuzzer wrote into another makes its objects long.
        complaints = gates(Bench(stack, stack.populate(), turns))
    if complaints:
        sys.exit(
            "\n".join(complaints) + "\nRun `make bench ACCEPT=1` if that is meant, and look at docs/performance.md."
        )


def tour(stack: Stack, values: dict[str, str]) -> None:
    """The README's tour; `make invoke` in it must reach this stack, not one that a person has running."""
    environment = LOCAL / f"env-{stack.port}"
    write_environment(environment, values)
    try:
        step(
            "README tour and first upload",
            sys.executable,
            "-B",
            "infra/local/tour.py",
            environment,
            values["BASE_URL"],
            values["TEST_APP_KEY"],
            env={**os.environ, "LOCAL_ENV": str(environment)},
        )
    finally:
        environment.unlink()


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    static_checks()
    step("Building the tests", "cargo", "test", "--locked", "--workspace", "--lib", "--tests", "--no-run")
    step("Fuzzing the code", sys.executable, "-B", "infra/local/fuzz.py", "--short")
    build()
    step("make run and make organization", sys.executable, "-B", "infra/local/test_run.py")
    step("Restoring the table", sys.executable, "-B", "infra/local/test_restore.py")
    # A test listens there in the platform's place.
    os.environ["PLATFORM_BASE_URL"] = f"http://127.0.0.1:{free_port()}"
    with Stack(free_port()) as stack:
        stack.start()
        stack.deploy()
        values = stack.populate()
        sample_events(stack, values)
        tour(stack, values)
        client = TOOLS / "client" / "bin" / "python"
        step("Generated client", client, "-B", "infra/local/client.py", stack.base_url, env={**os.environ, **values})
        unchecked = pages(stack)
        environment = {**os.environ, **values, "TEST_AWS_ENDPOINT": stack.endpoint}
        # The tests make connections of their own; this one is for the tools that a person uses.
        environment.pop("AWS_ENDPOINT_URL")
        seen = LOCAL / f"answers-{stack.port}"
        environment["CONTRACT_SEEN"] = str(seen)
        used = LOCAL / f"privileges-{stack.port}"
        environment["PRIVILEGES_SEEN"] = str(used)
        step("Tests", "cargo", "test", "--locked", "--workspace", "--lib", "--tests", "--no-fail-fast", env=environment)
        unseen_answers(seen)
        seen.unlink()
        step("Privileges", sys.executable, "-B", "infra/local/privileges.py", used)
        used.unlink()
        fuzz_api(stack)
        if "GATES" in os.environ:
            gate(stack)
        unexpected_refusals(stack)
    if unchecked:
        say(f"\n{unchecked}")
    if "GATES" not in os.environ:
        say("\nSize, start and instructions of release binaries were NOT held: that takes valgrind and GATES=1.")
    say(f"\nEverything passed in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()

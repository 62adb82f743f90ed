"""`make test`: everything that CI runs. Starts what it needs on free ports and stops it."""

import os
import signal
import subprocess
import sys
import time

from invoke import invoke
from stack import LOCAL, REGION, ROOT, Stack, build, free_port, say, write_environment
from tools import TOOLS

EVENTS = ROOT / "events"


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
        "Template", TOOLS / "deploy" / "bin" / "sam", "validate", "--lint", "--template-file", "infra/template.yaml",
        env=environment,
    )
    step("Documentation", sys.executable, "-B", "infra/local/check_docs.py")


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


def tour(stack: Stack, values: dict[str, str]) -> None:
    """The README's tour; `make invoke` in it must reach this stack, not one that a person has running."""
    environment = LOCAL / f"env-{stack.port}"
    write_environment(environment, values)
    try:
        step("README tour", sys.executable, "-B", "infra/local/tour.py", environment, env={**os.environ, "LOCAL_ENV": str(environment)})
    finally:
        environment.unlink()


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    static_checks()
    step("Building the tests", "cargo", "test", "--locked", "--workspace", "--lib", "--tests", "--no-run")
    build()
    # A test listens there in the platform's place.
    os.environ["PLATFORM_BASE_URL"] = f"http://127.0.0.1:{free_port()}"
    with Stack(free_port()) as stack:
        stack.start()
        stack.deploy()
        values = stack.populate()
        sample_events(stack, values)
        tour(stack, values)
        environment = {**os.environ, **values, "TEST_AWS_ENDPOINT": stack.endpoint}
        # The tests make connections of their own; this one is for the tools that a person uses.
        environment.pop("AWS_ENDPOINT_URL")
        step("Tests", "cargo", "test", "--locked", "--workspace", "--lib", "--tests", "--no-fail-fast", env=environment)
    say(f"\nEverything passed in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()

"""Tests `make run` and `make organization` as a user runs them: their output and files, and that one Ctrl-C leaves nothing
behind, whenever it comes.

Usage: python -m tools.stack.test_run
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from tools.stack.environment import read_environment
from tools.stack.project import LOCAL, ROOT, free_port, say
from tools.stack.stack import Stack

# Includes the time to compile the functions, if they are not built yet.
PATIENCE = 1800
DEMO = [
    "BASE_URL",
    "ORGANIZATION_ID",
    "ADMIN_KEY",
    "TEST_ADMIN_KEY",
    "SESSION_TOKEN",
    "APP_ID",
    "APP_KEY",
    "TEST_APP_ID",
    "TEST_APP_KEY",
    "PLATFORM_APP_ID",
    "PLATFORM_APP_SECRET",
    "PLATFORM_VERIFY_TOKEN",
    "AWS_ENDPOINT_URL",
]


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"\nFailed: {what}: {found!r} instead of {wanted!r}")


def descendants(ancestor: int) -> set[int]:
    """Returns the processes, including those with sessions of their own."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [(int(pid), int(parent)) for pid, parent in (line.split() for line in listed.splitlines())]
    found = {ancestor}
    while more := {pid for pid, parent in pairs if parent in found} - found:
        found |= more
    return found


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Running:
    """Runs `make run` in a pseudo-terminal."""

    def __init__(self) -> None:
        self.port = free_port()
        self.environment = LOCAL / f"env-{self.port}"
        # A name that does not resolve, as on a machine without internet.
        self.variables = {
            **os.environ,
            "PORT": str(self.port),
            "LOCAL_ENV": str(self.environment),
            "PLATFORM_BASE_URL": "https://platform.invalid",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "tools.stack.run"],
            cwd=ROOT,
            env=self.variables,
            start_new_session=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def output(self) -> str:
        return "".join(self.lines)

    def wait_for(self, text: str) -> None:
        ends = time.monotonic() + PATIENCE
        while text not in self.output():
            if self.process.poll() is not None or time.monotonic() > ends:
                sys.exit(f"The output never contained {text!r}:\n{self.output()}")
            time.sleep(0.2)

    def interrupt(self) -> None:
        """Ctrl-C."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(timeout=60)
        self.reader.join(timeout=10)


def says_what_there_is(running: Running) -> dict[str, str]:
    running.wait_for("Ctrl-C stops everything.")
    values, output = read_environment(running.environment), running.output()
    expect("what is written", sorted(values), sorted(DEMO))
    expect("who may read it", oct(running.environment.stat().st_mode & 0o777), "0o600")
    expect("the port", f":{running.port}/" in values["BASE_URL"], True)
    expect("the base URL", f"Base URL: {values['BASE_URL']}\n" in output, True)
    missing = [
        name
        for name in DEMO
        if name.endswith(("_KEY", "_TOKEN")) and not name.startswith("PLATFORM") and values[name] not in output
    ]
    expect("credentials missing in the output", missing, [])
    return values


def commands_can_be_tried(running: Running) -> None:
    """Runs the printed commands unchanged, after the line that sets the variables."""
    output = running.output()
    source = re.search(r"^The same as shell variables: (.+)$", output, re.MULTILINE).group(1)
    commands = re.findall(r"^  (curl .+)$", output, re.MULTILINE)
    script = "\n".join([source, *(f"{command}; echo" for command in commands)])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    expect("three commands", (len(commands), len(answers)), (3, 3))
    expect("the settings", answers[0]["name"], "Demo")
    expect("a user's number", answers[1]["number"][:2], "+1")
    expect("a refusal", answers[2], {"error": "Invalid API key"})


def organization(running: Running, name: str) -> subprocess.CompletedProcess:
    command = ["make", "--silent", "--no-print-directory", "organization", f"NAME={name}"]
    return subprocess.run(command, cwd=ROOT, env=running.variables, capture_output=True, text=True, check=False)


def makes_another_organization(running: Running) -> None:
    done = organization(running, "Second")
    expect("lines of `make organization`", (done.returncode, done.stdout.count("\n"), done.stderr), (0, 1, ""))
    made = json.loads(done.stdout)
    expect("its fields", sorted(made), ["adminKey", "organizationId", "sessionToken", "testAdminKey"])
    settings = Stack(running.port).call("GET", "/v1/organization/settings", made["adminKey"])
    expect("the organization of its key", (settings["id"], settings["name"]), (made["organizationId"], "Second"))
    expect("without a name", organization(running, " ").returncode != 0, True)


def a_silent_platform_is_told(running: Running, values: dict[str, str]) -> None:
    started = time.monotonic()
    try:
        Stack(running.port).call(
            "POST",
            "/v1/organization/chat/business-profiles/callback",
            values["ADMIN_KEY"],
            {"code": "AQB", "wabaId": "1029"},
        )
    except urllib.error.HTTPError as refused:
        error = json.load(refused)["error"]
        expect(
            "a live signup",
            (refused.code, error["type"], error["code"]),
            (503, "provider_error", "platform_api_unavailable"),
        )
        expect("when to try again", refused.headers["Retry-After"] is not None, True)
    else:
        sys.exit("A signup succeeded without a platform.")
    expect("whether it is told in time", time.monotonic() - started < 30, True)


def shows_logs(running: Running, values: dict[str, str]) -> None:
    """Checks the log line of a job that the worker cannot process."""
    client = Stack(running.port).client("lambda")
    function = Stack(running.port).resource("WorkerFunction")
    record = {
        "messageId": "1",
        "receiptHandle": "1",
        "body": "nonsense",
        "attributes": {"ApproximateReceiveCount": "1"},
    }
    client.invoke(FunctionName=function, Payload=json.dumps({"Records": [record]}))
    running.wait_for(" worker       {")


def leaves_nothing(running: Running) -> None:
    """One Ctrl-C ends everything, within a minute."""
    started = descendants(running.process.pid)
    running.interrupt()
    expect("how it ends", (running.process.returncode, running.output().endswith("\nStopped.\n")), (0, True))
    with socket.socket() as probe:
        expect("the port is free", probe.connect_ex(("127.0.0.1", running.port)) != 0, True)
    expect("what it has written", running.environment.exists(), False)
    expect("what the emulator kept", (LOCAL / f"s3-{running.port}").exists(), False)
    # A killed process disappears a moment later.
    for _ in range(50):
        left = {pid for pid in started if is_alive(pid)}
        if not left:
            return
        time.sleep(0.1)
    sys.exit(f"Processes are still running: {left}")


def ends_during(text: str, seconds: float) -> None:
    """Sends Ctrl-C some time after a text appears in the output."""
    running = Running()
    try:
        running.wait_for(text)
        time.sleep(seconds)
        leaves_nothing(running)
    finally:
        running.interrupt()


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    running = Running()
    try:
        values = says_what_there_is(running)
        commands_can_be_tried(running)
        makes_another_organization(running)
        a_silent_platform_is_told(running, values)
        shows_logs(running, values)
        expect("the emulator and functions", len(descendants(running.process.pid)) > 2, True)
        leaves_nothing(running)
    finally:
        running.interrupt()
    ends_during("Building the functions", 0.1)
    ends_during("Starting the AWS emulator", 0.2)
    ends_during("Deploying infra/template.yaml", 3.0)
    ends_during("Creating the demo organization", 0.1)
    say(f"\nRan and stopped in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()

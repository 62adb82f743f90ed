"""Tests `make run`, `make organization` and `make logs` as a user runs them: their output and files, and that one Ctrl-C
leaves nothing behind, whenever it comes.

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

from tools.ci.check_docs import shell_lines
from tools.stack.environment import read_environment
from tools.stack.project import LOCAL, ROOT, free_port, say
from tools.stack.stack import STACK, Stack

# Includes the time to compile the functions, if they are not built yet.
PATIENCE = 1800
DEMO = [
    "BASE_URL",
    "CARRIER_INBOUND_TOPIC",
    "CARRIER_RECEIPTS_TOPIC",
    "ORGANIZATION_ID",
    "ADMIN_KEY",
    "TEST_ADMIN_KEY",
    "SESSION_TOKEN",
    "APP_ID",
    "APP_KEY",
    "TEST_APP_ID",
    "TEST_APP_KEY",
    "TEST_CHAT_NUMBER_ID",
    "PLATFORM_APP_ID",
    "PLATFORM_APP_SECRET",
    "PLATFORM_VERIFY_TOKEN",
    "EVENT_QUEUE_ARN",
    "EVENT_QUEUE_URL",
    "AWS_ENDPOINT_URL",
]


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"\nFailed: {what}: {found!r} instead of {wanted!r}")


def descendants(ancestor: int) -> set[int]:
    """Returns a process and all its descendants, including those in sessions of their own."""
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
    """Runs the program of `make run` in a session of its own, and collects its output."""

    def __init__(self) -> None:
        self.port = free_port()
        self.environment = LOCAL / f"env-{self.port}"
        # The platform's name does not resolve, as on a machine without internet.
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
        """Sends the signal of Ctrl-C to all processes of the group, as a terminal does, and waits for the end."""
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
    first = re.search(r"\nReady after \d+ s\.\n(?:Open the console|Sign in) as the owner .+: http\S+\n", output)
    expect("the link comes first", first is not None, True)
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
    expect("a message", answers[0]["outcome"], "ACCEPTED")
    expect("the app's messages", [message["id"] for message in answers[1]["data"]], [answers[0]["id"]])
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


def events_arrive_in_a_queue(running: Running) -> None:
    """Runs the commands of docs/events.md that send an event to a queue and receive it."""
    page = (ROOT / "docs" / "events.md").read_text()
    section = page.split("## Receive events in a queue\n", 1)[1].split("\n## ", 1)[0]
    script = shell_lines(section).replace(". .local/env", f". {running.environment}")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=running.variables, capture_output=True, text=True, check=False
    )
    received = done.stdout.rstrip().splitlines()[-1:]
    expect(f"the commands of docs/events.md\n{done.stdout}{done.stderr}", done.returncode, 0)
    expect("what a queue receives", re.fullmatch(r"evt_\w+ messages\.chat\.received", "".join(received)) is not None, True)


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


def logs(running: Running, request: str, stack: str = "") -> list[str]:
    """Runs `make logs`, with the credentials of the emulator."""
    command = ["make", "--silent", "--no-print-directory", "logs", f"REQUEST={request}", f"STACK={stack}"]
    variables = Stack(running.port).environment()
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def finds_a_request(running: Running, values: dict[str, str]) -> None:
    """`make logs` finds the line of a write and those of the work that it left behind, in the file and in the log groups."""
    headers = {"Authorization": f"Bearer {values['TEST_APP_KEY']}", "Content-Type": "application/json"}
    base, key = values["BASE_URL"], values["TEST_APP_KEY"]
    system = Stack(running.port).call("GET", "/v1/playground/phone-numbers/system", key)["numbers"][0]
    body = json.dumps({"from": "+442079460111", "to": system, "text": "a-recognisable-text"}).encode()
    request = urllib.request.Request(f"{base}/v1/playground/sms/inbound", data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        name, message = answer.headers["X-Request-Id"], json.load(answer)["id"]
    running.wait_for(f'"origin":"{name}"')
    for stack in ("", STACK):
        lines = logs(running, name, stack)
        found = [json.loads(line[line.index("{") :]) for line in lines]
        writes = [line for line in found if line["message"] == "write"]
        expect("the object of the write", [(line["object"], line["app"]) for line in writes], [(message, values["TEST_APP_ID"])])
        dispatched = [line for line in found if line["message"] == "event dispatched"]
        expect("events of an SMS message that was received", len(dispatched), 1)
        expect("whether they are its own", {line["origin"] for line in dispatched}, {name})
        expect("whether its text is there", any("recognisable" in line for line in lines), False)
    expect("an unknown request", logs(running, "unknown-request-id"), [])
    expect("what is no id", logs(running, 'a"b'), [])


def leaves_nothing(running: Running) -> None:
    """One Ctrl-C ends everything, within a minute."""
    started = descendants(running.process.pid)
    running.interrupt()
    expect("how it ends", (running.process.returncode, running.output().endswith("\nStopped.\n")), (0, True))
    with socket.socket() as probe:
        expect("the port is free", probe.connect_ex(("127.0.0.1", running.port)) != 0, True)
    expect("what it has written", running.environment.exists(), False)
    expect("what the emulator kept", (LOCAL / f"emulator-{running.port}").exists(), False)
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
        events_arrive_in_a_queue(running)
        a_silent_platform_is_told(running, values)
        shows_logs(running, values)
        finds_a_request(running, values)
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

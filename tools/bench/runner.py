"""Runs release functions with sample events, and measures the runs: instructions, wall time and memory."""

import base64
import json
import shutil
from pathlib import Path

from tools.bench.release import RELEASE
from tools.bench.runtime_api import Environment
from tools.bench.sequential_proxy import Proxy
from tools.stack.placeholders import SIGNATURE, Placeholders, filled
from tools.stack.project import ROOT
from tools.stack.stack import Stack

# Request counts of the two measured runs; the difference excludes the first request.
FEW, MANY = 2, 7
# The measured operation of each function, a read by id if there is one: it is sent a thousand times and must not change data.
TYPICAL = {
    "bench-hello": "reference/get-health.json",
    "organization": "organization/get-settings.json",
    "people": "people/get-member.json",
    "insight": "insight/list-usage.json",
    "apps": "apps/get-app.json",
    "chat": "chat/get-message.json",
    "notifications": "notifications/handshake.json",
    "media": "media/get-media.json",
    "playground": "playground/list-system-numbers.json",
    "reference": "reference/get-health.json",
}
# The operation that sends messages to a queue.
ENQUEUE = "SendMessageBatch"


class Bench:
    def __init__(self, stack: Stack, values: dict[str, str], proxy: Proxy):
        """`proxy` is the way to AWS for counted runs (see sequential_proxy.py)."""
        self.stack = stack
        self.values = values
        self.proxy = proxy
        self.can_count = shutil.which("valgrind") is not None

    def variables(self, function: str) -> dict[str, str]:
        """The function's environment variables from the template, and the local endpoint."""
        if function == "bench-hello":
            return {}
        name = self.stack.resource(f"{function.capitalize()}Function")
        configured = self.stack.client("lambda").get_function_configuration(FunctionName=name)["Environment"][
            "Variables"
        ]
        return {**configured, "AWS_ENDPOINT_URL": self.stack.endpoint}

    def instructions(self, binary: Path, variables: dict[str, str], events: list[bytes]) -> int:
        environment = Environment(binary, {**variables, "AWS_ENDPOINT_URL": self.proxy.url}, count=True)
        environment.wait_until_ready()
        for event in events:
            environment.invoke(event)
        return environment.stop()

    def per_request(self, binary: Path, variables: dict[str, str], event) -> float:
        """Counts the instructions of one warm request; `event` returns a new event each time."""
        return self.with_batches(binary, variables, event)[0]

    def with_batches(self, binary: Path, variables: dict[str, str], event) -> tuple[float, int]:
        """Counts the instructions of one warm request, and the batches that it sends to queues."""

        def run(requests: int) -> tuple[int, int]:
            before = self.proxy.calls[ENQUEUE]
            count = self.instructions(binary, variables, [event() for _ in range(requests)])
            return count, self.proxy.calls[ENQUEUE] - before

        few, many = run(FEW), run(MANY)
        return (many[0] - few[0]) / (MANY - FEW), round((many[1] - few[1]) / (MANY - FEW))

    def counted_variables(self, function: str) -> dict[str, str]:
        """The function's variables, with a queue that nobody reads instead of the worker's: what the worker does with a
        simulated status may come before or after the function's last write, and changes what that write takes."""
        variables = self.variables(function)
        return {**variables, "QUEUE_URL": self.unread_queue} if "QUEUE_URL" in variables else variables

    @property
    def unread_queue(self) -> str:
        return self.stack.resource("JobDeadLetters")

    def answer(self, function: str, event: bytes) -> bytes:
        """Returns the body of a function's response."""
        environment = Environment(RELEASE / function, self.variables(function))
        environment.wait_until_ready()
        answer = json.loads(environment.invoke(event))
        environment.stop()
        body = answer.get("body") or ""
        return base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()

    def start(self, binary: Path, variables: dict[str, str]) -> float:
        environment = Environment(binary, variables)
        seconds = environment.wait_until_ready()
        environment.stop()
        return seconds

    def memory(self, binary: Path, variables: dict[str, str], event) -> tuple[int, int]:
        """Returns the peak memory in bytes after 200 and after 1,000 requests."""
        environment = Environment(binary, variables)
        environment.wait_until_ready()
        peaks = []
        again = event()
        for more in (200, 800):
            for _ in range(more):
                environment.invoke(again)
            peaks.append(environment.peak_memory())
        environment.stop()
        return peaks[0], peaks[1]


def sample(bench: Bench, path: Path):
    """Returns a function that creates the sample event with new objects."""
    text = path.read_text()
    return lambda: filled(Placeholders(bench.stack, {**bench.values, "SIGNATURE": SIGNATURE}), text).encode()


def typical(bench: Bench, name: str):
    """Returns a function that creates the event for measuring requests and memory; None for functions that only a queue, a
    stream, a schedule or an operator invokes."""
    if name not in TYPICAL:
        return None
    return sample(bench, ROOT / "events" / TYPICAL[name])

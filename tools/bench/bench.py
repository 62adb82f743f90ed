"""`make bench`: measures size, start and cost per request of the release functions, compared with minimal functions.

Prints the tables and writes target/bench.json. Callgrind counts instructions (if valgrind is installed), which are
reproducible under any load. Wall times are reported only.
"""

import base64
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

from tools.bench.release import RELEASE, build_release
from tools.bench.prices import dollars
from tools.bench.runtime_api import Environment
from tools.bench.sequential_proxy import Proxy, one_at_a_time
from tools.stack.build import build
from tools.stack.invoke import SIGNATURE, Placeholders, filled
from tools.stack.project import FUNCTIONS, ROOT, free_port, say
from tools.stack.stack import Stack
from tools.stack.stop import Stop

COSTS = ROOT / "tests" / "costs.json"
MEASURED = ROOT / "tests" / "bench" / "measured.json"
STARTS = int(os.environ.get("STARTS", "15"))
EVERY = "*"
# The function whose operations are measured; those of the others are as accepted.
ONLY = os.environ.get("ONLY", EVERY)
# Request counts of the two measured runs; the difference excludes the first request.
FEW, MANY = 2, 7
# Item counts of the bare transactions and batches; the difference gives the cost of one more item.
FEW_ITEMS, MANY_ITEMS = 2, 12
# The measured operation of each function, a read by id if there is one: it is sent a thousand times and must not change data.
TYPICAL = {
    "bench-hello": "reference/get-health.json",
    "organization": "organization/get-settings.json",
    "apps": "apps/get-app.json",
    "chat": "chat/get-message.json",
    "notifications": "notifications/handshake.json",
    "media": "media/get-media.json",
    "playground": "playground/list-system-numbers.json",
    "reference": "reference/get-health.json",
}
# Reads during initialization, which open the connection for the first request.
OPENING_READS = {"organization": 1, "apps": 1, "chat": 1, "notifications": 2, "media": 1, "playground": 1}
# The operation that sends messages to a queue.
ENQUEUE = "SendMessageBatch"
BARE_OF = {
    ENQUEUE: "enqueue",
    "GetItem": "get",
    "BatchGetItem": "batch",
    "TransactGetItems": "batch",
    "Query": "query",
    "TransactWriteItems": "transact",
}


def zipped(binary: Path) -> int:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        file.write(binary, "bootstrap")
    return len(archive.getvalue())


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


def weigh(bench: Bench, name: str, hello_init: int) -> dict:
    """Measures values that do not depend on the machine's load."""
    binary, variables, event = RELEASE / name, bench.variables(name), typical(bench, name)
    init = bench.instructions(binary, variables, [])
    steady = first = None
    if event is not None:
        steady = bench.per_request(binary, variables, event)
        first = (bench.instructions(binary, variables, [event()]) - init) / steady
    return {
        "bootstrapBytes": binary.stat().st_size,
        "zipBytes": zipped(binary),
        "initInstructions": init,
        "initInstructionsRatio": round(init / hello_init, 3),
        "firstRequestRatio": first and round(first, 3),
    }


def watch(bench: Bench, name: str) -> dict:
    """Measures the wall time of starts, alternating with starts of hello, and memory."""
    binary, variables, event = RELEASE / name, bench.variables(name), typical(bench, name)
    walls, hello_walls = [], []
    for _ in range(STARTS):
        hello_walls.append(bench.start(RELEASE / "bench-hello", {}))
        walls.append(bench.start(binary, variables))
    early, late = bench.memory(binary, variables, event) if event else (None, None)
    return {
        "initWallMs": round(statistics.median(walls) * 1000, 2),
        "initWallRatio": round(statistics.median(walls) / statistics.median(hello_walls), 2),
        "rssBytes": late,
        "rssGrowthBytes": late and late - early,
    }


def functions(bench: Bench, base: dict[str, float] | None) -> dict[str, dict]:
    say("\nFunctions: size, start, memory")
    say(
        f"{'':16}{'bootstrap':>11}{'zip':>8}{'init':>9}{'x hello':>9}{'no reads':>9}{'first':>7}"
        f"{'wall':>10}{'x hello':>9}{'memory':>9}{'growth':>9}"
    )
    found = {}
    hello_init = bench.instructions(RELEASE / "bench-hello", {}, []) if bench.can_count else None
    for name in ["bench-hello", *FUNCTIONS]:
        row = found[name] = {**(weigh(bench, name, hello_init) if bench.can_count else {}), **watch(bench, name)}
        if base:
            reads = OPENING_READS.get(name, 0) * (base["get"] - base["hello"])
            row["initWithoutReadsRatio"] = round((row["initInstructions"] - reads) / hello_init, 3)
        say(
            f"{name:16}{row.get('bootstrapBytes', 0) / 2**20:9.2f} M{row.get('zipBytes', 0) / 2**20:6.2f} M"
            f"{row.get('initInstructions', 0) / 1e6:7.2f} M{row.get('initInstructionsRatio', 0):9.2f}"
            f"{row.get('initWithoutReadsRatio', 0):9.2f}"
            f"{row.get('firstRequestRatio') or 0:7.2f}{row['initWallMs']:7.2f} ms{row['initWallRatio']:9.2f}"
            f"{(row['rssBytes'] or 0) / 2**20:7.1f} M{(row['rssGrowthBytes'] or 0) / 2**20:7.2f} M"
        )
    return found


def baselines(bench: Bench) -> dict[str, float]:
    """Counts the instructions of one request of hello and of the functions that make one SDK call."""
    binary, event = RELEASE / "bench-bare", sample(bench, ROOT / "events" / "reference" / "get-health.json")
    keys = {"BARE_PK": f"ORG#{bench.values['ORGANIZATION_ID']}", "BARE_SK": "ORG"}
    variables = {**bench.variables("organization"), **keys, "QUEUE_URL": bench.unread_queue}
    found = {"hello": bench.per_request(RELEASE / "bench-hello", {}, event)}
    for call, items in (("get", 1), ("put", 1), ("query", 1), ("enqueue", 1), ("transact", FEW_ITEMS), ("batch", FEW_ITEMS)):
        found[call] = bench.per_request(binary, {**variables, "BARE_CALL": call, "BARE_ITEMS": str(items)}, event)
    for call in ("transact", "batch"):
        many = bench.per_request(binary, {**variables, "BARE_CALL": call, "BARE_ITEMS": str(MANY_ITEMS)}, event)
        found[f"{call}Item"] = (many - found[call]) / (MANY_ITEMS - FEW_ITEMS)
    return found


def expected(base: dict[str, float], calls: list[str]) -> float:
    """The instructions of one request with these calls, calculated from the bare functions."""
    return base["hello"] + sum(bare(base, call) for call in calls)


def bare(base: dict[str, float], call: str) -> float:
    """The instructions of a call, named as in tests/costs.json: `GetItem`, `BatchGetItem 3`."""
    name, _, items = call.partition(" ")
    kind = BARE_OF.get(name, "put")
    further = (int(items) - FEW_ITEMS) * base[f"{kind}Item"] if items else 0
    return base[kind] - base["hello"] + further


def ratio(bench: Bench, base: dict[str, float], function: str, event, calls: list[str]) -> tuple[float, float]:
    """Returns the instructions of one request and their ratio to the bare calls that it makes; for a request without
    calls, to a hello function that gets the same event and returns the same body."""
    count, batches = bench.with_batches(RELEASE / function, bench.counted_variables(function), event)
    if calls or batches:
        return count, count / expected(base, [*calls, *[ENQUEUE] * batches])
    with tempfile.NamedTemporaryFile() as body:
        body.write(bench.answer(function, event()))
        body.flush()
        return count, count / bench.per_request(RELEASE / "bench-hello", {"HELLO_BODY": body.name}, event)


def tell(found: dict[str, dict], name: str, cost: dict, instructions: float | None, found_ratio: float | None) -> None:
    row = found[name] = {
        "dynamodbCalls": len(cost["calls"]),
        "sequentialDepth": cost["sequentialDepth"],
        "readUnits": cost["readUnits"],
        "writeUnits": cost["writeUnits"],
        "instructions": instructions and round(instructions),
        "instructionsRatio": found_ratio and round(found_ratio, 3),
        "costPerMillionUsd": round(dollars(cost), 3),
    }
    say(
        f"{name[:80]:82}{row['dynamodbCalls']:6}{row['sequentialDepth']:6}{row['readUnits']:6.0f}{row['writeUnits']:6.0f}"
        f"{(instructions or 0) / 1e6:7.2f} M{found_ratio or 0:7.2f}{row['costPerMillionUsd']:7.2f}"
    )


def operations(bench: Bench, base: dict[str, float] | None) -> dict[str, dict]:
    say("\nOperations: calls, sequential round trips, units, instructions and ratio to bare calls, USD per million")
    say(f"{'':82}{'calls':>6}{'trips':>6}{'read':>6}{'write':>6}{'instr':>9}{'ratio':>7}{'$':>7}")
    costs = json.loads(COSTS.read_text())
    found = {}
    for path in sorted((ROOT / "events").glob(f"{ONLY}/*.json")):
        event = json.loads(path.read_text())
        name = event.get("routeKey", "")
        cost = costs.get(name) or {"calls": [], "sequentialDepth": 0, "readUnits": 0, "writeUnits": 0}
        if not name or "calls" not in cost:
            continue
        instructions = found_ratio = None
        if base:
            # A new organization, because the objects that the samples create count towards limits.
            bench.values = bench.stack.populate()
            function = path.parent.name
            instructions, found_ratio = ratio(bench, base, function, sample(bench, path), cost["calls"])
        tell(found, name, cost, instructions, found_ratio)
    if ONLY != EVERY:
        return {**json.loads(MEASURED.read_text())["operations"], **found}
    # Operations without a sample event are listed with their calls and units only.
    for name in sorted(set(costs) - set(found)):
        if "calls" in (costs[name] or {}):
            tell(found, name, costs[name], None, None)
    return found


def measured(stack: Stack, values: dict[str, str], proxy: Proxy) -> dict:
    bench = Bench(stack, values, proxy)
    if not bench.can_count:
        say("valgrind is not installed: instructions are NOT counted.")
    result: dict = {}
    base = baselines(bench) if bench.can_count else None
    if base:
        say("\nBaselines: " + ", ".join(f"{name} {count / 1e6:.3f} M" for name, count in base.items()))
        result["baselines"] = {name: round(count) for name, count in base.items()}
    result["functions"] = functions(bench, base)
    result["operations"] = operations(bench, base)
    return result


def main() -> None:
    build(Stop())
    build_release(Stop())
    with Stack(free_port()) as stack:
        stack.start()
        stack.deploy()
        with one_at_a_time(stack.endpoint) as proxy:
            result = measured(stack, stack.populate(), proxy)
    target = ROOT / "target" / "bench.json"
    target.write_text(json.dumps(result, indent=1) + "\n")
    say(f"\nWritten to {target.relative_to(ROOT)}.")
    if "ACCEPT" in os.environ:
        shutil.copy(target, MEASURED)
        subprocess.run([sys.executable, "-B", "-m", "tools.bench.bench_docs"], cwd=ROOT, check=True)
        say("Accepted: tests/bench/measured.json and docs/performance.md are updated.")


if __name__ == "__main__":
    sys.exit(main())

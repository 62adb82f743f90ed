"""`make bench`: what the release functions weigh, how they start and what a request costs, beside the least that a function can do.

Prints the tables and writes target/bench.json. Instructions are callgrind's (where valgrind is installed): repeatable, whatever else
the machine does. Wall times are told, and nothing is decided by them.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

from invoke import filled
from runtime_api import Environment
from stack import FUNCTIONS, ROOT, Stack, build, free_port, say

RELEASE = ROOT / "target" / "release"
COSTS = ROOT / "tests" / "costs.json"
STARTS = int(os.environ.get("STARTS", "15"))
# Requests that are counted: after the first, which everything is warm for, and the second.
FEW, MANY = 2, 7
# Dollars in us-east-1, 2026-11: HTTP API and invocation a million; a GB-second on arm64; read and write units a million.
GATEWAY, INVOKE, GB_SECOND, READ, WRITE = 1.00, 0.20, 0.0000133334, 0.125, 0.625
MEMORY_GB, OWN_MS, TRIP_MS = 0.25, 2, 4
BARE_OF = {"GetItem": "get", "BatchGetItem": "get", "TransactGetItems": "get", "Query": "query"}


def build_release() -> None:
    say("Building release binaries (ten minutes the first time) ...")
    packages = [part for name in (*FUNCTIONS, "bench") for part in ("-p", name)]
    subprocess.run(["cargo", "build", "--release", "--locked", *packages, "--bins"], cwd=ROOT, check=True)


def zipped(binary: Path) -> int:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        file.write(binary, "bootstrap")
    return len(archive.getvalue())


class Bench:
    def __init__(self, stack: Stack, values: dict[str, str]):
        self.stack = stack
        self.values = values
        self.can_count = shutil.which("valgrind") is not None

    def variables(self, function: str) -> dict[str, str]:
        """The environment that the template gives the function, and the local endpoint."""
        name = self.stack.resource(f"{function.capitalize()}Function")
        configured = self.stack.client("lambda").get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        return {**configured, "AWS_ENDPOINT_URL": self.stack.endpoint}

    def instructions(self, binary: Path, variables: dict[str, str], events: list[bytes]) -> int:
        environment = Environment(binary, variables, count=True)
        environment.wait_until_ready()
        for event in events:
            environment.invoke(event)
        return environment.stop()

    def per_request(self, binary: Path, variables: dict[str, str], event) -> float:
        """Instructions of one warm request; `event` makes a new one each time."""
        few = self.instructions(binary, variables, [event() for _ in range(FEW)])
        many = self.instructions(binary, variables, [event() for _ in range(MANY)])
        return (many - few) / (MANY - FEW)

    def start(self, binary: Path, variables: dict[str, str]) -> float:
        environment = Environment(binary, variables)
        seconds = environment.wait_until_ready()
        environment.stop()
        return seconds

    def memory(self, binary: Path, variables: dict[str, str], event) -> int:
        environment = Environment(binary, variables)
        environment.wait_until_ready()
        for _ in range(50):
            environment.invoke(event())
        peak = environment.peak_memory()
        environment.stop()
        return peak


def sample(bench: Bench, path: Path):
    """Makes the sample event anew, with objects of its own."""
    text = path.read_text()
    return lambda: filled(bench.stack, bench.values, text).encode()


def functions(bench: Bench) -> dict[str, dict]:
    say("\nFunctions: size, start, memory")
    say(f"{'':16}{'bootstrap':>11}{'zip':>8}{'init':>9}{'x hello':>9}{'wall':>8}{'x hello':>9}{'peak memory':>13}")
    hello = RELEASE / "bench-hello"
    event = sample(bench, ROOT / "events" / "docs" / "get-health.json")
    found = {}
    hello_init = bench.instructions(hello, {}, []) if bench.can_count else None
    for name in ["bench-hello", *FUNCTIONS]:
        binary = RELEASE / name
        variables = {} if name == "bench-hello" else bench.variables(name)
        walls, hello_walls = [], []
        for _ in range(STARTS):
            hello_walls.append(bench.start(hello, {}))
            walls.append(bench.start(binary, variables))
        init = bench.instructions(binary, variables, []) if bench.can_count else None
        serves_http = name == "bench-hello" or (ROOT / "events" / name).exists() and name not in ("operator",)
        rss = bench.memory(binary, variables, event) if serves_http and name not in ("worker", "dispatch", "deliver", "sweep") else None
        found[name] = {
            "bootstrapBytes": binary.stat().st_size,
            "zipBytes": zipped(binary),
            "initInstructions": init,
            "initInstructionsRatio": round(init / hello_init, 3) if init else None,
            "initWallRatio": round(statistics.median(walls) / statistics.median(hello_walls), 2),
            "rssBytes": rss,
        }
        row = found[name]
        say(
            f"{name:16}{row['bootstrapBytes'] / 2**20:9.2f} M{row['zipBytes'] / 2**20:6.2f} M"
            f"{(init or 0) / 1e6:7.2f} M{row['initInstructionsRatio'] or 0:9.2f}{statistics.median(walls) * 1000:5.1f} ms"
            f"{row['initWallRatio']:9.2f}{(rss or 0) / 2**20:11.1f} M"
        )
    return found


def baselines(bench: Bench) -> dict[str, float]:
    """Instructions of one request: of hello, and of the functions that make one call of the SDK."""
    binary, event = RELEASE / "bench-bare", sample(bench, ROOT / "events" / "docs" / "get-health.json")
    keys = {"BARE_PK": f"ORG#{bench.values['ORGANIZATION_ID']}", "BARE_SK": "ORG"}
    variables = {**bench.variables("organization"), **keys}
    found = {"hello": bench.per_request(RELEASE / "bench-hello", {}, event)}
    for call in ("get", "put", "query"):
        found[call] = bench.per_request(binary, {**variables, "BARE_CALL": call}, event)
    return found


def expected(base: dict[str, float], calls: list[str]) -> float:
    """What the bare calls would cost together: a request, and each call's own part."""
    return base["hello"] + sum(base[BARE_OF.get(call, "put")] - base["hello"] for call in calls)


def dollars(cost: dict) -> float:
    compute = (OWN_MS + TRIP_MS * cost["sequentialDepth"]) / 1000 * MEMORY_GB * GB_SECOND * 1e6
    return GATEWAY + INVOKE + compute + cost["readUnits"] * READ + cost["writeUnits"] * WRITE


def operations(bench: Bench, base: dict[str, float] | None) -> dict[str, dict]:
    say("\nOperations: calls, round trips in sequence, units, instructions beside the bare calls, dollars a million")
    say(f"{'':82}{'calls':>6}{'trips':>6}{'read':>6}{'write':>6}{'instr':>9}{'ratio':>7}{'$':>7}")
    costs = json.loads(COSTS.read_text())
    found = {}
    for path in sorted((ROOT / "events").glob("*/*.json")):
        event = json.loads(path.read_text())
        name = event.get("routeKey", "")
        cost = costs.get(name) or {"calls": [], "sequentialDepth": 0, "readUnits": 0, "writeUnits": 0}
        if not name or (name in costs and costs[name] is None):
            continue
        ratio = instructions = None
        if base:
            # An organization of its own: limits count what the samples make.
            bench.values = bench.stack.populate()
            function = path.parent.name
            instructions = bench.per_request(RELEASE / function, bench.variables(function), sample(bench, path))
            ratio = instructions / expected(base, cost["calls"])
        found[name] = {
            "dynamodbCalls": len(cost["calls"]),
            "sequentialDepth": cost["sequentialDepth"],
            "readUnits": cost["readUnits"],
            "writeUnits": cost["writeUnits"],
            "instructions": instructions and round(instructions),
            "instructionsRatio": ratio and round(ratio, 3),
            "costPerMillionUsd": round(dollars(cost), 3),
        }
        row = found[name]
        say(
            f"{name[:80]:82}{row['dynamodbCalls']:6}{row['sequentialDepth']:6}{row['readUnits']:6.0f}{row['writeUnits']:6.0f}"
            f"{(instructions or 0) / 1e6:7.2f} M{ratio or 0:7.2f}{row['costPerMillionUsd']:7.2f}"
        )
    return found


def main() -> None:
    build()
    build_release()
    with Stack(free_port()) as stack:
        stack.start()
        stack.deploy()
        bench = Bench(stack, stack.populate())
        if not bench.can_count:
            say("There is no valgrind on this machine: instructions are NOT counted.")
        result = {"functions": functions(bench)}
        base = baselines(bench) if bench.can_count else None
        if base:
            say("\nThe least: " + ", ".join(f"{name} {count / 1e6:.3f} M" for name, count in base.items()))
            result["baselines"] = {name: round(count) for name, count in base.items()}
        result["operations"] = operations(bench, base)
    target = ROOT / "target" / "bench.json"
    target.write_text(json.dumps(result, indent=1) + "\n")
    say(f"\nWritten to {target.relative_to(ROOT)}.")


if __name__ == "__main__":
    sys.exit(main())

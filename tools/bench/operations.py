"""Measures each operation: calls, round trips, units, instructions and price."""

import json
import os
import tempfile

from tools.bench.baselines import expected
from tools.bench.bench_docs import MEASURED
from tools.bench.prices import dollars
from tools.bench.release import RELEASE
from tools.bench.runner import ENQUEUE, Bench, sample
from tools.stack.project import ROOT, say

COSTS = ROOT / "tests" / "costs.json"
EVERY = "*"
# The function whose operations are measured; those of the others are as accepted.
ONLY = os.environ.get("ONLY", EVERY)


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

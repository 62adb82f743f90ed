"""Measures size, start and memory of each function, compared with a minimal function."""

import os
import statistics
import zipfile
from io import BytesIO
from pathlib import Path

from tools.bench.release import RELEASE
from tools.bench.runner import Bench, typical
from tools.stack.project import FUNCTIONS, say

STARTS = int(os.environ.get("STARTS", "15"))
# Reads during initialization, which open the connection for the first request.
OPENING_READS = {"organization": 1, "people": 1, "insight": 1, "apps": 1, "chat": 1, "notifications": 2, "media": 1, "playground": 1}


def zipped(binary: Path) -> int:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        file.write(binary, "bootstrap")
    return len(archive.getvalue())


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

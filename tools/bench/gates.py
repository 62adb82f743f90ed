"""Compares the release functions with tests/bench/measured.json, the last accepted run of `make bench`.

Size, and the instructions of a start and of a typical request relative to the bare functions, may differ by 3 %.
Larger improvements are reported too, so that they get accepted as the new baseline.

Only two functions are compared, because each takes more than a minute of processor time to build: a typical API, and the
largest one, which also uses queues and secrets. All code that functions share is in them. `make bench` measures all.
"""

import json
from collections.abc import Callable, Iterator

from tools.bench.baselines import baselines
from tools.bench.bench_docs import MEASURED
from tools.bench.operations import COSTS, ratio
from tools.bench.release import RELEASE
from tools.bench.runner import TYPICAL, Bench, sample
from tools.stack.project import ROOT, say

TOLERANCE = 0.03
TRIES = 3
GATED = ["organization", "sending"]


def typical_ratio(bench: Bench, base: dict[str, float], name: str, operation: str) -> float:
    """The ratio of a typical operation's instructions to those of the bare calls that it makes."""
    path = ROOT / "events" / TYPICAL[name]
    calls = (json.loads(COSTS.read_text()).get(operation) or {"calls": []})["calls"]
    return ratio(bench, base, name, sample(bench, path), calls)[1]


def compare(what: str, measure: Callable[[], float], accepted: float, complaints: list[str]) -> None:
    """Compares a number with the accepted one. Counts vary by 1 % with signatures and the order of hash maps, so a
    count that is off is repeated."""
    found: list[float] = []
    while len(found) < TRIES:
        found.append(measure())
        if abs(found[-1] / accepted - 1) <= TOLERANCE:
            return
    shown = ", ".join(f"{now:.3f}" for now in found)
    complaints.append(f"{what}: accepted {accepted}, measured {shown} ({found[-1] / accepted - 1:+.1%})")


def again(bench: Bench, base: dict[str, float]) -> Iterator[dict[str, float]]:
    """Counts the bare requests again with the operation, because their counts vary too."""
    yield base
    while True:
        yield baselines(bench)


def gates(bench: Bench) -> list[str]:
    """Returns the differences from the accepted run."""
    accepted = json.loads(MEASURED.read_text())
    complaints: list[str] = []
    hello_init = bench.instructions(RELEASE / "bench-hello", {}, [])
    for name in GATED:
        then, binary = accepted["functions"][name], RELEASE / name
        compare(f"{name}: bootstrapBytes", lambda: binary.stat().st_size, then["bootstrapBytes"], complaints)
        init = lambda: bench.instructions(binary, bench.variables(name), []) / hello_init
        compare(f"{name}: initInstructionsRatio", init, then["initInstructionsRatio"], complaints)
    base = baselines(bench)
    for name in TYPICAL:
        if name in GATED:
            operation = json.loads((ROOT / "events" / TYPICAL[name]).read_text())["routeKey"]
            then = accepted["operations"][operation]["instructionsRatio"]
            bases = again(bench, base)
            compare(
                f"{operation}: instructionsRatio",
                lambda: typical_ratio(bench, next(bases), name, operation),
                then,
                complaints,
            )
    say(f"   {', '.join(GATED)}")
    if complaints:
        complaints.append("Bare requests: " + ", ".join(f"{name} {round(count)}" for name, count in base.items()))
    return complaints

"""The release functions beside tests/bench/measured.json, the last accepted run of `make bench`.

Size, and the instructions of a start and of a typical request beside bare ones, may differ by 3 %. A better number is
reported as well: it is to be accepted then.
"""

import json
from collections.abc import Callable, Iterator

from tools.bench.bench import TYPICAL, Bench, baselines, ratio, sample
from tools.bench.release import RELEASE, stripped
from tools.stack.project import FUNCTIONS, ROOT, say

MEASURED = ROOT / "tests" / "bench" / "measured.json"
COSTS = ROOT / "tests" / "costs.json"
TOLERANCE = 0.03
TRIES = 3


def typical_ratio(bench: Bench, base: dict[str, float], name: str, operation: str) -> float:
    """The instructions of a function's typical operation beside the bare calls that it makes."""
    path = ROOT / "events" / TYPICAL[name]
    calls = (json.loads(COSTS.read_text()).get(operation) or {"calls": []})["calls"]
    return ratio(bench, base, name, sample(bench, path), calls)[1]


def compare(what: str, measure: Callable[[], float], accepted: float, complaints: list[str]) -> None:
    """Counts differ by 1 % from time to time, as signatures and the order of hash maps do: what is off is counted
    again."""
    found: list[float] = []
    while len(found) < TRIES:
        found.append(measure())
        if abs(found[-1] / accepted - 1) <= TOLERANCE:
            return
    told = ", ".join(f"{now:.3f}" for now in found)
    complaints.append(f"{what}: {accepted} was accepted, now it is {told} ({found[-1] / accepted - 1:+.1%})")


def again(bench: Bench, base: dict[str, float]) -> Iterator[dict[str, float]]:
    """The bare requests are counted again with what they are compared with: luck is theirs as well."""
    yield base
    while True:
        yield baselines(bench)


def gates(bench: Bench) -> list[str]:
    """What differs from the accepted run."""
    accepted = json.loads(MEASURED.read_text())
    complaints: list[str] = []
    hello_init = bench.instructions(RELEASE / "bench-hello", {}, [])
    for name in FUNCTIONS:
        then, binary = accepted["functions"][name], stripped(RELEASE / name)
        compare(f"{name}: bootstrapBytes", lambda: binary.stat().st_size, then["bootstrapBytes"], complaints)
        init = lambda: bench.instructions(binary, bench.variables(name), []) / hello_init
        compare(f"{name}: initInstructionsRatio", init, then["initInstructionsRatio"], complaints)
    base = baselines(bench)
    for name in TYPICAL:
        if name in FUNCTIONS:
            operation = json.loads((ROOT / "events" / TYPICAL[name]).read_text())["routeKey"]
            then = accepted["operations"][operation]["instructionsRatio"]
            bases = again(bench, base)
            compare(
                f"{operation}: instructionsRatio",
                lambda: typical_ratio(bench, next(bases), name, operation),
                then,
                complaints,
            )
    say(f"   {len(FUNCTIONS)} functions, {len(TYPICAL) - 1} operations")
    if complaints:
        complaints.append("Bare requests: " + ", ".join(f"{name} {round(count)}" for name, count in base.items()))
    return complaints

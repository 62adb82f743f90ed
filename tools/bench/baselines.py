"""Counts the instructions of functions that only make SDK calls, and calculates from them what a request should take."""

from tools.bench.release import RELEASE
from tools.bench.runner import ENQUEUE, Bench, sample
from tools.stack.project import ROOT

# Item counts of the bare transactions and batches; the difference gives the cost of one more item.
FEW_ITEMS, MANY_ITEMS = 2, 12
BARE_OF = {
    ENQUEUE: "enqueue",
    "GetItem": "get",
    "BatchGetItem": "batch",
    "TransactGetItems": "batch",
    "Query": "query",
    "TransactWriteItems": "transact",
}


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

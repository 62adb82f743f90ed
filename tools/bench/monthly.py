"""Generates the monthly bill in docs/deploying.md from the translated template and tests/costs.json. Runs in the virtual
environment of the deploy tools.

Usage: python -m tools.bench.monthly [--check]
"""

import json
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from tools.bench.prices import GB_SECOND, INVOKE, READ, WRITE, dollars
from tools.stack.project import ROOT
from tools.stack.template import Evaluation, translated

PAGE = ROOT / "docs" / "deploying.md"
COSTS = ROOT / "tests" / "costs.json"
DUE = ROOT / "shared" / "domain" / "src" / "due.rs"

# Published prices in USD, us-east-1, 2026-11. An alarm is billed for each metric that it reads.
ALARM, DASHBOARD, METRIC, SECRET, KEY = 0.10, 3.00, 0.30, 0.40, 1.00
SCHEDULED, QUEUED = 1.00, 0.40  # per million
LOGS, EGRESS, STORED, BACKED_UP = 0.50, 0.09, 0.25, 0.20  # per GB; table and its backup per GB and month

MINUTES = 365 * 24 * 60 / 12
MILLION = 1_000_000
# Lambda polls a queue without messages with five pollers, each waiting 20 s.
POLLS_PER_MINUTE = 5 * 3
# A look of the sweep at the due index: read units per shard; and, as assumed, seconds and bytes of log (docs/growth.md).
SHARD_READS, LOOK_SECONDS, LOOK_LOG = 0.5, 0.3, 900
# The sweep's sign of life, which the meter function counts: write units of both, read units of both, seconds of an invocation,
# and bytes of its log. docs/insight.md says what it is for.
BEAT_WRITES, BEAT_READS, BEAT_SECONDS, BEAT_LOG = 2, 2, 0.05, 350
# How often a minute a window of the mapping ends, which is an invocation, too.
WINDOWS_PER_MINUTE = 1 / 15
# How often a minute the sweep counts dead letters.
DEAD_LETTERS_PER_MINUTE = 1 / 5


class Kind(NamedTuple):
    """What AWS bills, and how much of it an account has free of charge every month, without an end."""

    price: float
    free: float


ALARMS, METRICS, DASHBOARDS, SECRETS = Kind(ALARM, 10), Kind(METRIC, 10), Kind(DASHBOARD, 3), Kind(SECRET, 0)
QUEUE_REQUESTS, SCHEDULES = Kind(QUEUED / MILLION, MILLION), Kind(SCHEDULED / MILLION, 14 * MILLION)
INVOCATIONS, GB_SECONDS = Kind(INVOKE / MILLION, MILLION), Kind(GB_SECOND, 400_000)
READS, WRITES, LOGGED, KEYS = Kind(READ / MILLION, 0), Kind(WRITE / MILLION, 0), Kind(LOGS, 5), Kind(KEY, 0)

# The settings of which the page shows the idle bill.
SETTINGS = {
    "the defaults": {},
    "`AccountConcurrency` of 50 or more": {"AccountConcurrency": "50"},
    "the same, and `SmsCarrier=aws`": {"AccountConcurrency": "50", "SmsCarrier": "aws"},
    "the defaults, but `Monitoring=full`": {"Monitoring": "full"},
}

# The mix of operations in a million requests. Each message received causes one event for one webhook.
MIX = {
    "GET /v1/organization/chat/messages": (0.8, "a page of messages is read"),
    "POST /v1/organization/apps": (0.1, "something is created"),
    "POST /v1/platform/notifications, a message that is stored": (0.1, "a message is received"),
}
EVENTS = MIX["POST /v1/platform/notifications, a message that is stored"][0]
# The dispatch and one delivery of an event (docs/growth.md): units, queue requests (send, receive, delete), and seconds of
# 256 MB, for a receiver that responds within 300 ms.
EVENT_READS, EVENT_WRITES, EVENT_QUEUED, EVENT_INVOCATIONS, EVENT_SECONDS = 3 + 5, 4 + 2, 3, 2, 0.35
# Write units of counting a message and its delivery in the usage (docs/insight.md).
COUNTED = 2 * 0.2
# Bytes of log per request (access log, Lambda's lines, one of ours), of a response, and of a message's items in the table.
REQUEST_LOG, RESPONSE, MESSAGE = 1000, 2000, 4000


class Line(NamedTuple):
    what: str
    arithmetic: str
    dollars: float


class Item(NamedTuple):
    what: str
    arithmetic: str
    kind: Kind
    amount: float

    @property
    def dollars(self) -> float:
        return self.amount * self.kind.price


def shards() -> int:
    """Returns the number of shards of the due index, which is in the code."""
    counts = re.findall(r"((?:DueClass::\w+[ |]*)+)=> (\d+),", DUE.read_text())
    return sum(classes.count("DueClass::") * int(count) for classes, count in counts)


def watched(alarm: dict) -> list[str]:
    """Returns the metrics that an alarm reads, by namespace, name and dimensions."""
    found = [part["MetricStat"]["Metric"] for part in alarm.get("Metrics", []) if "MetricStat" in part] or [alarm]
    return [json.dumps([metric["Namespace"], metric["MetricName"], metric.get("Dimensions")], sort_keys=True) for metric in found]


def idle(resources: dict[str, dict]) -> Iterator[Item]:
    of_type = lambda kind: [r["Properties"] for r in resources.values() if r["Type"] == kind]  # noqa: E731
    alarms = of_type("AWS::CloudWatch::Alarm")
    reads = [metric for alarm in alarms for metric in watched(alarm)]
    yield Item("alarms, for each metric that they read", f"{len(alarms)} alarms, {len(reads)} × ${ALARM:.2f}", ALARMS, len(reads))
    own = {metric for metric in reads if metric.startswith('[{"Ref": "AWS::StackName"}')}
    yield Item("metrics of our own that alarms watch", f"{len(own)} × ${METRIC:.2f}", METRICS, len(own))
    if boards := len(of_type("AWS::CloudWatch::Dashboard")):
        yield Item("dashboard", f"{boards} × ${DASHBOARD:.2f}", DASHBOARDS, boards)
    secrets = len(of_type("AWS::SecretsManager::Secret"))
    yield Item("secrets; each connected account adds one", f"{secrets} × ${SECRET:.2f}", SECRETS, secrets)
    if keys := len(of_type("AWS::KMS::Key")):
        yield Item("key of the carrier's topics", f"{keys} × ${KEY:.2f}", KEYS, keys)
    mappings = of_type("AWS::Lambda::EventSourceMapping")
    queues = len([mapping for mapping in mappings if "ScalingConfig" in mapping and mapping.get("Enabled", True)])
    polls = queues * POLLS_PER_MINUTE * MINUTES
    yield Item(
        "polling of queues",
        f"{queues} queues × {POLLS_PER_MINUTE} a minute = {polls / MILLION:.2f} M × ${QUEUED:.2f}",
        QUEUE_REQUESTS,
        polls,
    )
    runs = len(of_type("AWS::Scheduler::Schedule")) * MINUTES
    yield Item("schedule of the sweep", f"{runs:,.0f} × ${SCHEDULED:.2f} a million", SCHEDULES, runs)
    yield Item("its invocations", f"{runs:,.0f} × ${INVOKE:.2f} a million", INVOCATIONS, runs)
    memory = int(resources["SweepFunction"]["Properties"]["MemorySize"]) / 1024
    yield Item(
        "their time",
        f"{runs:,.0f} × {LOOK_SECONDS} s × {memory:g} GB × ${GB_SECOND:.10f}",
        GB_SECONDS,
        runs * LOOK_SECONDS * memory,
    )
    index = shards()
    units = runs * index * SHARD_READS
    yield Item(
        "a look at each shard of due work",
        f"{runs:,.0f} × {index} shards × {SHARD_READS} reads = {units / MILLION:.2f} M × ${READ}",
        READS,
        units,
    )
    variables = resources["SweepFunction"]["Properties"]["Environment"]["Variables"]
    dead = len(re.findall(r"\$\{\w+DeadLetters\}", str(variables["DEAD_LETTER_QUEUE_URLS"])))
    if dead:
        asked = dead * DEAD_LETTERS_PER_MINUTE * MINUTES
        yield Item(
            "counting dead letters", f"{dead} queues every five minutes = {asked / MILLION:.2f} M × ${QUEUED:.2f}", QUEUE_REQUESTS, asked
        )
    logged = runs * LOOK_LOG / 1e9
    yield Item("log lines of the sweep", f"{runs:,.0f} × {LOOK_LOG} bytes = {logged:.2f} GB × ${LOGS:.2f}", LOGGED, logged)
    yield from counting(resources)


def counting(resources: dict[str, dict]) -> Iterator[Item]:
    """The sweep's sign of life, and its counting by the meter function."""
    writes, reads = BEAT_WRITES * MINUTES, BEAT_READS * MINUTES
    yield Item("sign of life, counted", f"{MINUTES:,.0f} × {BEAT_WRITES} writes = {writes / MILLION:.2f} M × ${WRITE}", WRITES, writes)
    yield Item("position of the counting", f"{MINUTES:,.0f} × {BEAT_READS} reads = {reads / MILLION:.2f} M × ${READ}", READS, reads)
    runs = (1 + WINDOWS_PER_MINUTE) * MINUTES
    yield Item("invocations of the meter function", f"{runs:,.0f} × ${INVOKE:.2f} a million", INVOCATIONS, runs)
    memory = int(resources["MeterFunction"]["Properties"]["MemorySize"]) / 1024
    seconds = runs * BEAT_SECONDS * memory
    yield Item("their time", f"{runs:,.0f} × {BEAT_SECONDS} s × {memory:g} GB × ${GB_SECOND:.10f}", GB_SECONDS, seconds)
    logged = runs * BEAT_LOG / 1e9
    yield Item("their log lines", f"{runs:,.0f} × {BEAT_LOG} bytes = {logged:.2f} GB × ${LOGS:.2f}", LOGGED, logged)


def after_free_tiers(items: list[Item]) -> list[float]:
    """Returns what each item costs if nothing else in the account uses the free tiers; earlier items use them up first."""
    left = {item.kind: item.kind.free for item in items}
    dollars = []
    for item in items:
        free = min(item.amount, left[item.kind])
        left[item.kind] -= free
        dollars.append((item.amount - free) * item.kind.price)
    return dollars


def idle_bill(**parameters: str) -> list[Item]:
    return list(idle(Evaluation(translated(), parameters).resources()))


def variable(costs: dict) -> Iterator[Line]:
    """Yields the costs that each million requests adds."""
    for name, (share, what) in MIX.items():
        each = dollars(costs[name])
        yield Line(f"{what} (`{name}`)", f"{share * 100:.0f} % × ${each:.2f}", share * each)
    units = EVENT_READS * READ + EVENT_WRITES * WRITE
    event = units + EVENT_QUEUED * QUEUED + EVENT_INVOCATIONS * INVOKE + EVENT_SECONDS / 4 * GB_SECOND * MILLION
    yield Line(
        "an event is dispatched and delivered to one webhook",
        f"{EVENTS * 100:.0f} % × ({EVENT_READS} reads, {EVENT_WRITES} writes, {EVENT_QUEUED} queue requests, "
        f"{EVENT_INVOCATIONS} invocations, {EVENT_SECONDS} s together = ${event:.2f})",
        EVENTS * event,
    )
    yield Line("both are counted", f"{EVENTS * 100:.0f} % × {COUNTED} writes", EVENTS * COUNTED * WRITE)
    logs = REQUEST_LOG * (1 + EVENT_INVOCATIONS * EVENTS) / 1000
    yield Line("logs", f"{logs:.1f} GB × ${LOGS:.2f}", logs * LOGS)
    yield Line("responses", f"{RESPONSE / 1000:.0f} GB × ${EGRESS:.2f}", RESPONSE / 1000 * EGRESS)
    stored = EVENTS * MESSAGE / 1000
    price = STORED + BACKED_UP
    yield Line("messages kept, for each month that they are kept", f"{stored:.1f} GB × ${price:.2f}", stored * price)


def table(head: str, lines: list[Line], total: str) -> list[str]:
    rows = [f"| {head} | arithmetic | $ |", "|---|---|---|"]
    rows += [f"| {line.what} | {line.arithmetic} | {line.dollars:.2f} |" for line in lines]
    return [*rows, f"| **{total}** | | **{sum(line.dollars for line in lines):.2f}** |"]


def idle_table(items: list[Item]) -> list[str]:
    free = after_free_tiers(items)
    rows = ["| at idle, a month | arithmetic | $ | after the free tiers |", "|---|---|---|---|"]
    rows += [f"| {item.what} | {item.arithmetic} | {item.dollars:.2f} | {rest:.2f} |" for item, rest in zip(items, free)]
    return [*rows, f"| **idle** | | **{sum(item.dollars for item in items):.2f}** | **{sum(free):.2f}** |"]


def section() -> str:
    bills = {name: idle_bill(**parameters) for name, parameters in SETTINGS.items()}
    each = list(variable(json.loads(COSTS.read_text())))
    totals = {name: (sum(item.dollars for item in items), sum(after_free_tiers(items))) for name, items in bills.items()}
    base, more = totals["the defaults"][0], sum(line.dollars for line in each)
    months = " | ".join(f"**{base + millions * more:.0f}**" for millions in (0, 1, 10))
    return "\n".join(
        [
            "Published prices of us-east-1 in USD. The free tiers are those that an account has every month without an end: 10 alarms and",
            "10 metrics, 1 million requests of SQS, 14 million schedules, 1 million invocations and 400,000 GB-seconds of Lambda, 5 GB of logs.",
            "Units per operation are counted ([costs.json](../tests/costs.json)); times and sizes are assumptions. `python -m tools.bench.monthly`",
            "makes these tables from the template.",
            "",
            "| requests a month, without free tiers | none | 1 million | 10 million |",
            "|---|---|---|---|",
            f"| $ a month | {months} |",
            "",
            *idle_table(bills["the defaults"]),
            "",
            "| idle, $ a month, with | list prices | after the free tiers |",
            "|---|---|---|",
            *[f"| {name} | {listed:.2f} | {rest:.2f} |" for name, (listed, rest) in totals.items()],
            "",
            *table("for each million requests", each, "per million"),
        ]
    )


def page() -> str:
    made = section()
    return re.sub(
        r"(<!-- cost -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{made}\n{found[2]}", PAGE.read_text(), flags=re.S
    )


def main() -> None:
    made = page()
    if "--check" not in sys.argv:
        PAGE.write_text(made)
    elif PAGE.read_text() != made:
        sys.exit("The bill in docs/deploying.md is out of date. Run .tools/deploy/bin/python -m tools.bench.monthly.")


if __name__ == "__main__":
    main()

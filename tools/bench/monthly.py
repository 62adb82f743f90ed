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

# Published prices in USD, us-east-1, 2026-11, without free tiers.
ALARM, DASHBOARD, METRIC, SECRET = 0.10, 3.00, 0.30, 0.40
SCHEDULED, QUEUED = 1.00, 0.40  # per million
LOGS, EGRESS, STORED, BACKED_UP = 0.50, 0.09, 0.25, 0.20  # per GB; table and its backup per GB and month

MINUTES = 365 * 24 * 60 / 12
MILLION = 1_000_000
# Lambda polls a queue without messages with five pollers, each waiting 20 s.
POLLS_PER_MINUTE = 5 * 3
# A round of the sweep in which nothing is due: units, queue requests (a tenth of a send, receive, delete), seconds of 256 MB,
# and bytes of log (docs/growth.md).
ROUND_READS, ROUND_QUEUED, ROUND_SECONDS, ROUND_LOG = 0.5, 2.1, 0.03, 600

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
# Bytes of log per request (access log, Lambda's lines, one of ours), of a response, and of a message's items in the table.
REQUEST_LOG, RESPONSE, MESSAGE = 1000, 2000, 4000


class Line(NamedTuple):
    what: str
    arithmetic: str
    dollars: float


def idle(resources: dict[str, dict]) -> Iterator[Line]:
    of_type = lambda kind: [r["Properties"] for r in resources.values() if r["Type"] == kind]  # noqa: E731
    alarms = of_type("AWS::CloudWatch::Alarm")
    yield Line("alarms", f"{len(alarms)} × ${ALARM:.2f}", len(alarms) * ALARM)
    own = [alarm for alarm in alarms if alarm.get("Namespace") == {"Ref": "AWS::StackName"}]
    metrics = {json.dumps([alarm["MetricName"], alarm.get("Dimensions")], sort_keys=True) for alarm in own}
    yield Line("metrics of our own that alarms watch", f"{len(metrics)} × ${METRIC:.2f}", len(metrics) * METRIC)
    yield Line("dashboard", f"1 × ${DASHBOARD:.2f}", DASHBOARD)
    secrets = len(of_type("AWS::SecretsManager::Secret"))
    yield Line("secrets; each connected account adds one", f"{secrets} × ${SECRET:.2f}", secrets * SECRET)
    queues = len([m for m in of_type("AWS::Lambda::EventSourceMapping") if "ScalingConfig" in m])
    polls = queues * POLLS_PER_MINUTE * MINUTES
    yield Line(
        "polling of queues",
        f"{queues} queues × {POLLS_PER_MINUTE} a minute = {polls / MILLION:.2f} M × ${QUEUED:.2f}",
        polls / MILLION * QUEUED,
    )
    runs = len(of_type("AWS::Scheduler::Schedule")) * MINUTES
    yield Line(
        "schedule",
        f"{runs:,.0f} runs × ${SCHEDULED + INVOKE:.2f} a million",
        runs / MILLION * (SCHEDULED + INVOKE),
    )
    # The alarms on shards that are not read count three values per shard.
    shards = sum(int(alarm["Threshold"]) for alarm in own if alarm.get("Statistic") == "SampleCount") // 3
    each = (INVOKE + ROUND_READS * READ + ROUND_QUEUED * QUEUED) / MILLION + ROUND_SECONDS / 4 * GB_SECOND
    yield Line(
        "rounds of the sweep",
        f"{shards} shards × {runs:,.0f} × (${INVOKE:.2f} + {ROUND_READS} reads × ${READ} + {ROUND_QUEUED} queue requests × "
        f"${QUEUED:.2f}) a million, {ROUND_SECONDS} s of 256 MB, {ROUND_LOG} bytes of log",
        shards * runs * (each + ROUND_LOG / 1e9 * LOGS),
    )


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


def section() -> str:
    fixed = list(idle(Evaluation(translated()).resources()))
    each = list(variable(json.loads(COSTS.read_text())))
    base, more = (sum(line.dollars for line in lines) for lines in (fixed, each))
    months = " | ".join(f"**{base + millions * more:.0f}**" for millions in (0, 1, 10))
    return "\n".join(
        [
            "Published prices of us-east-1 in USD, without free tiers (which cover a part of the idle bill). Units per operation are",
            "counted ([costs.json](../tests/costs.json)); times and sizes are assumptions. `python -m tools.bench.monthly` makes",
            "these tables from the template.",
            "",
            "| requests a month | none | 1 million | 10 million |",
            "|---|---|---|---|",
            f"| $ a month | {months} |",
            "",
            *table("at idle, a month", fixed, "idle"),
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

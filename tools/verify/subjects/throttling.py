"""The stage's throttle: how many requests pass, and whether all routes share the limit or each has its own."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

from tools.verify.report import Broken, Skipped, Subject, expect
from tools.verify.target import Target

SUBJECT = Subject("Assumption 2: the stage's throttle limits all routes together", serial=True)
# Routes without limits of their own. They are called without a credential: a 401 has passed the throttle.
ROUTES = [f"/v1/organization/{name}" for name in ("settings", "apps", "admin-keys", "phone-numbers")]
# A public route with its limits in infra/template.yaml.
PUBLIC, PUBLIC_RATE, PUBLIC_BURST = "/api_reference/error-codes", 5, 20
# A burst that one machine can exceed.
LARGEST_BURST = 50
PER_ROUTE = (
    "RequestsPerSecond and RequestBurst then hold for each route: the stage lets through as many times that as it has routes. Divide the "
    "parameters' defaults by the number of busy routes, give every public route a limit of its own (RouteSettings of the stage), multiply the worst "
    "cost per day in docs/performance.md, and limit the whole with a rate rule of AWS WAF or the account's own limit (Service Quotas)."
)


def limits(target: Target) -> tuple[float, int]:
    """Returns the stage's rate and burst, from AWS or else from the environment."""
    if target.aws:
        return target.aws.throttle()
    try:
        return float(target.options["RATE"]), int(target.options["BURST"])
    except (KeyError, ValueError):
        raise Skipped("Set STACK, or RATE and BURST to the parameters RequestsPerSecond and RequestBurst.") from None


@SUBJECT("Requests over the limit get the gateway's 429, and all routes share the limit", PER_ROUTE)
def scope(target: Target) -> str:
    if target.is_emulator:
        raise Skipped("The emulator does not throttle.")
    rate, burst = limits(target)
    if burst > LARGEST_BURST:
        raise Skipped(
            f"The stage lets {burst} requests through at once. Deploy a second stack with RequestsPerSecond=2 RequestBurst=10, "
            "and run this subject alone: make verify STACK=… ONLY=throttling"
        )
    one = passed(target, ROUTES[:1], 6 * burst, burst)
    # Wait until the token bucket is full again.
    time.sleep(burst / rate + 1)
    all_of_them = passed(target, ROUTES, 6 * burst, burst)
    note = f"{one} of {6 * burst} requests passed on one route, {all_of_them} on {len(ROUTES)} (rate {rate:g}, burst {burst})"
    # With a shared limit, the numbers are alike; with a limit per route, four times as many pass. Throttling is not exact.
    if all_of_them > 2 * one:
        raise Broken(f"each route has a limit of its own: {note}")
    return note


@SUBJECT(
    "A public route has a low limit of its own, which leaves other routes alone",
    "RouteSettings of the stage (infra/template.yaml) sets the limits; the cost of requests without a credential in docs/performance.md depends on them.",
)
def public_route(target: Target) -> str:
    if target.is_emulator:
        raise Skipped("The emulator does not throttle.")
    count = 4 * PUBLIC_BURST
    through = passed(target, [PUBLIC], count, count, okay=200)
    other = target.client.send("GET", ROUTES[0], target.first["ADMIN_KEY"])
    expect(other.status == 200, f"another route meanwhile: {other}")
    # Wait, because later checks read this route, too.
    time.sleep(PUBLIC_BURST / PUBLIC_RATE)
    return f"{through} of {count} requests at once passed"


def passed(target: Target, routes: list[str], count: int, at_once: int, okay: int = 401) -> int:
    """Sends requests to the routes in turn; returns how many were not throttled."""
    with ThreadPoolExecutor(at_once) as pool:
        replies = list(pool.map(lambda path: target.client.send("GET", path), islice(cycle(routes), count)))
    throttled = [reply for reply in replies if reply.status == 429]
    expect(throttled, f"none of {len(replies)} requests was throttled")
    expect(set(throttled[0].json or {}) == {"message"}, f"429 in another shape: {throttled[0]}")
    others = {reply.status for reply in replies} - {okay, 429}
    expect(not others, f"other responses under load: {sorted(others)}")
    return len(replies) - len(throttled)

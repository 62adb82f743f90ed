"""Prices of the resources that a request uses."""

# Prices in USD, us-east-1, 2026-11: per million HTTP API requests, per million invocations, per GB-second on arm64, per
# million read units and per million write units.
GATEWAY, INVOKE, GB_SECOND, READ, WRITE = 1.00, 0.20, 0.0000133334, 0.125, 0.625
MEMORY_GB, OWN_MS, TRIP_MS = 0.25, 2, 4


def dollars(cost: dict) -> float:
    """Returns the price of a million requests of an operation, from its line in tests/costs.json."""
    compute = (OWN_MS + TRIP_MS * cost["sequentialDepth"]) / 1000 * MEMORY_GB * GB_SECOND * 1e6
    return GATEWAY + INVOKE + compute + cost["readUnits"] * READ + cost["writeUnits"] * WRITE

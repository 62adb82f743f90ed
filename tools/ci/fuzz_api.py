"""`make fuzz-api`: runs schemathesis against the local stack, in a new demo organization.

EXAMPLES=100 sets the number of examples per operation, SEED=1 the random seed.
"""

import json
import os
import sys

from tools.ci import fuzz_objects
from tools.stack.environment import read_environment, stack_port
from tools.stack.project import ENV, ROOT, TOOLS, say
from tools.stack.stack import Stack
from tools.stack.stop import Stop

CONFIGURATION = ROOT / "contract" / "schemathesis.toml"
FOLDER = ROOT / "target" / "fuzz-api"
# The numbers of valid and of accepted requests of the last run, by operation.
COUNTS = FOLDER / "counts.json"
# A run with a time limit judges no operation that it could try less often.
FEWEST = 3
# Operations that a run may leave without an accepted request, each with the reason.
NEVER_ACCEPTED = {"GET /v1/openapi.json": "schemathesis leaves out the address from which it reads the document"}


def fuzz(
    stack: Stack, stop: Stop, examples: int, seconds: int | None = None, output: object = None, seed: int = 1
) -> int:
    """Runs schemathesis, with an optional time limit in seconds. Returns its exit code; the counts are in COUNTS."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    COUNTS.unlink(missing_ok=True)
    # A new organization, because the requests delete its objects.
    values = stack.populate()
    stock = FOLDER / "stock.json"
    made = fuzz_objects.create(stack, values, seed)
    stock.write_text(made.written())
    command = [
        TOOLS / "fuzz" / "bin" / "schemathesis",
        "--config-file",
        CONFIGURATION,
        "run",
        f"{stack.base_url}/v1/openapi.json",
        "--checks",
        "all",
        "--max-examples",
        examples,
        "--seed",
        seed,
        *(["--max-time", seconds] if seconds else []),
    ]
    environment = {
        **os.environ,
        **values,
        "ONBOARDING_TOKEN": made.links["spare"][0],
        "NO_COLOR": "1",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SCHEMATHESIS_HOOKS": "tools.ci.fuzz_hooks",
        "FUZZ_STOCK": str(stock),
        "FUZZ_ASSETS": " ".join(fuzz_objects.assets(stack)),
        "FUZZ_CONSOLE_FILES": " ".join(fuzz_objects.console_files(stack)),
        "FUZZ_TEXTS": " ".join(fuzz_objects.texts(stack)),
        "FUZZ_COUNTS": str(COUNTS),
    }
    for name in ("AWS_ENDPOINT_URL", "HYPOTHESIS_DATABASE"):
        environment.pop(name, None)
    return stop.run(command, cwd=FOLDER, env=environment, stdout=output, stderr=output)


def operations(document: dict) -> list[str]:
    return [f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item]


def table(counts: dict[str, dict], known: list[str]) -> str:
    """The share of accepted requests among the valid ones, by operation, the lowest first."""

    def count(label: str) -> tuple[int, int]:
        each = counts.get(label, {})
        return each.get("accepted", 0), each.get("valid", 0)

    def share(label: str) -> float:
        accepted, valid = count(label)
        return accepted / max(1, valid)

    lines = ["Accepted of the valid requests:"]
    for label in sorted(known, key=share):
        accepted, valid = count(label)
        lines.append(f"{share(label):6.0%} {accepted:5} of {valid:5}  {label}")
    accepted, valid = (sum(count(label)[index] for label in known) for index in (0, 1))
    lines.append(f"{accepted / max(1, valid):6.0%} {accepted:5} of {valid:5}  all operations")
    return "\n".join(lines)


def never_accepted(counts: dict[str, dict], known: list[str]) -> dict[str, str]:
    """The operations without an accepted request, each with its last rejection, except those with a reason."""
    missing = [label for label in known if not counts.get(label, {}).get("accepted") and label not in NEVER_ACCEPTED]
    return {label: counts.get(label, {}).get("rejection", "no valid request") for label in missing}


def hardly_tried(counts: dict[str, dict]) -> set[str]:
    """The operations that had too few valid requests: a busy machine does not get further in its time."""
    return {label for label, count in counts.items() if count["valid"] < FEWEST}


def summary(is_limited: bool = False) -> tuple[str, dict[str, str]]:
    """Returns the table of the last run, and the operations that never accepted a request, as far as they can be
    judged."""
    known = operations(json.loads((ROOT / "docs" / "openapi.json").read_text()))
    counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    tried = {label: counts.get(label, {"valid": 0}) for label in known}
    unjudged = hardly_tried(tried) if is_limited else set()
    told = table(counts, known)
    if unjudged:
        told = f"Not judged, with fewer than {FEWEST} valid requests each: {', '.join(sorted(unjudged))}\n{told}"
    return told, never_accepted(counts, [label for label in known if label not in unjudged])


def main() -> None:
    stack, running = Stack(stack_port(ENV)), read_environment(ENV)
    # The platform app of the running stack, whose secret signs notifications.
    stack.platform = {name: running[name] for name in stack.platform}
    code = fuzz(stack, Stop(), int(os.environ.get("EXAMPLES", "100")), seed=int(os.environ.get("SEED", "1")))
    shares, missing = summary()
    say(shares)
    if missing:
        listed = [f"{label}: {why}" for label, why in missing.items()]
        sys.exit("\n".join(["These operations never accepted a request:", *listed]))
    sys.exit(code)


if __name__ == "__main__":
    main()

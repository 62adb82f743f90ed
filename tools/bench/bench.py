"""`make bench`: measures size, start and cost per request of the release functions, compared with minimal functions.

Prints the tables and writes target/bench.json. Callgrind counts instructions (if valgrind is installed), which are
reproducible under any load. Wall times are reported only.
"""

import json
import os
import shutil
import subprocess
import sys

from tools.bench.baselines import baselines
from tools.bench.bench_docs import MEASURED
from tools.bench.functions import functions
from tools.bench.operations import operations
from tools.bench.release import build_release
from tools.bench.runner import Bench
from tools.bench.sequential_proxy import Proxy, one_at_a_time
from tools.stack.build import build
from tools.stack.project import ROOT, free_port, say
from tools.stack.stack import Stack
from tools.stack.stop import Stop


def measured(stack: Stack, values: dict[str, str], proxy: Proxy) -> dict:
    bench = Bench(stack, values, proxy)
    if not bench.can_count:
        say("valgrind is not installed: instructions are NOT counted.")
    result: dict = {}
    base = baselines(bench) if bench.can_count else None
    if base:
        say("\nBaselines: " + ", ".join(f"{name} {count / 1e6:.3f} M" for name, count in base.items()))
        result["baselines"] = {name: round(count) for name, count in base.items()}
    result["functions"] = functions(bench, base)
    result["operations"] = operations(bench, base)
    return result


def printed(result: dict) -> str:
    """Returns the result as JSON, with a line for each function and operation."""
    groups = []
    for name, group in result.items():
        lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in group.items())
        groups.append(f"{json.dumps(name)}: {{\n{lines}\n}}")
    return "{" + ",\n".join(groups) + "}\n"


def main() -> None:
    build(Stop())
    build_release(Stop())
    with Stack(free_port()) as stack:
        stack.start()
        stack.deploy()
        with one_at_a_time(stack.endpoint) as proxy:
            result = measured(stack, stack.populate(), proxy)
    target = ROOT / "target" / "bench.json"
    target.write_text(printed(result))
    say(f"\nWritten to {target.relative_to(ROOT)}.")
    if "ACCEPT" in os.environ:
        shutil.copy(target, MEASURED)
        subprocess.run([sys.executable, "-B", "-m", "tools.bench.bench_docs"], cwd=ROOT, check=True)
        say("Accepted: tests/bench/measured.json and docs/performance.md are updated.")


if __name__ == "__main__":
    sys.exit(main())
